"""From many candidates to one cut: improve all a little, then some more, then the best until nothing improves them.

    1. a narrow band along the border of every candidate
    2. MQI, exact inside a set, for candidates of every size: the best small set often lies in a large one that is bad
    3. single moves, bands of several widths, MQI and FlowImprove in turn, for the few best

What a flow costs is estimated from its network, and each stage has a share of one budget in those units, so large graphs get
few flows and small ones many. No clock is read: the same graph always gives the same cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np

from sparsecut.partition.candidates import Candidate, distinct, range_of
from sparsecut.partition.improve import band, border, flow_improve, mqi, n_slopes
from sparsecut.partition.local import local_search
from sparsecut.partition.objective import CutProblem, Mask
from sparsecut.progress import Reporter

NARROW = (1, 3)
WIDE = (2, 5, 12)
ALIKE = 0.2  # of the smaller one's nodes: two cuts that differ by less count as nearly the same
SMALL = 2_000_000  # arcs inside a set for which exact improvement is affordable on any graph
ARCS_PER_CALL = 4_000  # what calling a flow costs, in arcs


@dataclass
class Budget:
    """Work allowed and spent, in arcs of flow networks; deep graphs (meshes) cost more per arc."""

    limit: float
    depth: float
    spent: float = field(default=0.0)

    def cost(self, n_arcs: float) -> float:
        return ARCS_PER_CALL + n_arcs * (0.5 + self.depth / 50)

    def pay(self, n_arcs: float) -> None:
        self.spent += self.cost(n_arcs)


def refine(
    problem: CutProblem, candidates: list[Candidate], budget: Budget, n_finalists: int, report: Reporter
) -> list[Candidate]:
    """The candidates and what became of them, the sparsest first."""
    pool = distinct(candidates)
    for stage, (share, improve) in enumerate(((0.25, _narrow), (0.6, _inside))):
        improved = []
        queue = list(_by_turns(problem, pool))
        for number, candidate in enumerate(queue):
            if budget.spent > share * budget.limit:
                break
            improved += improve(problem, candidate, budget)
            report("Improving cuts", stage * len(queue) + number, 3 * len(queue))
        pool = distinct([*pool, *improved])
    for number, candidate in enumerate(_unlike(problem, pool, 2 * n_finalists)):
        report("Improving the best", number, 3 * n_finalists)
        pool.append(_along_border(problem, candidate, budget))
    pool = distinct(pool)
    for number, candidate in enumerate(_unlike(problem, pool, n_finalists)):
        if number and budget.spent > budget.limit:
            break
        report("Improving the best", 2 * n_finalists + number, 3 * n_finalists)
        pool.append(_all_over(problem, candidate, budget))
    return distinct(pool)


def _along_border(problem: CutProblem, candidate: Candidate, budget: Budget) -> Candidate:
    """One cut, improved by single moves and bands until neither improves it."""
    while True:
        before = candidate
        candidate = _try(problem, candidate, local_search)
        for width in WIDE:
            candidate = _try(problem, candidate, band, width)
            budget.pay(_near(problem, candidate.side, width))
        if candidate is before or budget.spent > 2 * budget.limit:
            return candidate


def _all_over(problem: CutProblem, candidate: Candidate, budget: Budget) -> Candidate:
    """One cut, improved inside, around and along its border until nothing improves it."""
    while True:
        before = candidate
        candidate = _try(problem, candidate, mqi)
        budget.pay(_arcs(problem, problem.smaller(candidate.side)))
        if budget.spent <= budget.limit:
            candidate = _try(problem, candidate, flow_improve)
            budget.pay(2 * problem.adjacency.nnz)
        if candidate is before or budget.spent > 2 * budget.limit:
            return candidate
        candidate = _along_border(problem, candidate, budget)


def _unlike(problem: CutProblem, pool: list[Candidate], count: int) -> list[Candidate]:
    """The best cuts that are not nearly the same: what improves one of two alike would improve both to the same cut."""
    chosen: list[tuple[Candidate, Mask, int]] = []
    for candidate in pool:
        side = problem.smaller(candidate.side)
        size = int(side.sum())
        if len(chosen) == count:
            break
        if all(
            min(apart, problem.n_nodes - apart) > ALIKE * min(size, other_size)
            for other_size, apart in ((other_size, int((side ^ other).sum())) for _, other, other_size in chosen)
        ):
            chosen.append((candidate, side, size))
    return [candidate for candidate, _, _ in chosen]


def improve_border(problem: CutProblem, candidate: Candidate) -> Candidate:
    """One cut of a large graph, improved near its border and, if it is small, inside."""
    for width in (1, 2):
        candidate = _try(problem, candidate, band, width)
    if _arcs(problem, problem.smaller(candidate.side)) <= SMALL:
        candidate = _try(problem, candidate, mqi)
    return candidate


def _narrow(problem: CutProblem, candidate: Candidate, budget: Budget) -> list[Candidate]:
    for width in NARROW:
        candidate = _try(problem, candidate, band, width)
        budget.pay(_near(problem, candidate.side, width))
    return [candidate]


def _inside(problem: CutProblem, candidate: Candidate, budget: Budget) -> list[Candidate]:
    budget.pay(2 * _arcs(problem, problem.smaller(candidate.side)))
    return [_try(problem, candidate, mqi)]


def _try(problem: CutProblem, candidate: Candidate, improve: Callable[..., Mask], *options: int) -> Candidate:
    side = improve(problem, candidate.side, *options)
    value = problem.value(side)
    return Candidate(side, value, candidate.source) if value < candidate.value * (1 - 1e-12) else candidate


def _by_turns(problem: CutProblem, pool: list[Candidate]) -> Iterator[Candidate]:
    """The best of every range of sizes, then the second of every range, and so on."""
    ranges: dict[int, list[Candidate]] = {}
    for candidate in pool:
        number = int(range_of(problem, float(problem.measure[candidate.side].sum())))
        ranges.setdefault(number, []).append(candidate)
    for turn in range(max(map(len, ranges.values()), default=0)):
        yield from (members[turn] for members in ranges.values() if turn < len(members))


def _arcs(problem: CutProblem, side: Mask) -> float:
    return float(np.diff(problem.adjacency.indptr)[side].sum())


def _near(problem: CutProblem, side: Mask, width: int) -> float:
    """About the arcs of a band's networks."""
    near = _arcs(problem, border(problem, side))
    return float(n_slopes(problem) * min(width * near, problem.adjacency.nnz))
