"""What k parts have to be, and how much the libraries try to find them.

How much follows from the size and the degrees of the graph and the number of parts, never from the clock or the number of
cores. It is measured by the time of KaHIP's "strong" configuration. On graphs of unequal degrees, such as social networks,
that is the time of five and more partitions by Mt-KaHyPar; the best of two cuts fewer edges than KaHIP, and the two combined
fewer still. On meshes it is the time of three, and nothing else is as good in it: meshes get KaHIP itself, and METIS, which
takes no time. A random graph of equal degrees is no mesh: there KaHIP takes twenty times as long, for as many edges.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.sparse.csgraph import breadth_first_order

from sparsecut.cuts.multilevel import Task, has, whole
from sparsecut.cuts.objective import Real

Members = NDArray[np.int64]

MOST_ENTRIES = 4_000_000  # stored entries of the graph: beyond, one partition takes long enough
ENTRIES_OF_SEEDS = 500_000  # stored entries times seeds of a process with effort="best", between 4 and 32 seeds
SOME_PARTS, MANY_PARTS = 8, 16  # from here on KaHIP takes longer in comparison: more is combined
MOST_FOR_KAHIP = 400_000  # stored entries: beyond, it takes minutes
LIGHT = 2_000_000  # the sum of weights as whole numbers: KaHIP's memory grows with them
MESH_DEGREES = 8  # times the mean degree, at most, of a mesh's nodes
MESH_TRIANGLES, N_SAMPLED = 0.1, 200  # of two neighbours of a sampled node the share, at least, that is joined: a mesh
MESH_DEPTH = 1.5  # times log₂ n, at least, from a node to the farthest one: a mesh also without triangles


@dataclass(frozen=True)
class Wanted:
    """What the parts have to be.

    weights : of the nodes. most : the weight of a part, at most. fixed : the part that a node must be in, or -1.
    """

    count: int
    objective: str
    imbalance: float
    weights: Real
    most: float
    fixed: Members | None

    @property
    def held(self) -> NDArray[np.bool_]:
        return np.zeros(len(self.weights), dtype=bool) if self.fixed is None else self.fixed >= 0


@dataclass(frozen=True)
class KwayPlan:
    """What the libraries have to find.

    chains : the tasks of one process each. starts : seeds of METIS' partitions that the first of them improves. with_kahip :
    whether KaHIP's parts are candidates too.
    """

    chains: tuple[Task, ...] = ()
    starts: tuple[int, ...] = ()
    with_kahip: bool = False


def plan(A: sp.csr_array, wanted: Wanted, seed: int, effort: str) -> KwayPlan:
    """How much is tried. effort : "usual", "best" or "fast"."""
    if wanted.objective != "cut" and wanted.fixed is None and not np.isfinite(wanted.most):
        return KwayPlan()  # parts of any size: those of the libraries, which are about equal, were never the best
    is_free = wanted.objective == "cut" and wanted.fixed is None
    is_like_mesh = is_free and effort != "fast" and is_mesh(A)
    is_light = all(whole(given).sum() <= LIGHT for given in (wanted.weights, A.data))
    with_kahip = is_like_mesh and is_light and has("kahip") and A.nnz <= MOST_FOR_KAHIP
    if not has("mtkahypar"):
        return KwayPlan(with_kahip=with_kahip)
    count, imbalance, first = wanted.count, min(wanted.imbalance, 1.0), seed * 1_000

    def task(preset: str, n_before: int, n_seeds: int, *options: int) -> Task:
        return Task(count, imbalance, preset, tuple(range(first + n_before, first + n_before + n_seeds)), *options)

    def starts(number: int) -> tuple[int, ...]:
        return tuple(range(first + 1, first + 1 + number)) if is_free and has("pymetis") else ()

    if effort == "fast":
        return KwayPlan((task("DEFAULT", 0, 1),))
    if A.nnz > MOST_ENTRIES:
        return KwayPlan((task("QUALITY", 0, 1, 3 if effort == "best" else 1),))
    if effort == "best":
        n_seeds = min(max(ENTRIES_OF_SEEDS // A.nnz, 4), 32)
        chains = [task("QUALITY", n_seeds * number, n_seeds, 3, 6, 3) for number in range(2 if count == 2 else 1)]
        return KwayPlan(tuple(chains), starts(8), with_kahip)
    if with_kahip:
        return KwayPlan(with_kahip=True)
    if count >= SOME_PARTS:
        chain = task("QUALITY", 0, 3, 0, 2 if count >= MANY_PARTS else 1, 2)
    else:  # there KaHIP is quick: six quick partitions, combined, cut fewer edges than two better ones in the time of three
        chain = task("DEFAULT", 0, 6, 0, 1, 3)
    return KwayPlan((chain,), starts(4) if is_like_mesh else ())


def is_mesh(A: sp.csr_array) -> bool:
    """Whether degrees are about equal, and neighbours are joined to one another or some nodes lie far apart."""
    n, degrees = A.shape[0], np.diff(A.indptr)
    if not A.nnz or degrees.max() > MESH_DEGREES * degrees.mean():
        return False
    joined = sp.csr_array((np.ones(A.nnz), A.indices, A.indptr), shape=A.shape)
    sample = np.unique(np.linspace(0, n - 1, N_SAMPLED).astype(np.int64))
    around = joined[sample]
    closed = (around @ joined).multiply(around).sum()
    if closed > MESH_TRIANGLES * float((degrees[sample] * (degrees[sample] - 1.0)).sum()):
        return True
    order, before = breadth_first_order(joined, int(np.argmax(degrees > 0)), directed=False)
    node, depth = order[-1], 0
    while before[node] >= 0:
        node, depth = before[node], depth + 1
    return bool(depth > MESH_DEPTH * np.log2(n))
