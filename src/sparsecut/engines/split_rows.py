"""Rows whose columns are split over several devices: S = [S₁ … S_g], each panel with the matrix P of its own device.

    P·S = [P·S₁ … P·S_g]                 a hop moves nothing between devices
    S·W = S₁·W₁ + … + S_g·W_g            n × d partial sums, added where the columns of the result are
    Sᵀ·G = [S₁ᵀ·G; … ; S_gᵀ·G]

The first device has what is f × f, and takes some rows at a time where all columns are needed together.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import NamedTuple

import torch
from torch import Tensor

from sparsecut.engines.rows import Rows
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.products import ROW_BLOCK, row_blocks
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.operators.propagation import Propagation

LEAST_COLUMNS = 16  # of a panel: a GPU gathers narrower rows in the same time


class Home(NamedTuple):
    """Where a panel is, and the P that is there; None for rows that take no hop."""

    device: torch.device
    propagation: Propagation | None


class SplitRows:
    """S = Σ c_k P^k F, (n, f), the columns of F in panels that have taken no hop, one for each of the first homes.

    Rows of few columns have fewer panels than there are homes.
    """

    def __init__(self, panels: Sequence[Rows], homes: Sequence[Home], coefficients: Polynomial = (1.0,)) -> None:
        self.panels, self.homes, self.coefficients = tuple(panels), tuple(homes), coefficients

    @property
    def shape(self) -> tuple[int, int]:
        return self.panels[0].shape[0], sum(panel.shape[1] for panel in self.panels)

    @property
    def device(self) -> torch.device:
        return self.homes[0].device

    @property
    def n_stored(self) -> int | None:
        """The entries of sparse features; None where they are dense."""
        stored = [panel.n_stored for panel in self.panels]
        return None if None in stored else sum(count for count in stored if count is not None)

    @property
    def n_gathered(self) -> int:
        """The entries of P: the rows that a hop reads."""
        return self.panels[0].n_gathered

    @property
    def is_formed(self) -> bool:
        """Whether the panels are S itself, up to a factor of each."""
        return self.coefficients == (1.0,)

    @property
    def formed(self) -> tuple[Joined, Tensor] | None:
        """Dense rows that are S up to a factor of each column, and the factors, (f,); None where S is not held like that."""
        tensors = [panel.features for panel in self.panels if isinstance(panel.features, Tensor)]
        if not self.is_formed or len(tensors) < len(self.panels):
            return None
        factors = [torch.full((panel.shape[1],), panel.coefficients[0]) for panel in self.panels]
        return Joined(tensors, self.device), torch.cat(factors).double().to(self.device)

    def through(self, coefficients: Polynomial) -> SplitRows:
        """The rows smoothed by a polynomial of P, as factors: nothing is computed. Needs rows that are not smoothed yet."""
        assert self.is_formed
        return SplitRows(self.panels, self.homes, coefficients)

    def between(self, rows: slice) -> SplitRows:
        """Some consecutive rows of dense ones that are formed."""
        assert self.is_formed
        panels = [Rows(panel.features[rows], coefficients=panel.coefficients) for panel in self.panels]  # type: ignore[index]
        return SplitRows(panels, self.homes)

    def image(self, weights: Tensor) -> SplitRows:
        """S·W, (n, d), its columns split in the same way: each device multiplies what it has and sends the others theirs."""
        bounds = split_columns(weights.shape[1], len(self.homes))
        homes = self.homes[: len(bounds)]
        n_rows = self.shape[0]
        results = [
            torch.empty(n_rows, columns.stop - columns.start, device=home.device)
            for columns, home in zip(bounds, homes, strict=True)
        ]
        for number, (panel, own) in enumerate(zip(self.panels, self._bounds(), strict=True)):
            matrix = weights[own].to(panel.device)
            for block, rows in _blocks(panel):
                part = rows @ matrix
                for columns, result in zip(bounds, results, strict=True):
                    if number == 0:
                        result[block] = part[:, columns]
                    else:
                        result[block] += part[:, columns].to(result.device)
        if not self.is_formed:
            results = [_hopped(home, self.coefficients, result) for home, result in zip(homes, results, strict=True)]
        panels = [Rows(result, home.propagation, is_spare=True) for home, result in zip(homes, results, strict=True)]
        return SplitRows(panels, self.homes)

    def __matmul__(self, weights: Tensor) -> Tensor:  # (n, d)
        return self.image(weights).joined()

    def joined(self, rows: slice | None = None) -> Tensor:
        """Rows that are formed, all or some, dense on the first device."""
        panels = (self if rows is None else self.between(rows)).panels
        return torch.cat([panel.columns(0, panel.shape[1]).to(self.device) for panel in panels], dim=1)

    def transpose_times(self, rows: Tensor) -> Tensor:  # (f, d)
        rows = self._hopped(rows, is_transposed=True)
        return torch.cat([panel.transpose_times(rows.to(panel.device)).to(self.device) for panel in self.panels])

    def columns(self, start: int, stop: int) -> Tensor:  # (n, stop - start)
        parts = []
        for panel, own in zip(self.panels, self._bounds(), strict=True):
            first, last = max(start, own.start), min(stop, own.stop)
            if first < last:
                parts.append(panel.columns(first - own.start, last - own.start).to(self.device))
        return self._hopped(torch.cat(parts, dim=1))

    def take(self, nodes: Tensor) -> Rows:
        """Some of the rows, dense on the first device. Needs S itself, or one hop from it."""
        taken = [
            (panel if self.is_formed else panel.through(self.coefficients)).take(nodes.to(panel.device))
            for panel in self.panels
        ]
        return Rows(torch.cat([part.columns(0, part.shape[1]).to(self.device) for part in taken], dim=1))

    def _bounds(self) -> list[slice]:
        ends = list(accumulate(panel.shape[1] for panel in self.panels))
        return [slice(end - panel.shape[1], end) for end, panel in zip(ends, self.panels, strict=True)]

    def _hopped(self, rows: Tensor, *, is_transposed: bool = False) -> Tensor:
        """Dense rows through the polynomial, or its transpose, their columns shared out for the hops."""
        if self.is_formed:
            return rows
        bounds = split_columns(rows.shape[1], len(self.homes))
        hopped = [
            _hopped(home, self.coefficients, rows[:, columns].contiguous().to(home.device), is_transposed=is_transposed)
            for columns, home in zip(bounds, self.homes, strict=False)
        ]
        return torch.cat([part.to(self.device) for part in hopped], dim=1)


class Joined:
    """Dense panels of one number of rows, read a block of rows at a time, side by side on one device."""

    def __init__(self, tensors: Sequence[Tensor], device: torch.device) -> None:
        self.tensors, self.device = tuple(tensors), device
        self.dtype, self.is_cuda = tensors[0].dtype, device.type == "cuda"
        self.shape = len(tensors[0]), sum(tensor.shape[1] for tensor in tensors)

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: slice) -> Tensor:
        return torch.cat([tensor[rows].to(self.device) for tensor in self.tensors], dim=1)


def split_columns(n_columns: int, n_devices: int) -> list[slice]:
    """The columns of each panel, as many for every device: multiples of the least, and fewer panels of few columns."""
    step = -(-n_columns // (n_devices * LEAST_COLUMNS)) * LEAST_COLUMNS
    return [slice(start, min(start + step, n_columns)) for start in range(0, max(n_columns, 1), step or 1)]


def _blocks(panel: Rows) -> Iterator[tuple[slice, Rows]]:
    """A GPU's dense rows some at a time, so that partial sums take little memory; others whole."""
    if isinstance(panel.features, SparseMatrix) or not panel.features.is_cuda:
        yield slice(0, panel.shape[0]), panel
        return
    for block in row_blocks(panel.features, ROW_BLOCK):
        yield block, Rows(panel.features[block], coefficients=panel.coefficients)


def _hopped(home: Home, coefficients: Polynomial, rows: Tensor, *, is_transposed: bool = False) -> Tensor:
    assert home.propagation is not None
    propagation = home.propagation.T if is_transposed else home.propagation
    return propagation.smooth(coefficients, rows)
