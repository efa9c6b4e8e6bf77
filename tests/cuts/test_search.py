"""The search: it returns the candidates and only better ones, the sparsest first, within its budget."""

from __future__ import annotations

import numpy as np
import pytest

from cut_graphs import barbell, every_cut, grid
from sparsecut.cuts.candidates import Candidate
from sparsecut.cuts.objective import CutProblem
from sparsecut.cuts.search import LARGEST_NETWORK, Budget, _crossed, improve_border, refine


def silent(stage: str, done: int, total: int) -> None: ...


def candidates_of(problem: CutProblem, count: int, seed: int = 0) -> list[Candidate]:
    random = np.random.default_rng(seed)
    sides = [random.random(problem.n_nodes) < 0.5 for _ in range(count)]
    return [Candidate(side, problem.value(side), f"number {number}") for number, side in enumerate(sides)]


def test_random_starts_end_at_the_optimum_of_a_small_graph() -> None:
    graph = barbell(5)
    problem = CutProblem.of(graph)
    found = refine(problem, candidates_of(problem, 6), Budget(limit=1e9, depth=6.0), 3, silent)
    assert found[0].value == pytest.approx(every_cut(graph, "ratio"))
    assert [candidate.value for candidate in found] == sorted(candidate.value for candidate in found)
    for candidate in found:
        assert candidate.value == pytest.approx(problem.value(candidate.side))


def test_without_a_budget_nothing_gets_worse() -> None:
    problem = CutProblem.of(grid(6, 9))
    start = candidates_of(problem, 4)
    found = refine(problem, start, Budget(limit=0.0, depth=9.0), 2, silent)
    assert found[0].value <= min(candidate.value for candidate in start)


def test_networks_that_are_too_large_are_not_paid_for() -> None:
    budget = Budget(limit=1e4, depth=0.0)
    assert not budget.pay(LARGEST_NETWORK + 1, 1)
    assert not Budget(limit=1e4, depth=20_000.0).pay(1000, 1)  # a long path
    assert budget.spent == 0
    assert budget.pay(1000, 2)
    assert budget.spent == 2 * (3000 + 500)


def test_a_ragged_border_is_straightened() -> None:
    problem = CutProblem.of(grid(6, 12))
    side = np.arange(72) % 12 < 6
    ragged = side.copy()
    ragged[[6, 18, 41]] = [True, True, False]
    improved = improve_border(problem, Candidate(ragged, problem.value(ragged), "ragged"))
    assert improved.value <= problem.value(side) * (1 + 1e-12)


def test_what_two_cuts_have_right_is_joined() -> None:
    """A straight cut of a 6 × 12 grid in two halves of itself: one cut errs in the upper rows, the other in the lower."""
    problem = CutProblem.of(grid(6, 12))
    straight = np.arange(72) % 12 < 6
    upper, lower = straight.copy(), straight.copy()
    upper[[8, 9]], lower[[62, 63]] = True, False
    upper[[3, 4]], lower[[67, 68]] = False, True
    cuts = [Candidate(side, problem.value(side), "wrong") for side in (upper, lower)]
    best = min(_crossed(problem, cuts), key=lambda one: one.value)
    assert best.value == pytest.approx(problem.value(straight))
    assert best.value < min(cut.value for cut in cuts)
    assert list(_crossed(problem, cuts[:1])) == []
