"""The loops that split the text of big edge lists into ids, compiled by numba for `id_loops`.

An id is a few 64-bit words, its bytes padded with zeros, and the place where its hash would have it in a table of them.
Eight bytes are looked at together: the lowest bit of (x − 0x01…01) & ~x & 0x80…80 is in the first byte of x that is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit
from numba.cpython.unsafe.numbers import trailing_zeros

from sparsecut.io.id_tables import DONE, ODD, WIDE

compiled = njit(nogil=True, cache=True)
n_low_zeros: Any = trailing_zeros  # bits; 64 of a 0

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
FREE = np.uint64(0)
ONE = np.uint64(1)
BYTE = np.uint64(8)
ONES = np.uint64(0x0101010101010101)
HIGHS = np.uint64(0x8080808080808080)
FIRST_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
QUOTE, NEWLINE = ord('"'), ord("\n")
QUOTES, RETURNS, NEWLINES, HASHES, PERCENTS = (np.uint64(ord(sign) * 0x0101010101010101) for sign in '"\r\n#%')
MAX_LENGTH = 2**31


@compiled
def signs(text: Any) -> Any:
    """(whether a comment or a zero byte may be in a text of whole words, whether a quote or a carriage return is)."""
    comments, quotes = FREE, FREE
    for word in text:
        comments |= zeros(word ^ HASHES) | zeros(word ^ PERCENTS) | zeros(word)
        quotes |= zeros(word ^ QUOTES) | zeros(word ^ RETURNS)
    return comments != FREE, quotes != FREE


@compiled
def has_broken_cell(text: Any) -> Any:
    """Whether a line ends inside quotes."""
    is_quoted = False
    for byte in text:
        if byte == QUOTE:
            is_quoted = not is_quoted
        elif byte == NEWLINE and is_quoted:
            return True
    return is_quoted


@compiled
def lengths(offsets: Any) -> Any:
    """Bytes of the shortest and of the longest id."""
    least, most = np.int64(MAX_LENGTH), np.int64(0)
    for row in range(len(offsets) - 1):
        length = np.int64(offsets[row + 1]) - np.int64(offsets[row])
        least, most = min(least, length), max(most, length)
    return least, most


@compiled
def split_pairs(text: Any, at: Any, end: Any, separator: Any, shift: Any, i: Any, j: Any, words: Any) -> Any:
    """`split_lines` for two columns of ids that fit two words, with nothing in its loop that could slow it down."""
    separators = np.uint64(separator) * ONES
    row = 0
    while at < end and row < len(i):
        first, second = _load(text, at), _load(text, at + 8)
        hits, later = zeros(first ^ separators), zeros(second ^ separators)
        if hits != FREE:
            n_source = n_before(hits)
            first, second = first & before(hits), FREE
        elif later != FREE:
            n_source = 8 + n_before(later)
            second &= before(later)
        else:
            return ODD, at, row
        at += n_source + 1
        third, fourth = _load(text, at), _load(text, at + 8)
        hits, later = zeros(third ^ NEWLINES), zeros(fourth ^ NEWLINES)
        if hits != FREE:
            n_target = n_before(hits)
            third, fourth = third & before(hits), FREE
        elif later != FREE:
            n_target = 8 + n_before(later)
            fourth &= before(later)
        else:
            return ODD, at, row
        at += n_target + 1
        wrong = zeros(first ^ NEWLINES) | zeros(second ^ NEWLINES) | zeros(third ^ separators) | zeros(fourth ^ separators)
        if wrong != FREE or n_source == 0 or n_target == 0:
            return ODD, at, row
        words[0, row, 0], words[0, row, 1] = first, second
        words[1, row, 0], words[1, row, 1] = third, fourth
        i[row] = hash_place(mix(mix(first) + second), shift)
        j[row] = hash_place(mix(mix(third) + fourth), shift)
        row += 1
    return DONE, at, row


@compiled
def split_lines(
    text: Any, at: Any, end: Any, separator: Any, n_columns: Any, source: Any, target: Any,
    shift: Any, i: Any, j: Any, words: Any,
) -> Any:  # fmt: skip
    """The words of both ids of as many lines as fit, and the places where their hashes would have them."""
    separators = np.uint64(separator) * ONES
    width = words.shape[2]
    row = 0
    while at < end and row < len(i):
        for column in range(n_columns):
            is_id = column in (source, target)
            side = 0 if column == source else 1
            k, mixed = 0, FREE
            while True:
                word = _load(text, at)
                hits = zeros(word ^ separators) | zeros(word ^ NEWLINES)
                n_bytes = n_before(hits)
                if is_id and n_bytes > 0:
                    if k == width:
                        return WIDE, at, row
                    word &= FIRST_BYTES[np.uint64(n_bytes)]
                    words[side, row, k] = word
                    mixed = mix(mixed + word)
                    k += 1
                at += n_bytes
                if hits != FREE:
                    break
            if is_id:
                if k == 0:
                    return ODD, at, row
                if k == 1:
                    mixed = mix(mixed)
                while k < width:
                    words[side, row, k] = FREE
                    k += 1
                if side == 0:
                    i[row] = hash_place(mixed, shift)
                else:
                    j[row] = hash_place(mixed, shift)
            if text[at] != (NEWLINE if column == n_columns - 1 else separator):
                return ODD, at, row
            at += 1
        row += 1
    return DONE, at, row


@compiled
def split_column(offsets: Any, text: Any, shift: Any, words: Any, places: Any) -> None:
    """The same for a column of ids."""
    for row in range(len(places)):
        start, end = np.int64(offsets[row]), np.int64(offsets[row + 1])
        mixed = FREE
        for k in range(words.shape[1]):
            words[row, k] = _word(text, start + 8 * k, end)
            if k < 2 or words[row, k] != FREE:
                mixed = mix(mixed + words[row, k])
        places[row] = hash_place(mixed, shift)


@compiled
def _word(text: Any, start: Any, end: Any) -> Any:
    """Eight bytes as one number, the first one lowest; those from the end on are 0."""
    if start + 8 > len(text):  # there may be no memory to be read
        word = FREE
        for k in range(min(end - start, 8)):
            word |= np.uint64(text[start + k]) << np.uint64(8 * k)
        return word
    return _load(text, start) & FIRST_BYTES[min(max(end - start, 0), 8)]


@compiled
def _load(text: Any, start: Any) -> Any:
    at = np.uint64(start)  # an index without a sign need not be checked for one, and all this becomes a single load
    word = np.uint64(text[at])
    for k in range(1, 8):
        word |= np.uint64(text[at + np.uint64(k)]) << np.uint64(8 * k)
    return word


@compiled
def before(found: Any) -> Any:
    """All bits of the bytes before the first that is 0; there is one."""
    return (found ^ (found - ONE)) >> BYTE


@compiled
def n_before(found: Any) -> Any:
    """How many of eight bytes come before the first that is 0, all where none is."""
    return np.int64(n_low_zeros(found)) >> 3


@compiled
def zeros(word: Any) -> Any:
    return (word - ONES) & ~word & HIGHS


@compiled
def hash_place(mixed: Any, shift: Any) -> Any:
    return np.int64((mixed * MULTIPLIER) >> shift)


@compiled
def mix(word: Any) -> Any:
    """A word of an id with those before it, the first two always: how many more are free does not change the hash."""
    word *= MULTIPLIER
    return word ^ (word >> HALF)
