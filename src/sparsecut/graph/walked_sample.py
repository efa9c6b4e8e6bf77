"""`graph.edge_sample` for a graph that workers go through (`graph.walk`): the same hashes, so the same nodes and edges.

A part gives back what has a hash below a limit, a little more than is wanted in all. So what comes together is as small as
the sample, however many parts there are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsecut.graph.edge_sample import MIN_SPARE, SPARE, hash_ids, mixed
from sparsecut.graph.graph import Graph
from sparsecut.kernels.walk import Column, Part, Walk

ENTRIES_AT_ONCE = 1 << 22  # whose ends are looked up at a time


def sample_edges(graph: Graph, walk: Walk, n_edges: int) -> NDArray[np.int64]:  # (2, m)
    hashes = _hashes(walk)
    wanted = min(n_edges, graph.n_edges)
    share = _share(wanted, graph.n_edges)
    while True:
        found = walk.each(edges_below, hashes, _limit(share, 32), graph.is_directed)
        first, second, keys, ties = (np.concatenate(parts) for parts in zip(*found, strict=True))
        if len(keys) >= wanted or share == 1:
            break
        share = min(1.0, 2 * share)
    return np.stack([first, second])[:, np.lexsort((ties, keys))[:wanted]]


def by_hash(graph: Graph, walk: Walk, n_nodes: int) -> NDArray[np.int64]:
    """The nodes with the smallest hashes, in their order."""
    hashes, wanted = _hashes(walk), min(n_nodes, graph.n_nodes)
    share = _share(wanted, graph.n_nodes)
    while True:
        found = walk.each(nodes_below, hashes, _limit(share, 64))
        nodes, keys = (np.concatenate(parts) for parts in zip(*found, strict=True))
        if len(nodes) >= wanted:  # with share 1 these are all nodes
            break
        share = min(1.0, 2 * share)
    return nodes[np.argsort(keys, kind="stable")[:wanted]]


def sample_linked_nodes(graph: Graph, walk: Walk, n_nodes: int) -> NDArray[np.int64]:
    hashes, share = _hashes(walk), _share(n_nodes, graph.n_nodes)
    while True:
        found = walk.each(linked_below, hashes, _limit(share, 64))
        nodes, keys = (np.concatenate([part[side] for part in found]) for side in (0, 1))
        n_linked = sum(part[2] for part in found)
        if len(nodes) >= min(n_nodes, n_linked):
            break
        share = 1.0 if n_linked <= n_nodes else max(min(1.0, 2 * share), _share(n_nodes, n_linked))
    if n_linked <= n_nodes:
        return nodes
    return np.sort(nodes[np.argpartition(keys, n_nodes - 1)[:n_nodes]])


def hashes_of(part: Part) -> NDArray[np.uint64]:
    return hash_ids(part.ids())


def nodes_below(part: Part, hashes: Column, limit: int) -> tuple[NDArray[np.int64], NDArray[np.uint64]]:
    """The nodes whose hash is no higher, and their hashes."""
    own = hashes.read(part.rows)
    here = np.flatnonzero(own <= np.uint64(limit))
    return here + part.rows.start, own[here]


def linked_below(part: Part, hashes: Column, limit: int) -> tuple[NDArray[np.int64], NDArray[np.uint64], int]:
    """The nodes with neighbours whose hash is below the limit, and how many nodes have neighbours in all."""
    nodes, keys = nodes_below(part, hashes, limit)
    is_linked = np.diff(part.starts()) > 0
    kept = is_linked[nodes - part.rows.start]
    return nodes[kept], keys[kept], int(is_linked.sum())


def edges_below(
    part: Part, hashes: Column, limit: int, is_directed: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32], NDArray[np.uint64]]:
    """The edges whose hash in 32 bits is no higher: their ends, their hashes, and what breaks ties between these."""
    starts, columns, own = part.starts(), part.neighbours(), hashes.read(part.rows)
    found = []
    for begin in range(0, len(columns), ENTRIES_AT_ONCE):
        others = columns[begin : begin + ENTRIES_AT_ONCE].astype(np.int64)
        rows = np.searchsorted(starts, np.arange(begin, begin + len(others)), side="right") - 1
        of_others = hashes.read(others)
        of_others = mixed(of_others) if is_directed else of_others
        keys = own.astype(np.uint32)[rows] + of_others.astype(np.uint32)  # the lower halves, modulo 2³²
        is_kept = keys <= np.uint32(limit)
        if not is_directed:
            is_kept &= rows + part.rows.start < others  # of the two entries of an edge
        rows, others = rows[is_kept], others[is_kept]
        found.append((rows + part.rows.start, others, keys[is_kept], mixed(own[rows] + of_others[is_kept])))
    if not found:
        nothing = np.empty(0, dtype=np.int64)
        return nothing, nothing, nothing.astype(np.uint32), nothing.astype(np.uint64)
    first, second, kept, ties = (np.concatenate(parts) for parts in zip(*found, strict=True))
    return first, second, kept, ties


def _hashes(walk: Walk) -> Column:
    return walk.column("hashes", np.uint64, hashes_of)


def _share(n_wanted: int, n_all: int) -> float:
    return min(1.0, (SPARE * n_wanted + MIN_SPARE) / max(n_all, 1))


def _limit(share: float, n_bits: int) -> int:
    """The highest number of the lowest share of all."""
    n_all: int = 2**n_bits
    return min(int(share * n_all), n_all - 1)
