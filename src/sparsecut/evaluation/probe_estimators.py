"""The probe as scikit-learn sees an estimator, for scorers: `scorer(estimator, rows, true values)`."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin

from sparsecut.base.errors import InputError
from sparsecut.evaluation.metrics import NUMBERS, SEVERAL
from sparsecut.evaluation.splits import Nodes
from sparsecut.evaluation.targets import ProbeTarget

Array = NDArray[np.float64]


class FittedProbe(ClassifierMixin, BaseEstimator):  # type: ignore[misc]
    """One-vs-rest logistic regression that was fitted already; probabilities are those of liblinear."""

    def __init__(self, weights: Array, classes: NDArray[Any], is_several: bool = False) -> None:
        self.weights = weights  # (d + 1, c), the intercepts in the last row
        self.classes_ = classes
        self.is_several = is_several

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def decision_function(self, rows: Array) -> Array:
        decisions = self._decisions(rows)
        return decisions[:, 1] if self._is_binary else decisions

    def predict(self, rows: Array) -> NDArray[Any]:
        decisions = self._decisions(rows)
        return (decisions > 0).astype(np.int64) if self.is_several else self.classes_[decisions.argmax(axis=1)]

    def predict_proba(self, rows: Array) -> Array:
        shares = expit(self._decisions(rows))
        return np.asarray(shares if self.is_several else shares / shares.sum(axis=1, keepdims=True))

    @property
    def _is_binary(self) -> bool:
        return len(self.classes_) == 2 and not self.is_several

    def _decisions(self, rows: Array) -> Array:
        return np.asarray(rows @ self.weights[:-1] + np.maximum(self.weights[-1], -1e300))  # scorers refuse infinity


class FittedRidge(RegressorMixin, BaseEstimator):  # type: ignore[misc]
    """Ridge regression that was fitted already."""

    def __init__(self, weights: Array) -> None:
        self.weights = weights  # (d + 1,), the intercept last

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def predict(self, rows: Array) -> Array:
        return np.asarray(rows @ self.weights[:-1] + self.weights[-1])


def score_by(scorer: Any, weights: Array, goal: ProbeTarget, rows: Array, test: Nodes) -> float:
    """What a scorer of scikit-learn says of a fitted probe on some test nodes, as it comes."""
    true: NDArray[Any] = goal.values[test]
    estimator: Any
    if goal.kind == NUMBERS:
        estimator = FittedRidge(weights)
    else:
        estimator = FittedProbe(weights, goal.classes, goal.kind == SEVERAL)
        true = true.astype(np.int64) if goal.kind == SEVERAL else goal.classes[true]
    try:
        return float(scorer(estimator, rows, true))
    except (TypeError, ValueError) as error:
        raise InputError(
            f"The scorer {scorer} does not score this target. It says: {error}. Pass a scorer made for it, as by "
            "sklearn.metrics.make_scorer."
        ) from error
