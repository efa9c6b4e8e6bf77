"""Sparse × dense in torch, on any device: the one kernel under smoothing, sparse features and sampled negatives.

A CSR product is a weighted sum of gathered rows, which is what `embedding_bag` computes; on CPU it is the fastest kernel
torch has for it (several times its own CSR product), and it runs on CUDA unchanged.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.kernels.entries import Entries, entries_on, index_type, ones_as_none
from sparsecut.kernels.transfer import as_tensor


class SparseMatrix:
    """A CSR matrix on a device. `A @ X` is dense for dense X; `A.T` is kept once made.

    It is made of scipy's matrix, or of torch's CSR tensor where that is on the device already.
    """

    def __init__(self, matrix: Any, device: torch.device) -> None:
        self.device = device
        self.shape = (int(matrix.shape[0]), int(matrix.shape[1]))
        if isinstance(matrix, Tensor):
            n_entries = matrix.values().numel()
            offsets = matrix.crow_indices().to(index_type(n_entries, self.shape[0]))
            self.entries = Entries(matrix.col_indices().int(), offsets, ones_as_none(matrix.values()))
        else:
            self.csr = sp.csr_array(matrix)

    @classmethod
    def of(cls, entries: Entries, n_columns: int) -> SparseMatrix:
        """The matrix of entries that are on their device."""
        matrix = object.__new__(cls)
        matrix.device, matrix.shape, matrix.entries = entries.indices.device, (entries.n_rows, n_columns), entries
        return matrix

    @cached_property
    def csr(self) -> sp.csr_array:
        """The matrix in the host's memory."""
        return self.entries.to_scipy(self.shape[1])

    @cached_property
    def entries(self) -> Entries:
        return entries_on(self.csr, self.device)

    @property
    def nnz(self) -> int:
        return int(self.csr.nnz) if "csr" in self.__dict__ else self.entries.nnz

    @cached_property
    def T(self) -> SparseMatrix:  # noqa: N802 - the transpose's usual name
        if self._is_by_scipy:
            return SparseMatrix(self.csr.T.tocsr(), self.device)
        # A stable sort by column: within one the rows stay in order.
        order = torch.sort(self.entries.indices, stable=True).indices
        counts = torch.bincount(self.entries.indices, minlength=self.shape[1])
        offsets = torch.cat([counts.new_zeros(1), counts.cumsum(0)]).to(self.entries.offsets.dtype)
        values = None if self.entries.values is None else self.entries.values[order]
        return SparseMatrix.of(Entries(self._row_numbers[order].int(), offsets, values), self.shape[0])

    def __matmul__(self, dense: Tensor) -> Tensor:
        return self.entries @ dense

    def columns(self, start: int, stop: int) -> Tensor:
        if self._is_by_scipy:
            return as_tensor(self.csr[:, start:stop].toarray(), self.device)
        indices, _, values = self.entries
        is_there = (indices >= start) & (indices < stop)
        dense = torch.zeros(self.shape[0], stop - start, device=self.device)
        places = self._row_numbers[is_there], indices[is_there].long() - start
        dense[places] = torch.ones((), device=self.device) if values is None else values[is_there]
        return dense

    def take(self, rows: Tensor) -> SparseMatrix:
        if self._is_by_scipy:
            return SparseMatrix(self.csr[rows.cpu().numpy()], self.device)
        return SparseMatrix.of(self.entries.of_rows(rows), self.shape[1])

    def to_dense(self) -> Tensor:
        return self.columns(0, self.shape[1])

    @property
    def _is_by_scipy(self) -> bool:
        """Whether scipy has the matrix at hand and may as well do what is no product."""
        return self.device.type != "cuda" and "csr" in self.__dict__

    @property
    def _row_numbers(self) -> Tensor:
        return self.entries.row_numbers(slice(0, self.shape[0]), slice(0, self.nnz)).long()


def entries_of(matrix: Any, edges: NDArray[np.int64], *, is_directed: bool) -> NDArray[np.int64]:
    """Where edges (2, m) that a CSR matrix has stand among its entries; an undirected edge stands there twice.

    The columns of a row are in order: bisection, for all edges at once.
    """
    rows, columns = edges if is_directed else np.concatenate([edges, edges[::-1]], axis=1)
    low = matrix.indptr[rows].astype(np.int64)
    high = matrix.indptr[rows + 1].astype(np.int64)
    while (is_open := low < high).any():
        middle = (low + high) // 2
        is_before = is_open & (matrix.indices[np.where(is_open, middle, 0)] < columns)
        low = np.where(is_before, middle + 1, low)
        high = np.where(is_open & ~is_before, middle, high)
    return np.asarray(low)


def between_diagonals(
    adjacency: sp.csr_array, left: NDArray[Any] | None, right: NDArray[Any] | None, own: NDArray[Any] | None
) -> sp.csr_array:
    """The matrix in float32, (n, n) and as sparse as the graph and its diagonal; without `right` that is all ones."""
    assert left is not None
    assert own is not None
    row_of_entry = np.repeat(np.arange(adjacency.shape[0]), np.diff(adjacency.indptr))
    scale = left[row_of_entry] if right is None else left[row_of_entry] * right[adjacency.indices]
    values = (adjacency.data * scale).astype(np.float32)
    neighbors = sp.csr_array((values, adjacency.indices, adjacency.indptr), shape=adjacency.shape)
    return (neighbors + sp.diags_array(own.astype(np.float32), format="csr")).tocsr()
