"""Where a node's smoothed row comes from: walks of a filter's matrix from one node, with bounded work.

    row u of Σ c_k P^k = Σ c_k t_k,     t_0 = e_u,   t_k = t_(k−1)·T            P = diag(left)·A·diag(right) + diag(own)

T has the rows of P of the nodes that are followed, and no others: walks end there. Followed are all nodes that fewer steps
than the filter takes can reach, as long as their edges are not more than the limit, those first that carry the most per
edge. The same T is taken at every step, so that Σ c_k T^k is the filter of a smaller matrix: coefficients of both signs, as
short series have, cancel in it as they do in the whole. What is not followed is not lost to whoever knows the whole sum.

`through` adds up, backwards, what comes through each first step: with h_K = c_K·values and h_k = c_k·values + T·h_(k+1), the
nodes x one step from u bring P_ux·h_1(x).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.filters import Filter

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


class StepMatrix:
    """P of a filter on a graph, read by rows."""

    def __init__(self, adjacency: sp.csr_array, filter: Filter) -> None:
        self.adjacency, self.filter = adjacency, filter
        degrees = 1 + np.asarray(adjacency.sum(axis=1, dtype=np.float64)).ravel()
        left, right, own = filter.diagonals(torch.from_numpy(degrees))
        self.left, self.own = left.double().numpy(), own.double().numpy()
        self.right = None if right is None else right.double().numpy()

    def lengths(self, nodes: Integers) -> Integers:
        """How many edges a step from each node reads."""
        starts = self.adjacency.indptr
        return np.asarray(starts[nodes + 1] - starts[nodes], dtype=np.int64)

    def entries(self, nodes: Integers) -> tuple[Integers, Integers, Array]:
        """The entries of some rows: the number of the row among `nodes`, the column, the value; the diagonal among them."""
        rows, columns, weights = listed_rows(self.adjacency, nodes)
        values = weights * self.left[nodes][rows]
        if self.right is not None:
            values *= self.right[columns]
        own = np.arange(len(nodes))
        return np.concatenate([rows, own]), np.concatenate([columns, nodes]), np.concatenate([values, self.own[nodes]])

    def transposed(self, x: Array) -> Array:
        """Pᵀ·x, over the whole graph."""
        sums = np.asarray(self.adjacency.T @ (self.left * x))
        return (sums if self.right is None else sums * self.right) + self.own * x


def listed_rows(adjacency: sp.csr_array, nodes: Integers) -> tuple[Integers, Integers, Array]:
    """The entries of some rows of a matrix: the number of the row among `nodes`, the column, the weight."""
    first = adjacency.indptr[nodes].astype(np.int64)
    counts = adjacency.indptr[nodes + 1].astype(np.int64) - first
    rows = np.repeat(np.arange(len(nodes)), counts)
    places = np.arange(len(rows)) + np.repeat(first - (np.cumsum(counts) - counts), counts)
    return rows, adjacency.indices[places].astype(np.int64), adjacency.data[places].astype(np.float64)


@dataclass(frozen=True)
class Walk:
    """Walks from one node.

    nodes : the nodes that were reached, ascending
    start : the place of the first among them
    steps : T, between these nodes
    is_whole : whether every node was followed that could be
    """

    nodes: Integers
    start: int
    steps: sp.csr_array
    is_whole: bool

    def row(self, coefficients: Polynomial) -> Array:
        """Σ c_k t_k at `nodes`."""
        at = np.zeros(len(self.nodes))
        at[self.start] = 1.0
        total = coefficients[0] * at
        for coefficient in coefficients[1:]:
            at = np.asarray(at @ self.steps)
            total += coefficient * at
        return total

    def through(self, coefficients: Polynomial, values: Array) -> tuple[Integers, Array]:
        """What Σ c_k t_k·values has through each first step: the nodes one step away, and what each brings.

        `values` are those of `nodes`. The node itself is among its first steps, and c₀ times its value is with it.
        """
        after = np.zeros(len(self.nodes))  # h_1
        for coefficient in reversed(coefficients[1:]):
            after = coefficient * values + self.steps @ after
        part = slice(self.steps.indptr[self.start], self.steps.indptr[self.start + 1])
        places = np.append(self.steps.indices[part], self.start)
        found = np.append(self.steps.data[part] * after[places[:-1]], coefficients[0] * values[self.start])
        return self.nodes[places], found


def walk_from(matrix: StepMatrix, node: int, n_hops: int, most_edges: int) -> Walk:
    """Walks of so many steps from a node. Its own edges are always read, and of others' at most so many in all."""
    followed = [np.array([node], dtype=np.int64)]
    mass: NDArray[Any] = np.ones(1)
    left, is_whole = most_edges, True
    lists: list[tuple[Integers, Integers, Array]] = []  # from, to, value
    seen = followed[0]
    for hop in range(n_hops):
        nodes = followed[-1]
        rows, columns, values = matrix.entries(nodes)
        lists.append((nodes[rows], columns, values))
        reached, place = np.unique(columns, return_inverse=True)
        carried = np.bincount(place, weights=np.abs(values) * mass[rows])
        is_new = ~np.isin(reached, seen, assume_unique=True)
        if hop + 1 == n_hops or not is_new.any():
            break
        new, mass = reached[is_new], carried[is_new]
        seen = np.concatenate([seen, new])  # those that are not followed now never are
        lengths = matrix.lengths(new) + 1
        if lengths.sum() > left:
            order = np.argsort(-mass / lengths, kind="stable")
            chosen = np.sort(order[np.cumsum(lengths[order]) <= left])
            new, mass, lengths, is_whole = new[chosen], mass[chosen], lengths[chosen], False
        left -= int(lengths.sum())
        followed.append(new)
    if not lists:
        return Walk(seen, 0, sp.csr_array((1, 1)), is_whole)
    sources, targets, values = (np.concatenate(part) for part in zip(*lists, strict=True))
    nodes = np.unique(targets)  # every node that is followed is its own neighbour
    steps = sp.csr_array(
        (values, (np.searchsorted(nodes, sources), np.searchsorted(nodes, targets))), shape=(len(nodes),) * 2
    )
    return Walk(nodes, int(np.searchsorted(nodes, node)), steps, is_whole)
