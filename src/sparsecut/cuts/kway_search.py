"""k parts: candidates of several methods, each improved, and the best of them.

    cut            Mt-KaHyPar's partitions of several seeds, METIS' ones improved by it, and combinations of these, in a
                   process of its own; of meshes KaHIP's and METIS' (the extra ``cuts``). Without them: the sparsest allowed
                   cut, and each side again; then the border of every two parts that touch, by flow
    conductance    sparsest cuts, and each side again; clusters of eigenvectors, merged communities; then single moves
    modularity     merged communities; then single moves

How much is tried is planned in `kway_plan.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from dataclasses import replace

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.progress import Reporter
from sparsecut.cuts.communities import louvain, merged_to
from sparsecut.cuts.cut_input import Material
from sparsecut.cuts.eigenvectors import smoothest
from sparsecut.cuts.improve import band
from sparsecut.cuts.kmeans import kmeans
from sparsecut.cuts.kway_moves import keep_bounds, move_nodes, worth
from sparsecut.cuts.kway_plan import KwayPlan, Wanted, plan
from sparsecut.cuts.local import local_search
from sparsecut.cuts.multilevel import Kahypar, kahip_strong, metis
from sparsecut.cuts.objective import CutProblem, Real
from sparsecut.cuts.solve import LIGHT, THOROUGH, Effort, Others, solve

Members = NDArray[np.int64]
Efforts = tuple[Effort, Effort]

N_ROUNDS = 2  # over all pairs of parts that touch
PAIRS_PER_PART = 4  # the pairs with the most edges between them; in a mesh a part touches about six others
WIDTHS = (2, 6)
FEW_NODES = 16  # per part: below, our own search takes no longer than starting a process
MOST_COMMUNITIES = 1_000
MOST_EIGENVECTORS = 16


def find_parts(
    source: Material,
    wanted: Wanted,
    *,
    effort: str,
    seed: int,
    report: Reporter,
    efforts: Efforts = (THOROUGH, LIGHT),
) -> tuple[Members, str]:
    """The part of every node, and what found it.

    effort : "usual", "best" or "fast". efforts : of our own search for the first cut, and for the later ones.
    """
    if wanted.count == 1:
        return np.zeros(len(wanted.weights), dtype=np.int64), "one part"
    A, best = source.adjacency, (np.inf, np.zeros(len(wanted.weights), dtype=np.int64), "")
    for found, name in _candidates(source, wanted, effort, np.random.default_rng(seed), seed, report, efforts):
        members = keep_bounds(A, found, wanted.count, wanted.weights, wanted.most, wanted.fixed)
        if wanted.objective != "cut" and effort != "fast":
            members = move_nodes(A, members, wanted.objective, wanted.weights, wanted.most, wanted.held)
        value = worth(A, members, wanted.count, wanted.objective)
        if value < best[0] or not best[2]:
            best = (value, members, name)
    return best[1], best[2]


def _candidates(
    source: Material,
    wanted: Wanted,
    effort: str,
    random: np.random.Generator,
    seed: int,
    report: Reporter,
    efforts: Efforts,
) -> Iterator[tuple[Members, str]]:
    A, count, is_fast = source.adjacency, wanted.count, effort == "fast"
    is_tiny = A.shape[0] < FEW_NODES * count
    if is_fast and wanted.objective == "cut" and not is_tiny and A.nnz:
        parts = metis(A, wanted.weights, count, wanted.imbalance, seed)
        if parts is not None:
            yield parts, "METIS"
            return
    found: list[Members] = []
    report("Cutting", 0, 1)
    planned = KwayPlan() if is_tiny or not A.nnz else plan(A, wanted, seed, effort)
    given = _present(metis(A, wanted.weights, count, wanted.imbalance, start) for start in planned.starts)
    with ExitStack() as running:
        if planned.with_kahip and effort == "best":  # its parts are improved and combined with the others
            given += _present([kahip_strong(A, wanted.weights, count, wanted.imbalance, seed)])
        processes = [
            running.enter_context(Kahypar(A, wanted.weights, [task], wanted.fixed, () if number else given))
            for number, task in enumerate(planned.chains)
        ]
        if planned.with_kahip and effort != "best":
            for call, name in ((kahip_strong, "KaHIP"), (metis, "METIS")):
                found += (made := _present([call(A, wanted.weights, count, wanted.imbalance, seed)]))
                yield from ((parts, name) for parts in made)

        def others() -> list[tuple[Members, str]]:
            return [(parts, "Mt-KaHyPar") for process in processes for parts in process.parts()]

        is_free = wanted.objective == "cut" and wanted.fixed is None and not is_fast
        if count == 2 and is_free and (effort == "best" or planned == KwayPlan()):
            yield _halves(source, wanted, random, report, efforts[0], others)
            return
        for parts, name in others():
            found.append(parts)
            yield parts, name
    clusters = [] if wanted.objective == "cut" else list(_clusters(A, wanted, random))
    is_divided = wanted.objective == "conductance" and A.shape[0] <= THOROUGH.direct
    if is_divided or not (found or clusters):
        parts = _recursive(source, wanted, random, report, (LIGHT, LIGHT) if is_fast else efforts)
        if wanted.objective == "cut" and not is_fast:
            parts = keep_bounds(A, parts, count, wanted.weights, wanted.most, wanted.fixed)
            parts = improve_pairs(A, parts, wanted, report)
        yield parts, "recursive cuts"
    yield from clusters


def _present(found: Iterable[Members | None]) -> list[Members]:
    return [parts for parts in found if parts is not None]


def _halves(
    source: Material,
    wanted: Wanted,
    random: np.random.Generator,
    report: Reporter,
    effort: Effort,
    others: Others,
) -> tuple[Members, str]:
    """Two parts: our own search, with the parts of Mt-KaHyPar among its candidates."""
    total = float(wanted.weights.sum())
    problem = replace(
        CutProblem.of_adjacency(source.adjacency, "cut"),
        measure=wanted.weights,
        allowed=((max(total - wanted.most, 0.0), min(wanted.most, total)),),
    )
    cuts = solve(problem, random, report, vectors=source.vectors, others=others, effort=effort, with_certificate=False).cuts
    if not cuts:
        return _prefix(wanted.weights), "the order of the nodes"
    return cuts[0].side.astype(np.int64), cuts[0].source


def _prefix(weights: Real) -> Members:
    """The first nodes, up to half of the weight."""
    return np.asarray(np.cumsum(weights) > weights.sum() / 2, dtype=np.int64)


def _clusters(A: sp.csr_array, wanted: Wanted, random: np.random.Generator) -> Iterator[tuple[Members, str]]:
    """Clusterings with the requested number of parts: merged communities, and rows of eigenvectors."""
    problem = CutProblem.of_adjacency(A, "conductance")
    if not A.nnz:
        return
    levels = [groups for groups in louvain(problem, 1.0, random) if groups.max() >= wanted.count - 1]
    if levels and levels[-1].max() < MOST_COMMUNITIES:
        yield merged_to(problem, levels[-1], wanted.count), "communities"
    if wanted.objective == "conductance" and (problem.degrees > 0).all() and wanted.count <= MOST_EIGENVECTORS:
        vectors = smoothest(problem, wanted.count, random).vectors
        yield kmeans(vectors, wanted.count, random), "clusters of eigenvectors"


def _recursive(source: Material, wanted: Wanted, random: np.random.Generator, report: Reporter, efforts: Efforts) -> Members:
    """The sparsest allowed cut, and each side again."""
    members = np.zeros(source.adjacency.shape[0], dtype=np.int64)
    todo = [(np.arange(len(members)), wanted.count, 0)]
    while todo:
        nodes, count, first = todo.pop()
        members[nodes] = first
        if count == 1 or len(nodes) < 2:
            continue
        effort = efforts[0] if len(nodes) == len(members) else efforts[1]
        side, n_inside = _split(source, nodes, count, wanted, random, report, effort)
        todo += [(nodes[side], n_inside, first), (nodes[~side], count - n_inside, first + n_inside)]
    return members


def _split(
    source: Material,
    nodes: Members,
    count: int,
    wanted: Wanted,
    random: np.random.Generator,
    report: Reporter,
    effort: Effort,
) -> tuple[NDArray[np.bool_], int]:
    """One side of some nodes, and how many of `count` parts it is to become."""
    weights = wanted.weights[nodes]
    total, least = float(weights.sum()), float(weights.min())
    pairs = [
        (k, max(k * least, total - (count - k) * wanted.most), min(k * wanted.most, total - (count - k) * least))
        for k in range(1, count)
    ]
    A = source.adjacency[nodes][:, nodes] if len(nodes) < source.adjacency.shape[0] else source.adjacency
    problem = replace(
        CutProblem.of_adjacency(A, "ratio"), measure=weights, allowed=tuple((a, b) for _, a, b in pairs if a <= b)
    )
    vectors = None if source.vectors is None else source.vectors[nodes]
    cuts = solve(problem, random, report, vectors=vectors, effort=effort, with_certificate=False).cuts
    side = cuts[0].side if cuts else _prefix(weights) == 0
    inside = float(weights[side].sum())
    # As many parts for a side as its weight asks for, among the numbers its weight allows.
    options = [k for k, a, b in pairs if a - 1e-9 * total <= inside <= b + 1e-9 * total] or range(1, count)
    return side, min(options, key=lambda k: abs(k - count * inside / total))


def improve_pairs(A: sp.csr_array, members: Members, wanted: Wanted, report: Reporter) -> Members:
    """The parts after moving the borders between those that touch, where that takes edges off the cut."""
    members = members.copy()
    count = wanted.count
    changed = np.ones(count, dtype=bool)
    for number in range(N_ROUNDS):
        rows, columns = np.repeat(members, np.diff(A.indptr)), members[A.indices]
        across = rows < columns
        weights = np.bincount(rows[across] * count + columns[across], A.data[across], count * count)
        pairs = np.flatnonzero(weights)
        pairs = pairs[np.argsort(-weights[pairs], kind="stable")][: PAIRS_PER_PART * count]
        before, changed = changed, np.zeros(count, dtype=bool)
        for step, pair in enumerate(pairs.tolist()):
            one, other = pair // count, pair % count
            if before[one] or before[other] or changed[one] or changed[other]:
                report("Improving borders", number * len(pairs) + step, N_ROUNDS * len(pairs))
                if _improve_pair(A, members, one, other, wanted):
                    changed[[one, other]] = True
        if not changed.any():
            break
    return members


def _improve_pair(A: sp.csr_array, members: Members, one: int, other: int, wanted: Wanted) -> bool:
    nodes = np.flatnonzero((members == one) | (members == other))
    weights = wanted.weights[nodes]
    problem = replace(
        CutProblem.of_adjacency(A[nodes][:, nodes], "cut"),
        measure=weights,
        allowed=((float(weights.sum()) - wanted.most, wanted.most),),
        held=wanted.held[nodes] if wanted.fixed is not None else None,
    )
    side = members[nodes] == one
    before = problem.value(side)
    for width in WIDTHS:
        side = band(problem, side, width)
    side = local_search(problem, side)
    if not problem.value(side) < before * (1 - 1e-12):
        return False
    members[nodes] = np.where(side, one, other)
    return True
