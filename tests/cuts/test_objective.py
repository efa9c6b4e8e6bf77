"""The value of a cut against its definition, counted edge by edge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsecut as sc
from cut_graphs import problem_of, random_weights
from sparsecut.base.errors import InputError
from sparsecut.cuts.objective import OBJECTIVES, CutProblem, totals


@settings(max_examples=40, deadline=None)
@given(random_weights(2, 9), st.integers(0, 2**32 - 1), st.sampled_from(OBJECTIVES))
def test_cut_and_value_are_counted(A: np.ndarray, seed: int, objective: str) -> None:
    n = len(A)
    problem = problem_of(A, objective)
    side = np.random.default_rng(seed).random(n) < 0.5
    cut = sum(A[i, j] for i in range(n) for j in range(n) if side[i] and not side[j])
    sizes = (side.sum(), (~side).sum()) if objective == "ratio" else (A[side].sum(), A[~side].sum())
    assert problem.cut(side) == pytest.approx(cut)
    if min(sizes) > 0:
        expected = n * cut / (sizes[0] * sizes[1]) if objective == "ratio" else cut / min(sizes)
        assert problem.value(side) == pytest.approx(expected)
        assert problem.plain_value(cut, float(sizes[0])) == pytest.approx(expected)
    else:
        assert problem.value(side) == np.inf
    assert problem.value(side) == pytest.approx(problem.value(~side))
    assert problem.measure[problem.smaller(side)].sum() <= problem.total / 2 + 1e-9


def test_a_balance_allows_whole_nodes_only() -> None:
    problem = CutProblem.of(sc.Graph(np.ones((7, 7)))).with_balance(0.5)
    allowed = [size for size in range(8) if problem.is_allowed(size)]
    assert allowed == [3, 4]  # half of seven, as near as whole nodes come
    half = CutProblem.of(sc.Graph(np.ones((8, 8)))).with_balance(0.3)
    assert [size for size in range(9) if half.is_allowed(size)] == [3, 4, 5]


def test_totals_of_groups() -> None:
    assert totals(np.array([1, 0, 1]), np.array([2.0, 3.0, 4.0]), 3).tolist() == [3, 6, 0]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "cost"}, "one of 'ratio', 'conductance'"),
        ({"balance": 0.6}, "at most 0.5"),
        ({"balance": -1}, "least 0"),
    ],
)
def test_wrong_options_are_named(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        CutProblem.of(sc.Graph(np.ones((3, 3))), **options)
