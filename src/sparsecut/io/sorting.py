"""The entries of an adjacency without weights, sorted: rows ascending, columns ascending in each, repeats united.

Blocks of rows are sorted apart, each in a processor's own cache, and several at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.io.acceleration import n_threads, on_threads, thread_parts

ENTRIES_PER_BLOCK = 2**14
MAX_BLOCK_BITS = 11
MAX_DIGIT_BITS = 11
MAX_SHORT_BITS = 31


def sorted_entries(
    loops: Any, i: NDArray[Any], j: NDArray[Any], n_nodes: int, is_both: bool, index_type: Any
) -> tuple[NDArray[Any], NDArray[Any]]:
    """(indices, indptr) of the edges from i to j, of those from j to i too where both are meant, without self-loops."""
    column_bits = max(n_nodes - 1, 1).bit_length()
    block_bits = min((len(i) // ENTRIES_PER_BLOCK).bit_length(), MAX_BLOCK_BITS, column_bits)
    shift = column_bits - block_bits
    n_blocks = ((n_nodes - 1) >> shift) + 1
    step = n_threads()
    parts = thread_parts(len(i))

    counts = np.zeros((step, n_blocks), dtype=np.int64)
    on_threads(lambda part: loops.count_entries(i[parts[part]], j[parts[part]], is_both, shift, counts[part]))
    ends = np.cumsum(counts.T).reshape(n_blocks, step)  # block by block, in each of them part by part
    cursors = np.ascontiguousarray((ends - counts.T).T)
    bounds = np.concatenate([[0], ends[:, -1]])
    is_short = index_type is np.int32 and shift + column_bits <= MAX_SHORT_BITS
    keys = np.empty(int(bounds[-1]), dtype=np.int32 if is_short else np.int64)
    on_threads(
        lambda part: loops.deal_entries(i[parts[part]], j[parts[part]], is_both, shift, column_bits, cursors[part], keys)
    )

    n_digits = -(-(shift + column_bits) // MAX_DIGIT_BITS)
    digit_bits = -(-(shift + column_bits) // n_digits)
    degrees = np.zeros(n_blocks << shift, dtype=index_type)
    columns = keys.view(index_type)
    per_key = keys.itemsize // columns.itemsize
    largest = int(np.diff(bounds).max())

    def sort(part: int) -> None:
        other, digits = np.empty(largest, dtype=keys.dtype), np.empty((n_digits, 1 << digit_bits), dtype=np.int64)
        loops.sort_blocks(
            keys, bounds, part, step, shift, column_bits, digit_bits, other, digits, degrees, columns, per_key
        )  # fmt: skip

    on_threads(sort)
    indptr = np.zeros(n_nodes + 1, dtype=index_type)
    np.cumsum(degrees[:n_nodes], out=indptr[1:])
    indices = np.empty(int(indptr[-1]), dtype=index_type)
    on_threads(lambda part: loops.gather_blocks(columns, bounds, part, step, shift, per_key, indptr, indices))
    return indices, indptr
