"""The probe as scikit-learn's scorers see it: the same values as with scikit-learn's own estimators."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import get_scorer
from sklearn.multiclass import OneVsRestClassifier

from sparsecut import InputError
from sparsecut.evaluation import probe, role_split

GENERATOR = np.random.default_rng(1)
LABELS = GENERATOR.choice(["a", "b", "c"], 120)
Z = GENERATOR.normal(size=(120, 6)) + 1.2 * np.eye(6)[np.searchsorted(["a", "b", "c"], LABELS)]
SPLIT = role_split(np.arange(60), None, np.arange(60, 120), 120)


@pytest.mark.parametrize("name", ["f1_weighted", "matthews_corrcoef", "roc_auc_ovr", "neg_log_loss"])
def test_scorers_see_liblinears_one_vs_rest(name):
    model = OneVsRestClassifier(LogisticRegression(C=1.0, solver="liblinear", tol=1e-10, max_iter=10_000))
    expected = get_scorer(name)(model.fit(Z[:60], LABELS[:60]), Z[60:], LABELS[60:])
    scores = probe(Z, LABELS, [SPLIT], metrics=["accuracy", name])
    assert scores.figures[name][0] == pytest.approx(expected, abs=1e-4)


def test_two_classes_and_numbers_and_several_labels():
    is_a = LABELS == "a"
    ours = probe(Z, is_a, [SPLIT], metrics=["roc_auc", get_scorer("roc_auc")]).figures
    # Ranking figures are those of the rarer class, the scorer's of the second: of two classes one ranking serves both.
    assert ours["roc_auc"][0] == pytest.approx(100 * ours["roc_auc_score"][0])
    numbers = probe(Z, Z @ np.arange(6) + 0.5, [SPLIT], metrics=["r2", "neg_mean_absolute_error"]).figures
    assert numbers["r2"][0] > 0.999
    assert numbers["neg_mean_absolute_error"][0] == pytest.approx(0, abs=0.05)
    several = probe(Z, Z > 0, [SPLIT], metrics=["f1_micro"]).figures
    assert several["f1_micro"][0] > 0.8


def test_a_scorer_for_another_target_is_refused():
    with pytest.raises(InputError, match="does not score this target"):
        probe(Z, LABELS, [SPLIT], metrics="neg_mean_absolute_error")
