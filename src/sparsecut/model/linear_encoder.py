"""The linear network: Z = aggregate(S₁·W⁽¹⁾, …, S_k·W⁽ᵏ⁾), each W⁽ⁱ⁾ = W₁···W_l the product of its layers, S_i = P^i F.

SCE has one level, MoSCE several. Depth does not change what a linear network can express; it changes the path training
takes (Arora et al., 2019), and so where early stopping leaves it. No bias, no activation, Glorot-uniform start.

As `blocks`, a network says how its energy splits over the Gram matrices of its levels:

    concat   Σ_i tr(W⁽ⁱ⁾ᵀ M_ii W⁽ⁱ⁾)      levels side by side never meet
    mean     tr(Wᵀ M W)                  one linear map W = [W⁽¹⁾; …; W⁽ᵏ⁾]/k of [S₁ … S_k]
    max      not a function of any Gram matrix: rows only
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from sparsecut.base.errors import InputError, check_integer, parameter_error
from sparsecut.engines.contract import TrainableRows
from sparsecut.engines.rows import project
from sparsecut.operators.aggregation import Aggregation, aggregate

Block = tuple[tuple[int, ...], Tensor]  # the levels side by side, and the matrix that maps them


class LinearEncoder(nn.Module):
    """A product of layers for every level, with the widths (f, h₁, …, d), and an aggregation over the levels."""

    def __init__(
        self, widths_by_level: Sequence[Sequence[int]], aggregation: Aggregation, generator: torch.Generator
    ) -> None:
        super().__init__()
        self.levels = nn.ModuleList(
            nn.ParameterList(glorot_uniform(n_in, n_out, generator) for n_in, n_out in pairwise(widths))
            for widths in widths_by_level
        )
        self.aggregation: Aggregation = aggregation

    @property
    def is_linear(self) -> bool:
        return self.aggregation != "max" or len(self.levels) == 1

    def matrices(self) -> list[Tensor]:
        """W⁽ⁱ⁾, (f, d), for every level."""
        products = []
        for layers in self.levels:
            factors: list[Tensor] = list(layers.parameters())
            products.append(reduce(torch.matmul, factors))
        return products

    def blocks(self) -> list[Block]:
        matrices = self.matrices()
        if self.aggregation == "concat" or len(matrices) == 1:
            return [((level,), matrix) for level, matrix in enumerate(matrices)]
        return [(tuple(range(len(matrices))), torch.cat(matrices) / len(matrices))]

    def forward(self, levels: Sequence[TrainableRows]) -> Tensor:
        embeddings = [project(rows, matrix) for rows, matrix in zip(levels, self.matrices(), strict=True)]
        return aggregate(embeddings, self.aggregation)


def layer_widths(
    depth: int | Sequence[int], widths: Any, n_features: Sequence[int], dimension: int, aggregation: Aggregation
) -> list[list[int]]:
    """(f, h₁, …, d) for every level; levels that are put side by side share out the dimension."""
    n_levels = len(n_features)
    dimensions = [dimension] * n_levels
    if aggregation == "concat":
        if dimension < n_levels:
            raise InputError(f"MoSCE needs a dimension for each of its {n_levels} levels to concat. Got {dimension}.")
        share, rest = divmod(dimension, n_levels)
        dimensions = [share + (level < rest) for level in range(n_levels)]
    depths = _by_level("depth", depth, n_levels)
    hidden = [widths] if n_levels == 1 else _by_level("widths", widths, n_levels)
    return [
        [features, *_hidden_widths(level_hidden, level_depth, level_dimension), level_dimension]
        for features, level_hidden, level_depth, level_dimension in zip(n_features, hidden, depths, dimensions, strict=True)
    ]


def _by_level(name: str, value: Any, n_levels: int) -> list[Any]:
    """A value for every level: the same one, or as many as there are levels."""
    values = list(value) if isinstance(value, Sequence) else [value] * n_levels
    if len(values) != n_levels:
        levels = "the one level" if n_levels == 1 else f"each of the {n_levels} levels"
        raise parameter_error("Adam", name, f"one for all or one for {levels}", value)
    return values


def _hidden_widths(widths: int | Sequence[int] | None, depth: int, dimension: int) -> list[int]:
    """The widths of the depth − 1 hidden layers of a network that ends in `dimension` columns."""
    if widths is None:
        return [dimension] * (depth - 1)
    hidden = list(widths) if isinstance(widths, Sequence) else [widths] * (depth - 1)
    if len(hidden) != depth - 1:
        raise parameter_error("Adam", "widths", f"one for all or one for each of the {depth - 1} hidden layers", widths)
    return [check_integer("Adam", "widths", width, 1) for width in hidden]


def glorot_uniform(n_in: int, n_out: int, generator: torch.Generator) -> nn.Parameter:
    """Uniform in ±√(6/(n_in + n_out)), drawn on the CPU so that every device starts at the same point."""
    bound = math.sqrt(6 / (n_in + n_out))
    return nn.Parameter(torch.rand(n_in, n_out, generator=generator).mul_(2).sub_(1).mul_(bound))
