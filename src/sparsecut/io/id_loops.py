"""The loops that number the ids of big edge lists, compiled by numba. `acceleration` imports this where numba is installed.

None of them makes an array or holds the interpreter: callers own the memory and run them on threads.

A table of ids, rows of words, is open: its free places begin with a 0, and an id whose place is taken has the next free one.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsecut.io.id_tables import CROWDED, DONE, FULL, ODD
from sparsecut.io.text_loops import (
    FREE,
    compiled,
    hash_place,
    mix,
    n_before,
    split_column,
    split_lines,
    split_pairs,
    zeros,
)

MAX_DISTANCE = 64  # of ids from the places they would have, on the average: more than that is no accident


@compiled
def look_up_lines(
    text: Any, at: Any, end: Any, separator: Any, n_columns: Any, source: Any, target: Any,
    table: Any, shift: Any, max_held: Any, n_held: Any, i: Any, j: Any, n_rows: Any, words: Any, room: Any,
) -> Any:  # fmt: skip
    """The places of both ids of each line, where they are put if they are new, some lines at a time.

    (how it ended, where in the text, how many rows are done, how many ids are held). The last line ends in a newline, and
    after it some bytes may be read. FULL: the table needs more room; WIDE: more words an id; ODD: this line is not as it
    should be; CROWDED: the table serves no longer.
    """
    most = room.shape[1]
    while at < end:
        if n_held + 2 * most > max_held:
            return FULL, at, n_rows, n_held
        last = min(n_rows + most, len(i))
        sources, targets = i[n_rows:last], j[n_rows:last]
        state, after, n = ODD, at, 0
        if n_columns == 2 and source == 0 and table.shape[1] == 2:
            state, after, n = split_pairs(text, at, end, separator, shift, sources, targets, words)
        if state != DONE:
            state, after, n = split_lines(
                text, at, end, separator, n_columns, source, target, shift, sources, targets, words
            )  # fmt: skip
        if state != DONE:
            return state, at, n_rows, n_held
        n_held, far = _find(words[0], table, n_held, sources[:n], room)
        n_held, farther = _find(words[1], table, n_held, targets[:n], room)
        if max(far, farther) > MAX_DISTANCE * most:
            return CROWDED, at, n_rows, n_held
        at = after
        n_rows += n
    return DONE, at, n_rows, n_held


@compiled
def look_up(offsets: Any, text: Any, table: Any, shift: Any, n_held: Any, places: Any, words: Any, room: Any) -> Any:
    """The place of each id of a column; how many the table then holds, or −1 if it serves no longer."""
    most = room.shape[1]
    for start in range(0, len(places), most):
        end = min(start + most, len(places))
        rows = places[start:end]
        split_column(offsets[start : end + 1], text, shift, words, rows)
        n_held, distance = _find(words, table, n_held, rows, room)
        if distance > MAX_DISTANCE * most:
            return -1
    return n_held


@compiled
def move(
    old: Any, table: Any, shift: Any, max_held: Any, n_held: Any, moved: Any, words: Any, wanted: Any, room: Any
) -> Any:
    """Put what one table holds into another; `moved` says from where to where. How many that one then holds.

    −1: more than it may hold. −2: it serves no longer. Ids stand in the order of their hashes, so both tables are gone
    through from front to back.
    """
    width = old.shape[1]
    start = 0
    while start < len(old):
        n, first = 0, start
        while start < len(old) and n < len(wanted):
            if old[start, 0] != FREE:
                mixed = FREE
                for k in range(words.shape[1]):
                    words[n, k] = old[start, k] if k < width else FREE
                    if k < 2 or words[n, k] != FREE:
                        mixed = mix(mixed + words[n, k])
                wanted[n] = hash_place(mixed, shift)
                n += 1
            start += 1
        if n_held + n > max_held:
            return -1
        n_held, distance = _find(words, table, n_held, wanted[:n], room)
        if distance > MAX_DISTANCE * len(wanted):
            return -2
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
        firsts[row] = moved[firsts[row]]
    for row in range(len(firsts)):
        place = firsts[row]
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
def measure(table: Any, places: Any, n_bytes: Any) -> None:
    """How long the text of each id is."""
    for row in range(len(places)):
        k = table.shape[1] - 1
        while table[places[row], k] == FREE:
            k -= 1
        n_bytes[row] = 8 * k + n_before(zeros(table[places[row], k]))


@compiled
def spell(table: Any, places: Any, offsets: Any, text: Any) -> None:
    """The text of each id. Whole words are written where enough ids follow, which begin where this one ends."""
    for row in range(len(places)):
        n_words = (offsets[row + 1] - offsets[row] + 7) // 8
        for k in range(n_words):
            word, at = table[places[row], k], np.uint64(offsets[row] + 8 * k)
            is_near_end = row + 8 >= len(places)
            for byte in range(min(8, offsets[row + 1] - np.int64(at)) if is_near_end else 8):
                text[at + np.uint64(byte)] = (word >> np.uint64(8 * byte)) & np.uint64(255)


@compiled
def _find(words: Any, table: Any, n_held: Any, places: Any, room: Any) -> Any:
    """From the place that each id would have to the one that it has. How many are held, how far they are in all.

    Memory is what this waits for. So first every place is touched, one after the other without a question, and many waits
    become one; then all ids that are not where they would be go one place on together, again without a branch to guess.
    """
    last, limit = len(table) - 1, MAX_DISTANCE * room.shape[1]
    left, new, touched = room[0], room[1], room[2]
    words_seen = FREE
    for row in range(len(places)):
        words_seen ^= table[np.uint64(places[row]), 0]
    touched[0] = np.int64(words_seen)  # kept, or the compiler would leave out the loop
    n_left = n_new = distance = 0
    for row in range(len(places)):
        left[n_left] = row
        n_left += np.int64(_differs(words, row, table, places[row]))
    while n_left > 0 and distance <= limit:
        distance += n_left
        n_more = 0
        for m in range(n_left):
            row = left[m]
            place = np.int64(places[row])
            is_free = np.int64(table[np.uint64(place), 0] == FREE)
            place = (place + 1 - is_free) & last
            places[row] = place
            new[n_new] = row
            n_new += is_free
            left[n_more] = row
            n_more += np.int64(_differs(words, row, table, place)) & (1 - is_free)
        n_left = n_more
    for m in range(n_new):
        row = new[m]
        place = np.int64(places[row])
        while table[place, 0] != FREE and _differs(words, row, table, place):  # another new id may be there by now
            place = (place + 1) & last
            distance += 1
        if table[place, 0] == FREE:
            for k in range(table.shape[1]):
                table[place, k] = words[row, k]
            n_held += 1
        places[row] = place
    return n_held, distance


@compiled
def _differs(words: Any, row: Any, table: Any, place: Any) -> Any:
    row, place = np.uint64(row), np.uint64(place)  # an index without a sign need not be checked for one
    difference = (table[place, 0] ^ words[row, 0]) | (table[place, 1] ^ words[row, 1])
    for k in range(2, table.shape[1]):
        difference |= table[place, k] ^ words[row, k]
    return difference != FREE
