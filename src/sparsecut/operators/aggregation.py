"""How the embeddings of several levels become one, and the linear projection that is.

concat   [S₁·W⁽¹⁾ … S_k·W⁽ᵏ⁾]           W is block diagonal
mean     (S₁·W⁽¹⁾ + … + S_k·W⁽ᵏ⁾)/k      W = [W⁽¹⁾; …; W⁽ᵏ⁾]/k
max      the largest, entry by entry    not a linear projection of [S₁ … S_k]
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.graph import Graph

Aggregation = Literal["concat", "mean", "max"]
AGGREGATIONS: tuple[Aggregation, ...] = ("concat", "mean", "max")


@dataclass(frozen=True)
class Projection:
    """What takes the smoothed rows to the embedding: z = aggregate(s₁·W⁽¹⁾, …, s_k·W⁽ᵏ⁾) − offset.

    The nodes of a graph with types have an offset for each type: near then means near across types too.

    Parameters
    ----------
    weights : tuple of torch.Tensor of shape (n_features, d)
        W for each level.
    aggregation : {"concat", "mean", "max"}
        How the levels become one.
    offset : torch.Tensor of shape (dimension,) or (n_types + 1, dimension), optional
        What is taken off every row, or off the rows of each type; the last row is for nodes of no type.

    Examples
    --------
    >>> import sparsecut as sc, torch
    >>> sc.Projection((torch.ones(3, 2), torch.ones(3, 2)), "concat").dimension
    4
    """

    weights: tuple[Tensor, ...]  # (f, d) for each level
    aggregation: Aggregation
    offset: Tensor | None = None  # (dimension,) or, by the type of a node, (n_types + 1, dimension)

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


def types_for(projection: Projection, graph: Graph) -> NDArray[np.int16] | None:
    """The types of a graph's nodes, where the offset of a projection depends on them."""
    return graph.type_codes if projection.offset is not None and projection.offset.ndim == 2 else None


def offsets_of(offset: Tensor, codes: NDArray[np.int16] | None) -> Tensor:
    """What is taken off some rows, (dimension,) or (m, dimension); `codes` are the types of their nodes, −1 for none."""
    return offset if codes is None else offset[torch.from_numpy(codes.astype(np.int64)).to(offset.device)]


def aggregate(embeddings: Sequence[Tensor], aggregation: Aggregation) -> Tensor:
    """One embedding out of one for each level."""
    if len(embeddings) == 1:
        return embeddings[0]
    if aggregation == "concat":
        return torch.cat(list(embeddings), dim=1)
    stacked = torch.stack(list(embeddings))
    return stacked.mean(dim=0) if aggregation == "mean" else stacked.amax(dim=0)
