"""All cuts of a tree: the sparsest one of the graph, then of each side, down to single nodes.

A search usually finds several small sets that have nothing to do with each other. Where the sparsest is small, others of the
same search that are about as sparse are cut off right after it, because a new search of what is left would find them again.

Graphs of more than 2,000 nodes take n log n: each cut has at least a tenth of its nodes on the smaller side. It is the best
of METIS' cuts with several balances, improved along its border; without METIS it is searched on a coarser graph while there
are many nodes. Clusters of at most 128 nodes are joined bottom up, those first that have the most edges per pair of nodes
(average linkage). Most of Dasgupta's cost lies above them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.cluster.hierarchy import linkage as join
from scipy.sparse.csgraph import connected_components
from scipy.spatial.distance import squareform

from sparsecut.base.progress import Reporter
from sparsecut.cuts.candidates import Candidate, distinct
from sparsecut.cuts.cut_input import Material
from sparsecut.cuts.multilevel import metis
from sparsecut.cuts.objective import CutProblem, Mask, Real
from sparsecut.cuts.search import improve_border
from sparsecut.cuts.solve import QUICK, Effort, solve

SMALL_SHARE = 0.1  # of the nodes: several disjoint cuts this small are taken from one search
WORK_OF_CUT = 25  # nodes: what a search takes however small its cluster
LOOSENESS = 1.1  # times the sparsest one's value, for another cut of the same search to be taken too

BRIEF = replace(QUICK, direct=1_000, n_carried=1, work=1e5, least_work=1e4, communities_from=500)

Nodes = NDArray[np.int64]


@dataclass(frozen=True)
class Speed:
    """How the tree of a large graph is made: from how many nodes on, and with what instead of the sparsest of all cuts.

    joined : nodes of a cluster that is joined bottom up. balance : the least share of the smaller side. imbalances : of
    METIS' cuts, the n_improved sparsest of which are improved. effort : of the search where there is no METIS.
    """

    large_from: int = 2_001
    joined: int = 128
    balance: float = 0.1
    imbalances: tuple[float, ...] = (0.05, 0.2, 0.5, 0.75)
    n_improved: int = 3
    effort: Effort = BRIEF


SPEED = Speed()


def cut_down(source: Material, random: np.random.Generator, report: Reporter, speed: Speed = SPEED) -> tuple[Real, Real]:
    """The tree as SciPy's linkage, and φ′ of the split in each of its rows."""
    return _linkage(*_split_all(source, random, report, speed))


def first_clusters(source: Material, random: np.random.Generator, work: float, speed: Speed = SPEED) -> Iterator[Nodes]:
    """The clusters of the tree of `cut_down`, of the same random numbers, in the order in which they are cut off.

    work : nodes of clusters that are cut, WORK_OF_CUT more for each; when it is spent, the clusters below are left out.
    """
    for nodes, parts in _parts(source, random, speed):
        left = nodes
        for part, _ in parts[:-1]:
            left = np.setdiff1d(left, part, assume_unique=True)
            yield part
            yield left
        work -= len(nodes) + WORK_OF_CUT if parts else 0
        if work <= 0:
            return


@dataclass
class _Split:
    """One inner node: its two children are splits (numbers ≥ 0) or leaves (-1 - node)."""

    children: list[int]
    size: int
    value: float


def _split_all(source: Material, random: np.random.Generator, report: Reporter, speed: Speed) -> tuple[list[_Split], int]:
    """All splits, parents before children, and the number of leaves."""
    n = source.adjacency.shape[0]
    splits: list[_Split] = []
    places = [(-1, 0)]  # of the clusters to come: their parent, which child
    report("Cutting", 0, n - 1)
    for nodes, parts in _parts(source, random, speed):
        parent, place = places.pop()
        if len(nodes) == 1:
            if parent >= 0:
                splits[parent].children[place] = -1 - int(nodes[0])
            continue
        if not parts:
            if parent >= 0:
                splits[parent].children[place] = len(splits)
            splits += _joined(source.adjacency[nodes][:, nodes].toarray(), nodes, len(splits))
            continue
        left = len(nodes)
        for inside, value in parts[:-1]:
            if parent >= 0:
                splits[parent].children[place] = len(splits)
            parent, place = len(splits), 1
            splits.append(_Split([0, 0], left, value))
            left -= len(inside)
            places.append((parent, 0))
        places.append((parent, place))
        report("Cutting", len(splits), n - 1)
    return splits, n


def _parts(source: Material, random: np.random.Generator, speed: Speed) -> Iterator[tuple[Nodes, list[tuple[Nodes, float]]]]:
    """Every cluster and what `_peel` makes of it, the last of its parts next; nothing of one node and of what is joined."""
    n = source.adjacency.shape[0]
    is_large = n >= speed.large_from
    todo: list[Nodes] = [np.arange(n)]
    while todo:
        nodes = todo.pop()
        is_cut = len(nodes) > (speed.joined if is_large else 1)
        parts = _peel(source, nodes, random, speed if is_large else None) if is_cut else []
        yield nodes, parts
        todo += [part for part, _ in parts]


def _joined(W: Real, nodes: Nodes, first: int) -> list[_Split]:
    """The splits of a few nodes joined bottom up, parents first; `first` is the number of the uppermost."""
    highest = float(W.max(initial=0.0))
    rows = join(squareform(highest - W, checks=False), method="average")  # the mean distance: the highest less the mean edge
    n, last = len(nodes), first + len(nodes) - 2
    found = []
    for row in rows[::-1]:
        one, other = int(row[0]), int(row[1])
        children = [-1 - int(nodes[child]) if child < n else last - (child - n) for child in (one, other)]
        found.append(_Split(children, int(row[3]), float(row[3] * max(highest - row[2], 0.0))))
    return found


def _peel(source: Material, nodes: Nodes, random: np.random.Generator, speed: Speed | None) -> list[tuple[Nodes, float]]:
    """The parts of some nodes, cut off one after the other, with the value of each cut; the last is what is left."""
    A = source.adjacency[nodes][:, nodes] if len(nodes) < source.adjacency.shape[0] else source.adjacency
    count, component = connected_components(A, directed=False)
    if count > 1:  # nothing is cut: the components in turn, the smallest first
        sizes = np.bincount(component)
        by_size = np.argsort(sizes, kind="stable")
        rank = np.empty(count, dtype=np.int64)
        rank[by_size] = np.arange(count)
        grouped = nodes[np.argsort(rank[component], kind="stable")]
        return [(part, 0.0) for part in np.split(grouped, np.cumsum(sizes[by_size])[:-1])]
    problem = CutProblem.of_adjacency(A, "ratio")
    vectors = None if source.vectors is None else source.vectors[nodes]
    effort = QUICK if speed is None else speed.effort
    balanced = problem if speed is None else problem.with_balance(speed.balance)
    found = [] if speed is None else _by_metis(balanced, speed, random)
    if not found:
        found = solve(balanced, random, _silent, vectors=vectors, effort=effort, with_certificate=False).cuts
    if not found:  # no cut keeps the balance: the sparsest of all
        found = solve(problem, random, _silent, vectors=vectors, effort=effort, with_certificate=False).cuts
    taken = _disjoint(problem, found)
    rest = ~np.logical_or.reduce([side for side, _ in taken])
    return [*((nodes[side], value) for side, value in taken), (nodes[rest], 0.0)]


def _by_metis(problem: CutProblem, speed: Speed, random: np.random.Generator) -> list[Candidate]:
    """METIS' cuts with several balances, the sparsest ones improved; none without METIS."""
    seed = int(random.integers(2**20))
    made = (metis(problem.adjacency, problem.measure, 2, imbalance, seed) for imbalance in speed.imbalances)
    sides = [parts == 0 for parts in made if parts is not None]
    found = distinct(Candidate(side, problem.value(side), "METIS") for side in sides)
    found = [one for one in found if np.isfinite(one.value)]
    return distinct(improve_border(problem, one) for one in found[: speed.n_improved])


def _disjoint(problem: CutProblem, found: list[Candidate]) -> list[tuple[Mask, float]]:
    """The sparsest cut; if it is small, also others of the search that do not meet it and are about as sparse."""
    best = problem.smaller(found[0].side)
    taken = [(best, found[0].value)]
    left = ~best
    for candidate in found[1:]:
        if best.mean() > SMALL_SHARE or candidate.value > LOOSENESS * found[0].value:
            break
        side = problem.smaller(candidate.side)
        if side.mean() > SMALL_SHARE or not left[side].all():
            continue
        rest = problem.adjacency @ left.astype(np.float64)
        cut = float(rest[side].sum() - (problem.adjacency[side] @ side.astype(np.float64)).sum())
        inside, whole = int(side.sum()), int(left.sum())
        value = whole * cut / (inside * (whole - inside))
        if value <= LOOSENESS * found[0].value:
            taken.append((side, value))
            left = left & ~side
    return taken


def _linkage(splits: list[_Split], n: int) -> tuple[Real, Real]:
    """The splits as SciPy's rows, the smallest first, children before parents."""
    sizes = np.array([split.size for split in splits], dtype=np.int64)
    order = np.lexsort((-np.arange(len(splits)), sizes))  # of equal sizes the later split cannot be above the earlier
    row_of = np.empty(len(splits), dtype=np.int64)
    row_of[order] = np.arange(len(splits))
    rows = np.zeros((len(splits), 4))
    for row, number in enumerate(order):
        pair = sorted(-1 - child if child < 0 else n + int(row_of[child]) for child in splits[number].children)
        rows[row] = (*pair, splits[number].size, splits[number].size)
    return rows, np.array([splits[number].value for number in order])


def _silent(stage: str, done: int, total: int) -> None:
    """The searches of a tree are many and short: the tree itself reports."""
