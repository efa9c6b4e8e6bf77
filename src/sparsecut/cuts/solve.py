"""The search for a sparse cut, by the size of the graph.

up to 16 nodes       all cuts
not connected        whole components, where they keep the balance: they cut nothing
up to 30,000 nodes   eigenvectors, their rotations, communities, columns given; improved by flow (`search.py`)
more                 the same on a coarser graph; its best cuts are improved along their borders on the way back up
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse.csgraph import connected_components, dijkstra

from sparsecut.base.progress import Reporter
from sparsecut.cuts.candidates import (
    Candidate,
    distinct,
    from_clusters,
    from_communities,
    from_groups,
    from_rotations,
    from_vector,
    from_vectors,
)
from sparsecut.cuts.coarsen import Groups, contract, pair_up
from sparsecut.cuts.communities import louvain, merged_to, settle
from sparsecut.cuts.eigenvectors import Spectrum, smoothest
from sparsecut.cuts.exact_cut import ENUMERATED, best_of_all
from sparsecut.cuts.local import local_search
from sparsecut.cuts.objective import CutProblem, Real
from sparsecut.cuts.search import Budget, improve_border, refine

EVEN = 0.475  # of the measure on the smaller side, in the search for nearly equal halves
DIRECT = 30_000  # nodes searched without a coarser graph
MOST_MERGED = 2_000  # communities that are merged to few, whose unions are all tried
DENSE = 2_000_000  # stored entries beyond which the search gets no more work
WIDE_RANGE = 1e8  # of weights
MOST_FOR_EIGENVECTORS = (
    10_000_000  # stored entries: beyond, λ₂ takes minutes and is hardly found; coarser graphs have theirs
)

Others = Callable[[], list[tuple[Groups, str]]]


@dataclass(frozen=True)
class Effort:
    """How much is tried.

    work : arcs of flow networks for a graph of 50,000 edges; in proportion below, down to least_work, and with the square
    root beyond. communities_from : nodes below which eigenvectors must do. enumerated : nodes up to which all cuts are
    tried. direct : nodes up to which no coarser graph is searched first. with_halves : also improve cuts into nearly equal
    halves by themselves: beside smaller sets they look bad until they are improved. n_carried : cuts that go from a coarser
    graph to the finer one.
    """

    n_eigenvectors: int
    resolutions: tuple[float, ...]
    n_finalists: int
    work: float
    least_work: float
    communities_from: int = 0
    enumerated: int = ENUMERATED
    direct: int = DIRECT
    with_halves: bool = False
    n_carried: int = 6


THOROUGH = Effort(n_eigenvectors=8, resolutions=(1.0, 0.1, 0.02), n_finalists=6, work=8e5, least_work=8e5, with_halves=True)
# For all cuts of a partition but the first: borders are improved once more at the end.
LIGHT = Effort(n_eigenvectors=6, resolutions=(1.0, 0.1), n_finalists=3, work=4e5, least_work=1e5)
# For the many cuts of a tree.
QUICK = Effort(n_eigenvectors=3, resolutions=(1.0,), n_finalists=1, work=2e5, least_work=2e4, communities_from=300)


@dataclass(frozen=True)
class CutSolution:
    """Cuts, the sparsest first (none where no cut keeps the balance), and the spectrum if it was computed."""

    cuts: list[Candidate]
    spectrum: Spectrum | None = None


def solve(
    problem: CutProblem,
    random: np.random.Generator,
    report: Reporter,
    *,
    vectors: Real | None = None,
    others: Others = list,
    effort: Effort = THOROUGH,
    with_certificate: bool = True,
) -> CutSolution:
    """The sparsest cuts found, of a graph all of whose nodes have a measure.

    vectors : columns beside the eigenvectors whose thresholds are tried too. others : called when they are needed, gives
    clusterings of the nodes whose parts are tried too, and their names. effort : how much is tried. with_certificate :
    compute λ₂ on large graphs too.
    """
    if problem.n_nodes <= effort.enumerated:
        cuts = [Candidate(side, problem.value(side), "all cuts") for side in best_of_all(problem)]
        return CutSolution(cuts, _small_spectrum(problem, random) if with_certificate else None)
    parts = whole_components(problem)
    if parts is not None:
        return CutSolution([parts])
    if problem.n_nodes <= effort.direct:
        return _search(problem, random, report, vectors, others, effort)
    return _search_coarse(problem, random, report, vectors, others, effort, with_certificate)


def whole_components(problem: CutProblem) -> Candidate | None:
    """Some components against the others, which cuts nothing; None where there is one, or none of this is allowed."""
    count, component = connected_components(problem.adjacency, directed=False)
    if count < 2:
        return None
    sizes = np.bincount(component, problem.measure, count)
    order = np.argsort(-sizes, kind="stable")
    is_inside = np.zeros(count, dtype=bool)
    light = 0.0
    for part in order[1:]:  # the largest stays outside; the others fill the smaller side
        if light + sizes[part] <= problem.total / 2:
            is_inside[part] = True
            light += sizes[part]
    side = is_inside[component]
    if not 0 < light < problem.total or not bool(problem.is_allowed(light)):
        return None
    return Candidate(side, 0.0, "components")


def _small_spectrum(problem: CutProblem, random: np.random.Generator) -> Spectrum | None:
    return smoothest(problem, 1, random) if problem.n_nodes > 1 else None


def _search(
    problem: CutProblem,
    random: np.random.Generator,
    report: Reporter,
    vectors: Real | None,
    others: Others,
    effort: Effort,
) -> CutSolution:
    report("Eigenvectors", 0, 1)
    # A coarse graph of few nodes may still have most of the edges: then fewer vectors and flows.
    is_dense = problem.adjacency.nnz > DENSE
    spectrum = smoothest(problem, min(effort.n_eigenvectors, 4 if is_dense else 99), random, 15 if is_dense else 60)
    depth = dijkstra(problem.adjacency, indices=0, unweighted=True)
    deepest = float(depth[np.isfinite(depth)].max())
    growth = min(problem.adjacency.nnz, DENSE) / 1e5
    work = max(effort.work * min(growth, growth**0.5), effort.least_work)
    found = [
        *_along(problem, spectrum, random),
        *(from_communities(problem, random, effort.resolutions) if problem.n_nodes >= effort.communities_from else ()),
        *(() if vectors is None else from_vectors(problem, vectors, "embedding column")),
    ]
    theirs = [candidate for parts, name in others() for candidate in from_groups(problem, parts, name)]
    even = _halving(problem) if effort.with_halves else None
    if even is not None:
        own = spectrum if problem.objective != "conductance" else smoothest(even, effort.n_eigenvectors, random)
        halves = [one for one in _along(even, own, random) if np.isfinite(one.value)]
        improved = refine(even, halves, Budget(work, deepest), effort.n_finalists, report)[: effort.n_carried]
        found += [replace(candidate, value=problem.value(candidate.side)) for candidate in improved]
    weights = problem.adjacency.data
    if weights.max(initial=1.0) > WIDE_RANGE * weights.min(initial=1.0):  # running sums of sweeps lose the small ones
        found, theirs = (
            [replace(candidate, value=problem.value(candidate.side)) for candidate in one] for one in (found, theirs)
        )
    cuts = refine(problem, found, Budget(work, deepest), effort.n_finalists, report)
    if theirs:  # by themselves: one budget for all would leave less for our own
        cuts = refine(problem, [*cuts[: effort.n_carried], *theirs], Budget(work / 2, deepest), effort.n_finalists, report)
    return CutSolution(cuts, spectrum)


def _along(problem: CutProblem, spectrum: Spectrum, random: np.random.Generator) -> Iterator[Candidate]:
    """Candidates of eigenvectors."""
    yield from from_vectors(problem, spectrum.vectors, "eigenvector")
    yield from from_rotations(problem, spectrum.vectors)
    yield from from_clusters(problem, spectrum.vectors, random)


def _halving(problem: CutProblem) -> CutProblem | None:
    """The problem of nearly equal halves beside one without a balance, and of φ′ beside one of the cut alone."""
    if problem.objective == "cut":
        return replace(problem, objective="ratio")
    if problem.allowed is not None:
        return None
    return replace(problem, objective="ratio", measure=np.ones(problem.n_nodes)).with_balance(EVEN)


def _search_coarse(
    problem: CutProblem,
    random: np.random.Generator,
    report: Reporter,
    vectors: Real | None,
    others: Others,
    effort: Effort,
    with_certificate: bool,
) -> CutSolution:
    report("Coarser graphs", 0, 1)
    groups = pair_up(problem, random)
    coarse = contract(problem, groups)
    if coarse.n_nodes > 0.95 * problem.n_nodes:  # nothing joins any more: a graph of almost no edges
        return _search(problem, random, report, vectors, others, effort)
    means = None
    if vectors is not None:
        weights = np.bincount(groups, minlength=coarse.n_nodes)
        means = np.column_stack([np.bincount(groups, column, coarse.n_nodes) / weights for column in vectors.T])
    if problem.allowed is not None:  # what is nearly balanced below can be balanced above, node by node
        room = float(coarse.measure.max())
        coarse = replace(coarse, allowed=tuple((low - room, high + room) for low, high in problem.allowed))
    below = solve(coarse, random, report, vectors=means, effort=effort, with_certificate=False)
    found = []
    for cut in below.cuts[: effort.n_carried]:
        side = cut.side[groups]
        if not problem.is_allowed(problem.measure[side].sum()):
            side = local_search(problem, side)
        found.append(Candidate(side, problem.value(side), cut.source))
    spectrum = None
    if with_certificate:
        if problem.adjacency.nnz <= MOST_FOR_EIGENVECTORS:
            report("Eigenvectors", 0, 1)
            spectrum = smoothest(problem, 1, random, n_iterations=20)
            found += from_vector(problem, spectrum.vectors[:, 0], "eigenvector 1")
        # Groups of coarser graphs cross communities where edges are light: nodes choose theirs once more, one by one.
        report("Communities", 0, 1)
        for communities in louvain(coarse, 1.0, random)[-1:]:
            own = settle(problem, communities[groups], 1.0, random)
            few = merged_to(problem, own, ENUMERATED) if ENUMERATED <= own.max() < MOST_MERGED else own
            found += from_groups(problem, few, "communities at resolution 1")
    for parts, name in others():
        found += from_groups(problem, parts, name)
    found = [cut for cut in distinct(found)[: 2 * effort.n_carried] if np.isfinite(cut.value)]
    return CutSolution(distinct([*found, *(improve_border(problem, cut) for cut in found)]), spectrum)
