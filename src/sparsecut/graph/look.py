"""Whether a CSR matrix is a canonical adjacency already, found in one pass over its entries, on all threads.

Sorted rows without repeats, no loops, weights finite and above zero; and its own transpose where it must be. That is found
without transposing anything: xᵀA'y = yᵀA'x for whole numbers x and y drawn once, modulo 2⁶⁴, where A' has the bits of the
weights. Matrices that differ pass with a chance below 2⁻⁴⁰. The loops over entries are scipy's compiled ones, which let
other threads run.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.kernels.streaming import blocks_of_entries
from sparsecut.kernels.thread_passes import on_threads

LARGEST = np.finfo(np.float32).max
BLOCK_BYTES = 1 << 23  # of entries, 8 bytes each: a million, so that the interpreter is asked rarely
MIN_ENTRIES = 1 << 20  # below, threads cost more than they save


def is_canonical(
    adjacency: Any, *, is_symmetric: bool, block_bytes: int = BLOCK_BYTES, min_entries: int = MIN_ENTRIES
) -> bool:
    """Whether nothing has to be changed. Matrices of other kinds than CSR are not checked."""
    if not sp.issparse(adjacency) or adjacency.format != "csr" or adjacency.dtype.kind not in "uif":
        return False
    indptr, indices = adjacency.indptr, adjacency.indices
    n_nodes, n_entries = adjacency.shape[0], len(indices)
    if int(indptr[0]) != 0 or int(indptr[-1]) != n_entries or len(adjacency.data) != n_entries:
        return False
    if (indptr[1:] < indptr[:-1]).any():
        return False
    tables = np.random.default_rng(1).integers(0, 2**64 - 1, (2, n_nodes), dtype=np.uint64) if is_symmetric else None
    blocks = blocks_of_entries(indptr, block_bytes)
    ones = np.ones(max(int(indptr[rows.stop] - indptr[rows.start]) for rows in blocks), dtype=np.uint64)

    def look(rows: slice) -> tuple[bool, int]:
        return _look(adjacency, rows, ones, tables)

    found = list(map(look, blocks)) if n_entries < min_entries else on_threads(look, blocks)
    return all(is_right for is_right, _ in found) and sum(difference for _, difference in found) % 2**64 == 0


def _look(adjacency: Any, rows: slice, ones: NDArray[np.uint64], tables: NDArray[np.uint64] | None) -> tuple[bool, int]:
    """(whether a block of rows is canonical, its part of xᵀA'y − yᵀA'x)."""
    starts = adjacency.indptr[rows.start : rows.stop + 1]
    entries = slice(int(starts[0]), int(starts[-1]))
    columns, weights = adjacency.indices[entries], adjacency.data[entries]
    if not len(columns):
        return True, 0
    shape = (rows.stop - rows.start, adjacency.shape[1])
    block = sp.csr_array((ones[: len(columns)], columns, starts - starts[0]), shape=shape)
    if not block.has_canonical_format:
        return False, 0
    is_row = starts[1:] > starts[:-1]
    firsts, lasts = (starts[:-1] - starts[0])[is_row], (starts[1:] - starts[0])[is_row] - 1
    if columns[firsts].min() < 0 or columns[lasts].max() >= adjacency.shape[1]:
        return False, 0
    low, high = weights.min(), weights.max()
    if not (low > 0 and high <= LARGEST):  # NaN is neither
        return False, 0
    if block.diagonal(rows.start).any():
        return False, 0
    if tables is None:
        return True, 0
    factor = 1
    if low == high:
        factor = int(np.array([low], dtype=np.float32).view(np.uint32)[0])
    else:
        bits = np.ascontiguousarray(weights, dtype=np.float32).view(np.uint32).astype(np.uint64)
        block = sp.csr_array((bits, block.indices, block.indptr), shape=shape)
    x, y = tables
    with np.errstate(over="ignore"):  # modulo 2⁶⁴ is what is meant
        parts = (x[rows] * (block @ y)).sum(dtype=np.uint64), (y[rows] * (block @ x)).sum(dtype=np.uint64)
    return True, (int(parts[0]) - int(parts[1])) * factor
