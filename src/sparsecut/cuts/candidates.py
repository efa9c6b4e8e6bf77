"""The cuts a search starts from: thresholds along vectors, and the parts of clusterings.

No single source is enough: the Fiedler vector of a social graph finds a small set that hangs on by one edge and misses the
large community, and a clustering does not find the balanced cut of a mesh. So each vector gives its best threshold in every
range of sizes, not only its best one, and each clustering its best parts: a large set with a high value may contain the best
small one, which flow finds.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import scipy.sparse as sp

from sparsecut.cuts.coarsen import Groups, contract
from sparsecut.cuts.communities import louvain
from sparsecut.cuts.exact_cut import ENUMERATED, best_of_all
from sparsecut.cuts.kmeans import kmeans
from sparsecut.cuts.objective import CutProblem, Mask, Real, totals
from sparsecut.cuts.sweep import prefixes

SHARES = (0.0, 0.002, 0.02, 0.1, 0.25, 0.4, 0.5)  # of the smaller side: the ranges whose best set is kept
N_ROTATED = 4  # leading eigenvectors whose planes are looked at from N_ANGLES more directions
N_ANGLES = 4
N_CLUSTERS = (4, 8)  # of the rows of 3 and 7 eigenvectors
N_UNIONS = 4  # of a clustering with few parts
N_PARTS = 4  # of a clustering in each range of sizes


@dataclass(frozen=True)
class Candidate:
    """A proposed cut: one side of it, its value, and the name of its source."""

    side: Mask
    value: float
    source: str

    @property
    def key(self) -> bytes:
        """Bytes that identify the cut: equal for a side and its complement."""
        return np.packbits(self.side if self.side[0] else ~self.side).tobytes()


def range_of(problem: CutProblem, inside: Real | float) -> np.ndarray:
    share = np.minimum(inside, problem.total - np.asarray(inside)) / problem.total
    return np.searchsorted(SHARES, share, side="right") - 1


def from_vectors(problem: CutProblem, vectors: Real, name: str) -> Iterator[Candidate]:
    """The best threshold of each column in every range of sizes."""
    for column in range(vectors.shape[1]):
        yield from from_vector(problem, vectors[:, column], f"{name} {column + 1}")


def from_vector(problem: CutProblem, x: Real, source: str) -> Iterator[Candidate]:
    order, cut, inside = prefixes(problem, x)
    values = problem.values(cut, inside)
    ranges = range_of(problem, inside)
    for number in np.unique(ranges):
        at = np.flatnonzero(ranges == number)
        best = int(at[np.argmin(values[at])])
        if np.isfinite(values[best]):
            side = np.zeros(problem.n_nodes, dtype=bool)
            side[order[: best + 1]] = True
            yield Candidate(side, float(values[best]), source)


def from_rotations(problem: CutProblem, vectors: Real) -> Iterator[Candidate]:
    """Thresholds along directions between two eigenvectors: where eigenvalues are close, any of them is as smooth."""
    columns = range(min(N_ROTATED, vectors.shape[1]))
    for a, b in combinations(columns, 2):
        for step in range(1, N_ANGLES):
            angle = np.pi * step / N_ANGLES
            x = np.cos(angle) * vectors[:, a] + np.sin(angle) * vectors[:, b]
            yield from from_vector(problem, x, f"eigenvectors {a + 1} and {b + 1}")


def from_communities(
    problem: CutProblem, random: np.random.Generator, resolutions: tuple[float, ...]
) -> Iterator[Candidate]:
    """The sparsest parts of clusterings, from fine to coarse."""
    for resolution in resolutions:
        levels = louvain(problem, resolution, random)
        # The finest levels hardly depend on the resolution and hold little more than pairs.
        for level in levels[1 if len(levels) > 2 else 0 :]:
            yield from from_groups(problem, level, f"communities at resolution {resolution:g}")


def from_clusters(problem: CutProblem, vectors: Real, random: np.random.Generator) -> Iterator[Candidate]:
    """Parts of the nodes clustered by several eigenvectors at once."""
    for count in N_CLUSTERS:
        if vectors.shape[1] >= count - 1:
            groups = kmeans(vectors[:, : count - 1], count, random)
            yield from from_groups(problem, groups, f"{count} clusters of eigenvectors")


def from_groups(problem: CutProblem, groups: Groups, source: str) -> Iterator[Candidate]:
    """The sparsest parts of a clustering in each range of sizes and, of few parts, their sparsest unions."""
    count = int(groups.max()) + 1
    if count < 2:
        return
    A = sp.csr_array(problem.adjacency)
    rows = np.repeat(groups, np.diff(A.indptr))
    within = np.bincount(rows, np.where(rows == groups[A.indices], A.data, 0.0), count)
    inside = totals(groups, problem.measure, count)
    values = problem.values(np.bincount(groups, problem.degrees, count) - within, inside)
    ranges = range_of(problem, inside)
    for number in np.unique(ranges):
        at = np.flatnonzero(ranges == number)
        for part in at[np.argsort(values[at], kind="stable")[:N_PARTS]]:
            if np.isfinite(values[part]):
                yield Candidate(groups == part, float(values[part]), source)
    if 2 < count <= ENUMERATED:
        for side in (union[groups] for union in best_of_all(contract(problem, groups), N_UNIONS)):
            yield Candidate(side, problem.value(side), f"union of {source}")


def distinct(found: Iterable[Candidate]) -> list[Candidate]:
    """Each cut once, the sparsest first."""
    by_key: dict[bytes, Candidate] = {}
    for candidate in found:
        by_key.setdefault(candidate.key, candidate)
    return sorted(by_key.values(), key=lambda candidate: candidate.value)
