"""Random walks, a step of all of them at a time.

First order: from v to x with probability proportional to the weight w_vx. Second order (node2vec, Grover and Leskovec,
2016): from v, reached from t, to x with probability proportional to

    w_vx / p    where x = t            w_vx    where t and x are neighbours            w_vx / q    elsewhere

drawn exactly: propose x by weight, accept it with its bias over the largest of the three, else propose again.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

BLOCK = 2**17  # walks held at a time: 20 MiB of 40 nodes each
MAX_PROPOSALS = 64  # a walk refused so often is drawn from the list of its choices: with p and q far from 1 few are accepted

WalkNodes = NDArray[np.int32]


class Walker:
    """Walks on a graph. A node without neighbours stays where it is."""

    def __init__(
        self, adjacency: sp.csr_array, *, p: float = 1.0, q: float = 1.0, max_proposals: int = MAX_PROPOSALS
    ) -> None:
        self.adjacency = adjacency
        self.max_proposals = max_proposals
        self.p = p
        self.q = q
        self._first = adjacency.indptr[:-1].astype(np.int64)
        self._degrees = np.diff(adjacency.indptr).astype(np.int64)
        is_weighted = bool((adjacency.data != 1).any())
        self._cumulative = _cumulative_shares(adjacency.data, self._degrees) if is_weighted else None

    def blocks(
        self, starts: WalkNodes, length: int, generator: np.random.Generator, *, size: int = BLOCK
    ) -> Iterator[WalkNodes]:
        """A walk of `length` nodes from each start, in the order given, a block of walks (m, length) at a time."""
        for first in range(0, len(starts), size):
            yield self.walk(starts[first : first + size], length, generator)

    def walk(self, starts: WalkNodes, length: int, generator: np.random.Generator) -> WalkNodes:
        """A walk from each start, (m, length)."""
        walks = np.empty((len(starts), length), dtype=np.int32)
        walks[:, 0] = starts
        for step in range(1, length):
            node = walks[:, step - 1]
            walks[:, step] = node
            moving = np.flatnonzero(self._degrees[node])
            if not len(moving):
                continue
            is_first_order = step == 1 or self.p == self.q == 1
            previous = None if is_first_order else walks[moving, step - 2]
            walks[moving, step] = self._step(node[moving], previous, generator)
        return walks

    def _step(self, node: WalkNodes, previous: WalkNodes | None, generator: np.random.Generator) -> WalkNodes:
        """The next node of each walk; `node` has neighbours."""
        if previous is None:
            return self._propose(node, generator)
        chosen = np.empty(len(node), dtype=np.int32)
        largest = max(1 / self.p, 1.0, 1 / self.q)
        pending = np.arange(len(node))
        for _ in range(self.max_proposals):
            proposed = self._propose(node[pending], generator)
            bias = self._bias(previous[pending], proposed)
            is_accepted = generator.random(len(pending)) * largest < bias
            chosen[pending[is_accepted]] = proposed[is_accepted]
            pending = pending[~is_accepted]
            if not len(pending):
                return chosen
        chosen[pending] = self._choose(node[pending], previous[pending], generator)
        return chosen

    def _propose(self, node: WalkNodes, generator: np.random.Generator) -> WalkNodes:
        """A neighbour of each node, by weight."""
        first, degrees, draws = self._first[node], self._degrees[node], generator.random(len(node))
        if self._cumulative is None:
            return np.asarray(self.adjacency.indices[first + (draws * degrees).astype(np.int64)], dtype=np.int32)
        return np.asarray(self.adjacency.indices[_pick(self._cumulative, first, degrees, draws)], dtype=np.int32)

    def _choose(self, node: WalkNodes, previous: WalkNodes, generator: np.random.Generator) -> WalkNodes:
        """As by `_propose` and accept, from all neighbours of each node written out with their biased weights."""
        degrees = self._degrees[node]
        first = np.cumsum(degrees) - degrees
        walk = np.repeat(np.arange(len(node)), degrees)
        entries = self._first[node][walk] + np.arange(len(walk)) - first[walk]
        neighbours = self.adjacency.indices[entries]
        weights = self.adjacency.data[entries] * self._bias(previous[walk], neighbours)
        places = _pick(_cumulative_shares(weights, degrees), first, degrees, generator.random(len(node)))
        return np.asarray(neighbours[places], dtype=np.int32)

    def _bias(self, previous: WalkNodes, proposed: WalkNodes) -> NDArray[np.float64]:
        is_near = np.asarray(self.adjacency[previous, proposed]) != 0
        return np.where(proposed == previous, 1 / self.p, np.where(is_near, 1.0, 1 / self.q))


def _cumulative_shares(weights: NDArray[np.floating], degrees: NDArray[np.int64]) -> NDArray[np.float64]:
    """0, then the running sum of each row's weights divided by the row's sum: every row adds 1, however it is weighted."""
    row = np.repeat(np.arange(len(degrees)), degrees)
    totals = np.bincount(row, weights, minlength=len(degrees))
    return np.concatenate([[0.0], np.cumsum(weights / totals[row])])


def _pick(
    cumulative: NDArray[np.float64], first: NDArray[np.int64], degrees: NDArray[np.int64], draws: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The place of one entry for each draw from [0, 1), within its row and by weight."""
    low, high = cumulative[first], cumulative[first + degrees]
    places = np.searchsorted(cumulative, low + draws * (high - low), side="right") - 1
    return np.asarray(
        np.clip(places, first, first + degrees - 1), dtype=np.int64
    )  # a rounding of the sum may step over the border
