"""All cuts of a small graph, in the order of their values."""

from __future__ import annotations

import numpy as np
import pytest

from cut_graphs import problem_of
from sparsecut.cuts.exact_cut import best_of_all


def test_all_cuts_in_order() -> None:
    problem = problem_of(np.array([[0, 3, 0], [3, 0, 1], [0, 1, 0]]))
    found = best_of_all(problem, 3)
    assert [problem.value(side) for side in found] == sorted(problem.value(side) for side in found)
    assert problem.value(found[0]) == pytest.approx(1.5)  # the weak edge: 3·1/(1·2)
    assert len(found) == 3
