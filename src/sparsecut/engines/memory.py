"""The engine for rows in the memory of one device, CPU or CUDA."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from sparsecut.errors import InputError, parameter_error
from sparsecut.kernels.halves import halved
from sparsecut.kernels.polynomials import Polynomial, is_power
from sparsecut.kernels.sparse import SparseMatrix, as_tensor
from sparsecut.operators.encoder import aggregate
from sparsecut.operators.filters import polynomial
from sparsecut.operators.negatives import NegativeGraph
from sparsecut.operators.propagation import Propagation
from sparsecut.operators.rows import Rows, StackedRows
from sparsecut.progress import Reporter

# One multiply-add of a sparse × sparse product takes about as long as this many of a sparse × dense one
# (8 ns against 0.3 to 0.7 ns on Cora, Citeseer and Pubmed, two cores).
SPARSE_HOP_COST = 20

ROW_BLOCK = 8192  # rows projected at a time where Z is written over S


class MemoryEngine:
    """Rows as torch tensors; `precision` says what dense ones are kept in, "single" or "half"."""

    def __init__(self, device: torch.device, precision: str = "single") -> None:
        self.device = device
        self.precision = precision

    def load(self, features: Any, adjacency: sp.csr_array, filter: str = "row", *, is_directed: bool = False) -> Rows:
        """Features, dense or sparse, and a filter's matrix for a graph on the device, no hop taken yet."""
        P = Propagation.of(adjacency, filter, self.device, is_directed=is_directed)
        if sp.issparse(features):
            return Rows(SparseMatrix(features, self.device), P)
        dense = as_tensor(np.asarray(features), self.device)
        if self.precision == "single":
            return Rows(dense, P)
        halves, scale = halved(dense)
        return Rows(halves, P, (scale,))

    def smooth(self, rows: Rows, coefficients: Polynomial, report: Reporter | None = None) -> Rows:
        """S = Σ c_k P^k F, sparse while that is cheaper. Every hop is reported."""
        P, features = rows.propagation, rows.features
        if len(coefficients) == 1:
            return rows.through(coefficients)
        assert P is not None
        n_hops = len(coefficients) - 1

        def report_hop(done: int, total: int) -> None:
            if report is not None:
                report("smoothing", done, total)

        if isinstance(features, Tensor):
            return Rows(P.smooth(coefficients, features, report_hop), P, rows.coefficients)
        if not is_power(coefficients):
            return Rows(P.smooth(coefficients, features.to_dense(), report_hop), P)
        smoothed = features.csr
        for hop in range(1, n_hops + 1):
            if not _is_sparse_hop_cheaper(P, smoothed):
                dense = as_tensor(smoothed.toarray(), self.device)
                return Rows(P.smooth(polynomial("row", n_hops - hop + 1), dense, report_hop), P)
            smoothed = P.csr @ smoothed
            report_hop(hop, n_hops)
        return Rows(SparseMatrix(smoothed, self.device), P)

    def gram(self, rows: Rows | StackedRows, negatives: NegativeGraph) -> Tensor:
        """M = Sᵀ L_H S, (f, f)."""
        return negatives.gram(rows)

    def project(
        self, levels: Sequence[Rows], weights: Sequence[Tensor], aggregation: str, *, is_last_use: bool = False
    ) -> Tensor:
        """Z = S·W for every level, aggregated. After the last use of S, Z may take its place in memory."""
        with torch.no_grad():
            if is_last_use and len(levels) == 1 and _can_overwrite(levels[0], weights[0]):
                return _project_over(levels[0], weights[0])
            return aggregate([rows @ matrix for rows, matrix in zip(levels, weights, strict=True)], aggregation)

    def available_memory(self) -> int:
        """Bytes that can still be taken on the device."""
        if self.device.type == "cuda":
            return int(torch.cuda.mem_get_info(self.device)[0])
        if "SC_AVPHYS_PAGES" in os.sysconf_names:
            # Free pages alone, without what the system would give back: a lower bound, which is what a plan needs.
            return os.sysconf("SC_AVPHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
        return 4 << 30


def resolve_device(device: object, caller: str) -> torch.device:
    """`auto`, `cpu`, `cuda` or `cuda:1` as a torch device that is there."""
    name = ("cuda" if torch.cuda.is_available() else "cpu") if device == "auto" else str(device)
    kind, _, number = name.partition(":")
    if kind not in ("cpu", "cuda") or (number and not number.isdigit()):
        raise parameter_error(caller, "device", "'auto', 'cpu', 'cuda' or 'cuda:N'", device)
    if kind == "cuda" and not torch.cuda.is_available():
        raise InputError(f"{caller} was asked for device={device!r}, but torch sees no CUDA GPU here. Use device='cpu'.")
    if kind == "cuda" and int(number or 0) >= torch.cuda.device_count():
        raise InputError(
            f"{caller} was asked for device={device!r}, but there are {torch.cuda.device_count()} GPUs, counted from 0."
        )
    return torch.device(name)


def _is_sparse_hop_cheaper(P: Propagation, features: sp.csr_array) -> bool:
    entries_by_row = np.diff(features.indptr)
    n_sparse = int(entries_by_row[P.csr.indices].sum())  # multiply-adds of P·F, sparse
    n_dense = P.nnz * features.shape[1]
    return bool(n_sparse * SPARSE_HOP_COST < n_dense)


def _can_overwrite(rows: Rows, weights: Tensor) -> bool:
    """Whether Z fits into the memory of S, and fills at least half of it: all of it stays taken."""
    S, dimension = rows.features, weights.shape[1]
    if not rows.is_formed or not isinstance(S, Tensor) or S.dtype != weights.dtype or not S.is_contiguous():
        return False
    return dimension <= S.shape[1] <= 2 * dimension


def _project_over(rows: Rows, weights: Tensor) -> Tensor:
    """S·W written over S, a block of rows at a time: Z's rows are no wider, so they end before those still to be read."""
    S, dimension = rows.features, weights.shape[1]
    assert isinstance(S, Tensor)
    flat, weights = S.view(-1), weights * rows.coefficients[0]
    for start in range(0, len(S), ROW_BLOCK):
        block = S[start : start + ROW_BLOCK] @ weights
        flat[start * dimension : start * dimension + block.numel()] = block.view(-1)
    return flat[: len(S) * dimension].view(len(S), dimension)
