"""The smoothed features S = Σ c_k P^k F, held as rows or as factors, behind two products: S·W and Sᵀ·G.

With the coefficients (1,) the features are S itself, dense or sparse. With more they are F, and S is never formed: for P^k,
S·W = P(P(···(F·W))). Whoever trains or projects does not know which.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import torch
from torch import Tensor

from sparsecut.engines.contract import TrainableRows
from sparsecut.kernels import halves, products
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.operators.propagation import Propagation


class Rows:
    """S = Σ c_k P^k · features, of shape (n, f). Dense features may be kept in half precision (`kernels.halves`)."""

    def __init__(
        self,
        features: Tensor | SparseMatrix,
        propagation: Propagation | None = None,
        coefficients: Polynomial = (1.0,),
        *,
        is_spare: bool = False,
    ) -> None:
        self.features = features
        self.propagation = propagation
        self.coefficients = coefficients
        self.is_spare = is_spare  # the features are in memory of their own, not the user's

    @property
    def shape(self) -> tuple[int, int]:
        return int(self.features.shape[0]), int(self.features.shape[1])

    @property
    def device(self) -> torch.device:
        return self.features.device

    @property
    def n_stored(self) -> int | None:
        """The entries of sparse features; None where they are dense."""
        return self.features.nnz if isinstance(self.features, SparseMatrix) else None

    @property
    def n_gathered(self) -> int:
        """The entries of P: the rows that a hop reads."""
        return self._propagation.nnz

    @property
    def is_formed(self) -> bool:
        """Whether the features are S itself, up to a factor."""
        return len(self.coefficients) == 1

    @property
    def formed(self) -> tuple[Tensor, float] | None:
        """Dense rows that are S up to a factor, and the factor; None where S is not held like that."""
        if not self.is_formed or not isinstance(self.features, Tensor):
            return None
        return self.features, float(self.coefficients[0])

    def __matmul__(self, weights: Tensor) -> Tensor:  # (n, d)
        if self.is_formed and self.coefficients != (1.0,):
            return Rows(self.features) @ (weights * self.coefficients[0])  # fewer numbers to multiply than in S·W
        if isinstance(self.features, Tensor) and halves.is_half(self.features):
            return self._hopped(halves.times(self.features, weights))
        if isinstance(self.features, Tensor) and not self.features.is_cuda:
            return self._hopped(products.times(self.features, weights))
        return self._hopped(self.features @ weights)

    def times_into(self, weights: Tensor, result: Tensor) -> None:
        """S·W of rows that are formed, written where it is to be: on a GPU nothing is made beside it."""
        if isinstance(self.features, Tensor) and self.features.is_cuda and self.is_formed:
            halves.times(self.features, weights * self.coefficients[0], result)
        else:
            result.copy_(self @ weights)

    def transpose_times(self, rows: Tensor) -> Tensor:  # (f, d)
        if self.coefficients != (1.0,):
            rows = self._propagation.T.smooth(self.coefficients, rows) if not self.is_formed else rows * self.coefficients[0]
        if isinstance(self.features, Tensor) and (halves.is_half(self.features) or not self.features.is_cuda):
            return products.transpose_times(self.features, rows)
        return self.features.T @ rows

    def columns(self, start: int, stop: int) -> Tensor:  # (n, stop - start)
        if isinstance(self.features, SparseMatrix):
            return self._hopped(self.features.columns(start, stop))
        columns = self.features[:, start:stop]
        return self._hopped(columns.float() if halves.is_half(columns) else columns)

    def scaled(self, factor: float) -> Rows:
        """factor·S, nothing copied."""
        coefficients = tuple(factor * coefficient for coefficient in self.coefficients)
        return Rows(self.features, self.propagation, coefficients, is_spare=self.is_spare)

    def through(self, coefficients: Polynomial) -> Rows:
        """The rows smoothed by a polynomial of P, as factors: nothing is computed. Needs rows that are not smoothed yet."""
        assert self.is_formed
        scale = self.coefficients[0]
        return Rows(self.features, self.propagation, coefficients, is_spare=self.is_spare).scaled(scale)

    def take(self, nodes: Tensor) -> Rows:
        """Some of the rows. Needs S itself, or one hop from it: more reach further than is worth while."""
        if not self.is_formed:
            return Rows(self._propagation.smooth_some(self.coefficients, self.features, nodes))
        taken = self.features.take(nodes) if isinstance(self.features, SparseMatrix) else self.features[nodes]
        return Rows(taken, coefficients=self.coefficients)

    def _hopped(self, rows: Tensor) -> Tensor:
        if self.coefficients == (1.0,):
            return rows
        return rows * self.coefficients[0] if self.is_formed else self._propagation.smooth(self.coefficients, rows)

    @property
    def _propagation(self) -> Propagation:
        assert self.propagation is not None
        return self.propagation


class Level(Protocol):
    """What stands in `StackedRows`."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def device(self) -> torch.device: ...

    def __matmul__(self, weights: Tensor) -> Tensor: ...

    def transpose_times(self, rows: Tensor) -> Tensor: ...

    def columns(self, start: int, stop: int) -> Tensor: ...


class StackedRows:
    """[S₁ S₂ … S_k] side by side, so that a mean over levels is one linear map of (n, k·f) features."""

    formed = None  # as one matrix

    def __init__(self, levels: Sequence[Level]) -> None:
        self.levels = tuple(levels)

    @property
    def shape(self) -> tuple[int, int]:
        return self.levels[0].shape[0], sum(level.shape[1] for level in self.levels)

    @property
    def device(self) -> torch.device:
        return self.levels[0].device

    def __matmul__(self, weights: Tensor) -> Tensor:
        parts = torch.split(weights, [level.shape[1] for level in self.levels])
        return torch.stack([level @ part for level, part in zip(self.levels, parts, strict=True)]).sum(dim=0)

    def transpose_times(self, rows: Tensor) -> Tensor:
        return torch.cat([level.transpose_times(rows) for level in self.levels])

    def columns(self, start: int, stop: int) -> Tensor:
        parts, offset = [], 0
        for level in self.levels:
            width = level.shape[1]
            first, last = max(start - offset, 0), min(stop - offset, width)
            if first < last:
                parts.append(level.columns(first, last))
            offset += width
        return torch.cat(parts, dim=1)


def side_by_side(levels: Sequence[Any]) -> Any:
    """Levels as one matrix: itself where there is one."""
    return levels[0] if len(levels) == 1 else StackedRows(levels)


def project(rows: TrainableRows, weights: Tensor) -> Tensor:
    """Z = S·W with the gradient for W, whichever way S is held."""
    return _Projection.apply(weights, rows)  # type: ignore[no-any-return, no-untyped-call]


class _Projection(torch.autograd.Function):
    @staticmethod
    def forward(ctx: Any, weights: Tensor, rows: TrainableRows) -> Tensor:
        ctx.rows = rows
        return rows @ weights

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        return ctx.rows.transpose_times(gradients[0].contiguous()), None
