"""A graph whose edges and nodes change, as filters see it: neighbour lists in both directions, degrees d̃ = 1 + Σ_j A_ij.

In an undirected graph the neighbours of a node are also the nodes that average over it, and one set of lists serves both.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.updates.compiled_loops import Loops
from sparsecut.updates.growing import GrowingArray
from sparsecut.updates.neighbor_lists import EntryChanges, ListedRows, NeighborLists

Integers = NDArray[np.int64]


class ChangingGraph:
    """`rows` lists the nodes that a node averages over, `columns` those that average over it."""

    loops: Loops | None = None

    def __init__(self, adjacency: sp.csr_array, *, is_directed: bool, demands: sp.csr_array | None = None) -> None:
        self.is_directed = is_directed
        self.demands = None if demands is None else ChangingGraph(demands, is_directed=is_directed)  # what asks for distance
        self.rows = NeighborLists(adjacency)
        self.columns = NeighborLists(sp.csr_array(adjacency.T.tocsr())) if is_directed else self.rows
        self._degrees = GrowingArray(1 + adjacency.sum(axis=1, dtype=np.float64))
        self._marks = np.zeros(0, dtype=np.int32)

    def __getstate__(self) -> dict[str, Any]:
        """Without the loops, which are modules: a copy takes them up again."""
        return {name: value for name, value in self.__dict__.items() if name != "loops"}

    def __len__(self) -> int:
        return len(self.rows)

    @property
    def degrees(self) -> NDArray[np.float64]:
        """d̃, the node itself counted."""
        return self._degrees.rows

    @property
    def n_entries(self) -> int:
        return self.rows.n_entries

    def compile(self, loops: Loops | None) -> None:
        """Follow changes by compiled loops from now on."""
        self.loops = loops
        for lists in (self.rows, self.columns):
            lists.loops = None if loops is None else loops.lists

    def marks(self) -> NDArray[np.int32]:
        """A number for each node, 0 wherever nobody works with it: no pass over the graph is needed to clear it."""
        if len(self._marks) < len(self):
            self._marks = np.zeros(len(self) + len(self) // 8, dtype=np.int32)
        return self._marks

    def extend(self, n_nodes: int) -> None:
        """Nodes without neighbours, at the end."""
        self.rows.extend(n_nodes)
        if self.is_directed:
            self.columns.extend(n_nodes)
        self._degrees.extend(np.ones(n_nodes))
        if self.demands is not None:
            self.demands.extend(n_nodes)

    def n_ends(self, nodes: Integers) -> NDArray[np.float64]:
        """How many edges leave and reach some nodes, (m, 2)."""
        return np.stack([self.rows.count[nodes], self.columns.count[nodes]], axis=1).astype(np.float64)

    def drop_demands(self, nodes: Integers) -> Integers:
        """Take out what some nodes that go ask for or are asked; returns the nodes whose demands changed."""
        if self.demands is None or not len(nodes):
            return np.empty(0, dtype=np.int64)
        sources, targets = self.demands.edges_of(nodes)
        self.demands.change(sources, targets, np.zeros(len(sources), dtype=np.float32))
        return np.union1d(sources, targets)

    def weights_of(self, sources: Integers, targets: Integers) -> NDArray[np.float32]:
        """The weights of edges; 0 where there is none."""
        return self.rows.weights_of(sources, targets)

    def weight_of(self, source: int, target: int) -> float:
        """The weight of one edge; 0 where there is none."""
        return self.rows.weight_of(source, target)

    def edges_of(self, nodes: Integers) -> tuple[Integers, Integers]:
        """Both ends of all edges that have an end among some nodes; in an undirected graph each in one direction or both."""
        listed = self.rows.take(nodes)
        ends = np.repeat(nodes, np.diff(listed.offsets)), listed.columns.astype(np.int64)
        if not self.is_directed:
            return ends
        pointing = self.columns.take(nodes)
        into = pointing.columns.astype(np.int64), np.repeat(nodes, np.diff(pointing.offsets))
        return np.concatenate([ends[0], into[0]]), np.concatenate([ends[1], into[1]])

    def change(self, sources: Integers, targets: Integers, weights: NDArray[np.float32]) -> Integers:
        """Set the weights of edges, 0 for those that go; returns the nodes whose lists have changed, ascending.

        An edge that is named twice gets the last weight. An undirected edge is named in either direction.
        """
        if not len(sources):
            return np.empty(0, dtype=np.int64)
        if self.is_directed:
            nodes, sums = self.rows.change(_sorted_once(sources, targets, weights))
            self.columns.change(_sorted_once(targets, sources, weights))
        else:
            both = np.concatenate([sources, targets]), np.concatenate([targets, sources])
            # Interleaved, so that the last of two weights is the last in both directions.
            order = np.arange(2 * len(sources)).reshape(2, -1).T.ravel()
            nodes, sums = self.rows.change(_sorted_once(both[0][order], both[1][order], np.repeat(weights, 2)))
        self.degrees[nodes] = 1 + sums
        return nodes

    def around(self, places: Integers, n_rings: int, *, both_ways: bool = False) -> tuple[Integers, sp.csr_array]:
        """Some nodes, those within `n_rings` edges of them behind, and the rows of all but the last ring, numbered so.

        `both_ways`, edges of a directed graph lead to either end, and what two nodes weigh to each other adds up.
        """
        rings, lists, known = [places], [], np.sort(places)
        for _ in range(n_rings):
            lists.append(self.linked(rings[-1]) if both_ways else self.rows.take(rings[-1]))
            found = np.unique(lists[-1].columns).astype(np.int64)
            rings.append(found[~_is_among(found, known)])
            known = np.sort(np.concatenate([known, rings[-1]]))
        nodes = np.concatenate(rings)
        order = np.argsort(nodes)
        counts = np.concatenate([*(np.diff(part.offsets) for part in lists), np.zeros(len(rings[-1]), dtype=np.int64)])
        columns, weights = (np.concatenate([getattr(part, name) for part in lists]) for name in ("columns", "weights"))
        numbers = order[np.searchsorted(known, columns)].astype(np.int32)
        offsets = np.concatenate([[0], np.cumsum(counts)])
        rows = sp.csr_array((weights, numbers, offsets), shape=(len(nodes), len(nodes)))
        rows.sort_indices()
        return nodes, rows

    def linked(self, nodes: Integers) -> ListedRows:
        """The neighbours of some nodes whichever way an edge points, each once, with the weights of both ways in sum."""
        listed = self.rows.take(nodes)
        if not self.is_directed:
            return listed
        others = self.columns.take(nodes)
        rank = np.concatenate([np.repeat(np.arange(len(nodes)), np.diff(part.offsets)) for part in (listed, others)])
        keys, places = np.unique((rank << 32) | np.concatenate([listed.columns, others.columns]), return_inverse=True)
        weights = np.bincount(places, np.concatenate([listed.weights, others.weights])).astype(np.float32)
        offsets = np.searchsorted(keys >> 32, np.arange(len(nodes) + 1))
        return ListedRows(offsets, (keys & 0xFFFFFFFF).astype(np.int32), weights)

    def n_linked(self, nodes: Integers) -> Integers:
        """How many neighbours some nodes have, whichever way an edge points."""
        return np.diff(self.linked(nodes).offsets) if self.is_directed else self.rows.count[nodes]

    def packed(self, places: Integers) -> sp.csr_array:
        """The adjacency of some nodes, to which all edges belong, numbered in their order."""
        whole = self.rows.csr()
        number = np.zeros(len(self), dtype=whole.indices.dtype)
        number[places] = np.arange(len(places), dtype=number.dtype)
        offsets = np.append(whole.indptr[:-1][places], whole.indptr[-1])  # empty places have no entries
        packed = sp.csr_array((len(places), len(places)), dtype=np.float32)
        packed.indptr, packed.indices, packed.data = offsets, number[whole.indices], whole.data.copy()
        packed.has_canonical_format = True
        return packed


def _is_among(nodes: Integers, known: Integers) -> NDArray[np.bool_]:
    """Which nodes are among some others, which are ascending."""
    if not len(known):
        return np.zeros(len(nodes), dtype=bool)
    return np.asarray(known[np.minimum(np.searchsorted(known, nodes), len(known) - 1)] == nodes)


def _sorted_once(rows: Integers, columns: Integers, weights: NDArray[np.float32]) -> EntryChanges:
    keys = (rows << 32) | columns
    last = np.argsort(keys, kind="stable")
    sorted_keys = keys[last]
    is_again = sorted_keys[1:] == sorted_keys[:-1]
    if is_again.any():
        last = last[np.append(~is_again, True)]
    return EntryChanges(rows[last], columns[last], weights[last])
