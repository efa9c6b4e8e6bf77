"""The networks: deep linear, Z = S·W₁···W_l, and multi-order, Z = aggregate(S₁·W⁽¹⁾, …, S_k·W⁽ᵏ⁾) with S_i = P^i F.

Depth does not change what a linear network can express; it changes the path training takes (Arora et al., 2019), and so
where early stopping leaves it. No bias, no activation, Glorot-uniform start.

As `blocks`, a network tells how its energy splits over the Gram matrices of its levels:

    concat   Σ_i tr(W⁽ⁱ⁾ᵀ M_ii W⁽ⁱ⁾)      levels side by side never meet
    mean     tr(Wᵀ M W)                  one linear map W = [W⁽¹⁾; …; W⁽ᵏ⁾]/k of [S₁ … S_k]
    max      not a function of any Gram matrix: rows only
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise

import torch
from torch import Tensor, nn

from sparsecut.operators.rows import Rows, project

AGGREGATIONS = ("concat", "mean", "max")

Block = tuple[tuple[int, ...], Tensor]  # the levels side by side, and the matrix that maps them


class LinearEncoder(nn.Module):
    """W = W₁···W_l for widths (f, h₁, …, d)."""

    is_linear = True

    def __init__(self, widths: Sequence[int], generator: torch.Generator) -> None:
        super().__init__()
        self.layers = nn.ParameterList(glorot_uniform(n_in, n_out, generator) for n_in, n_out in pairwise(widths))

    def matrix(self) -> Tensor:  # (f, d)
        product: Tensor = reduce(torch.matmul, self.layers)
        return product

    def matrices(self) -> list[Tensor]:
        return [self.matrix()]

    def blocks(self) -> list[Block]:
        return [((0,), self.matrix())]

    def forward(self, levels: Sequence[Rows]) -> Tensor:  # (n, d)
        return project(levels[0], self.matrix())


class MultiOrderEncoder(nn.Module):
    """One linear network a level, and an aggregation over them."""

    def __init__(self, widths_by_level: Sequence[Sequence[int]], aggregation: str, generator: torch.Generator) -> None:
        super().__init__()
        self.encoders = nn.ModuleList(LinearEncoder(widths, generator) for widths in widths_by_level)
        self.aggregation = aggregation

    @property
    def is_linear(self) -> bool:
        return self.aggregation != "max"

    def matrices(self) -> list[Tensor]:
        return [encoder.matrix() for encoder in self.encoders]  # type: ignore[operator]

    def blocks(self) -> list[Block]:
        matrices = self.matrices()
        if self.aggregation == "concat":
            return [((level,), matrix) for level, matrix in enumerate(matrices)]
        return [(tuple(range(len(matrices))), torch.cat(matrices) / len(matrices))]

    def forward(self, levels: Sequence[Rows]) -> Tensor:
        return aggregate(
            [project(rows, matrix) for rows, matrix in zip(levels, self.matrices(), strict=True)], self.aggregation
        )


def aggregate(embeddings: Sequence[Tensor], aggregation: str) -> Tensor:
    """One embedding out of one a level."""
    if len(embeddings) == 1:
        return embeddings[0]
    if aggregation == "concat":
        return torch.cat(list(embeddings), dim=1)
    stacked = torch.stack(list(embeddings))
    return stacked.mean(dim=0) if aggregation == "mean" else stacked.amax(dim=0)


def glorot_uniform(n_in: int, n_out: int, generator: torch.Generator) -> nn.Parameter:
    """Uniform in ±√(6/(n_in + n_out)), drawn on the CPU so that every device starts at the same point."""
    bound = math.sqrt(6 / (n_in + n_out))
    return nn.Parameter(torch.rand(n_in, n_out, generator=generator).mul_(2).sub_(1).mul_(bound))
