"""One maximum flow finds the best set between an inner and an outer one: checked against all sets between them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cut_graphs import problem_of, random_weights, subsets
from sparsecut.cuts.flow import best_between


@settings(max_examples=60, deadline=None)
@given(random_weights(3, 8), st.integers(0, 2**32 - 1))
def test_one_flow_finds_the_best_set_between_two(A: np.ndarray, seed: int) -> None:
    n = len(A)
    random = np.random.default_rng(seed)
    role = random.integers(0, 3, n)
    inner, outer, free = role == 0, role == 1, np.flatnonzero(role == 2)
    gain = random.normal(size=n).round(2)
    problem = problem_of(A)

    def cost(side: np.ndarray) -> float:
        return problem.cut(side) - gain[side].sum()

    best = min(cost(inner | extra) for extra in subsets(free, n))
    for side in best_between(problem.adjacency, inner, outer, gain):
        assert side[inner].all()
        assert not side[outer].any()
        assert cost(side) == pytest.approx(best, abs=1e-6)
