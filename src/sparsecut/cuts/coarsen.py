"""A smaller graph with the same cuts: neighbours joined by heavy edges become one node, edges and measures are added up.

A cut of the small graph is a cut of the large one with the same weight and the same measures, so what is found below is a
candidate above. Each node points at the neighbour it is most strongly joined to for the size of both, w²/(μ_i μ_j); two
nodes that point at each other are joined, and a node that is left joins the group it points at while that stays small. This
halves meshes, and it joins the leaves of a hub to the hub, which a matching alone cannot do.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.cuts.objective import CutProblem, Real, totals

Groups = NDArray[np.int64]

LARGEST_SHARE = 0.005  # of the whole measure, for one group: the smallest graphs keep some hundred nodes


def contract(problem: CutProblem, groups: Groups) -> CutProblem:
    """The problem whose nodes are the groups."""
    n, c = problem.n_nodes, int(groups.max()) + 1
    H = sp.csr_array((np.ones(n), groups.astype(np.int32), np.arange(n + 1, dtype=np.int32)), shape=(n, c))
    A = sp.csr_array(H.T @ (problem.adjacency @ H))
    A.setdiag(0)
    A.eliminate_zeros()
    A.sort_indices()
    A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
    degrees = np.asarray(A.sum(axis=1)).ravel()
    return replace(problem, adjacency=A, degrees=degrees, measure=totals(groups, problem.measure, c))


def pair_up(problem: CutProblem, random: np.random.Generator) -> Groups:
    """A group for every node: pairs and small stars of strongly joined neighbours."""
    n, measure = problem.n_nodes, np.maximum(problem.measure, 1e-300)
    choice = _favourites(problem.adjacency, measure, random)
    nodes = np.arange(n)
    is_mutual = choice[choice] == nodes
    head = np.where(is_mutual, np.minimum(nodes, choice), -1)
    # Those left over join the group of their favourite, in random order, until it is full.
    limit = max(LARGEST_SHARE * problem.total, 2 * float(measure.max()))
    for _ in range(2):
        left = np.flatnonzero((head < 0) & (head[choice] >= 0))
        left = left[random.permutation(len(left))]
        goal = head[choice[left]]
        size = np.bincount(head[head >= 0], measure[head >= 0], n)
        order = np.argsort(goal, kind="stable")
        grown = np.cumsum(measure[left[order]])
        first = np.searchsorted(goal[order], goal[order])
        grown -= np.concatenate([[0.0], grown])[first]
        fits = grown + size[goal[order]] <= limit
        head[left[order[fits]]] = goal[order[fits]]
    head = np.where(head < 0, nodes, head)
    return np.unique(head, return_inverse=True)[1].astype(np.int64)


def _favourites(A: sp.csr_array, measure: Real, random: np.random.Generator) -> NDArray[np.int64]:
    """The neighbour each node is most strongly joined to; itself where it has none."""
    n = A.shape[0]
    rows = np.repeat(np.arange(n), np.diff(A.indptr))
    tie = random.random(n)
    # Ties are broken by a number both ends agree on: else few nodes of a mesh would point at each other.
    rating = A.data**2 / (measure[rows] * measure[A.indices]) * (1 + 1e-6 * ((tie[rows] + tie[A.indices]) % 1.0))
    return best_entries(A.indptr, rows, A.indices, rating)


def best_entries(
    indptr: NDArray[np.int32], rows: NDArray[np.int64], columns: NDArray[np.int32], rating: Real
) -> NDArray[np.int64]:
    """The column of each row's largest entry; the row's own number where it has none."""
    n = len(indptr) - 1
    best = np.arange(n)
    filled = np.flatnonzero(np.diff(indptr))
    if len(filled):
        highest = np.zeros(n)
        highest[filled] = np.maximum.reduceat(rating, indptr[filled])
        at = np.flatnonzero(rating == highest[rows])
        best[rows[at[::-1]]] = columns[at[::-1]]  # the first of equals is written last
    return best
