"""Roles of some nodes of an undirected graph, as compiled loops.

The very numbers of `sparsecut.features.triangles`, and the nodes of `sparsecut.features.local_roles.touched`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit

compiled = njit(nogil=True, cache=True)
SEEN, CHANGED, FOUND = 1, 2, 4  # marks: in a list of an end; with another list; with another count


@compiled
def triangles_at(nodes: Any, near: Any, lists: Any, hashes: Any, marks: Any, most_listed: Any) -> Any:
    """Triangles at some nodes; `near` are all of their neighbours, each once, and `marks` 0 for every node."""
    start, count, columns, _ = lists
    listed = np.empty((len(near), most_listed), dtype=np.int64)
    n_kept, n_listed = np.empty(len(near), dtype=np.int64), np.empty(len(near), dtype=np.int64)
    drawn = np.empty(most_listed, dtype=np.uint64)
    for number in range(len(near)):
        marks[near[number]] = number
        n_kept[number], n_listed[number] = _list(near[number], lists, hashes, listed[number], drawn)
    found = np.zeros(len(nodes))
    for number in range(len(nodes)):
        node = nodes[number]
        first, end = start[node], start[node] + count[node]
        for entry in range(first, end):
            other = marks[columns[entry]]
            n_found = 0
            for place in range(n_kept[other]):
                n_found += _has(columns, first, end, listed[other, place])
            found[number] += n_found * (max(n_listed[other], most_listed) / most_listed)
    for number in range(len(near)):
        marks[near[number]] = 0
    return found


@compiled
def touched(ends: Any, lists: Any, marks: Any, most_listed: Any) -> Any:
    """The nodes whose counts may differ, ascending; `ends` are each once, and `marks` 0 for every node."""
    start, count, columns, _ = lists
    slack, n_most = len(ends) - 1, len(ends)
    for end in ends:
        marks[end] = CHANGED | FOUND
        n_most += count[end]
    changed, n_changed = np.empty(n_most, dtype=np.int64), len(ends)
    changed[:n_changed] = ends
    for end in ends:
        for entry in range(start[end], start[end] + count[end]):
            other = columns[entry]
            if marks[other] & SEEN:
                marks[other] |= FOUND  # a neighbour of two ends
            marks[other] |= SEEN
            if abs(count[other] - count[end]) <= slack and not marks[other] & CHANGED:
                marks[other] |= CHANGED
                changed[n_changed] = other
                n_changed += 1
    n_cut = 0
    for number in range(n_changed):
        node, n_listed = changed[number], slack
        for entry in range(start[node], start[node] + count[node]):
            n_listed += count[columns[entry]] >= count[node] - slack  # pointed to now or before
        if n_listed > most_listed:
            changed[n_cut] = node
            n_cut += 1
            n_most += count[node]
    for number in range(n_cut):
        for entry in range(start[changed[number]], start[changed[number]] + count[changed[number]]):
            marks[columns[entry]] |= FOUND
    found, n_found = np.empty(n_most, dtype=np.int64), 0
    for number in range(len(ends)):
        n_found = _gather(ends[number], marks, found, n_found)
    for listed, n_listed in ((ends, len(ends)), (changed, n_cut)):
        for number in range(n_listed):
            for entry in range(start[listed[number]], start[listed[number]] + count[listed[number]]):
                n_found = _gather(columns[entry], marks, found, n_found)
    return np.sort(found[:n_found])


@compiled
def _gather(node: Any, marks: Any, found: Any, n_found: Any) -> Any:
    """List a node that is marked as found, and clear its mark; how many are listed by now."""
    if marks[node] & FOUND:
        found[n_found] = node
        n_found += 1
    marks[node] = 0
    return n_found


@compiled
def _list(node: Any, lists: Any, hashes: Any, kept: Any, drawn: Any) -> Any:
    """Fill `kept` with the nodes that a node points to, of many those with the least hash; (how many, of how many)."""
    start, count, columns, _ = lists
    n_kept, n_listed, most_listed = 0, 0, len(kept)
    for entry in range(start[node], start[node] + count[node]):
        if _points(node, columns[entry], count, hashes):
            if n_listed < most_listed:
                kept[n_kept] = columns[entry]
                n_kept += 1
            n_listed += 1
    if n_listed <= most_listed:
        return n_kept, n_listed
    n_kept = 0
    for entry in range(start[node], start[node] + count[node]):
        other = columns[entry]
        if not _points(node, other, count, hashes):
            continue
        key = _high(_mixed(np.uint64(hashes[node]) + np.uint64(hashes[other])))
        place = n_kept
        while place > 0 and drawn[place - 1] > key:  # of equal ones the first stays in front
            place -= 1
        if place == most_listed:
            continue
        n_kept = min(n_kept + 1, most_listed)
        for behind in range(n_kept - 1, place, -1):
            drawn[behind], kept[behind] = drawn[behind - 1], kept[behind - 1]
        drawn[place], kept[place] = key, other
    return n_kept, n_listed


@compiled
def _points(node: Any, other: Any, count: Any, hashes: Any) -> Any:
    """Whether a node points to another: to higher degrees, of equal ones to higher hashes."""
    if count[other] != count[node]:
        return count[other] > count[node]
    own, its = _high(np.uint64(hashes[node])), _high(np.uint64(hashes[other]))
    return its > own or (its == own and other > node)


@compiled
def _has(columns: Any, low: Any, end: Any, wanted: Any) -> Any:
    """Whether a sorted part of the columns has one."""
    high = end
    while low < high:
        middle = (low + high) // 2
        if columns[middle] < wanted:
            low = middle + 1
        else:
            high = middle
    return low < end and columns[low] == wanted


@compiled
def _high(number: Any) -> Any:
    return number >> np.uint64(32)


@compiled
def _mixed(number: Any) -> Any:
    """Splitmix64, as `sparsecut.kernels.hashing`."""
    z = number + np.uint64(0x9E3779B97F4A7C15)
    z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))
