"""The ridge probe against the normal equations."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut import InputError
from sparsecut.evaluation import evaluate
from sparsecut.evaluation.ridge_probe import PENALTIES, fit_ridge

GENERATOR = np.random.default_rng(2)
X = GENERATOR.normal(size=(80, 5)) * [1, 10, 0.1, 5, 2] + 3
Y = X @ [1.0, -0.2, 3.0, 0.0, 0.5] + GENERATOR.normal(size=80)


def solved(rows, y, penalty):
    """The weights by the normal equations, columns standardised and the intercept free."""
    centre, scale = rows.mean(axis=0), rows.std(axis=0)
    S = (rows - centre) / scale
    w = np.linalg.solve(S.T @ S + penalty * np.eye(S.shape[1]), S.T @ (y - y.mean())) / scale
    return np.append(w, y.mean() - centre @ w)


def test_weights_are_those_of_the_normal_equations_at_the_best_leave_one_out_error():
    weights, penalty = fit_ridge(X, Y)
    np.testing.assert_allclose(weights, solved(X, Y, penalty), rtol=1e-8)
    S = (X - X.mean(axis=0)) / X.std(axis=0)
    errors = []
    for one in PENALTIES:
        H = S @ np.linalg.solve(S.T @ S + one * np.eye(5), S.T) + 1 / len(Y)
        errors.append(np.square((Y - H @ Y) / (1 - np.diag(H))).mean())
    assert penalty == PENALTIES[int(np.argmin(errors))]


def test_a_constant_column_changes_nothing():
    wide = np.column_stack([X, np.full(80, 7.0)])
    np.testing.assert_allclose(fit_ridge(wide, Y)[0][:5], fit_ridge(X, Y)[0][:5], rtol=1e-6)


def test_numbers_are_cross_validated_by_default_and_nan_is_no_number():
    y = Y.copy()
    y[::4] = np.nan
    scores = evaluate(X, y, n_splits=10)
    assert list(scores.figures) == ["r2", "mae", "rmse"]
    assert scores.probe == "ridge"
    assert 0.5 < scores.mean < 1
    assert len(scores.choices) == 10
    amounts = evaluate(X, np.round(Y).astype(int), target="numbers", n_splits=5)
    assert amounts.mean > 0.5


def test_what_numbers_cannot_do_is_said():
    with pytest.raises(InputError, match=r"Numbers have no classes to draw random splits of. Use split='cv'"):
        evaluate(X, Y, split="random")
    with pytest.raises(InputError, match="must be numeric"):
        evaluate(X, np.array(["x"] * 80), target="numbers")
    with pytest.raises(InputError, match="at least three training nodes"):
        fit_ridge(X[:2], Y[:2])
