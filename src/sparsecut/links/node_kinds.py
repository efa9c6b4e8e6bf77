"""Between which nodes there can be a link at all: from sources to targets.

    directed graph               every node is a source and a target, and u → v is not v → u
    undirected, two sides        the nodes of one side are the sources, those of the other the targets
    one type of edges            of several types of nodes: the same, if it joins two of them
    any other undirected graph   every node is both, and the pair has no order

The sides are those that the graph was read with (`bipartite=True`). A graph without them has two sides where its edges say
so: it has no cycle of odd length, and nearly all of it hangs together. Trees and other sparse graphs have none by chance, so
two edges per node at least are needed.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.graph import Graph, Ids
from sparsecut.kernels.hashing import hash_order

MIN_EDGES_PER_NODE = 2.0
MIN_SHARE = 0.95  # of the edges in the largest component
ENTRIES_AT_ONCE = 1 << 22  # of rows that are read together

Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class LinkEnds:
    """Which nodes can be the source of a link, and which its target."""

    is_source: Mask
    is_target: Mask
    is_directed: bool = False

    @property
    def has_sides(self) -> bool:
        """Whether the graph is undirected with two sides."""
        return not self.is_directed and not self.is_source.all()

    @property
    def has_order(self) -> bool:
        """Whether (u, v) and (v, u) are two pairs, or one of them is none."""
        return self.is_directed or self.has_sides

    def oriented(self, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
        """Pairs with the source first; those of a graph without directions may be given either way round."""
        if self.is_directed:
            return pairs
        if not self.has_sides:
            return np.sort(pairs, axis=1)  # one order, one rounding
        is_turned = ~(self.is_source[pairs[:, 0]] & self.is_target[pairs[:, 1]])
        return np.where(is_turned[:, None], pairs[:, ::-1], pairs)

    def are_possible(self, pairs: NDArray[np.int64]) -> Mask:
        """Whether there can be a link between oriented pairs."""
        return np.asarray(self.is_source[pairs[:, 0]] & self.is_target[pairs[:, 1]] & (pairs[:, 0] != pairs[:, 1]))


def find_ends(graph: Graph) -> LinkEnds:
    """The sources and targets of a graph."""
    n_nodes = graph.n_nodes
    everyone = np.ones(n_nodes, dtype=np.bool_)
    if graph.is_directed:
        return LinkEnds(everyone, everyone, is_directed=True)
    joined = {frozenset((source, target)) for source, _, target in graph.edge_types or ()}
    if graph.node_types is not None and len(joined) == 1 and len(*joined) == 2:
        source, _, target = (graph.edge_types or ())[0]
        return LinkEnds(*(graph.type_codes == graph.node_types.index(end) for end in (source, target)))
    colours = _two_colours(graph.adjacency, graph.node_ids)
    if colours is None:
        return LinkEnds(everyone, everyone)
    return LinkEnds(colours != 1, colours != 0)  # a node outside the largest component may be on either side


def _two_colours(adjacency: sp.csr_array, node_ids: Ids) -> NDArray[np.int64] | None:
    """0 and 1 for the two sides, −1 outside the large component; None where there are no two sides.

    The side of the node with the most edges is 1, of equal ones that with the smallest hash of its id: few sources of many
    links are rarer than popular targets. Components are
    coloured step by step from the node with the most edges that has no colour, until one has nearly all edges or too few
    are left for that. Rows are read as they are reached, and an odd cycle mostly ends the search soon.
    """
    n_entries = np.diff(adjacency.indptr).astype(np.int64)
    n_all = int(n_entries.sum())
    if n_all < 2 * MIN_EDGES_PER_NODE * len(n_entries):
        return None
    n_small = n_all - MIN_SHARE * n_all  # entries that may be outside the large component
    is_free, n_outside = np.ones(len(n_entries), dtype=np.bool_), 0
    while n_outside <= n_small:
        first = np.flatnonzero(is_free & (n_entries == n_entries[is_free].max()))
        start = int(first[hash_order(node_ids[first])[0]])
        colours, n_inside, is_odd = np.full(len(n_entries), -1, dtype=np.int64), 0, False
        colours[start], edge = 1, np.array([start])
        while len(edge):
            own, fresh = colours[edge[0]], []
            n_inside += int(n_entries[edge].sum())
            for part in _parts(edge, n_entries):
                found = neighbours_of(adjacency, part)
                is_odd = is_odd or bool((colours[found] == own).any())
                fresh.append(np.unique(found[colours[found] < 0]))
                colours[fresh[-1]] = 1 - own
            if is_odd and n_inside > n_small:
                return None
            edge = np.concatenate(fresh)
        if n_inside > n_small:
            return colours if n_inside >= MIN_SHARE * n_all and not is_odd else None
        n_outside, is_free = n_outside + n_inside, is_free & (colours < 0)
    return None


def neighbours_of(adjacency: sp.csr_array, nodes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The neighbours of some nodes, one node after another."""
    first = adjacency.indptr[nodes].astype(np.int64)
    counts = adjacency.indptr[nodes + 1] - first
    places = np.arange(int(counts.sum())) + np.repeat(first - (np.cumsum(counts) - counts), counts)
    return np.asarray(adjacency.indices[places], dtype=np.int64)


def _parts(nodes: NDArray[np.int64], n_entries: NDArray[np.int64]) -> list[NDArray[np.int64]]:
    """Nodes in groups of a few million entries."""
    return np.split(nodes, np.flatnonzero(np.diff(np.cumsum(n_entries[nodes]) // ENTRIES_AT_ONCE)) + 1)
