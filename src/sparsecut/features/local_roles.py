"""Roles of some nodes from the lists of neighbours around them: the very numbers that passes over the whole graph give.

nodes = touched(graph, ends)              whose counts may differ, from the graph as it is after edges changed
counts_at(graph, nodes, kind)             reads their neighbours' lists, and the degrees of those in them
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsecut.features.roles import RoleKind, counts_of_signs, directed_counts, leaving, undirected_counts
from sparsecut.features.triangles import MOST_LISTED, listed_of, triangles_of
from sparsecut.kernels.hashing import hash_ids, shifted

Integers = NDArray[np.int64]


class Lists(Protocol):
    """Lists of neighbours by position, ascending in each."""

    @property
    def count(self) -> Integers:
        """How long each list is."""

    def take(self, rows: Integers) -> tuple[Integers, NDArray[Any], NDArray[Any]]:
        """Some lists one after another: where each starts and the last ends, the neighbours, the weights."""


@dataclass(frozen=True)
class LinkedNodes:
    """A graph by its lists: the nodes that each points to, and those that point to it where edges have directions."""

    out: Lists
    into: Lists | None
    ids: Callable[[Integers], NDArray[Any]]  # of the nodes at some positions
    demands: Callable[[Integers], NDArray[Any]] | None = None  # how many edges that ask for distance leave and reach nodes
    triangles: Callable[[Integers], NDArray[np.float64]] | None = None  # by compiled loops, where used

    def around(self, nodes: Integers) -> tuple[Integers, Integers]:
        """The neighbours of some nodes, whichever way edges point: where each list starts, and all of them."""
        starts, others = (np.asarray(part, dtype=np.int64) for part in self.out.take(nodes)[:2])
        if self.into is None:
            return starts, others
        back_starts, back = (np.asarray(part, dtype=np.int64) for part in self.into.take(nodes)[:2])
        rows = [np.repeat(np.arange(len(nodes)), np.diff(part)) for part in (starts, back_starts)]
        pairs = np.unique(np.stack([np.concatenate(rows), np.concatenate([others, back])]), axis=1)
        return np.searchsorted(pairs[0], np.arange(len(nodes) + 1)), pairs[1]

    def degrees(self, nodes: Integers) -> Integers:
        """How many neighbours some nodes have, whichever way edges point."""
        return self.out.count[nodes] if self.into is None else np.diff(self.around(nodes)[0])

    def closed(self, nodes: Integers) -> Integers:
        """Some nodes and all of their neighbours, ascending."""
        return np.union1d(nodes, self.around(nodes)[1])


def counts_at(graph: LinkedNodes, nodes: Integers, kind: RoleKind) -> NDArray[np.float32]:
    """The counts of some nodes, (k, c)."""
    if kind.unfriendly is not None:
        sides = [graph.out] if not kind.is_directed else [graph.out, graph.out if graph.into is None else graph.into]
        friendly = np.stack([side.count[nodes] for side in sides], axis=1).astype(np.float64)
        asked = np.zeros((len(nodes), 2)) if graph.demands is None else graph.demands(nodes)
        return np.asarray(counts_of_signs(friendly, asked, kind.unfriendly))
    if graph.triangles is not None and not kind.is_directed:
        own = ListedBlock(slice(0, len(nodes)), *graph.out.take(nodes))
        return np.asarray(undirected_counts(own, graph.triangles(nodes), kind.unit))
    near = graph.closed(nodes)
    far = graph.closed(near)  # ascending, so that numbers among them compare as positions do
    hashes = hash_ids(graph.ids(far)).view(np.int64)
    order = (graph.degrees(far) << 32) | shifted(hashes, 32)
    lists = listed_of(_block(far, near, *graph.around(near)), order, hashes, slice(0, MOST_LISTED), MOST_LISTED)
    block = _block(far, nodes, *graph.around(nodes))
    found = triangles_of(block, lists, None, len(far), slice(0, MOST_LISTED), MOST_LISTED)
    if kind.is_directed:
        back = graph.out if graph.into is None else graph.into
        ends, others = (leaving(_block(far, nodes, *way.take(nodes)), kind.unit) for way in (graph.out, back))
        counts = directed_counts(block, found, ends, others, kind.unit)
    else:
        counts = undirected_counts(_block(far, nodes, *graph.out.take(nodes)), found, kind.unit)
    return np.asarray(counts[np.searchsorted(far, nodes)])


def touched(graph: LinkedNodes, ends: Integers, most_listed: int = MOST_LISTED) -> Integers:
    """The nodes whose counts may differ once edges between some of `ends` came, went or changed, ascending.

    The graph is that after the change. A count is another at the ends, at nodes with two of the ends for neighbours, whose
    triangles come and go, and around nodes that point to so many that their list is cut short, where that list is another:
    it is one of an end, or of a neighbour of nearly the degree of the end, which of the two points to the other may have
    turned. So many edges at most came or went at each end: as there are other ends.
    """
    ends = np.unique(ends)
    slack, (starts, others) = len(ends) - 1, graph.around(ends)
    distinct, times = np.unique(others, return_counts=True)
    gaps = graph.degrees(others) - np.repeat(graph.degrees(ends), np.diff(starts))
    changed = np.union1d(ends, others[np.abs(gaps) <= slack])  # nodes whose lists may be others
    starts, others = graph.around(changed)
    rows = np.repeat(np.arange(len(changed)), np.diff(starts))
    is_pointed_to = graph.degrees(others) >= graph.degrees(changed)[rows] - slack  # now or before
    n_listed = np.bincount(rows[is_pointed_to], minlength=len(changed)) + slack
    return np.unique(np.concatenate([ends, distinct[times > 1], others[(n_listed > most_listed)[rows]]]))


@dataclass(frozen=True)
class ListedBlock:
    """A block of lists that are at hand."""

    rows: slice
    listed: Integers  # where each list starts
    others: Integers
    amounts: NDArray[Any] | None = None

    def ids(self) -> Any:
        return None

    def features(self, places: Any = None) -> Any:
        return None

    def starts(self) -> Integers:
        return self.listed

    def neighbours(self, places: Any = None) -> Integers:
        return self.others if places is None else self.others[places]

    def weights(self) -> NDArray[Any] | None:
        return self.amounts


def _block(
    nodes: Integers, listed: Integers, starts: Integers, others: NDArray[Any], weights: NDArray[Any] | None = None
) -> ListedBlock:
    """Lists of some of the nodes as a block of all of them, by their numbers among these; the others' are empty."""
    counts = np.zeros(len(nodes), dtype=np.int64)
    counts[np.searchsorted(nodes, listed)] = np.diff(starts)
    ends = np.concatenate([[0], np.cumsum(counts)])
    return ListedBlock(slice(0, len(nodes)), ends, np.searchsorted(nodes, others), weights)
