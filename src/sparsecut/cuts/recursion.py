"""All cuts of a tree: the sparsest one of the graph, then of each side, down to single nodes.

A search usually finds several small sets that have nothing to do with each other. Where the sparsest is small, others of the
same search that are about as sparse are cut off right after it, because a new search of what is left would find them again.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from sparsecut.base.progress import Reporter
from sparsecut.cuts.candidates import Candidate
from sparsecut.cuts.cut_input import Material
from sparsecut.cuts.objective import CutProblem, Mask, Real
from sparsecut.cuts.solve import QUICK, solve

SMALL_SHARE = 0.1  # of the nodes: several disjoint cuts this small are taken from one search
LOOSENESS = 1.1  # times the sparsest one's value, for another cut of the same search to be taken too

Nodes = NDArray[np.int64]


def cut_down(source: Material, random: np.random.Generator, report: Reporter) -> tuple[Real, Real]:
    """The tree as SciPy's linkage, and φ′ of the split in each of its rows."""
    return _linkage(*_split_all(source, random, report))


@dataclass
class _Split:
    """One inner node: its two children are splits (numbers ≥ 0) or leaves (-1 - node)."""

    children: list[int]
    size: int
    value: float


def _split_all(source: Material, random: np.random.Generator, report: Reporter) -> tuple[list[_Split], int]:
    """All splits, parents before children, and the number of leaves."""
    n = source.adjacency.shape[0]
    splits: list[_Split] = []
    todo: list[tuple[Nodes, int, int]] = [(np.arange(n), -1, 0)]  # nodes, their parent, which child
    while todo:
        nodes, parent, place = todo.pop()
        if len(nodes) == 1:
            if parent >= 0:
                splits[parent].children[place] = -1 - int(nodes[0])
            continue
        report("Cutting", len(splits), n - 1)
        for inside, rest, value in _peel(source, nodes, random):
            number = len(splits)
            splits.append(_Split([0, 0], len(inside) + len(rest), value))
            if parent >= 0:
                splits[parent].children[place] = number
            todo.append((inside, number, 0))
            nodes, parent, place = rest, number, 1
        todo.append((nodes, parent, place))
    return splits, n


def _peel(source: Material, nodes: Nodes, random: np.random.Generator) -> list[tuple[Nodes, Nodes, float]]:
    """Cuts of some nodes, one after the other: (cut off, left over, value), each within what the one before left over."""
    A = source.adjacency[nodes][:, nodes] if len(nodes) < source.adjacency.shape[0] else source.adjacency
    count, component = connected_components(A, directed=False)
    if count > 1:  # nothing is cut: the components in turn, the smallest first
        by_size = np.argsort(np.bincount(component), kind="stable")
        sides: list[Mask] = [component == part for part in by_size[:-1]]
        return _apply(nodes, [(side, 0.0) for side in sides])
    problem = CutProblem.of_adjacency(A, "ratio")
    vectors = None if source.vectors is None else source.vectors[nodes]
    found = solve(problem, random, _silent, vectors=vectors, effort=QUICK, with_certificate=False).cuts
    return _apply(nodes, _disjoint(problem, found))


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


def _apply(nodes: Nodes, sides: list[tuple[Mask, float]]) -> list[tuple[Nodes, Nodes, float]]:
    steps = []
    left = np.ones(len(nodes), dtype=bool)
    for side, value in sides:
        left = left & ~side
        steps.append((nodes[side], nodes[left], value))
    return steps


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
