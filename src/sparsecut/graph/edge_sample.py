"""Edges, and other pairs of nodes, drawn by a fixed hash of the node ids: the same whatever order nodes and lines come in.

Every node has a hash of its id, every edge one of its two ends'. The edges with the smallest hashes are a uniform sample
without repetition, and shuffling a file changes neither which they are nor their order.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparsecut.graph.graph import Graph
from sparsecut.graph.id_kinds import Ids
from sparsecut.kernels.streaming import blocks_of_entries, release, row_blocks
from sparsecut.kernels.walk import degrees

SPARE = 1.2  # how many more edges than wanted are looked at, and …
MIN_SPARE = 1_000  # … how many more at least: then hardly ever too few have a small enough hash


def sample_edges(graph: Graph, n_edges: int) -> NDArray[np.int64]:  # (2, m)
    """Positions of the ends of some edges, no more than there are; each undirected edge once."""
    if graph.entries is not None:
        from sparsecut.graph import device_sample

        return device_sample.sample_edges(graph, graph.entries, n_edges)
    if graph.walk is not None:
        from sparsecut.graph import walked_sample

        return walked_sample.sample_edges(graph, graph.walk, n_edges)
    hashes = hash_ids(graph.node_ids)
    wanted = min(n_edges, graph.n_edges)
    share = min(1.0, (SPARE * wanted + MIN_SPARE) / max(graph.n_edges, 1))
    while True:
        first, second, keys = _edges_below(graph, hashes, share)
        if len(keys) >= wanted or share == 1:
            break
        share = min(1.0, 2 * share)
    ties = mixed(hashes[first] + hashes[second] if not graph.is_directed else hashes[first] + mixed(hashes[second]))
    return np.stack([first, second])[:, np.lexsort((ties, keys))[:wanted]]


def sample_node_pairs(graph: Graph, n_pairs: int) -> NDArray[np.int64]:  # (2, m)
    """Positions of any two nodes, uniform, a node with itself included."""
    nodes = _by_hash(graph, min(graph.n_nodes, 2 * n_pairs))
    return nodes[np.random.default_rng(0).integers(0, len(nodes), (2, n_pairs))].astype(np.int64)


def sample_nodes(graph: Graph, n_nodes: int) -> NDArray[np.int64]:
    """Positions of some nodes, no more than there are, in ascending order."""
    if n_nodes >= graph.n_nodes:
        return np.arange(graph.n_nodes)
    return np.sort(_by_hash(graph, n_nodes))


def sample_linked_nodes(graph: Graph, n_nodes: int) -> NDArray[np.int64]:
    """The same of the nodes that have neighbours."""
    if graph.entries is not None:
        from sparsecut.graph import device_sample

        return device_sample.sample_linked_nodes(graph, graph.entries, n_nodes)
    if graph.walk is not None:
        from sparsecut.graph import walked_sample

        return walked_sample.sample_linked_nodes(graph, graph.walk, n_nodes)
    return sample_of(graph, np.flatnonzero(np.diff(graph.adjacency.indptr) > 0), n_nodes)


def sample_of(graph: Graph, nodes: NDArray[np.int64], n_nodes: int) -> NDArray[np.int64]:
    """The same of some nodes, by their positions."""
    if len(nodes) <= n_nodes:
        return nodes
    hashes = hash_ids(ids_at(graph, nodes))
    return np.sort(nodes[np.argpartition(hashes, n_nodes - 1)[:n_nodes]])


def sample_neighbourhoods(graph: Graph, n_nodes: int, n_neighbours: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Some nodes, each followed by some of its neighbours: positions, and the number of neighbours of each node.

    Nodes with fewer than two neighbours are left out.
    """
    nodes = sample_nodes(graph, n_nodes)
    if graph.entries is not None:
        from sparsecut.graph import device_sample

        return device_sample.neighbourhoods_of(graph, graph.entries, nodes, n_neighbours)
    A = graph.adjacency
    degrees = np.asarray(A.indptr[nodes + 1] - A.indptr[nodes], dtype=np.int64)
    nodes, degrees = nodes[degrees > 1], degrees[degrees > 1]
    first = np.cumsum(degrees) - degrees
    entries = np.arange(degrees.sum()) + np.repeat(A.indptr[nodes].astype(np.int64) - first, degrees)
    neighbours = np.array(A.indices[entries], dtype=np.int64)
    others, place = np.unique(neighbours, return_inverse=True)
    # In one number the node and, below it, the hash of its neighbour: sorted, every node has its first neighbours in front.
    owner = np.repeat(np.arange(len(nodes), dtype=np.uint64), degrees)
    keys = (owner << np.uint64(40)) | (hash_ids(ids_at(graph, others))[place] >> np.uint64(24))
    neighbours = neighbours[np.argsort(keys)]
    sizes = np.minimum(degrees, n_neighbours)
    is_kept = np.arange(len(neighbours)) - np.repeat(first, degrees) < np.repeat(sizes, degrees)
    return np.insert(neighbours[is_kept], np.cumsum(sizes) - sizes, nodes), sizes


def ids_at(graph: Graph, positions: NDArray[np.int64]) -> Ids:
    """The ids of some nodes; those of a graph without ids are not listed for it."""
    return positions if graph.has_plain_ids else np.asarray(graph.node_ids[positions])


def degrees_at(graph: Graph, positions: NDArray[np.int64]) -> NDArray[np.float64]:
    """The weighted degrees of some nodes; those of a graph that workers go through are not listed for it."""
    if graph.entries is not None:
        from sparsecut.graph import device_sample

        return device_sample.degrees_at(graph.entries, positions)
    return graph.degrees[positions] if graph.walk is None else degrees(graph.walk).read(positions)


def _by_hash(graph: Graph, n_nodes: int) -> NDArray[np.int64]:
    """The nodes with the smallest hashes, in their order."""
    if graph.entries is not None:
        from sparsecut.graph import device_sample

        return device_sample.by_hash(graph, graph.entries, n_nodes)
    if graph.walk is not None:
        from sparsecut.graph import walked_sample

        return walked_sample.by_hash(graph, graph.walk, n_nodes)
    hashes = hash_ids(graph.node_ids)
    nodes = np.argpartition(hashes, n_nodes - 1)[:n_nodes] if n_nodes < graph.n_nodes else np.arange(graph.n_nodes)
    return nodes[np.argsort(hashes[nodes], kind="stable")].astype(np.int64)


def hash_ids(ids: Ids) -> NDArray[np.uint64]:
    """A number for each id, the same for the same id in every graph and process."""
    if ids.dtype.kind in "iu":
        return mixed(ids.astype(np.int64).view(np.uint64))
    hashes = np.empty(len(ids), dtype=np.uint64)
    for rows in row_blocks(len(ids), 256):
        words = np.ascontiguousarray(ids[rows].astype(str))
        letters = words.view(np.uint32).reshape(len(words), -1).astype(np.uint64)
        sums = np.full(len(words), 5381, dtype=np.uint64)
        for column in letters.T:  # letters are never 0, the padding of short words is: it changes nothing
            sums = np.where(column == 0, sums, mixed(sums + column))
        hashes[rows] = sums
    return hashes


def _edges_below(
    graph: Graph, hashes: NDArray[np.uint64], share: float
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.uint32]]:
    """The edges whose hash, in 32 bits, is among the lowest share of all numbers: their ends and their hashes.

    The hash of an edge is the sum of its ends', modulo 2³²: one gather and one addition per entry, and the same for both
    entries of an undirected edge, so all other work is done for the few that are kept.
    """
    A = graph.adjacency
    limit = np.uint32(min(int(share * 2**32), 2**32 - 1))
    of_rows = hashes.astype(np.uint32)  # the lower half
    of_columns = mixed(hashes).astype(np.uint32) if graph.is_directed else of_rows
    firsts, seconds, keys = [], [], []
    for rows in blocks_of_entries(A.indptr):
        starts = np.array(A.indptr[rows.start : rows.stop + 1], dtype=np.int64)
        columns = A.indices[starts[0] : starts[-1]]
        sums = of_columns[columns]
        sums += np.repeat(of_rows[rows], np.diff(starts))
        entries = np.flatnonzero(sums <= limit)
        first = rows.start + np.searchsorted(starts - starts[0], entries, side="right") - 1
        second = np.array(columns[entries], dtype=np.int64)
        release(A, rows)
        if not graph.is_directed:
            is_first = first < second  # of the two entries of an edge
            entries, first, second = entries[is_first], first[is_first], second[is_first]
        firsts.append(first)
        seconds.append(second)
        keys.append(sums[entries])
    if not keys:
        return np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), np.empty(0, dtype=np.uint32)
    return np.concatenate(firsts), np.concatenate(seconds), np.concatenate(keys)


def mixed(numbers: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Splitmix64: every bit of a number changes about half of the bits of its image."""
    with np.errstate(over="ignore"):  # modulo 2⁶⁴ is what is meant
        z = numbers + np.uint64(0x9E3779B97F4A7C15)
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        return np.asarray(z ^ (z >> np.uint64(31)))
