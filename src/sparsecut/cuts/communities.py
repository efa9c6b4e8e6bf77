"""Communities of a graph, coarse and fine: Louvain's method on whole arrays.

Modularity gains by moving a node to a neighbour's community are computed for all nodes at once; of those that gain, a random
half moves, because neighbours that change places together would undo each other. When few move any more, communities become
nodes, and it starts again. A resolution below 1 makes fewer and larger ones (Blondel et al. 2008; Reichardt and Bornholdt
2006).
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sparsecut.cuts.coarsen import Groups, best_entries, contract
from sparsecut.cuts.objective import CutProblem, Real, totals

MAX_SWEEPS = 12
MAX_LEVELS = 10


def louvain(problem: CutProblem, resolution: float, random: np.random.Generator) -> list[Groups]:
    """The communities of every level, from the finest to the coarsest; each a number for every node."""
    volumes = problem.degrees
    coarse = problem
    groups = np.arange(problem.n_nodes)
    levels: list[Groups] = []
    for _ in range(MAX_LEVELS):
        moved = _move(coarse.adjacency, volumes, resolution, random)
        n_groups = int(moved.max()) + 1
        if n_groups == coarse.n_nodes:
            break
        groups = moved[groups]
        levels.append(groups)
        if n_groups <= 2:
            break
        volumes = totals(moved, volumes, n_groups)
        coarse = contract(coarse, moved)
    if len(levels) > 1:  # single nodes once more, now that the communities are known
        levels.append(settle(problem, levels[-1], resolution, random))
    return levels


def settle(problem: CutProblem, groups: Groups, resolution: float, random: np.random.Generator) -> Groups:
    """Communities after single nodes have moved to those where modularity gains most."""
    return _move(problem.adjacency, problem.degrees, resolution, random, groups)


def merged_to(problem: CutProblem, groups: Groups, count: int) -> Groups:
    """Communities joined two by two, always those where modularity gains most, until `count` are left."""
    coarse = contract(problem, groups)
    W, volumes = coarse.adjacency.toarray(), totals(groups, problem.degrees, coarse.n_nodes)
    total = float(volumes.sum())
    names = np.arange(coarse.n_nodes)
    gain = W - np.outer(volumes, volumes) / total
    np.fill_diagonal(gain, -np.inf)
    for _ in range(coarse.n_nodes - count):
        kept, gone = sorted(divmod(int(np.argmax(gain)), len(gain)))
        W[kept] += W[gone]
        W[:, kept] += W[:, gone]
        volumes[kept] += volumes[gone]
        volumes[gone] = 0.0
        names[names == gone] = kept
        gain[gone] = gain[:, gone] = -np.inf
        row = np.where(np.isfinite(gain[kept]), W[kept] - volumes[kept] * volumes / total, -np.inf)
        gain[kept] = gain[:, kept] = row
    return np.unique(names, return_inverse=True)[1].astype(np.int64)[groups]


def _move(
    A: sp.csr_array, volumes: Real, resolution: float, random: np.random.Generator, start: Groups | None = None
) -> Groups:
    """Every node to the community where modularity gains most, until few move."""
    n = A.shape[0]
    total = float(volumes.sum())
    community = np.arange(n) if start is None else start
    for sweep in range(MAX_SWEEPS):
        H = sp.csr_array((np.ones(n), community.astype(np.int32), np.arange(n + 1, dtype=np.int32)), shape=(n, n))
        to = sp.csr_array(A @ H)  # (node, community): the weight of the edges between them
        rows = np.repeat(np.arange(n), np.diff(to.indptr))
        sizes = totals(community, volumes, n)
        is_own = to.indices == community[rows]
        others = sizes[to.indices] - np.where(is_own, volumes[rows], 0.0)
        gain = to.data - resolution * volumes[rows] * others / total
        best = best_entries(to.indptr, rows, to.indices, gain - gain.min(initial=0.0) + 1.0)
        best = np.where(np.diff(to.indptr) > 0, best, community)
        stay = -resolution * volumes * (sizes[community] - volumes) / total
        stay[rows[is_own]] = gain[is_own]
        go = np.zeros(n)
        chosen = to.indices == best[rows]
        go[rows[chosen]] = gain[chosen]
        wants = (best != community) & (go > stay + 1e-12 * total)
        if not wants.any():
            break
        if sweep == 0 and start is None:  # all are alone: only the lighter of two goes, so that pairs do not swap
            wants &= (volumes < volumes[best]) | ((volumes == volumes[best]) & (np.arange(n) < best))
        else:
            wants &= random.random(n) < 0.5
        community = np.where(wants, best, community)
        if wants.sum() < 0.002 * n and sweep > 3:
            break
    return np.unique(community, return_inverse=True)[1].astype(np.int64)
