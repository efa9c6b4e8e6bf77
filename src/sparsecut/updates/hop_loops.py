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

from sparsecut.updates.leading_columns import LEFT_SHARE, LINE
from sparsecut.updates.prefetching import prefetch

compiled = njit(nogil=True, cache=True, error_model="numpy")
summing = njit(nogil=True, cache=True, error_model="numpy", fastmath=True)
ROUNDING = np.float32(2.0**-24)  # of float32
NONE = np.float32(0)
ONE = np.float32(1)
MOST_HOPS = 8  # of one call
ANEW = -1  # the mark of a row that is computed anew
AHEAD, BOUNDS_AHEAD, ROWS_AHEAD = np.uint64(4), 8, 3  # entries and rows: memory is asked for so many before its turn
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
    n_most = len(moved) + n_entered
    for source in sources:
        n_most += into[1][source]
    n_most = min(n_most, len(term))
    reached = np.empty(n_most, dtype=np.int64), np.empty(n_most, dtype=np.float32), marks
    targets, sizes, _ = reached
    owed = np.empty((n_most, n_columns), dtype=np.float32) if is_exact else missing
    for place in without:
        marks[place] = ANEW
    n_targets = _pass_on(sources, messages, into, left, owed, is_exact, reached)
    n_targets = _add_each(moved, own[moved], change, owed, is_exact, reached, n_targets)
    if n_entered:
        shares = np.full(n_entered, coefficient, dtype=np.float32)
        n_targets = _add_each(entered, shares, entering, owed, is_exact, reached, n_targets)
    for place in without:
        marks[place] = 0
    stops = np.empty(0 if is_exact else n_targets, dtype=np.int64)
    n_left = 0
    for number in range(n_targets):
        target = targets[number]
        marks[target] = 0
        if not is_exact:
            if number + BOUNDS_AHEAD < n_targets:
                later = np.uint64(targets[number + BOUNDS_AHEAD])
                prefetch(lacking, later)
                prefetch(rounding, later)
            size = sizes[number]
            length, most = lacking[target] + size, limit * _scale(right, target)
            if length > most:  # by the lengths of what was summed, which may point in all directions
                length = _length(missing, target)
            lacking[target] = length
            rounding[target] += ROUNDING * (size + length)
            if not length > most:
                continue
            sizes[number] = NONE
            stops[n_left], lacking[target] = _leading(missing, target, most)
        targets[n_left], sizes[n_left] = target, sizes[number]
        n_left += 1
    places = np.empty(n_left + len(without), dtype=np.int64)
    changed = np.empty((len(places) if passes_on else 0, n_columns), dtype=np.float32)
    again = np.empty(len(places), dtype=np.int64)
    again[: len(without)] = without
    n_again = len(without)
    row, difference = np.empty((1, n_columns), dtype=np.float32), np.empty((1, n_columns), dtype=np.float32)
    for number in range(n_left):
        target = targets[number]
        at = number if is_exact else target
        stop = n_columns if is_exact else stops[number]
        if number + ROWS_AHEAD < n_left:
            for column in range(0, n_columns, LINE):
                prefetch(term, np.uint64(targets[number + ROWS_AHEAD] * n_columns + column))
        for column in range(n_columns):
            row[0, column] = term[target, column]
        for column in range(stop):
            row[0, column] += owed[at, column]
        length = _length(row, 0)
        rounds = rounding[target] + ROUNDING * (length + sizes[number])
        if not is_exact:
            for column in range(stop):
                missing[target, column] = NONE
        if rounds > most_rounding * length:
            again[n_again] = target
            n_again += 1
            continue
        if passes_on:
            for column in range(stop):
                changed[n_moved, column] = row[0, column] - term[target, column]
            for column in range(stop, n_columns):
                changed[n_moved, column] = NONE
        for column in range(stop):
            term[target, column] = row[0, column]
        rounding[target] = rounds
        places[n_moved] = target
        n_moved += 1
    for number in range(n_again):
        place = again[number]
        _row_anew(place, previous, lists, left, own, right, row[0])
        for column in range(n_columns):
            row[0, column] = row[0, column] * scale + coefficient * first[place, column]
        for column in range(n_columns):
            difference[0, column] = row[0, column] - term[place, column]
        rounding[place] = NONE
        if len(missing):
            size = _length(difference, 0)
            stays = size <= limit * _scale(right, place)
            lacking[place] = size if stays and not is_exact else NONE
            for column in range(n_columns):
                missing[place, column] = difference[0, column] if stays else NONE
            if stays and not is_exact:
                continue
        if passes_on:
            changed[n_moved] = difference[0]
        term[place] = row[0]
        places[n_moved] = place
        n_moved += 1
    return places[:n_moved], changed[:n_moved]


@compiled
def _pass_on(sources: Any, messages: Any, into: Any, left: Any, owed: Any, is_exact: Any, reached: Any) -> Any:
    """Add what the sources moved by to the rows that average over them; how many rows were reached.

    Indices are unsigned where a row is looked up: one that may be negative is tested each time.
    """
    start, count, columns, weights = into
    targets, sizes, marks = reached
    n_targets, width = 0, np.uint64(owed.shape[1])
    for number in range(len(sources)):
        length, stop = _length(messages, number), _end(messages, number)
        entry = np.uint64(start[sources[number]])
        end = entry + np.uint64(count[sources[number]])
        while entry < end:
            if not is_exact and entry + AHEAD < end:
                place = np.uint64(columns[entry + AHEAD]) * width
                for column in range(0, stop, LINE):
                    prefetch(owed, place + np.uint64(column))
                prefetch(owed, place + np.uint64(stop) - np.uint64(1))  # a row may begin inside a line
            target = np.uint64(columns[entry])
            mark = marks[target] - 1
            if mark == UNSEEN:
                mark = n_targets
                n_targets += 1
                targets[mark], sizes[mark], marks[target] = target, NONE, n_targets
                if is_exact:
                    owed[mark] = NONE
            if mark >= 0:  # the others are computed anew
                weight = weights[entry] * left[target]
                at = np.uint64(mark) if is_exact else target
                for column in range(stop):
                    owed[at, column] += weight * messages[number, column]
                sizes[mark] += abs(weight) * length
            entry += np.uint64(1)
    return n_targets


@compiled
def _add_each(places: Any, shares: Any, change: Any, owed: Any, is_exact: Any, reached: Any, n_targets: Any) -> Any:
    """Add shares of some rows to the rows of the same places; how many were reached by now."""
    targets, sizes, marks = reached
    for number in range(len(places)):
        target, share = np.uint64(places[number]), shares[number]
        mark = marks[target] - 1
        if mark == UNSEEN:
            mark = n_targets
            n_targets += 1
            targets[mark], sizes[mark], marks[target] = target, NONE, n_targets
            if is_exact:
                owed[mark] = NONE
        if mark >= 0:
            at = np.uint64(mark) if is_exact else target
            for column in range(_end(change, number)):
                owed[at, column] += share * change[number, column]
            sizes[mark] += abs(share) * _length(change, number)
    return n_targets


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


@compiled
def _end(rows: Any, number: Any) -> Any:
    """Where the columns of a row end that are not 0."""
    end = rows.shape[1]
    while end > 0 and rows[number, end - 1] == 0:
        end -= 1
    return end


@summing
def _length(rows: Any, number: Any) -> Any:
    total = 0.0
    for column in range(rows.shape[1]):
        total += np.float64(rows[number, column]) * np.float64(rows[number, column])
    return np.float32(np.sqrt(total))


@summing
def _leading(rows: Any, number: Any, most: Any) -> Any:
    """Where the columns of a row end that move, so that the rest is short enough to stay; the length of the rest."""
    stop, rest = rows.shape[1], 0.0
    enough = LEFT_SHARE * (np.float64(most) * np.float64(most))
    while stop > LINE:
        start, total = (stop - 1) // LINE * LINE, rest
        for column in range(start, stop):
            total += np.float64(rows[number, column]) * np.float64(rows[number, column])
        if total > enough:
            break
        stop, rest = start, total
    return stop, np.float32(np.sqrt(rest))
