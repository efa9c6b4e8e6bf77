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
from scipy.sparse.csgraph import breadth_first_order, connected_components

from sparsecut.graph import Graph

MIN_EDGES_PER_NODE = 2.0
MIN_SHARE = 0.95  # of the edges in the largest component

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
    colours = _two_colours(graph.adjacency)
    if colours is None:
        return LinkEnds(everyone, everyone)
    return LinkEnds(colours != 1, colours != 0)  # a node outside the largest component may be on either side


def _two_colours(adjacency: sp.csr_array) -> NDArray[np.int64] | None:
    """0 and 1 for the two sides, −1 outside the largest component; None where there are no two sides.

    The side of the node with the most edges is 1: few sources of many links are rarer than popular targets.
    """
    n_nodes = adjacency.shape[0]
    if adjacency.nnz < 2 * MIN_EDGES_PER_NODE * n_nodes:
        return None
    _, component = connected_components(adjacency, directed=False)
    largest = np.bincount(component).argmax()
    inside = component == largest
    n_entries = np.diff(adjacency.indptr)
    if n_entries[inside].sum() < MIN_SHARE * adjacency.nnz:
        return None
    start = int(np.flatnonzero(inside)[n_entries[inside].argmax()])
    order, before = breadth_first_order(adjacency, start, directed=False)
    colours = np.full(n_nodes, -1, dtype=np.int64)
    colours[start] = 1
    for node in order[1:]:
        colours[node] = 1 - colours[before[node]]
    entries = adjacency.tocoo()
    is_inside = colours[entries.row] >= 0
    if (colours[entries.row[is_inside]] == colours[entries.col[is_inside]]).any():
        return None
    return colours
