"""One hop of the rows that move, as compiled loops: what `hop_terms` does in numpy, to the bit; imported where numba is.

A change of one edge moves a few dozen rows. In numpy that takes some forty calls for each hop, which cost more than the
rows. Here a hop is three: the rows that are reached, the sums of what moved, the rows as they are then.

`marks` has a number for each node, 0 between calls; lists are (start, count, columns, weights) of `neighbor_lists`; `right`
is empty where it is 1; the rows `without` are computed anew whatever is summed for them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True, error_model="numpy")
ROUNDING = np.float32(2.0**-24)  # of float32
SLACK = np.float32(1 + 1e-6)  # the sum of lengths rounds too
HALF = np.float32(0.5)  # of a limit: what a row lacks from there on is made up for
NONE = np.float32(0)
ONE = np.float32(1)


@compiled
def staying(
    targets: Any,
    sources: Any,
    messages: Any,
    moved: Any,
    change: Any,
    entered: Any,
    entering: Any,
    coefficient: Any,
    lists: Any,
    left: Any,
    own: Any,
    right: Any,
    lacking: Any,
    marks: Any,
    limit: Any,
) -> Any:
    """Leave targets where they are that may, by the lengths of what is summed alone; returns the others."""
    start, count, columns, weights = lists
    n_columns, bounds = messages.shape[1], np.zeros(len(targets) + 1, dtype=np.float32)
    for number in range(len(targets)):
        marks[targets[number]] = number + 1  # 0: a row that is computed anew
    for number in range(len(sources)):
        source, length = sources[number], _length(messages[number], n_columns)
        for entry in range(start[source], start[source] + count[source]):
            target = columns[entry]
            bounds[marks[target]] += abs(weights[entry] * left[target]) * length
    for number in range(len(moved)):
        bounds[marks[moved[number]]] += abs(own[moved[number]]) * _length(change[number], n_columns)
    for number in range(len(entered)):
        bounds[marks[entered[number]]] += abs(coefficient) * _length(entering[number], n_columns)
    n_left = 0
    left_over = np.empty(len(targets), dtype=np.int64)
    for number in range(len(targets)):
        target = targets[number]
        marks[target] = 0
        lacks = lacking[target] + bounds[number + 1]
        if lacks <= limit * _scale(right, target):
            lacking[target] = lacks * SLACK
        else:
            left_over[n_left] = target
            n_left += 1
    return left_over[:n_left]


@compiled
def reached(sources: Any, lists: Any, moved: Any, without: Any, marks: Any) -> Any:
    """The nodes that average over a source, and those that moved, each once, in no order, without some."""
    start, count, columns, _ = lists
    n_most = len(moved)
    for source in sources:
        n_most += count[source]
    found = np.empty(min(n_most, len(marks)), dtype=np.int64)
    n_found = 0
    for place in without:
        marks[place] = 1
    for source in sources:
        for entry in range(start[source], start[source] + count[source]):
            place = columns[entry]
            if marks[place] == 0:
                marks[place] = 1
                found[n_found] = place
                n_found += 1
    for place in moved:
        if marks[place] == 0:
            marks[place] = 1
            found[n_found] = place
            n_found += 1
    for place in without:
        marks[place] = 0
    for number in range(n_found):
        marks[found[number]] = 0
    return found[:n_found]


@compiled
def summed(
    targets: Any,
    without: Any,
    sources: Any,
    messages: Any,
    moved: Any,
    change: Any,
    entered: Any,
    entering: Any,
    coefficient: Any,
    lists: Any,
    left: Any,
    own: Any,
    marks: Any,
    width: Any,
) -> Any:
    """(c·ΔX + P·ΔY of the targets, and the same of lengths): see `HopTerms._sums`."""
    start, count, columns, weights = lists
    n_targets, n_columns = len(targets), messages.shape[1]
    sums = np.zeros((n_targets + 1, n_columns), dtype=np.float32)  # what is summed for rows without goes to the last
    sizes = np.zeros(n_targets + 1, dtype=np.float32)
    for place in without:
        marks[place] = n_targets + 1
    for number in range(n_targets):
        marks[targets[number]] = number + 1
    for number in range(len(sources)):
        source, message = sources[number], messages[number]
        length = _length(message, width)
        for entry in range(start[source], start[source] + count[source]):
            target = columns[entry]
            row = marks[target] - 1
            if row < 0:  # it stays
                continue
            weight = weights[entry] * left[target]
            for column in range(n_columns):
                sums[row, column] += weight * message[column]
            sizes[row] += abs(weight) * length
    for number in range(len(moved)):
        place = moved[number]
        share, row = own[place], marks[place] - 1
        if row < 0:
            continue
        for column in range(n_columns):
            sums[row, column] += share * change[number, column]
        sizes[row] += abs(share) * _length(change[number], width)
    for number in range(len(entered)):
        row = marks[entered[number]] - 1
        if row < 0:
            continue
        for column in range(n_columns):
            sums[row, column] += coefficient * entering[number, column]
        sizes[row] += abs(coefficient) * _length(entering[number], width)
    for place in without:
        marks[place] = 0
    for place in targets:
        marks[place] = 0
    return sums, sizes


@compiled
def settled(
    targets: Any,
    without: Any,
    sums: Any,
    sizes: Any,
    previous: Any,
    scale: Any,
    first: Any,
    coefficient: Any,
    term: Any,
    lacking: Any,
    rounding: Any,
    lists: Any,
    left: Any,
    own: Any,
    right: Any,
    limit: Any,
    most_rounding: Any,
    width: Any,
    passes_on: Any,
) -> Any:
    """Write the rows as they are then; (the places that moved, by how much where it is passed on)."""
    n_targets, n_columns = len(targets), term.shape[1]
    places = np.empty(n_targets + len(without), dtype=np.int64)
    change = np.empty((len(places) if passes_on else 0, n_columns), dtype=np.float32)
    again = np.empty(len(places), dtype=np.int64)
    again[: len(without)] = without
    n_again, n_moved = len(without), 0
    row = np.empty(n_columns, dtype=np.float32)
    for number in range(n_targets):
        target = targets[number]
        for column in range(n_columns):
            row[column] = term[target, column] + sums[number, column]
        length = _length(row, width)
        rounds = rounding[target] + ROUNDING * (length + sizes[number])
        if rounds > most_rounding * length or lacking[target] > HALF * limit * _scale(right, target):
            again[n_again] = target
            n_again += 1
            continue
        if passes_on:
            for column in range(n_columns):
                change[n_moved, column] = row[column] - term[target, column]
        term[target] = row
        rounding[target] = rounds
        places[n_moved] = target
        n_moved += 1
    difference = np.empty(n_columns, dtype=np.float32)
    for number in range(n_again):
        place = again[number]
        _row_anew(place, previous, lists, left, own, right, row)
        for column in range(n_columns):
            row[column] = row[column] * scale + coefficient * first[place, column]
        for column in range(n_columns):
            difference[column] = row[column] - term[place, column]
        if limit > 0:
            size = _length(difference, n_columns)
            if size <= limit * _scale(right, place):
                lacking[place] = size
                continue
        if passes_on:
            change[n_moved] = difference
        term[place] = row
        lacking[place] = NONE
        rounding[place] = NONE
        places[n_moved] = place
        n_moved += 1
    return places[:n_moved], change[:n_moved]


@compiled
def _row_anew(place: Any, previous: Any, lists: Any, left: Any, own: Any, right: Any, row: Any) -> None:
    """(P·Y)[place]."""
    start, count, columns, weights = lists
    row[:] = NONE
    for entry in range(start[place], start[place] + count[place]):
        other = columns[entry]
        weight = weights[entry] * right[other] if len(right) else weights[entry]
        for column in range(len(row)):
            row[column] += weight * previous[other, column]
    for column in range(len(row)):
        row[column] = row[column] * left[place] + own[place] * previous[place, column]


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
