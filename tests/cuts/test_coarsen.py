"""A coarser graph has the same cuts and measures as the graph it stands for."""

from __future__ import annotations

import numpy as np
import pytest

from cut_graphs import planted, problem_of
from sparsecut.cuts.coarsen import contract, pair_up
from sparsecut.cuts.objective import CutProblem


def test_contracting_keeps_cuts_and_measures() -> None:
    problem = CutProblem.of(planted(400, 3, 8, 2, seed=0), "conductance")
    random = np.random.default_rng(0)
    groups = pair_up(problem, random)
    coarse = contract(problem, groups)
    assert coarse.n_nodes < 0.7 * problem.n_nodes
    assert coarse.total == pytest.approx(problem.total)
    for _ in range(5):
        side = random.random(coarse.n_nodes) < 0.5
        assert coarse.cut(side) == pytest.approx(problem.cut(side[groups]))
        assert coarse.value(side) == pytest.approx(problem.value(side[groups]))


def test_a_star_is_folded() -> None:
    A = np.zeros((1000, 1000))
    A[0, 1:] = A[1:, 0] = 1
    problem = problem_of(A)
    assert len(np.unique(pair_up(problem, np.random.default_rng(0)))) < 1000
