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
            if graph is not adjacency:
                graph.sort_indices()
            return groups, graph
        joined = _joined(links, hashes, n_excess)
        heads = np.flatnonzero(joined == np.arange(len(joined)))
        numbers = np.zeros(len(joined), dtype=np.int32)
        numbers[heads] = np.arange(len(heads))
        numbers = numbers[joined]
        groups, hashes, graph = numbers[groups], hashes[heads], _summed(graph, numbers, len(heads))


def centres(links: sp.csr_array, ranks: Numbers) -> NDArray[np.bool_]:
    """Which nodes are centres: those without a centre of higher rank among their neighbours."""
    n_nodes = links.shape[0]
    is_centre, is_undecided = np.zeros(n_nodes, dtype=bool), np.ones(n_nodes, dtype=bool)
    nodes, starts, neighbours = np.arange(n_nodes), links.indptr, links.indices  # the undecided, and those around them
    while len(nodes):
        is_new = ranks[nodes] >= _row_maxima(ranks[neighbours], starts, -1)  # equal only at an edge to itself
        counts = np.diff(starts)
        is_centre[nodes[is_new]] = True
        is_undecided[nodes[is_new]] = False
        is_undecided[neighbours[np.repeat(is_new, counts)]] = False
        is_left = is_undecided[nodes]
        nodes, neighbours = nodes[is_left], neighbours[np.repeat(is_left, counts)]
        is_left_too = is_undecided[neighbours]
        starts = _ends(is_left_too)[_ends(counts[is_left])]
        neighbours = neighbours[is_left_too]
    return is_centre


def _joined(links: sp.csr_array, hashes: NDArray[np.uint64], n_excess: int) -> Numbers:
    """For every node the centre it joins, or itself; as many join as leave `n_excess` fewer nodes with neighbours."""
    n_nodes = links.shape[0]
    degrees = links.sum(axis=1, dtype=np.float64)
    order = np.lexsort((hashes, degrees)).astype(np.int32)
    ranks = np.empty(n_nodes, dtype=np.int32)
    ranks[order] = np.arange(n_nodes, dtype=np.int32)
    is_centre = centres(links, ranks)
    # A node that is no centre has a centre among its neighbours, so the shares of those have a maximum above 0.
    share = np.where(is_centre, 1 / np.maximum(degrees, 1e-30), 0).astype(np.float32)[links.indices] * links.data
    largest = np.repeat(_row_maxima(share, links.indptr, 0), np.diff(links.indptr))
    rank = np.where(share == largest, ranks[links.indices], -1)  # of equal ones that of the highest rank
    own = np.arange(n_nodes, dtype=np.int32)
    centre = np.where(is_centre, own, order[_row_maxima(rank, links.indptr, -1)])
    candidates = order[~is_centre[order]]
    joining = candidates[: _number_joining(links, centre, candidates, n_excess)]
    own[joining] = centre[joining]
    return own


def _number_joining(links: sp.csr_array, centre: Numbers, candidates: Numbers, n_excess: int) -> int:
    """How many of the candidates must join. With the last one of a component that has one centre, two nodes go."""
    is_leaving = np.repeat(centre, np.diff(links.indptr)) != centre[links.indices]
    is_component = np.ones(len(centre), dtype=bool)  # of each centre, with all that may join it
    is_component[centre[_row_maxima(is_leaving, links.indptr, 0)]] = False
    own = centre[candidates]
    is_last = np.zeros(len(own), dtype=bool)
    is_last[len(own) - 1 - np.unique(own[::-1], return_index=True)[1]] = True
    return int(np.searchsorted(np.cumsum(1 + (is_last & is_component[own])), n_excess)) + 1


def _summed(graph: sp.csr_array, numbers: Numbers, n_groups: int) -> sp.csr_array:
    """The edges between groups, added up, without those inside a group."""
    n_nodes = graph.shape[0]
    ones = np.ones(n_nodes, dtype=graph.dtype)
    member = sp.csr_array((ones, numbers, np.arange(n_nodes + 1, dtype=np.int32)), shape=(n_nodes, n_groups))
    columns = sp.csr_array((graph.data, numbers[graph.indices], graph.indptr), shape=(n_nodes, n_groups))
    summed = sp.csr_array(member.T.tocsr() @ columns)
    summed.data[np.repeat(np.arange(n_groups), np.diff(summed.indptr)) == summed.indices] = 0
    summed.eliminate_zeros()
    return summed


def _ends(counts: NDArray[Any]) -> NDArray[np.int64]:
    """Where runs of so many entries end, after a first 0."""
    ends = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=ends[1:])
    return ends


def _row_maxima(values: NDArray[Any], starts: NDArray[Any], empty: int) -> NDArray[Any]:
    """The largest of each row's values, which lie one row after the other; `empty` for rows without any."""
    maxima = np.full(len(starts) - 1, empty, dtype=values.dtype)
    is_there = np.diff(starts) > 0
    if is_there.any():
        maxima[is_there] = np.maximum.reduceat(values, starts[:-1][is_there])
    return maxima
