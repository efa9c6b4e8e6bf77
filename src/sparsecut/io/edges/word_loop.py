"""The loop that numbers the words of big edge lists, compiled by numba; `numbering` imports it where numba is installed.

A word is kept in the table itself, as a row of 64-bit numbers: its bytes, eight at a time, and in the last byte its length
plus one. So a lookup compares numbers, and touches one place in memory. A place whose last number is 0 is free.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True)
FREE = np.uint64(0)
FACTOR = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
MAX_STEPS = 64  # per row, in a block of rows: more mean that the words were chosen to collide


@compiled
def number_rows(
    offsets: Any, text: Any, start: Any, table: Any, numbers: Any, n_known: Any, block: Any, positions: Any, firsts: Any
) -> Any:
    """Number rows from `start` on, until all are done or the table is half full.

    (the first row that is not numbered, how many words are known); −1 words where too many collide. `firsts` gets the row
    of each new word. The three loops over a block of rows are apart so that the processor waits for many rows at once.
    """
    n_rows, width, last = len(offsets) - 1, table.shape[1], len(table) - 1
    n_before, row = n_known, start
    while row < n_rows:
        n = min(len(block), n_rows - row)
        if 2 * (n_known + n) > len(table):
            break
        for b in range(n):
            _pack(text, offsets[row + b], offsets[row + b + 1], block[b])
            positions[row + b] = _hash(block[b]) & last
        n_taken = 0
        for b in range(n):
            n_taken += np.int64(table[np.uint64(positions[row + b]), width - 1] != FREE)
        n_steps = -n_taken
        for b in range(n):
            place = np.int64(positions[row + b])
            while table[place, width - 1] != FREE and not _is_same(table[place], block[b]):
                place = (place + 1) & last
                n_steps += 1
            if table[place, width - 1] == FREE:
                table[place] = block[b]
                numbers[place] = n_known
                firsts[n_known - n_before] = row + b
                n_known += 1
            positions[row + b] = place
        if n_steps > MAX_STEPS * len(block):
            return row, -1
        for b in range(n):
            positions[row + b] = numbers[positions[row + b]]
        row += n
    return row, n_known


@compiled
def move(old: Any, old_numbers: Any, table: Any, numbers: Any) -> None:
    """Put the words of one table into a larger one."""
    width, last = table.shape[1], len(table) - 1
    for from_place in range(len(old)):
        if old[from_place, width - 1] != FREE:
            place = _hash(old[from_place]) & last
            while table[place, width - 1] != FREE:
                place = (place + 1) & last
            table[place] = old[from_place]
            numbers[place] = old_numbers[from_place]


@compiled
def _pack(text: Any, low: Any, high: Any, packed: Any) -> None:
    """The bytes of a word and its length, as the table holds them."""
    for k in range(len(packed)):
        word, at = FREE, low + 8 * k
        if at + 8 <= len(text) and at < high:
            for byte in range(8):
                word |= np.uint64(text[at + byte]) << np.uint64(8 * byte)
            if high - at < 8:
                word &= (np.uint64(1) << np.uint64(8 * (high - at))) - np.uint64(1)
        else:
            for byte in range(high - at):
                word |= np.uint64(text[at + byte]) << np.uint64(8 * byte)
        packed[k] = word
    packed[len(packed) - 1] |= np.uint64(high - low + 1) << np.uint64(56)


@compiled
def _hash(packed: Any) -> Any:
    mixed = FREE
    for k in range(len(packed)):
        mixed = (mixed ^ packed[k]) * FACTOR
        mixed ^= mixed >> HALF
    return np.int64((mixed * FACTOR) >> HALF)


@compiled
def _is_same(one: Any, other: Any) -> Any:
    difference = FREE
    for k in range(len(one)):
        difference |= one[k] ^ other[k]
    return difference == FREE
