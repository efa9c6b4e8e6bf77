"""The loops behind reading big edge lists, compiled by numba. `acceleration` imports this where numba is installed.

None of them makes an array or holds the interpreter: callers own the memory and run them on threads.

An id is a few 64-bit words, its bytes padded with zeros; a table of such rows is open, and its free places begin with a 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True)

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
FREE = np.uint64(0)
FIRST_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
QUOTE, NEWLINE = ord('"'), ord("\n")
MAX_LENGTH = 2**31
MAX_DISTANCE = 64  # of ids from the places they would have, on the average: more than that is no accident


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
def look_up(offsets: Any, text: Any, table: Any, shift: Any, n_held: Any, places: Any, words: Any) -> Any:
    """The place of each id, where it is put if it is new; how many the table then holds, or −1 if it serves no longer.

    `words` is room for the words of some rows, so few that they stay in the cache.
    """
    for start in range(0, len(places), len(words)):
        end = min(start + len(words), len(places))
        rows = places[start:end]
        _split(offsets[start : end + 1], text, shift, words, rows)
        if table.shape[1] == 2:
            n_held, distance = _put_pairs(words, table, n_held, rows)
        else:
            n_held, distance = _put(words, table, n_held, rows)
        if distance > MAX_DISTANCE * len(words):
            return -1
    return n_held


@compiled
def move(old: Any, table: Any, shift: Any, moved: Any) -> None:
    """Put what one table holds into another, larger or with more words an id; `moved` says from where to where."""
    last = len(table) - 1
    for place in range(len(old)):
        if old[place, 0] != FREE:
            mixed = FREE
            for k in range(old.shape[1] - 1, 1, -1):
                mixed = _mix(mixed + old[place, k])
            new = np.int64(_hash(mixed, old[place, 1], old[place, 0]) >> shift)
            while table[new, 0] != FREE:
                new = (new + 1) & last
            for k in range(old.shape[1]):
                table[new, k] = old[place, k]
            moved[place] = new


@compiled
def renumber(places: Any, position: Any, place_of: Any, n_known: Any) -> Any:
    """From places to positions in the order of first appearance: −1 so far means not seen. How many there are then."""
    for row in range(len(places)):
        place = places[row]
        known = position[place]
        if known < 0:
            known = n_known
            position[place] = known
            place_of[known] = place
            n_known += 1
        places[row] = known
    return n_known


@compiled
def measure(table: Any, places: Any, offsets: Any) -> None:
    """Where the text of each id ends, if they are spelt one after the other."""
    total = 0
    for row in range(len(places)):
        k = table.shape[1] - 1
        while table[places[row], k] == FREE:
            k -= 1
        word = table[places[row], k]
        total += 8 * k
        while word != FREE:
            word >>= np.uint64(8)
            total += 1
        offsets[row + 1] = total


@compiled
def spell(table: Any, places: Any, offsets: Any, text: Any) -> None:
    """The text of each id. Whole words are written, so a word more must fit; the next id begins where this one ends."""
    for row in range(len(places)):
        for k in range((offsets[row + 1] - offsets[row] + 7) // 8):
            word, at = table[places[row], k], np.uint64(offsets[row] + 8 * k)
            for byte in range(8):
                text[at + np.uint64(byte)] = (word >> np.uint64(8 * byte)) & np.uint64(255)


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
def _split(offsets: Any, text: Any, shift: Any, words: Any, places: Any) -> None:
    """The words of each id, and the place where its hash would have it."""
    for row in range(len(places)):
        start, end = np.int64(offsets[row]), np.int64(offsets[row + 1])
        mixed = FREE
        for k in range(words.shape[1] - 1, 1, -1):
            words[row, k] = _word(text, start + 8 * k, end)
            mixed = _mix(mixed + words[row, k])
        second, first = _word(text, start + 8, end), _word(text, start, end)
        words[row, 0], words[row, 1] = first, second
        places[row] = _hash(mixed, second, first) >> shift


@compiled
def _put_pairs(words: Any, table: Any, n_held: Any, places: Any) -> Any:
    """`_put` for two words an id, with nothing in its loop that could slow it down: most of the time is spent here."""
    last, distance = len(table) - 1, 0
    for row in range(len(places)):
        wanted = np.int64(places[row])
        place = wanted
        first, second = words[row, 0], words[row, 1]
        while True:
            held = table[place, 0]
            if held == first and table[place, 1] == second:
                break
            if held == FREE:
                table[place, 0], table[place, 1] = first, second
                n_held += 1
                break
            place = (place + 1) & last
        distance += (place - wanted) & last
        places[row] = place
    return n_held, distance


@compiled
def _put(words: Any, table: Any, n_held: Any, places: Any) -> Any:
    """From the place that each id would have to the one that it has. How many are held, how far they are in all."""
    width, last, distance = table.shape[1], len(table) - 1, 0
    for row in range(len(places)):
        wanted = np.int64(places[row])
        place = wanted
        while True:
            difference = FREE
            for k in range(width):
                difference |= table[place, k] ^ words[row, k]
            if difference == FREE:
                break
            if table[place, 0] == FREE:
                for k in range(width):
                    table[place, k] = words[row, k]
                n_held += 1
                break
            place = (place + 1) & last
        distance += (place - wanted) & last
        places[row] = place
    return n_held, distance


@compiled
def _word(text: Any, start: Any, end: Any) -> Any:
    """Eight bytes as one number, the first one lowest; those from the end on are 0."""
    if start + 8 > len(text):  # there may be no memory to be read
        word = FREE
        for k in range(min(end - start, 8)):
            word |= np.uint64(text[start + k]) << np.uint64(8 * k)
        return word
    at = np.uint64(start)  # an index without a sign need not be checked for one, and all this becomes a single load
    word = np.uint64(text[at])
    for k in range(1, 8):
        word |= np.uint64(text[at + np.uint64(k)]) << np.uint64(8 * k)
    return word & FIRST_BYTES[min(max(end - start, 0), 8)]


@compiled
def _hash(mixed: Any, second: Any, first: Any) -> Any:
    """The hash of an id from that of the words after the second. Words of zeros at its end do not change it."""
    return _mix(_mix(mixed + second) + first) * MULTIPLIER


@compiled
def _mix(word: Any) -> Any:
    word *= MULTIPLIER
    return word ^ (word >> HALF)


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
