"""The loops that sort the entries of big adjacencies, compiled by numba; `acceleration` imports this where that is there.

None of them makes an array or holds the interpreter: callers own the memory and run them on threads.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True)


@compiled
def count_entries(i: Any, j: Any, is_both: Any, shift: Any, counts: Any) -> None:
    """How many entries (i, j), and (j, i) if both ways are meant, fall into each block of 2^shift rows. No loops."""
    for e in range(len(i)):
        if i[e] != j[e]:
            counts[i[e] >> shift] += 1
            if is_both:
                counts[j[e] >> shift] += 1


@compiled
def deal_entries(i: Any, j: Any, is_both: Any, shift: Any, column_bits: Any, cursors: Any, keys: Any) -> None:
    """Put those entries into their blocks, each as one number: its row in the block, then its column."""
    low = (1 << shift) - 1
    for e in range(len(i)):
        row, column = np.int64(i[e]), np.int64(j[e])
        if row != column:
            block = row >> shift
            keys[cursors[block]] = ((row & low) << column_bits) | column
            cursors[block] += 1
            if is_both:
                block = column >> shift
                keys[cursors[block]] = ((column & low) << column_bits) | row
                cursors[block] += 1


@compiled
def sort_blocks(
    keys: Any, bounds: Any, start: Any, step: Any, shift: Any, column_bits: Any, digit_bits: Any,
    other: Any, counts: Any, degrees: Any, columns: Any, per_key: Any,
) -> None:  # fmt: skip
    """Sort each step-th block, unite its repeats, count its rows. Its columns take the place of its keys."""
    in_column = (1 << column_bits) - 1
    for block in range(start, len(bounds) - 1, step):
        first, n = bounds[block], bounds[block + 1] - bounds[block]
        is_other = _sort(keys[first : first + n], other[:n], shift + column_bits, digit_bits, counts)
        last, at = -1, first * per_key
        for e in range(n):
            key = other[e] if is_other else keys[first + e]
            if key != last:
                columns[at] = key & in_column  # never ahead of the key being read
                at += 1
                degrees[(block << shift) + (key >> column_bits)] += 1
                last = key


@compiled
def gather_blocks(
    columns: Any, bounds: Any, start: Any, step: Any, shift: Any, per_key: Any, indptr: Any, indices: Any
) -> None:
    """Lay the columns of the blocks end to end."""
    n_rows = len(indptr) - 1
    for block in range(start, len(bounds) - 1, step):
        first = bounds[block] * per_key
        low, high = indptr[block << shift], indptr[min((block + 1) << shift, n_rows)]
        for e in range(high - low):
            indices[low + e] = columns[first + e]


@compiled
def _sort(keys: Any, other: Any, n_bits: Any, digit_bits: Any, counts: Any) -> Any:
    """Sort by digits, the last one first, to and fro between two arrays. Whether the other one has the result."""
    n_digits = -(-n_bits // digit_bits)
    in_digit = (1 << digit_bits) - 1
    counts[:] = 0
    for e in range(len(keys)):
        for digit in range(n_digits):
            counts[digit, (keys[e] >> (digit * digit_bits)) & in_digit] += 1
    here, there = keys, other
    for digit in range(n_digits):
        total = 0
        for value in range(in_digit + 1):
            count = counts[digit, value]
            counts[digit, value] = total
            total += count
        for e in range(len(keys)):
            value = (here[e] >> (digit * digit_bits)) & in_digit
            there[counts[digit, value]] = here[e]
            counts[digit, value] += 1
        here, there = there, here
    return n_digits % 2 == 1
