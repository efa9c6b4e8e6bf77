"""The loops that number the ids of big edge lists, compiled by numba. `acceleration` imports this where numba is installed.

None of them makes an array or holds the interpreter: callers own the memory and run them on threads.

An id is a few 64-bit words, its bytes padded with zeros; a table of such rows is open, and its free places begin with a 0.
Eight bytes are looked at together: the lowest bit of (x − 0x01…01) & ~x & 0x80…80 is in the first byte of x that is 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True)

MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)
FREE = np.uint64(0)
ONE = np.uint64(1)
BYTE = np.uint64(8)
ONES = np.uint64(0x0101010101010101)
HIGHS = np.uint64(0x8080808080808080)
LAST_BYTE = np.uint64(56)
FIRST_BYTES = np.array([(1 << (8 * n)) - 1 for n in range(9)], dtype=np.uint64)
QUOTE, NEWLINE = ord('"'), ord("\n")
QUOTES, RETURNS, NEWLINES, HASHES, PERCENTS = (np.uint64(ord(sign) * 0x0101010101010101) for sign in '"\r\n#%')
MAX_LENGTH = 2**31
MAX_DISTANCE = 64  # of ids from the places they would have, on the average: more than that is no accident
DONE, FULL, WIDE, ODD, CROWDED = range(5)  # how `look_up_lines` ended


@compiled
def signs(text: Any) -> Any:
    """(whether a comment or a zero byte may be in a text of whole words, whether a quote or a carriage return is)."""
    comments, quotes = FREE, FREE
    for word in text:
        comments |= _zeros(word ^ HASHES) | _zeros(word ^ PERCENTS) | _zeros(word)
        quotes |= _zeros(word ^ QUOTES) | _zeros(word ^ RETURNS)
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
def look_up_lines(
    text: Any, at: Any, end: Any, separator: Any, n_columns: Any, source: Any, target: Any,
    table: Any, shift: Any, room: Any, n_held: Any, i: Any, j: Any, n_rows: Any, words: Any, missing: Any,
) -> Any:  # fmt: skip
    """The places of both ids of each line, where they are put if they are new, some lines at a time.

    (how it ended, where in the text, how many rows are done, how many ids are held). The last line ends in a newline, and
    after it some bytes may be read. FULL: the table needs more room; WIDE: longer words; CROWDED: it serves no longer.
    """
    most = len(missing)
    while at < end:
        if n_held + 2 * most > room:
            return FULL, at, n_rows, n_held
        last = min(n_rows + most, len(i))
        state, after, n = _split_lines(
            text, at, end, separator, n_columns, source, target, shift, i[n_rows:last], j[n_rows:last], words
        )  # fmt: skip
        if state != DONE:
            return state, at, n_rows, n_held
        n_held, far = _find(words[0], table, n_held, i[n_rows : n_rows + n], missing)
        n_held, farther = _find(words[1], table, n_held, j[n_rows : n_rows + n], missing)
        if far + farther > MAX_DISTANCE * most:
            return CROWDED, at, n_rows, n_held
        at = after
        n_rows += n
    return DONE, at, n_rows, n_held


@compiled
def look_up(offsets: Any, text: Any, table: Any, shift: Any, n_held: Any, places: Any, words: Any, missing: Any) -> Any:
    """The place of each id of a column; how many the table then holds, or −1 if it serves no longer."""
    for start in range(0, len(places), len(missing)):
        end = min(start + len(missing), len(places))
        rows = places[start:end]
        _split(offsets[start : end + 1], text, shift, words, rows)
        n_held, distance = _find(words, table, n_held, rows, missing)
        if distance > MAX_DISTANCE * len(missing):
            return -1
    return n_held


@compiled
def move(old: Any, table: Any, shift: Any, room: Any, n_held: Any, moved: Any, words: Any, wanted: Any, missing: Any) -> Any:
    """Put what one table holds into another; `moved` says from where to where. How many that one then holds; −1: no room.

    Ids stand in the order of their hashes, so both tables are gone through from front to back.
    """
    width = old.shape[1]
    start = 0
    while start < len(old):
        if n_held + len(missing) > room:
            return -1
        n, first = 0, start
        while start < len(old) and n < len(missing):
            if old[start, 0] != FREE:
                mixed = FREE
                for k in range(words.shape[1]):
                    words[n, k] = old[start, k] if k < width else FREE
                    if words[n, k] != FREE:
                        mixed = _mix(mixed + words[n, k])
                wanted[n] = _place(mixed, shift)
                n += 1
            start += 1
        n_held, _ = _find(words, table, n_held, wanted[:n], missing)
        n = 0
        for place in range(first, start):
            if old[place, 0] != FREE:
                moved[place] = wanted[n]
                n += 1
    return n_held


@compiled
def list_firsts(places: Any, is_seen: Any, firsts: Any, n_firsts: Any) -> Any:
    """The places not seen before, in order; how many are listed then. One more must fit."""
    for row in range(len(places)):
        place = places[row]
        firsts[n_firsts] = place
        n_firsts += 1 - is_seen[place]
        is_seen[place] = 1
    return n_firsts


@compiled
def settle(firsts: Any, moved: Any, numbers: Any, place_of: Any, n_known: Any) -> Any:
    """Number places in the order given: −1 so far means that one has none. How many there are then."""
    for row in range(len(firsts)):
        place = moved[firsts[row]]
        if numbers[place] < 0:
            numbers[place] = n_known
            place_of[n_known] = place
            n_known += 1
    return n_known


@compiled
def translate(places: Any, numbers: Any, result: Any) -> None:
    for row in range(len(places)):
        result[row] = numbers[places[row]]


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
            word >>= BYTE
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
def _split_lines(
    text: Any, at: Any, end: Any, separator: Any, n_columns: Any, source: Any, target: Any,
    shift: Any, i: Any, j: Any, words: Any,
) -> Any:  # fmt: skip
    """The words of both ids of as many lines as fit, and the places where their hashes would have them."""
    separators = np.uint64(separator) * ONES
    width = words.shape[2]
    row = 0
    while at < end and row < len(i):
        for column in range(n_columns):
            is_id = column == source or column == target
            side = 0 if column == source else 1
            k, mixed, is_empty = 0, FREE, True
            while True:
                word = _load(text, at)
                hits = _zeros(word ^ separators) | _zeros(word ^ NEWLINES)
                before = (hits ^ (hits - ONE)) >> BYTE if hits != FREE else ~FREE  # the bytes of the cell
                if is_id and before != FREE:
                    if k == width:
                        return WIDE, at, row
                    is_empty = False
                    word &= before
                    words[side, row, k] = word
                    mixed = _mix(mixed + word)
                    k += 1
                if hits != FREE:
                    break
                at += 8
            at += np.int64(((before & ONES) * ONES) >> LAST_BYTE)
            if is_id:
                if is_empty:
                    return ODD, at, row
                while k < width:
                    words[side, row, k] = FREE
                    k += 1
                if side == 0:
                    i[row] = _place(mixed, shift)
                else:
                    j[row] = _place(mixed, shift)
            if text[at] != (NEWLINE if column == n_columns - 1 else separator):
                return ODD, at, row
            at += 1
        row += 1
    return DONE, at, row


@compiled
def _split(offsets: Any, text: Any, shift: Any, words: Any, places: Any) -> None:
    """The same for a column of ids."""
    for row in range(len(places)):
        start, end = np.int64(offsets[row]), np.int64(offsets[row + 1])
        mixed = FREE
        for k in range(words.shape[1]):
            words[row, k] = _word(text, start + 8 * k, end)
            if words[row, k] != FREE:
                mixed = _mix(mixed + words[row, k])
        places[row] = _place(mixed, shift)


@compiled
def _find(words: Any, table: Any, n_held: Any, places: Any, missing: Any) -> Any:
    """From the place that each id would have to the one that it has. How many are held, how far they are in all.

    Most are where they would be. Those are found first, by a loop that does not branch: so the processor waits for many
    places at once, and what the second loop looks at is near by then.
    """
    width, last, distance, n_missing = table.shape[1], len(table) - 1, 0, 0
    for row in range(len(places)):
        place = places[row]
        difference = (table[place, 0] ^ words[row, 0]) | (table[place, 1] ^ words[row, 1])
        for k in range(2, width):
            difference |= table[place, k] ^ words[row, k]
        missing[n_missing] = row
        n_missing += np.int64(difference != FREE)
    for m in range(n_missing):
        row = missing[m]
        wanted = np.int64(places[row])
        place = wanted
        while True:
            difference = (table[place, 0] ^ words[row, 0]) | (table[place, 1] ^ words[row, 1])
            for k in range(2, width):
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
    return _load(text, start) & FIRST_BYTES[min(max(end - start, 0), 8)]


@compiled
def _load(text: Any, start: Any) -> Any:
    at = np.uint64(start)  # an index without a sign need not be checked for one, and all this becomes a single load
    word = np.uint64(text[at])
    for k in range(1, 8):
        word |= np.uint64(text[at + np.uint64(k)]) << np.uint64(8 * k)
    return word


@compiled
def _zeros(word: Any) -> Any:
    return (word - ONES) & ~word & HIGHS


@compiled
def _place(mixed: Any, shift: Any) -> Any:
    return np.int64((mixed * MULTIPLIER) >> shift)


@compiled
def _mix(word: Any) -> Any:
    word *= MULTIPLIER
    return word ^ (word >> HALF)
