"""Improvement by maximum flow: exact where it claims to be, and never worse than the set it started from."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cut_graphs import grid, problem_of, random_weights, subsets
from sparsecut.cuts.improve import band, flow_improve, mqi
from sparsecut.cuts.local import local_search
from sparsecut.cuts.objective import OBJECTIVES, CutProblem


@settings(max_examples=60, deadline=None)
@given(random_weights(3, 9), st.integers(0, 2**32 - 1), st.sampled_from(OBJECTIVES))
def test_mqi_is_the_best_quotient_inside(A: np.ndarray, seed: int, objective: str) -> None:
    problem = problem_of(A, objective)
    side = problem.smaller(np.random.default_rng(seed).random(len(A)) < 0.5)
    if not 0 < problem.measure[side].sum() < problem.total:
        return
    found = mqi(problem, side)
    assert problem.value(found) <= problem.value(side) * (1 + 1e-12)
    if objective == "conductance":  # the quotient is the objective itself: the smaller side stays the smaller
        quotients = [
            problem.value(part) for part in subsets(np.flatnonzero(side), len(A)) if problem.measure[part].sum() > 0
        ]
        assert problem.value(found) == pytest.approx(min(quotients), rel=1e-6, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(random_weights(3, 12), st.integers(0, 2**32 - 1), st.sampled_from(OBJECTIVES), st.booleans())
def test_nothing_ever_worsens_a_cut(A: np.ndarray, seed: int, objective: str, is_balanced: bool) -> None:
    problem = problem_of(A, objective)
    if is_balanced and problem.total > 0:
        problem = problem.with_balance(0.3)
    side = np.random.default_rng(seed).random(len(A)) < 0.5
    before = problem.value(side)
    improvements = (mqi, flow_improve, local_search, lambda p, s: band(p, s, 1), lambda p, s: band(p, s, 3))
    for improve in improvements:
        after = problem.value(improve(problem, side))
        assert after <= before * (1 + 1e-12) or before == after


def test_flow_improve_leaves_the_starting_set() -> None:
    """The set is the middle third of a grid's left half: the half itself lies around it."""
    graph = grid(6, 12)
    problem = CutProblem.of(graph)
    column = np.arange(72) % 12
    start = column < 4
    assert problem.value(start) == pytest.approx(72 * 6 / (24 * 48))
    ragged = start.copy()
    ragged[[4, 16]] = True  # two nodes too many: flow takes them off, or the whole column in
    assert problem.value(flow_improve(problem, ragged)) <= problem.value(start)
    assert problem.value(band(problem, start, 3)) <= problem.value(start)


def test_weights_that_integers_cannot_hold_are_no_harm() -> None:
    """Weights over 12 orders of magnitude: capacities are rounded, values are not."""
    random = np.random.default_rng(1)
    A = np.triu(10.0 ** random.uniform(-6, 6, (30, 30)), 1)
    problem = problem_of(A + A.T)
    for _ in range(10):
        side = random.random(30) < 0.5
        for improve in (mqi, flow_improve):
            assert problem.value(improve(problem, side)) <= problem.value(side)
