"""Single moves: they reach a balance that the start does not have."""

from __future__ import annotations

import numpy as np

from cut_graphs import grid
from sparsecut.cuts.local import local_search
from sparsecut.cuts.objective import CutProblem


def test_single_moves_reach_the_balance() -> None:
    problem = CutProblem.of(grid(4, 10)).with_balance(0.5)
    start = np.arange(40) < 7
    assert problem.value(start) == np.inf
    found = local_search(problem, start)
    assert found.sum() == 20
    assert np.isfinite(problem.value(found))
