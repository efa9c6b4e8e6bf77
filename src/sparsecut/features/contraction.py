"""A smaller graph for a large one: nodes of few neighbours join a neighbour, until a given number of groups is left.

One round, on a graph of n nodes that must become m groups:

1. Nodes are ranked by degree, equal ones by a hash of their id. A node is a centre if no neighbour of higher rank is one:
   no two centres are neighbours, and every other node is next to a centre.
2. A node that is no centre may join the centre it has the largest share of, the largest A_ij/d_j. A hub counts for little,
   so that it does not take in everything around it.
3. Of those nodes the ones of lowest rank do join, as many as must; all others stay by themselves. Edges between groups are
   added up, and those within a group are dropped: a walk of the small graph always moves on.

Another round follows while more than m groups have neighbours. Leaves and other nodes of low degree go first, and hardly
anything is lost with them: their place is that of their neighbours anyhow. Nothing is random, and a round takes a few passes
over the edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.kernels.hashing import hash_ids

Numbers = NDArray[np.int32]


def contract(
    adjacency: sp.csr_array, node_ids: NDArray[Any], n_groups: int, *, is_directed: bool = False
) -> tuple[Numbers, sp.csr_array]:
    """The group of every node, and the graph of the groups; the graph itself where it has no more nodes than that.

    At most `n_groups` groups have a neighbour. Those without one, which are whole components, come on top.
    """
    groups = np.arange(adjacency.shape[0], dtype=np.int32)
    hashes, graph = hash_ids(node_ids), adjacency
    while True:
        links = sp.csr_array(graph + graph.T) if is_directed else graph
        n_excess = int(np.count_nonzero(np.diff(links.indptr))) - n_groups
        if n_excess <= 0:
            return groups, graph
        joined = _joined(links, hashes, n_excess)
        heads = np.flatnonzero(joined == np.arange(len(joined)))
        numbers = np.zeros(len(joined), dtype=np.int32)
        numbers[heads] = np.arange(len(heads))
        numbers = numbers[joined]
        groups, hashes, graph = numbers[groups], hashes[heads], _summed(graph, numbers, len(heads))


def centres(adjacency: sp.csr_array, ranks: Numbers) -> NDArray[np.bool_]:
    """Which nodes are centres: those without a centre of higher rank among their neighbours."""
    n_nodes = adjacency.shape[0]
    i = np.repeat(np.arange(n_nodes, dtype=np.int32), np.diff(adjacency.indptr))
    j = adjacency.indices
    is_open = i != j
    is_centre, is_undecided = np.zeros(n_nodes, dtype=bool), np.ones(n_nodes, dtype=bool)
    while True:
        i, j = i[is_open], j[is_open]  # the edges between undecided nodes, ordered by i
        highest = np.full(n_nodes, -1, dtype=np.int32)
        starts = _starts(i)
        if len(i):
            highest[i[starts]] = np.maximum.reduceat(ranks[j], starts)
        is_new = is_undecided & (ranks > highest)
        is_centre |= is_new
        if not len(i):
            return is_centre
        is_undecided &= ~is_new
        is_undecided[j[is_new[i]]] = False
        is_open = is_undecided[i] & is_undecided[j]


def _joined(links: sp.csr_array, hashes: NDArray[np.uint64], n_excess: int) -> Numbers:
    """For every node the centre it joins, or itself; as many join as leave `n_excess` fewer nodes with neighbours."""
    n_nodes = links.shape[0]
    degrees = links.sum(axis=1, dtype=np.float64)
    order = np.lexsort((hashes, degrees)).astype(np.int32)
    ranks = np.empty(n_nodes, dtype=np.int32)
    ranks[order] = np.arange(n_nodes, dtype=np.int32)
    is_centre = centres(links, ranks)
    is_joining = np.zeros(n_nodes, dtype=bool)
    is_joining[_lowest(links, order[~is_centre[order]], is_centre, n_excess)] = True

    i = np.repeat(np.arange(n_nodes, dtype=np.int32), np.diff(links.indptr))
    entries = np.flatnonzero(is_joining[i] & is_centre[links.indices])
    i, j = i[entries], links.indices[entries]
    joined = np.arange(n_nodes, dtype=np.int32)
    if not len(i):
        return joined
    share = links.data[entries] / degrees[j]
    starts = _starts(i)
    largest = np.repeat(np.maximum.reduceat(share, starts), np.diff(np.append(starts, len(i))))
    rank = np.where(share == largest, ranks[j], -1)  # of equal ones that of the highest rank
    joined[i[starts]] = order[np.maximum.reduceat(rank, starts)]
    return joined


def _lowest(links: sp.csr_array, candidates: Numbers, is_centre: NDArray[np.bool_], n_excess: int) -> Numbers:
    """The first candidates, as many as must join: with the last of a component that has one centre two nodes go."""
    component = sp.csgraph.connected_components(links, connection="strong")[1]
    n_centres = np.bincount(component, is_centre)
    own = component[candidates]
    is_last = np.zeros(len(own), dtype=bool)
    is_last[len(own) - 1 - np.unique(own[::-1], return_index=True)[1]] = True
    n_gone = np.cumsum(1 + (is_last & (n_centres[own] == 1)))
    return candidates[: np.searchsorted(n_gone, n_excess) + 1]


def _summed(graph: sp.csr_array, numbers: Numbers, n_groups: int) -> sp.csr_array:
    """The edges between groups, added up, without those inside a group."""
    i = np.repeat(numbers, np.diff(graph.indptr))
    j = numbers[graph.indices]
    between = np.flatnonzero(i != j)
    entries = (graph.data[between], (i[between], j[between]))
    summed = sp.coo_array(entries, shape=(n_groups, n_groups)).tocsr()
    summed.sort_indices()
    return summed


def _starts(ascending: NDArray[Any]) -> NDArray[np.int64]:
    """Where each run of equal numbers begins."""
    return np.flatnonzero(np.concatenate([[True], ascending[1:] != ascending[:-1]])) if len(ascending) else np.zeros(0, int)
