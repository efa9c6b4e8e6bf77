"""How the embeddings of several levels become one, and the linear projection that is.

concat   [S₁·W⁽¹⁾ … S_k·W⁽ᵏ⁾]           W is block diagonal
mean     (S₁·W⁽¹⁾ + … + S_k·W⁽ᵏ⁾)/k      W = [W⁽¹⁾; …; W⁽ᵏ⁾]/k
max      the largest, entry by entry    not a linear projection of [S₁ … S_k]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor

Aggregation = Literal["concat", "mean", "max"]
AGGREGATIONS: tuple[Aggregation, ...] = ("concat", "mean", "max")


@dataclass(frozen=True)
class Projection:
    """What takes the smoothed rows to the embedding: z = aggregate(s₁·W⁽¹⁾, …, s_k·W⁽ᵏ⁾) − offset.

    Parameters
    ----------
    weights : tuple of torch.Tensor of shape (n_features, d)
        W for each level.
    aggregation : {"concat", "mean", "max"}
        How the levels become one.
    offset : torch.Tensor of shape (dimension,), optional
        What is taken off every row.

    Examples
    --------
    >>> import sparsecut as sc, torch
    >>> sc.Projection((torch.ones(3, 2), torch.ones(3, 2)), "concat").dimension
    4
    """

    weights: tuple[Tensor, ...]  # (f, d) for each level
    aggregation: Aggregation
    offset: Tensor | None = None  # (dimension,)

    @property
    def dimension(self) -> int:
        widths = [matrix.shape[1] for matrix in self.weights]
        return sum(widths) if self.aggregation == "concat" else widths[0]

    @property
    def is_linear(self) -> bool:
        return self.aggregation != "max" or len(self.weights) == 1

    def whole(self) -> Tensor:
        """The one matrix W of [S₁ … S_k]·W.

        Returns
        -------
        torch.Tensor of shape (k·n_features, dimension)
            Stacked for the mean, block diagonal for concat.
        """
        if len(self.weights) == 1:
            return self.weights[0]
        if self.aggregation == "mean":
            return torch.cat(self.weights) / len(self.weights)
        assert self.aggregation == "concat"
        blocks: Tensor = torch.block_diag(*self.weights)  # type: ignore[no-untyped-call]
        return blocks


def aggregate(embeddings: Sequence[Tensor], aggregation: Aggregation) -> Tensor:
    """One embedding out of one for each level."""
    if len(embeddings) == 1:
        return embeddings[0]
    if aggregation == "concat":
        return torch.cat(list(embeddings), dim=1)
    stacked = torch.stack(list(embeddings))
    return stacked.mean(dim=0) if aggregation == "mean" else stacked.amax(dim=0)
