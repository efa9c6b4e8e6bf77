"""k parts: candidates of several methods, each improved, and the best of them.

    cut            Mt-KaHyPar, several seeds, and for meshes KaHIP, in two processes (the extra ``cuts``); of two parts also
                   our own search. Without them: the sparsest allowed cut, and each side again; then the border of every two
                   parts that touch, by flow
    conductance    the same without a bound on sizes, clusters of eigenvectors, merged communities; then single moves
    modularity     as conductance

The number of seeds follows from the size of the graph, never from the clock or the number of cores.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, replace

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
from sparsecut.cuts.local import local_search
from sparsecut.cuts.multilevel import Kahypar, Task, has_kahip, metis
from sparsecut.cuts.objective import CutProblem, Real
from sparsecut.cuts.solve import LIGHT, THOROUGH, Effort, solve

Members = NDArray[np.int64]
Efforts = tuple[Effort, Effort]

LEAST_SEEDS, SEEDS_BESIDE_KAHIP, USUAL_SEEDS, MOST_SEEDS = 1, 1, 3, 8  # the most for halves
ENTRIES = 4_000_000  # stored entries of the graph times seeds, at most, where that leaves the least number
N_ROUNDS = 2  # over all pairs of parts that touch
PAIRS_PER_PART = 4  # the pairs with the most edges between them; in a mesh a part touches about six others
WIDTHS = (2, 6)
FEW_NODES = 16  # per part: below, our own search takes no longer than starting a process
MOST_FOR_KAHIP = 400_000  # stored entries: beyond, it takes minutes
MESH_DEGREES = 8  # times the mean degree, at most, of a mesh's nodes
MOST_COMMUNITIES = 1_000
MOST_EIGENVECTORS = 16


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


def find_parts(
    source: Material,
    wanted: Wanted,
    *,
    is_fast: bool,
    seed: int,
    report: Reporter,
    efforts: Efforts = (THOROUGH, LIGHT),
) -> tuple[Members, str]:
    """The part of every node, and what found it. efforts : of our own search for the first cut, and for the later ones."""
    if wanted.count == 1:
        return np.zeros(len(wanted.weights), dtype=np.int64), "one part"
    A, best = source.adjacency, (np.inf, np.zeros(len(wanted.weights), dtype=np.int64), "")
    for found, name in _candidates(source, wanted, is_fast, np.random.default_rng(seed), seed, report, efforts):
        members = keep_bounds(A, found, wanted.count, wanted.weights, wanted.most, wanted.fixed)
        if wanted.objective != "cut" and not is_fast:
            members = move_nodes(A, members, wanted.objective, wanted.weights, wanted.most, wanted.held)
        value = worth(A, members, wanted.count, wanted.objective)
        if value < best[0] or not best[2]:
            best = (value, members, name)
    return best[1], best[2]


def _candidates(
    source: Material,
    wanted: Wanted,
    is_fast: bool,
    random: np.random.Generator,
    seed: int,
    report: Reporter,
    efforts: Efforts,
) -> Iterator[tuple[Members, str]]:
    A, count = source.adjacency, wanted.count
    is_tiny = A.shape[0] < FEW_NODES * count
    if is_fast and wanted.objective == "cut" and not is_tiny and A.nnz:
        parts = metis(A, wanted.weights, count, wanted.imbalance, seed)
        if parts is not None:
            yield parts, "METIS"
            return
    found: list[Members] = []
    with ExitStack() as running:
        report("Cutting", 0, 1)
        tasks = [] if is_tiny else kahypar_tasks(A, wanted, seed, is_fast=is_fast)
        processes = [running.enter_context(Kahypar(A, wanted.weights, chain, wanted.fixed)) for chain in tasks]

        def others() -> list[Members]:
            found.extend(parts for process in processes for parts in process.parts())
            return found

        if count == 2 and wanted.objective == "cut" and wanted.fixed is None and not is_fast:
            effort = replace(efforts[0], with_halves=False) if tasks else efforts[0]
            yield _halves(source, wanted, random, report, effort, others)
            return
        names = ["KaHIP and Mt-KaHyPar" if chain[0].kahip_seed is not None else "Mt-KaHyPar" for chain in tasks]
        for process, name in zip(processes, names, strict=True):
            for parts in process.parts():
                found.append(parts)
                yield parts, name
    if not found or (wanted.objective == "conductance" and A.shape[0] <= THOROUGH.direct):
        parts = _recursive(source, wanted, random, report, (LIGHT, LIGHT) if is_fast else efforts)
        if wanted.objective == "cut" and not is_fast:
            parts = keep_bounds(A, parts, count, wanted.weights, wanted.most, wanted.fixed)
            parts = improve_pairs(A, parts, wanted, report)
        yield parts, "recursive cuts"
    if wanted.objective != "cut":
        yield from _clusters(A, wanted, random)


def kahypar_tasks(A: sp.csr_array, wanted: Wanted, seed: int, *, is_fast: bool) -> list[list[Task]]:
    """What each process has to find: the best of Mt-KaHyPar's seeds, and KaHIP's parts where they cost no more time."""
    count, imbalance = wanted.count, min(wanted.imbalance, 1.0)
    if is_fast:
        return [[Task(count, imbalance, "DEFAULT", (seed,))]]
    first = seed * 1_000
    is_mesh = wanted.fixed is None and has_kahip() and is_quick_for_kahip(A)
    most = MOST_SEEDS if count == 2 else SEEDS_BESIDE_KAHIP if is_mesh else USUAL_SEEDS
    n_seeds = max(LEAST_SEEDS, min(most, ENTRIES // max(A.nnz, 1)))
    chains = [[Task(count, imbalance, "QUALITY", tuple(range(first, first + n_seeds)), is_improved=True)]]
    if is_mesh:
        chains.append([Task(count, imbalance, "QUALITY", (), is_improved=True, kahip_seed=seed)])
    elif count == 2:
        others = tuple(range(first + n_seeds, first + 2 * n_seeds))
        chains.append([Task(count, imbalance, "QUALITY", others, is_improved=True)])
    return chains


def is_quick_for_kahip(A: sp.csr_array) -> bool:
    """Whether KaHIP takes no longer than Mt-KaHyPar's seeds: on meshes, where it is ahead as well."""
    degrees = np.diff(A.indptr)
    return A.nnz <= MOST_FOR_KAHIP and bool(degrees.max() <= MESH_DEGREES * degrees.mean())


def _halves(
    source: Material,
    wanted: Wanted,
    random: np.random.Generator,
    report: Reporter,
    effort: Effort,
    others: Callable[[], list[Members]],
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
