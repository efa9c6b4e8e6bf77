"""From many candidates to one cut: improve all a little, then some more, then the best until nothing improves them.

    1. a narrow band along the border of every candidate
    2. MQI, exact inside a set, for candidates of every size: the best small set often lies in a large one that is bad
    3. single moves, bands of several widths, MQI and FlowImprove in turn, for the few best
    4. all unions of the cells that the best few divide the graph into

What a flow costs is estimated from its network, and each stage has a share of one budget in those units, so large graphs get
few flows and small ones many. Time is not measured, so the same graph always gives the same cut.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

import numpy as np
import scipy.sparse as sp
from scipy.sparse.csgraph import connected_components

from sparsecut.base.progress import Reporter
from sparsecut.cuts.candidates import Candidate, distinct, from_groups, range_of
from sparsecut.cuts.exact_cut import ENUMERATED
from sparsecut.cuts.improve import band, border, flow_improve, mqi, n_slopes
from sparsecut.cuts.local import local_search
from sparsecut.cuts.objective import CutProblem, Mask

NARROW = (1, 3)
WIDE = (2, 5, 12)
N_CROSSED = 4  # of the best cuts: at most 16 cells, all of whose unions are tried
ALIKE = 0.2  # of the smaller one's nodes: two cuts that differ by less count as nearly the same
LARGEST_NETWORK = 4_000_000  # arcs of a flow: half a GiB
ARCS_PER_CALL = 3_000  # what calling a flow costs, in arcs
MOST_AT_ONCE = 5  # budgets: one network in a long path would take minutes


@dataclass
class Budget:
    """Work allowed and spent, in arcs of flow networks; deep graphs (meshes) cost more per arc.

    depth : the steps from some node to the farthest.
    """

    limit: float
    depth: float
    spent: float = field(default=0.0)

    def pay(self, n_arcs: float, n_flows: int) -> bool:
        """Whether a network is small and shallow enough at all; its flows are then paid for."""
        cost = n_flows * (ARCS_PER_CALL + n_arcs * (0.5 + self.depth / 50))
        if n_arcs > LARGEST_NETWORK or (self.limit and cost > MOST_AT_ONCE * self.limit):
            return False
        self.spent += cost
        return True


def refine(
    problem: CutProblem, candidates: list[Candidate], budget: Budget, n_finalists: int, report: Reporter
) -> list[Candidate]:
    """The candidates and what became of them, the sparsest first."""
    pool = distinct(candidates)
    for stage, (share, improve) in enumerate(((0.25, _narrow), (0.6, _try_inside))):
        improved = []
        queue = list(_by_turns(problem, pool))
        for number, candidate in enumerate(queue):
            if budget.spent > share * budget.limit:
                break
            improved.append(improve(problem, candidate, budget))
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
    pool = distinct(pool)
    crossed = (one for one in _crossed(problem, pool[:N_CROSSED]) if one.value < pool[0].value * (1 - 1e-12))
    return distinct([*pool, *(_along_border(problem, candidate, budget) for candidate in crossed)])


def _crossed(problem: CutProblem, cuts: list[Candidate]) -> Iterator[Candidate]:
    """All unions of the cells that a few cuts divide the graph into: what one has right here and another there."""
    if len(cuts) < 2:
        return
    cells = np.unique(np.column_stack([cut.side for cut in cuts]), axis=0, return_inverse=True)[1].ravel()
    within = problem.adjacency.tocoo()
    same = cells[within.row] == cells[within.col]
    pieces = sp.coo_array((within.data[same], (within.row[same], within.col[same])), shape=within.shape)
    count, connected = connected_components(pieces, directed=False)  # a cell may lie in several places
    yield from from_groups(problem, connected if count <= ENUMERATED else cells, f"crossing of {cuts[0].source}")


def _along_border(problem: CutProblem, candidate: Candidate, budget: Budget) -> Candidate:
    """One cut, improved by single moves and bands until neither improves it."""
    while True:
        before = candidate
        candidate = _try(problem, candidate, local_search)
        for width in WIDE:
            candidate = _try_band(problem, candidate, width, budget)
        if candidate is before or budget.spent > 2 * budget.limit:
            return candidate


def _all_over(problem: CutProblem, candidate: Candidate, budget: Budget) -> Candidate:
    """One cut, improved inside, around and along its border until nothing improves it."""
    while True:
        before = candidate
        candidate = _try_inside(problem, candidate, budget)
        if budget.spent <= budget.limit and budget.pay(problem.adjacency.nnz, n_flows=2):
            candidate = _try(problem, candidate, flow_improve)
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
    """One cut of a large graph, improved where that is affordable: near its border, inside if it is small, node by node."""
    budget = Budget(limit=0.0, depth=0.0)
    for width in (1, 2):
        candidate = _try_band(problem, candidate, width, budget)
    return _try(problem, _try_inside(problem, candidate, budget), local_search)


def _narrow(problem: CutProblem, candidate: Candidate, budget: Budget) -> Candidate:
    for width in NARROW:
        candidate = _try_band(problem, candidate, width, budget)
    return candidate


def _try_band(problem: CutProblem, candidate: Candidate, width: int, budget: Budget) -> Candidate:
    if width > max(2.0, budget.depth / 3):  # a band as wide as the graph holds nothing fixed: its best set is empty or all
        return candidate
    near = width * _arcs(problem, border(problem, candidate.side))
    is_paid = budget.pay(min(near, problem.adjacency.nnz), n_flows=n_slopes(problem))
    return _try(problem, candidate, band, width) if is_paid else candidate


def _try_inside(problem: CutProblem, candidate: Candidate, budget: Budget) -> Candidate:
    is_paid = budget.pay(_arcs(problem, problem.smaller(candidate.side)), n_flows=2)
    return _try(problem, candidate, mqi) if is_paid else candidate


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
