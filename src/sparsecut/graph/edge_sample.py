"""Edges, and other pairs of nodes, drawn by a fixed hash of the node ids: the same whatever order nodes and lines come in.

Every node has a hash of its id, every edge one of its two ends'. The edges with the smallest hashes are a uniform sample
without repetition, and shuffling a file changes neither which they are nor their order.

Samples are passes over the blocks of a graph (`sparsecut.kernels.block`). A block gives back what has a hash below a limit,
a little more than is wanted in all, so what comes together is as small as the sample, however many blocks there are.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
from numpy.typing import NDArray

from sparsecut.graph.graph import Graph
from sparsecut.kernels.block import Block, Column, Passes, degrees
from sparsecut.kernels.either import (
    concatenate,
    last_not_above,
    longs,
    on_host,
    places_of,
    repeat,
    stable_order,
)
from sparsecut.kernels.hashing import SIGN_32, low_half, mixed, node_hashes, ordered


class Spare(NamedTuple):
    """How many more than wanted are taken below a hash, as a factor and at least, so that they are hardly ever too few."""

    factor: float = 1.2
    least: int = 1_000


SPARE = Spare()

_samples: WeakKeyDictionary[Passes, dict[tuple[str, int, Spare], NDArray[np.int64]]] = WeakKeyDictionary()


def sample_edges(passes: Passes, n_edges: int, spare: Spare = SPARE) -> NDArray[np.int64]:  # (2, m)
    """Positions of the ends of some edges, no more than there are; each undirected edge once."""
    graph: Graph = passes.graph
    hashes = node_hashes(passes)
    of_ends = passes.column("hashes-of-ends", np.int32, hashes_of_ends, hashes, graph.is_directed)
    wanted = min(n_edges, graph.n_edges)

    def below(share: float) -> list[Any]:
        return passes.each(edges_below, hashes, of_ends, _limit(share, 32), graph.is_directed)

    first, second, keys, ties = _enough(below, wanted, _share(wanted, graph.n_edges, spare))
    order = stable_order(ties)
    order = order[stable_order(keys[order])][:wanted]
    return on_host(concatenate([first[order], second[order]])).reshape(2, -1)


def sample_links(passes: Passes, n_links: int, seed: int) -> NDArray[np.int64]:  # (2, m)
    """`sample_edges` with a seed, in the order of the hashes; edges with shared ends are drawn independently.

    The hash of an edge of `sample_edges` is a sum: of a cycle of four edges that has three in a sample, the fourth is mostly
    in it, too. Here the sum is hashed again, which takes longer.
    """
    graph: Graph = passes.graph
    hashes, wanted = node_hashes(passes), min(n_links, graph.n_edges)
    salt = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0] >> np.uint64(1))

    def below(share: float) -> list[Any]:
        return passes.each(links_below, hashes, salt, _limit(share, 64), graph.is_directed)

    first, second, keys = _enough(below, wanted, _share(wanted, graph.n_edges, SPARE))
    order = stable_order(keys)[:wanted]
    return on_host(concatenate([first[order], second[order]])).reshape(2, -1)


def sample_node_pairs(passes: Passes, n_pairs: int) -> NDArray[np.int64]:  # (2, m)
    """Positions of any two nodes, uniform, a node with itself included."""
    nodes = _by_hash(passes, min(passes.graph.n_nodes, 2 * n_pairs))
    return nodes[np.random.default_rng(0).integers(0, len(nodes), (2, n_pairs))].astype(np.int64)


def sample_nodes(passes: Passes, n_nodes: int, spare: Spare = SPARE) -> NDArray[np.int64]:
    """Positions of some nodes, no more than there are, in ascending order."""
    if n_nodes >= passes.graph.n_nodes:
        return np.arange(passes.graph.n_nodes)
    return _once(passes, ("any", n_nodes, spare), lambda: np.sort(_by_hash(passes, n_nodes, spare)))


def sample_linked_nodes(passes: Passes, n_nodes: int, spare: Spare = SPARE) -> NDArray[np.int64]:
    """Positions of some nodes that have neighbours, no more than there are, in ascending order."""
    return _once(passes, ("linked", n_nodes, spare), lambda: _linked_by_hash(passes, n_nodes, spare))


def _once(passes: Passes, key: tuple[str, int, Spare], draw: Callable[[], NDArray[np.int64]]) -> NDArray[np.int64]:
    """A sample, drawn once for each graph that is passed over: several choices are made from the same nodes."""
    known = _samples.setdefault(passes, {})
    if key not in known:
        known[key] = draw()
    return known[key]


def _linked_by_hash(passes: Passes, n_nodes: int, spare: Spare) -> NDArray[np.int64]:
    hashes, share = node_hashes(passes), _share(n_nodes, passes.graph.n_nodes, spare)
    while True:
        found = passes.each(linked_below, hashes, _limit(share, 64))
        nodes, keys = (concatenate([part[side] for part in found]) for side in (0, 1))
        n_linked = sum(part[2] for part in found)
        if len(nodes) >= min(n_nodes, n_linked):
            break
        share = 1.0 if n_linked <= n_nodes else max(min(1.0, 2 * share), _share(n_nodes, n_linked, spare))
    if n_linked <= n_nodes:
        return on_host(nodes)
    return np.sort(on_host(nodes[stable_order(keys)[:n_nodes]]))


def degrees_at(passes: Passes, nodes: NDArray[np.int64]) -> NDArray[np.float64]:
    """The weighted degrees of the nodes at these positions."""
    return on_host(degrees(passes)[nodes])


def hashes_of_ends(block: Block, hashes: Column, is_directed: bool) -> Any:
    """What a node adds, as the second end, to the hash of an edge: that of an undirected edge is the same both ways."""
    own = hashes[block.rows]
    return low_half(mixed(own) if is_directed else own)


def nodes_below(block: Block, hashes: Column, limit: int) -> tuple[Any, Any]:
    """The nodes whose hash is no higher than a limit, and their hashes, in signed order."""
    own = ordered(hashes[block.rows])
    here = places_of(own <= limit)
    return here + block.rows.start, own[here]


def linked_below(block: Block, hashes: Column, limit: int) -> tuple[Any, Any, int]:
    """The nodes with neighbours whose hash is no higher, their hashes, and how many nodes have neighbours."""
    own, starts = ordered(hashes[block.rows]), block.starts()
    is_linked = starts[1:] > starts[:-1]
    here = places_of(is_linked & (own <= limit))
    return here + block.rows.start, own[here], int(is_linked.sum())


def edges_below(block: Block, hashes: Column, of_ends: Column, limit: int, is_directed: bool) -> tuple[Any, Any, Any, Any]:
    """The edges whose hash in 32 bits is no higher: their ends, their hashes, and what breaks ties between these.

    The hash of an edge is the sum of its ends', modulo 2³²: one gather and one addition per entry, and all other work is
    done for the few that are kept.
    """
    starts, others, own = block.starts(), block.neighbours(), hashes[block.rows]
    keys = repeat(low_half(own) ^ SIGN_32, starts[1:] - starts[:-1], len(others))  # flipped: in signed order
    keys += of_ends[others]
    places = places_of(keys <= limit)
    rows = last_not_above(starts, places)
    second = longs(others[places])
    if not is_directed:
        is_first = rows + block.rows.start < second  # of the two entries of an edge
        places, rows, second = places[is_first], rows[is_first], second[is_first]
    of_second = hashes[second]
    ties = mixed(own[rows] + (mixed(of_second) if is_directed else of_second))
    return rows + block.rows.start, second, keys[places], ordered(ties)


def links_below(block: Block, hashes: Column, salt: int, limit: int, is_directed: bool) -> tuple[Any, Any, Any]:
    """The edges whose hash in 64 bits is no higher: their ends, and their hashes, in signed order."""
    starts, others, own = block.starts(), block.neighbours(), hashes[block.rows]
    sums = repeat(own + salt, starts[1:] - starts[:-1], len(others))
    of_others = hashes[others]
    sums += mixed(of_others) if is_directed else of_others
    keys = ordered(mixed(sums))
    places = places_of(keys <= limit)
    rows = last_not_above(starts, places)
    second = longs(others[places])
    if not is_directed:
        is_first = rows + block.rows.start < second  # of the two entries of an edge
        places, rows, second = places[is_first], rows[is_first], second[is_first]
    return rows + block.rows.start, second, keys[places]


def _by_hash(passes: Passes, n_nodes: int, spare: Spare = SPARE) -> NDArray[np.int64]:
    """The nodes with the smallest hashes, in their order."""
    hashes = node_hashes(passes)

    def below(share: float) -> list[Any]:
        return passes.each(nodes_below, hashes, _limit(share, 64))

    nodes, keys = _enough(below, n_nodes, _share(n_nodes, passes.graph.n_nodes, spare))
    return on_host(nodes[stable_order(keys)[:n_nodes]])


def _enough(below: Callable[[float], list[Any]], n_wanted: int, share: float) -> list[Any]:
    """What all blocks have below a share of all hashes, put together; the share is doubled until that is enough."""
    while True:
        found = [concatenate(parts) for parts in zip(*below(share), strict=True)]
        if len(found[0]) >= n_wanted or share == 1:  # with share 1 these are all
            return found
        share = min(1.0, 2 * share)


def _share(n_wanted: int, n_all: int, spare: Spare) -> float:
    return min(1.0, (spare.factor * n_wanted + spare.least) / max(n_all, 1))


def _limit(share: float, n_bits: int) -> int:
    """The highest number of the lowest share of all, in signed order."""
    n_all: int = 2**n_bits
    return min(int(share * n_all), n_all - 1) - n_all // 2
