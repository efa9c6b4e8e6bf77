"""Short polynomials against the long ones they stand for: on [−1, 1], on the spectrum of graphs, beside the best one."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.polynomial import chebyshev
from numpy.polynomial.polynomial import polyval
from scipy.optimize import linprog

from conftest import random_graph
from reference import dense_propagation
from sparsecut.kernels.chebyshev import GROWTH, KEPT, shortened

X = np.linspace(-1, 1, 4001)


def pagerank(restart: float, n_hops: int) -> tuple[float, ...]:
    return (*(restart * (1 - restart) ** i for i in range(n_hops)), (1 - restart) ** n_hops)


def least_error(coefficients: tuple[float, ...], degree: int) -> float:
    """Of any polynomial of the degree that agrees at 1 and in the first coefficients, by a linear program over a grid."""
    x = np.cos(np.linspace(0, np.pi, 401))
    V, values = chebyshev.chebvander(x, degree), polyval(x, np.array(coefficients))
    ones, n_kept = np.ones((len(x), 1)), degree // KEPT
    to_powers = np.array([np.pad(chebyshev.cheb2poly(row), (0, degree + 1))[: degree + 1] for row in np.eye(degree + 1)]).T
    fixed = np.vstack([np.ones(degree + 1), to_powers[:n_kept]])
    found = linprog(
        np.r_[np.zeros(degree + 1), 1.0],
        A_ub=np.block([[V, -ones], [-V, -ones]]),
        b_ub=np.r_[values, -values],
        A_eq=np.hstack([fixed, np.zeros((n_kept + 1, 1))]),
        b_eq=[values[0], *coefficients[:n_kept]],
        bounds=[(None, None)] * (degree + 1) + [(0, None)],
    )
    return float(found.fun)


@given(st.lists(st.floats(0.01, 1), min_size=2, max_size=25), st.sampled_from([0.003, 0.016, 0.1]))
def test_within_the_error_everywhere_and_exact_at_one(terms: list[float], error: float) -> None:
    series = tuple(term / sum(terms) for term in terms)
    short = shortened(series, error)
    assert len(short) <= len(series)
    assert np.abs(polyval(X, short) - polyval(X, series)).max() <= error * 1.01  # between the points it is fitted at
    assert sum(short) == pytest.approx(1, abs=1e-9)
    assert sum(map(abs, short)) <= GROWTH
    assert np.allclose(short[: (len(short) - 1) // KEPT], series[: (len(short) - 1) // KEPT], atol=1e-9)


@pytest.mark.parametrize(("restart", "n_hops", "expected"), [(0.1, 20, 8), (0.2, 10, 6), (0.3, 7, 4)])
def test_no_shorter_one_would_do(restart: float, n_hops: int, expected: int) -> None:
    series = pagerank(restart, n_hops)
    degree = len(shortened(series, 0.016)) - 1
    assert degree == expected
    assert least_error(series, degree) <= 0.016 < least_error(series, degree - 1)


def test_the_bound_holds_for_rows_over_an_undirected_graph() -> None:
    """In the norm that weighs rows with their degrees, where D^½ P D^−½ is symmetric."""
    A = random_graph(is_weighted=True).adjacency.toarray()
    root = np.sqrt(1 + A.sum(axis=1))[:, None]
    rows = np.random.default_rng(0).normal(size=(len(A), 7))
    for filter in ("row", "symmetric"):
        P, weights = dense_propagation(A, filter), root if filter == "row" else np.ones_like(root)
        values, vectors = np.linalg.eigh(P * weights / weights.T)
        exact = vectors @ (polyval(values, np.array(pagerank(0.1, 20)))[:, None] * (vectors.T @ (weights * rows)))
        short = shortened(pagerank(0.1, 20), 0.016)
        found = sum(c * np.linalg.matrix_power(P, k) @ rows for k, c in enumerate(short))
        apart = np.linalg.norm(weights * found - exact, axis=0)
        assert (apart <= 0.016 * np.linalg.norm(weights * rows, axis=0)).all()
        assert apart.max() > 1e-4  # it is another polynomial


def test_coefficients_that_would_lose_too_many_digits_are_not_used() -> None:
    series = pagerank(0.01, 200)
    assert shortened(series, 0.016) == series


def test_a_polynomial_that_is_short_already_stays() -> None:
    assert shortened((1.0,), 0.1) == (1.0,)
    assert shortened((0.5, 0.5), 0.01) == (0.5, 0.5)
    assert len(shortened((0.999, 0.0005, 0.0005), 0.01)) == 2
