"""Scores: means, deviations and intervals, against numpy and scipy."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from sparsecut.evaluation import Scores, Split, compare_scores
from sparsecut.evaluation.scores import score_predictions

A = np.array([80.0, 82.0, 79.0, 81.5, 83.0, 80.5])
B = np.array([79.0, 80.5, 79.5, 80.0, 81.0, 80.0])


def test_mean_spread_and_interval():
    scores = Scores({"accuracy": A, "macro_f1": B})
    assert scores.mean == pytest.approx(81.0)
    assert scores.std == pytest.approx(np.sqrt(((A - 81) ** 2).mean()))
    expected = stats.t.interval(0.95, 5, loc=A.mean(), scale=stats.sem(A))
    assert scores.interval == pytest.approx(expected)
    assert scores.macro_f1 == pytest.approx(80.0)
    assert scores.micro_f1 == scores.mean
    assert str(scores) == "81.0 ± 1.3"
    assert str(Scores({"accuracy": A}, majority=30.04)) == "81.0 ± 1.3 (majority 30.0)"
    assert str(Scores({"macro_f1": A}, majority=30.04)) == "81.0 ± 1.3"  # the share is beside an accuracy alone
    assert str(Scores({"r2": A / 100})) == "0.810 ± 0.013"


def test_json_has_no_nan():
    values = Scores({"accuracy": np.array([80.0])}).to_dict()
    assert values["interval"] is None
    assert values["macro_f1"] is None
    assert json.loads(json.dumps(values, allow_nan=False))["accuracy"] == 80.0
    told = Scores({"macro_f1": A, "roc_auc": B}).to_dict()["metrics"]
    assert told["roc_auc"]["mean"] == pytest.approx(80.0)
    assert told["roc_auc"]["interval"] == pytest.approx(stats.t.interval(0.95, 5, loc=B.mean(), scale=stats.sem(B)))
    assert told["roc_auc"]["values"] == B.tolist()


def test_predictions_are_scored_on_the_test_nodes_alone():
    codes = np.array([0, 0, 1, 1, 2, 2])
    nothing = np.empty(0, dtype=np.int64)
    splits = [Split(np.array([0]), nothing, np.array([1, 2, 3, 4])), Split(np.array([5]), nothing, np.array([0, 1, 2]))]
    scores = score_predictions([np.array([9, 0, 1, 0, 2, 9]), np.array([0, 0, 1, 9, 9, 9])], codes, splits)
    np.testing.assert_allclose(scores.accuracies, [75, 100])
    np.testing.assert_allclose(scores.macro_f1s, [100 * (2 / 3 + 2 / 3 + 1) / 3, 100])
    assert scores.probe == "none"
    assert scores.majority == pytest.approx((50 + 200 / 3) / 2)  # two of four test nodes, then two of three
    assert compare_scores(
        scores, Scores({"accuracy": np.array([70.0, 90.0])}, probe="tuned")
    ).mean_difference == pytest.approx(7.5)
