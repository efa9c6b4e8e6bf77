"""Whether a CSR matrix is a canonical adjacency already, found in one pass over its entries, on all threads.

Sorted rows without repeats, no loops, weights finite and above zero; and its own transpose where it must be. That is found
without transposing anything: xᵀA'y = yᵀA'x for whole numbers x and y drawn once, modulo 2⁶⁴, where A' has the bits of the
weights. Matrices that differ pass with a chance below 2⁻⁴⁰.
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

    def look(rows: slice) -> tuple[bool, int]:
        return _look(adjacency, rows, tables)

    found = list(map(look, blocks)) if n_entries < min_entries else on_threads(look, blocks)
    return all(is_right for is_right, _ in found) and sum(difference for _, difference in found) % 2**64 == 0


def _look(adjacency: Any, rows: slice, tables: NDArray[np.uint64] | None) -> tuple[bool, int]:
    """(whether a block of rows is canonical, its part of xᵀA'y − yᵀA'x)."""
    starts = adjacency.indptr[rows.start : rows.stop + 1]
    entries = slice(int(starts[0]), int(starts[-1]))
    columns, weights = adjacency.indices[entries], adjacency.data[entries]
    if not len(columns):
        return True, 0
    firsts = starts[:-1] - starts[0]
    is_row = starts[1:] > starts[:-1]
    firsts, numbers = firsts[is_row], np.arange(rows.start, rows.stop)[is_row]
    lasts = np.append(firsts[1:], len(columns)) - 1
    is_after = columns[1:] > columns[:-1]
    is_after[firsts[1:] - 1] = True  # from the last entry of a row to the first of the next, any step is right
    if not is_after.all() or columns[firsts].min() < 0 or columns[lasts].max() >= adjacency.shape[1]:
        return False, 0
    low, high = weights.min(), weights.max()
    if not (low > 0 and high <= LARGEST):  # NaN is neither
        return False, 0
    if _has_loop(columns, firsts, lasts, numbers):
        return False, 0
    if tables is None:
        return True, 0
    bits = None if low == high else np.ascontiguousarray(weights, dtype=np.float32).view(np.uint32)
    factor = np.uint64(1) if bits is not None else np.array([low], dtype=np.float32).view(np.uint32).astype(np.uint64)[0]
    total, places = np.uint64(0), columns.astype(np.intp)
    with np.errstate(over="ignore"):  # modulo 2⁶⁴ is what is meant
        for of_rows, of_columns in (tables, tables[::-1]):
            terms = np.take(of_columns, places, mode="clip")  # all are within
            if bits is not None:
                terms *= bits
            part = (np.add.reduceat(terms, firsts) * of_rows[numbers]).sum(dtype=np.uint64)
            total = np.uint64(part) - total
        return True, -int(total * factor)


def _has_loop(columns: NDArray[Any], firsts: NDArray[Any], lasts: NDArray[Any], numbers: NDArray[np.int64]) -> bool:
    """Whether a row holds its own number: bisection in all rows at once."""
    low, high = firsts.astype(np.int64), lasts.astype(np.int64) + 1
    end = high.copy()
    while (is_open := low < high).any():
        middle = (low + high) // 2
        is_before = is_open & (columns[np.where(is_open, middle, 0)] < numbers)
        low = np.where(is_before, middle + 1, low)
        high = np.where(is_open & ~is_before, middle, high)
    is_inside = low < end
    return bool((columns[np.where(is_inside, low, 0)][is_inside] == numbers[is_inside]).any())
