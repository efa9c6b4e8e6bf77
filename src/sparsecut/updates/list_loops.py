"""Neighbour lists merged with what changes in them, as a compiled loop: what `NeighborLists.change` does in numpy."""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True)


@compiled
def merge(rows: Any, columns: Any, weights: Any, start: Any, count: Any, pool: Any, pool_weights: Any, used: Any) -> Any:
    """Write the rows that change behind `used`; (those rows, the sums of their weights, the entries in use then).

    The changes are sorted by row, then column, each once; a weight of 0 takes the entry out.
    """
    changed, sums = np.empty(len(rows), dtype=np.int64), np.empty(len(rows), dtype=np.float64)
    n_changed, at, number = 0, used, 0
    while number < len(rows):
        row, first, total = rows[number], at, 0.0
        entry, end = start[row], start[row] + count[row]
        while entry < end or (number < len(rows) and rows[number] == row):
            is_change = number < len(rows) and rows[number] == row
            if is_change and (entry == end or columns[number] <= pool[entry]):
                column, weight = columns[number], weights[number]
                if entry < end and pool[entry] == column:
                    entry += 1
                number += 1
            else:
                column, weight = np.int64(pool[entry]), pool_weights[entry]
                entry += 1
            if weight > 0:
                pool[at] = column
                pool_weights[at] = weight
                total += weight
                at += 1
        start[row], count[row] = first, at - first
        changed[n_changed], sums[n_changed] = row, total
        n_changed += 1
    return changed[:n_changed], sums[:n_changed], at


@compiled
def weights_at(rows: Any, columns: Any, start: Any, count: Any, pool: Any, pool_weights: Any) -> Any:
    """The weights of some entries; 0 where there is none."""
    found = np.zeros(len(rows), dtype=np.float32)
    for number in range(len(rows)):
        low, high = start[rows[number]], start[rows[number]] + count[rows[number]]
        end, column = high, columns[number]
        while low < high:
            middle = (low + high) // 2
            if pool[middle] < column:
                low = middle + 1
            else:
                high = middle
        if low < end and pool[low] == column:
            found[number] = pool_weights[low]
    return found
