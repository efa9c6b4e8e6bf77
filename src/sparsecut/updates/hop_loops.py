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
MOST_HOPS = 8  # of one call
ANEW = -1  # the mark of a row that is computed anew
UNSEEN = -1  # one less than the mark 0 of a row that nothing has reached yet


@compiled
def follow(
    n_before: Any,
    first: Any,
    moved: Any,
    change: Any,
    entered: Any,
    entering: Any,
    relinked: Any,
    before: Any,
    without: Any,
    ends: Any,
    coefficients: Any,
    limits: Any,
    terms: Any,
    missing: Any,
    lacking: Any,
    rounding: Any,
    into: Any,
    lists: Any,
    diagonals: Any,
    marks: Any,
    most_read: Any,
    most_rounding: Any,
) -> Any:
    """Follow some hops, as many as `limits` has, behind `n_before` others; (how many were followed; places; change).

    A hop that reads too much is not followed, nor are those behind it. `terms` begins with the rows before these hops, and
    so do `missing`, `lacking` and `rounding`. The rows `without[ends[k] : ends[k + 1]]` are computed anew at hop k of these,
    or all of `without` at each where there are no `ends`. The four have room for `MOST_HOPS`, so that one compilation serves
    every filter.
    """
    n_hops = len(coefficients) - 1
    left, own, right = diagonals
    n_relinked = 0
    for place in relinked:
        n_relinked += lists[1][place]
    for number in range(len(limits)):
        hop = n_before + number + 1
        scale = coefficients[n_hops] if hop == 1 else ONE
        sources, messages = moved, change
        if len(right):
            sources, messages = _messages(moved, change, relinked, before, terms[number], scale, right)
        n_read = n_relinked + len(sources)
        for source in sources:
            n_read += into[1][source]
        if n_read > most_read:
            return number, moved, change
        moved, change = _hop(
            sources,
            messages,
            moved,
            change,
            entered,
            entering,
            coefficients[n_hops - hop],
            without[ends[number] : ends[number + 1]] if len(ends) else without,
            terms[number],
            scale,
            first,
            terms[number + 1],
            missing[number + 1],
            lacking[number + 1],
            rounding[number + 1],
            into,
            lists,
            left,
            own,
            right,
            marks,
            limits[number],
            most_rounding,
            hop < n_hops,
        )
    return len(limits), moved, change


@compiled
def _messages(moved: Any, change: Any, relinked: Any, before: Any, previous: Any, scale: Any, right: Any) -> Any:
    """The nodes whose right·Y changed, ascending, and by what; a changed degree changes it too."""
    sources = np.unique(np.concatenate((moved, relinked)))
    n_columns = previous.shape[1]
    messages = np.zeros((len(sources), n_columns), dtype=np.float32)
    old = right[sources]
    for number, place in enumerate(np.searchsorted(sources, relinked)):
        old[place] = before[number]
    for number, place in enumerate(np.searchsorted(sources, moved)):
        messages[place] = change[number]
    for number in range(len(sources)):
        source, message = sources[number], messages[number]
        there = previous[source]
        for column in range(n_columns):
            now = there[column] * scale
            message[column] = right[source] * now - old[number] * (now - message[column])
    return sources, messages


@compiled
def _hop(
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
    passes_on: Any,
) -> Any:
    """One hop; (the places that moved, by how much where it is passed on).

    With a limit what is summed is added to what rows lack, else to rows of zeros.
    """
    n_columns, n_moved, is_exact = term.shape[1], 0, limit == 0
    n_entered = len(entered) if coefficient != 0 else 0
    start, count, columns, weights = into
    n_most = len(moved) + n_entered
    for source in sources:
        n_most += count[source]
    n_most = min(n_most, len(term))
    targets, sizes = np.empty(n_most, dtype=np.int64), np.empty(n_most, dtype=np.float32)
    owed = np.empty((n_most, n_columns), dtype=np.float32) if is_exact else missing
    n_targets = 0
    for place in without:
        marks[place] = ANEW
    for number in range(len(sources)):
        source, message = sources[number], messages[number]
        length = _length(message)
        for entry in range(start[source], start[source] + count[source]):
            target = columns[entry]
            mark = marks[target] - 1
            if mark == UNSEEN:
                mark = n_targets
                targets[mark], sizes[mark] = target, NONE
                n_targets += 1
                marks[target] = n_targets
                if is_exact:
                    owed[mark] = NONE
            if mark >= 0:  # the others are computed anew
                weight = weights[entry] * left[target]
                _add(owed[mark if is_exact else target], weight, message)
                sizes[mark] += abs(weight) * length
    for number in range(len(moved) + n_entered):
        is_own = number < len(moved)
        target = moved[number] if is_own else entered[number - len(moved)]
        mark = marks[target] - 1
        if mark == UNSEEN:
            mark = n_targets
            targets[mark], sizes[mark] = target, NONE
            n_targets += 1
            marks[target] = n_targets
            if is_exact:
                owed[mark] = NONE
        if mark >= 0:
            share = own[target] if is_own else coefficient
            message = change[number] if is_own else entering[number - len(moved)]
            _add(owed[mark if is_exact else target], share, message)
            sizes[mark] += abs(share) * _length(message)
    for place in without:
        marks[place] = 0
    n_left = 0
    for number in range(n_targets):
        target = targets[number]
        marks[target] = 0
        if not is_exact:
            size = sizes[number]
            length, most = lacking[target] + size, limit * _scale(right, target)
            if length > most:  # by the lengths of what was summed, which may point in all directions
                length = _length(missing[target])
            lacking[target] = length
            rounding[target] += ROUNDING * (size + length)
            if not length > most:
                continue
            sizes[number] = NONE
        targets[n_left], sizes[n_left] = target, sizes[number]
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
        length = _length(row)
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
            size = _length(difference)
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
def _length(row: Any) -> Any:
    total = 0.0
    for column in range(len(row)):
        total += np.float64(row[column]) * np.float64(row[column])
    return np.float32(np.sqrt(total))
