"""Who is how far from whom: for every node, nodes at exactly 1, 2, …, K steps and nodes further off than that.

A node's ring of two or three steps can be most of the graph, so the rings of all nodes together can be n². Here they are
made for a block of nodes at a time, exactly; what stays is each ring's size and a pool of its members, uniformly drawn, the
whole ring where it is no larger. A uniform draw from the pool is one from the ring, and memory grows with n alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

POOL = 128  # members of a ring that are kept for a node
BLOCK_ENTRIES = 2**23  # a block has so many nodes that all their rings together cannot have more entries

Pool = tuple[NDArray[np.int64], NDArray[np.int32]]  # how many members each node has, and the members, node after node


class Rings:
    """The rings of every node: `radius` of them by distance, and last the nodes beyond, reachable or not.

    `sizes` (n, radius + 1) counts their members. A node is in none of its own rings.
    """

    def __init__(
        self,
        adjacency: sp.csr_array,
        radius: int,
        generator: np.random.Generator,
        *,
        pool: int = POOL,
        block_entries: int = BLOCK_ENTRIES,
    ) -> None:
        pattern = sp.csr_array(adjacency, copy=True)
        pattern.data = np.ones(pattern.nnz, dtype=np.int32)
        n_nodes = pattern.shape[0]
        sizes, pools = [], []
        step = max(1, block_entries // n_nodes)
        for start in range(0, n_nodes, step):
            nodes = np.arange(start, min(start + step, n_nodes))
            *rings, ball = _rings(pattern, nodes, radius)
            counts = [np.diff(ring.indptr) for ring in rings]
            sizes.append(np.column_stack([*counts, n_nodes - np.diff(ball.indptr)]))
            pools.append([*(_thin(ring, pool, generator) for ring in rings), _thin_rest(ball, pool, generator)])
        self.sizes: NDArray[np.int64] = np.concatenate(sizes).astype(np.int64)
        self._pools = [_join(blocks) for blocks in zip(*pools, strict=True)]

    def draw(self, generator: np.random.Generator) -> NDArray[np.int64]:  # (n, radius + 1)
        """One node of each ring of every node, each with the same chance; the node itself where a ring is empty."""
        n_nodes = len(self.sizes)
        drawn = np.repeat(np.arange(n_nodes)[:, None], len(self._pools), axis=1)
        for ring, (counts, members) in enumerate(self._pools):
            some = np.flatnonzero(counts)
            starts = np.cumsum(counts) - counts
            drawn[some, ring] = members[starts[some] + generator.integers(0, counts[some])]
        return drawn


def _rings(pattern: sp.csr_array, nodes: NDArray[Any], radius: int) -> Iterator[sp.csr_array]:
    """The nodes at 1, 2, …, radius steps from each of some nodes, a row each; and last all of them with the node itself."""
    entries = np.ones(len(nodes), dtype=np.int32), (np.arange(len(nodes)), nodes)
    ring = ball = sp.csr_array(entries, shape=(len(nodes), pattern.shape[0]))
    for _ in range(radius):
        reached = ring @ pattern
        reached.data[:] = 1
        union = reached + 2 * ball  # 1: reached for the first time
        union.sort_indices()
        ring = union.copy()
        ring.data = (union.data == 1).astype(np.int32)
        ring.eliminate_zeros()
        yield ring
        ball = union
        ball.data[:] = 1
    yield ball


def _thin(ring: sp.csr_array, limit: int, generator: np.random.Generator) -> Pool:
    """At most `limit` members of each row, drawn without repeats."""
    counts = np.diff(ring.indptr)
    if counts.max() <= limit:
        return counts, ring.indices
    rows = np.repeat(np.arange(len(counts)), counts)
    order = np.lexsort((generator.random(ring.nnz), rows))  # shuffled within each row
    rank = np.arange(ring.nnz) - ring.indptr[rows]
    return np.minimum(counts, limit), ring.indices[order[rank < limit]]


def _thin_rest(ball: sp.csr_array, limit: int, generator: np.random.Generator) -> Pool:
    """At most `limit` nodes that a row lacks: all where they are no more, else drawn one by one, as if put back.

    The r-th node missing from members m₀ < m₁ < … is r + t, where t members have m_t − t ≤ r. So it is found by bisection,
    and the missing ones, nearly the whole graph for every node, are never listed.
    """
    n_nodes = ball.shape[1]
    sizes = n_nodes - np.diff(ball.indptr)
    counts = np.minimum(sizes, limit)
    rows = np.repeat(np.arange(len(counts)), counts)
    listed = np.arange(len(rows)) - (np.cumsum(counts) - counts)[rows]
    ranks = np.where(sizes[rows] <= limit, listed, generator.integers(0, sizes[rows]))
    member_rows = np.repeat(np.arange(len(counts)), np.diff(ball.indptr))
    position = np.arange(ball.nnz) - ball.indptr[member_rows]
    gaps = member_rows * n_nodes + ball.indices - position  # sorted: a row's are all below the next row's
    n_before = np.searchsorted(gaps, rows * n_nodes + ranks, side="right") - ball.indptr[rows]
    return counts, (ranks + n_before).astype(np.int32)


def _join(blocks: tuple[Pool, ...]) -> Pool:
    counts, members = zip(*blocks, strict=True)
    return np.concatenate(counts), np.concatenate(members)
