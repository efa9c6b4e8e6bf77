"""Sparse × dense in torch, on any device: the one kernel under smoothing, sparse features and sampled negatives.

A CSR product is a weighted sum of gathered rows, which is what `embedding_bag` computes; on CPU it is the fastest kernel
torch has for it (several times its own CSR product), and it runs on CUDA unchanged.
"""

from __future__ import annotations

import warnings
from functools import cached_property
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.kernels.threads import each, n_threads

BLOCK_WORK = 1 << 22  # multiply-adds of a block of rows that a thread takes: about two milliseconds
MOST_BLOCKS = 64


class SparseMatrix:
    """A CSR matrix on a device. `A @ X` is dense for dense X; `A.T` is kept once made."""

    def __init__(self, matrix: Any, device: torch.device) -> None:
        self.csr = sp.csr_array(matrix)
        self.device = device

    @property
    def shape(self) -> tuple[int, int]:
        rows, columns = self.csr.shape
        return int(rows), int(columns)

    @property
    def nnz(self) -> int:
        return int(self.csr.nnz)

    @cached_property
    def T(self) -> SparseMatrix:  # noqa: N802 - the transpose's usual name
        return SparseMatrix(self.csr.T.tocsr(), self.device)

    def __matmul__(self, dense: Tensor) -> Tensor:
        return self.entries @ dense

    def columns(self, start: int, stop: int) -> Tensor:
        return as_tensor(self.csr[:, start:stop].toarray(), self.device)

    def take(self, rows: Tensor) -> SparseMatrix:
        return SparseMatrix(self.csr[rows.cpu().numpy()], self.device)

    def to_dense(self) -> Tensor:
        return as_tensor(self.csr.toarray(), self.device)

    @cached_property
    def entries(self) -> Entries:
        # embedding_bag wants one integer type for both, and 64 bits only where the entries need them.
        index_type = np.int32 if self.nnz < 2**31 and max(self.shape) < 2**31 else np.int64
        indices = as_tensor(self.csr.indices.astype(index_type, copy=False), self.device)
        offsets = as_tensor(self.csr.indptr.astype(index_type, copy=False), self.device)
        return Entries(indices, offsets, None if (self.csr.data == 1).all() else as_tensor(self.csr.data, self.device))


class Entries(NamedTuple):
    """What a product reads of a CSR matrix, on the device."""

    indices: Tensor  # the columns of the entries, row after row
    offsets: Tensor  # where each row starts, and where the last ends
    values: Tensor | None  # None where all are 1: then nothing is read for them

    def __matmul__(self, dense: Tensor) -> Tensor:
        blocks = self.row_blocks(dense.shape[1])
        if len(blocks) == 1 or n_threads() == 1 or dense.requires_grad:
            return weighted_sums(*self, dense)
        result = dense.new_empty((len(self.offsets) - 1, dense.shape[1]))

        def multiply(block: tuple[slice, Entries]) -> None:
            result[block[0]] = weighted_sums(*block[1], dense)

        each(multiply, blocks, work=BLOCK_WORK)
        return result

    def row_blocks(self, width: int) -> list[tuple[slice, Entries]]:
        """Blocks of rows with about as many entries each, worth a thread's while with so many columns, and their entries."""
        n_rows, n_entries = len(self.offsets) - 1, len(self.indices)
        n_blocks = min(MOST_BLOCKS, n_entries * width // BLOCK_WORK, n_rows)
        if n_blocks < 2 or self.indices.device.type != "cpu":
            return [(slice(0, n_rows), self)]
        ends = torch.linspace(0, n_entries, n_blocks + 1, dtype=torch.float64)[1:-1].to(self.offsets.dtype)
        bounds = sorted({0, *torch.searchsorted(self.offsets, ends).tolist(), n_rows})
        blocks = []
        for start, stop in pairwise(bounds):
            first, last = int(self.offsets[start]), int(self.offsets[stop])
            values = None if self.values is None else self.values[first:last]
            entries = Entries(self.indices[first:last], self.offsets[start : stop + 1] - first, values)
            blocks.append((slice(start, stop), entries))
        return blocks


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


def weighted_sums(indices: Tensor, offsets: Tensor, values: Tensor | None, dense: Tensor) -> Tensor:
    """A CSR matrix, given as its entries, times a dense one."""
    if len(indices) == 0:
        return dense.new_zeros((len(offsets) - 1, dense.shape[1]))
    return torch.nn.functional.embedding_bag(
        indices,
        dense,
        offsets,
        mode="sum",
        per_sample_weights=None if values is None else values.to(dense.dtype),
        include_last_offset=True,
    )


def as_tensor(array: np.ndarray[Any, Any], device: torch.device) -> Tensor:
    """A tensor over a numpy array's own memory on CPU, a copy elsewhere. Nothing here writes to it."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        return torch.from_numpy(np.ascontiguousarray(array)).to(device)
