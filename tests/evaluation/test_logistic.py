"""The solver against liblinear, against its own optimality conditions, and against a problem solved by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import brentq
from scipy.special import expit
from sklearn.linear_model import LogisticRegression

from sparsecut.evaluation.logistic import OneVsRest


def make_stack(n_sets: int, n_rows: int, dimension: int, n_classes: int, seed: int = 0):
    """Training sets with overlapping classes, so that no weight runs away."""
    generator = np.random.default_rng(seed)
    classes = np.stack([generator.permutation(np.arange(n_rows) % n_classes) for _ in range(n_sets)])
    centres = generator.normal(size=(n_classes, dimension))
    X = centres[classes] + 1.5 * generator.normal(size=(n_sets, n_rows, dimension))
    return X, np.where(classes[:, :, None] == np.arange(n_classes), 1.0, -1.0)


def objective(w: np.ndarray, X: np.ndarray, y: np.ndarray, C: float) -> float:
    with_constant = np.column_stack([X, np.ones(len(X))])
    return float(w @ w / 2 + C * np.logaddexp(0, -y * (with_constant @ w)).sum())


@pytest.mark.parametrize(("n_rows", "dimension"), [(30, 80), (200, 12), (25, 24)], ids=["dual", "primal", "square"])
@pytest.mark.parametrize("C", [0.01, 1.0, 100.0])
def test_weights_are_liblinears(n_rows, dimension, C):
    X, Y = make_stack(2, n_rows, dimension, 3)
    weights = OneVsRest(X, Y).fit(C)
    assert weights.shape == (2, dimension + 1, 3)
    for number in range(2):
        for position in range(3):
            reference = LogisticRegression(solver="liblinear", C=C, tol=1e-12, max_iter=100_000)
            reference.fit(X[number], Y[number, :, position])
            expected = np.append(reference.coef_[0], reference.intercept_)
            # liblinear itself stops near 1e-7 of the weights' length.
            np.testing.assert_allclose(weights[number, :, position], expected, atol=2e-6 * np.linalg.norm(expected))
            decisions = X[number] @ weights[number, :-1, position] + weights[number, -1, position]
            np.testing.assert_allclose(decisions, reference.decision_function(X[number]), atol=1e-4)


@pytest.mark.parametrize(("n_rows", "dimension"), [(30, 80), (200, 12)], ids=["dual", "primal"])
@pytest.mark.parametrize("C", [0.1, 1.0, 1000.0])
def test_the_gradient_vanishes_by_finite_differences(n_rows, dimension, C):
    X, Y = make_stack(1, n_rows, dimension, 2, seed=1)
    w = OneVsRest(X, Y).fit(C)[0, :, 1]
    y, step = Y[0, :, 1], 1e-4
    at_optimum = objective(w, X[0], y, C)
    at_zero = objective(np.zeros_like(w), X[0], y, C)
    assert at_optimum < at_zero
    for position in range(len(w)):
        unit = np.zeros_like(w)
        unit[position] = step
        above, below = objective(w + unit, X[0], y, C), objective(w - unit, X[0], y, C)
        assert above > at_optimum
        assert below > at_optimum
        assert abs(above - below) / (2 * step) < 1e-5 * at_zero


def test_the_error_bound_holds():
    X, Y = make_stack(3, 40, 60, 4, seed=2)
    weights = OneVsRest(X, Y).fit(1.0)
    for number in range(3):
        features = np.column_stack([X[number], np.ones(40)])
        for position in range(4):
            w, y = weights[number, :, position], Y[number, :, position]
            gradient = w - features.T @ (y * expit(-y * (features @ w)))
            # ‖w − w*‖ ≤ ‖gradient‖, asked for at 1e-8; the way back from rotated coordinates multiplies it by the curvature.
            assert np.linalg.norm(gradient) < 1e-6 * np.linalg.norm(w)


def test_two_points_by_hand():
    # x = ±2 with y = ±1: the intercept is 0 and w = C·Σ y·x·σ(−y·w·x) = 4C·σ(−2w), one equation in one unknown.
    X, Y = np.array([[[2.0], [-2.0]]]), np.array([[[1.0], [-1.0]]])
    for C in (0.5, 1.0, 50.0):
        expected = brentq(lambda w, C=C: w - 4 * C * expit(-2 * w), 0, 4 * C, xtol=1e-14)
        np.testing.assert_allclose(OneVsRest(X, Y).fit(C)[0, :, 0], [expected, 0], atol=1e-8)


def test_a_constant_embedding_learns_the_intercept_alone():
    X, Y = np.zeros((1, 10, 3)), np.where(np.arange(10) < 3, 1.0, -1.0)[None, :, None]
    w = OneVsRest(X, Y).fit(1.0)[0, :, 0]
    expected = brentq(lambda b: b - 3 * expit(-b) + 7 * expit(b), -5, 5, xtol=1e-14)
    np.testing.assert_allclose(w, [0, 0, 0, expected], atol=1e-8)


def test_a_warm_start_ends_where_a_cold_one_does():
    X, Y = make_stack(2, 30, 50, 3, seed=3)
    warm = OneVsRest(X, Y)
    for C in (0.001, 1.0, 100.0, 0.1):
        np.testing.assert_allclose(warm.fit(C), OneVsRest(X, Y).fit(C), atol=1e-6)


def test_a_stack_is_its_members():
    X, Y = make_stack(4, 30, 50, 3, seed=4)
    X[1] *= 20  # one that takes many more steps than the others
    together = OneVsRest(X, Y).fit(1.0)
    for number in range(4):
        alone = OneVsRest(X[number : number + 1], Y[number : number + 1]).fit(1.0)[0]
        np.testing.assert_allclose(together[number], alone, atol=1e-6 * np.abs(alone).max())


def test_separable_classes_with_a_large_c_are_solved():
    generator = np.random.default_rng(5)
    y = np.where(np.arange(40) < 6, 1.0, -1.0)
    X = generator.normal(size=(40, 100)) * 30 + 10 * y[:, None]
    w = OneVsRest(X[None], y[None, :, None]).fit(1e4)[0, :, 0]
    reference = LogisticRegression(solver="liblinear", C=1e4, tol=1e-12, max_iter=100_000).fit(X, y)
    np.testing.assert_allclose(w, np.append(reference.coef_[0], reference.intercept_), atol=1e-5 * np.linalg.norm(w))


def test_outliers_do_not_make_newton_overshoot():
    # Rows of very different lengths, some on the wrong side. Full Newton steps do not converge on all of these.
    generator = np.random.default_rng(0)
    for _ in range(400):
        n_rows, dimension = generator.integers(3, 12), generator.integers(1, 4)
        X = generator.normal(size=(n_rows, dimension)) * np.exp(2 * generator.normal(size=(n_rows, 1)))
        y = np.where(generator.random(n_rows) < 0.5, 1.0, -1.0)
        C = 10.0 ** generator.integers(-2, 6)
        w = OneVsRest(X[None], y[None, :, None]).fit(C)[0, :, 0]  # a warning would be an error
        for direction in np.eye(dimension + 1):
            for step in (-1e-3, 1e-3):
                assert objective(w + step * direction, X, y, C) > objective(w, X, y, C)


def test_an_extreme_scale_is_said():
    X, Y = make_stack(1, 20, 30, 2, seed=6)
    with pytest.warns(UserWarning, match="scale is extreme"):
        OneVsRest(X * 1e150, Y).fit(1.0)
