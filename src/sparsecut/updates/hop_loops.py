"""One hop of the rows that move, as one compiled call: what `hop_terms` does in numpy, to the bit; imported where numba is.

A change of one edge moves a few dozen rows. In numpy that takes some forty calls for each hop, which cost more than the
rows.

`marks` has a number for each node, 0 between calls; lists are (start, count, columns, weights) of `neighbor_lists`; `right`
is empty where it is 1; the rows `without` are computed anew whatever is summed for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True, error_model="numpy")
ROUNDING = np.float32(2.0**-24)  # of float32
NONE = np.float32(0)
ONE = np.float32(1)
ANEW = -1  # the mark of a row that is computed anew


@compiled
def hop(
    sources: Any,
    messages: Any,
    moved: Any,
    change: Any,
    entered: Any,
    entering: Any,
    coefficient: Any,
    without: Any,
    previous: Any,
    scale: Any,
    first: Any,
    term: Any,
    missing: Any,
    lacking: Any,
    rounding: Any,
    into: Any,
    lists: Any,
    left: Any,
    own: Any,
    right: Any,
    marks: Any,
    limit: Any,
    most_rounding: Any,
    width: Any,
    passes_on: Any,
) -> Any:
    """Follow one hop; (the places that moved, by how much where it is passed on).

    With a limit what is summed is added to what rows lack, else to rows of zeros.
    """
    n_columns, n_moved, is_exact = term.shape[1], 0, limit == 0
    n_entered = len(entered) if coefficient != 0 else 0
    targets = _reached(sources, moved, entered[:n_entered], without, into, marks)
    owed = np.zeros((len(targets), n_columns), dtype=np.float32) if is_exact else missing
    sizes = np.zeros(len(targets), dtype=np.float32)
    start, count, columns, weights = into
    for number in range(len(sources)):
        source, message = sources[number], messages[number]
        length = _length(message, width)
        for entry in range(start[source], start[source] + count[source]):
            target = columns[entry]
            mark = marks[target] - 1
            if mark >= 0:  # the others are computed anew
                weight = weights[entry] * left[target]
                _add(owed[mark if is_exact else target], weight, message)
                sizes[mark] += abs(weight) * length
    for number in range(len(moved)):
        target = moved[number]
        mark = marks[target] - 1
        if mark >= 0:
            share, message = own[target], change[number]
            _add(owed[mark if is_exact else target], share, message)
            sizes[mark] += abs(share) * _length(message, width)
    for number in range(n_entered):
        target = entered[number]
        mark = marks[target] - 1
        if mark >= 0:
            message = entering[number]
            _add(owed[mark if is_exact else target], coefficient, message)
            sizes[mark] += abs(coefficient) * _length(message, width)
    for place in without:
        marks[place] = 0
    for place in targets:
        marks[place] = 0
    n_left = len(targets)
    if not is_exact:
        n_left = 0
        for number in range(len(targets)):
            target = targets[number]
            lacking[target] = _length(missing[target], n_columns)
            rounding[target] += ROUNDING * (sizes[number] + lacking[target])
            if lacking[target] > limit * _scale(right, target):
                targets[n_left], sizes[n_left] = target, NONE
                n_left += 1
    places = np.empty(n_left + len(without), dtype=np.int64)
    changed = np.empty((len(places) if passes_on else 0, n_columns), dtype=np.float32)
    again = np.empty(len(places), dtype=np.int64)
    again[: len(without)] = without
    n_again = len(without)
    row, difference = np.empty(n_columns, dtype=np.float32), np.empty(n_columns, dtype=np.float32)
    for number in range(n_left):
        target = targets[number]
        there, added = term[target], owed[number if is_exact else target]
        for column in range(n_columns):
            row[column] = there[column] + added[column]
        length = _length(row, width)
        rounds = rounding[target] + ROUNDING * (length + sizes[number])
        if not is_exact:
            lacking[target] = NONE
            for column in range(n_columns):
                added[column] = NONE
        if rounds > most_rounding * length:
            again[n_again] = target
            n_again += 1
            continue
        if passes_on:
            passed = changed[n_moved]
            for column in range(n_columns):
                passed[column] = row[column] - there[column]
        for column in range(n_columns):
            there[column] = row[column]
        rounding[target] = rounds
        places[n_moved] = target
        n_moved += 1
    for number in range(n_again):
        place = again[number]
        there, enters = term[place], first[place]
        _row_anew(place, previous, lists, left, own, right, row)
        for column in range(n_columns):
            row[column] = row[column] * scale + coefficient * enters[column]
        for column in range(n_columns):
            difference[column] = row[column] - there[column]
        rounding[place] = NONE
        if len(missing):
            size = _length(difference, n_columns)
            stays = size <= limit * _scale(right, place)
            lacking[place] = size if stays and not is_exact else NONE
            kept = missing[place]
            for column in range(n_columns):
                kept[column] = difference[column] if stays else NONE
            if stays and not is_exact:
                continue
        if passes_on:
            changed[n_moved] = difference
        for column in range(n_columns):
            there[column] = row[column]
        places[n_moved] = place
        n_moved += 1
    return places[:n_moved], changed[:n_moved]


@compiled
def _reached(sources: Any, moved: Any, entered: Any, without: Any, into: Any, marks: Any) -> Any:
    """The nodes that something is summed for, in the order in which they are reached; `marks` has their numbers, from 1."""
    start, count, columns, _ = into
    n_most = len(moved) + len(entered)
    for source in sources:
        n_most += count[source]
    found, n_found = np.empty(min(n_most, len(marks)), dtype=np.int64), 0
    for place in without:
        marks[place] = ANEW
    for source in sources:
        for entry in range(start[source], start[source] + count[source]):
            target = columns[entry]
            if marks[target] == 0:
                found[n_found] = target
                n_found += 1
                marks[target] = n_found
    for number in range(len(moved) + len(entered)):
        target = moved[number] if number < len(moved) else entered[number - len(moved)]
        if marks[target] == 0:
            found[n_found] = target
            n_found += 1
            marks[target] = n_found
    return found[:n_found]


@compiled
def _add(row: Any, weight: Any, message: Any) -> None:
    for column in range(len(row)):
        row[column] += weight * message[column]


@compiled
def reached(sources: Any, lists: Any, marks: Any) -> Any:
    """The nodes in the lists of some nodes, each once, in no order."""
    start, count, columns, _ = lists
    n_most = 0
    for source in sources:
        n_most += count[source]
    found = np.empty(min(n_most, len(marks)), dtype=np.int64)
    n_found = 0
    for source in sources:
        for entry in range(start[source], start[source] + count[source]):
            place = columns[entry]
            if marks[place] == 0:
                marks[place] = 1
                found[n_found] = place
                n_found += 1
    for number in range(n_found):
        marks[found[number]] = 0
    return found[:n_found]


@compiled
def _row_anew(place: Any, previous: Any, lists: Any, left: Any, own: Any, right: Any, row: Any) -> None:
    """(P·Y)[place]."""
    start, count, columns, weights = lists
    row[:] = NONE
    for entry in range(start[place], start[place] + count[place]):
        other = columns[entry]
        weight = weights[entry] * right[other] if len(right) else weights[entry]
        there = previous[other]
        for column in range(len(row)):
            row[column] += weight * there[column]
    share, itself = own[place], previous[place]
    factor = left[place]
    for column in range(len(row)):
        row[column] = row[column] * factor + share * itself[column]


@compiled
def _scale(right: Any, place: Any) -> Any:
    """v of the bound."""
    return ONE / right[place] if len(right) else ONE


@njit(nogil=True, cache=True, error_model="numpy", fastmath=True)
def _length(row: Any, width: Any) -> Any:
    total = 0.0
    for column in range(width):
        total += np.float64(row[column]) * np.float64(row[column])
    return np.float32(np.sqrt(total))
