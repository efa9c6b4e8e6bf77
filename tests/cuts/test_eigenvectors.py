"""Eigenvectors against those of the dense matrix, however they are computed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from cut_graphs import planted
from sparsecut.cuts.eigenvectors import Ways, _iterate, smoothest
from sparsecut.cuts.objective import OBJECTIVES, CutProblem


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n", [300, 1500])
def test_eigenvectors_are_those_of_the_dense_matrix(objective: str, n: int) -> None:
    """Below 400 nodes dense itself, above by factors; and iterated, as graphs too dense to factorise are."""
    problem = CutProblem.of(planted(n, 3, 8, 1, seed=1), objective)
    root = np.sqrt(problem.measure)
    L = (np.diag(problem.degrees) - problem.adjacency.toarray()) / np.outer(root, root)
    values = np.linalg.eigvalsh(L)[1:5]
    found = smoothest(problem, 4, np.random.default_rng(0))
    np.testing.assert_allclose(found.values, values, rtol=1e-6)
    assert found.residual <= 1e-6 * values[0]
    x = found.vectors[:, 0] * root
    np.testing.assert_allclose(L @ x, values[0] * x, atol=1e-5 * np.linalg.norm(x))
    iterated, _ = _iterate(problem, sp.csc_array(L), root, 2, np.random.default_rng(0), 60)
    np.testing.assert_allclose(iterated, values[:2], rtol=1e-3)


def test_eigenvectors_of_many_coarser_graphs() -> None:
    """A million nodes are ten or more graphs deep, each with half the iterations: here from 1,500 nodes down to 60."""
    problem = CutProblem.of(planted(1500, 2, 8, 1, seed=1), "conductance")
    value = smoothest(problem, 1, np.random.default_rng(0), n_iterations=20, ways=Ways(60, factors_up_to=0)).values[0]
    assert value == pytest.approx(smoothest(problem, 1, np.random.default_rng(0)).values[0], rel=1e-3)
