"""Scores and paired comparison against scipy's own tests."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from sparsecut import InputError
from sparsecut.evaluation import Scores, Split, compare_scores
from sparsecut.evaluation.scores import score_classes, score_predictions

A = np.array([80.0, 82.0, 79.0, 81.5, 83.0, 80.5])
B = np.array([79.0, 80.5, 79.5, 80.0, 81.0, 80.0])


def test_mean_spread_and_interval():
    scores = Scores(A, macro_f1s=B)
    assert scores.mean == pytest.approx(81.0)
    assert scores.std == pytest.approx(np.sqrt(((A - 81) ** 2).mean()))
    expected = stats.t.interval(0.95, 5, loc=A.mean(), scale=stats.sem(A))
    assert scores.interval == pytest.approx(expected)
    assert scores.macro_f1 == pytest.approx(80.0)
    assert scores.micro_f1 == scores.mean
    assert str(scores) == "81.0 ± 1.3"


def test_json_has_no_nan():
    values = Scores(np.array([80.0])).to_dict()
    assert values["interval"] is None
    assert values["macro_f1"] is None
    assert json.loads(json.dumps(values, allow_nan=False))["accuracy"] == 80.0


def test_the_comparison_is_scipys():
    by_t, by_ranks = compare_scores(Scores(A), Scores(B)), compare_scores(Scores(A), Scores(B), test="wilcoxon")
    reference = stats.ttest_rel(A, B)
    assert by_t.mean_difference == pytest.approx(1.0)
    assert by_t.p_value == pytest.approx(reference.pvalue)
    assert by_t.interval == pytest.approx(tuple(reference.confidence_interval(0.95)))
    assert by_ranks.p_value == pytest.approx(stats.wilcoxon(A - B, zero_method="zsplit").pvalue)
    assert str(by_t).startswith("better: +1.00 points [")
    assert str(compare_scores(Scores(B), Scores(A))).startswith("worse: -1.00 points [")
    assert str(compare_scores(Scores(A), Scores(A))).startswith("no difference shown")
    assert json.dumps(by_t.to_dict(), allow_nan=False)


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_equal_scores_show_no_difference(test):
    assert compare_scores(Scores(A), Scores(A), test=test).p_value == 1.0


def test_a_constant_difference_leaves_no_doubt_and_one_split_no_answer():
    assert compare_scores(Scores(np.array([2.0, 3.0])), Scores(np.array([1.0, 2.0]))).p_value == 0.0
    alone = compare_scores(Scores(A[:1]), Scores(B[:1]))
    assert np.isnan(alone.p_value)
    assert "one split" in str(alone)
    assert alone.to_dict()["p_value"] is None


def test_only_scores_of_the_same_splits_are_paired():
    with pytest.raises(InputError, match=r"the same splits. Got 6 and 5 scores"):
        compare_scores(Scores(A), Scores(B[:5]))
    with pytest.raises(InputError, match="of different splits"):
        compare_scores(Scores(A, splits="x"), Scores(B, splits="y"))
    with pytest.raises(InputError, match=r"one protocol. Got paper and tuned"):
        compare_scores(Scores(A), Scores(B, probe="tuned"))
    with pytest.raises(InputError, match="must be one of 't', 'wilcoxon'"):
        compare_scores(Scores(A), Scores(B), test="z")


def test_predictions_are_scored_on_the_test_nodes_alone():
    codes = np.array([0, 0, 1, 1, 2, 2])
    nothing = np.empty(0, dtype=np.int64)
    splits = [Split(np.array([0]), nothing, np.array([1, 2, 3, 4])), Split(np.array([5]), nothing, np.array([0, 1, 2]))]
    scores = score_predictions([np.array([9, 0, 1, 0, 2, 9]), np.array([0, 0, 1, 9, 9, 9])], codes, splits)
    np.testing.assert_allclose(scores.accuracies, [75, 100])
    np.testing.assert_allclose(scores.macro_f1s, [100 * (2 / 3 + 2 / 3 + 1) / 3, 100])
    assert scores.probe == "none"
    assert compare_scores(scores, Scores(np.array([70.0, 90.0]), probe="tuned")).mean_difference == pytest.approx(7.5)


@pytest.mark.parametrize("absent", ["predicted alone", "neither", "true alone"])
def test_macro_f1_counts_the_classes_that_are_there_or_predicted(absent: str) -> None:
    """As scikit-learn: a class that no node has and that was predicted has an F1 of 0; one that is neither has none."""
    from sklearn.metrics import f1_score

    true = np.array([0, 0, 1, 1, 3, 3] if absent != "true alone" else [0, 0, 1, 1, 3, 2])
    predicted = np.array([0, 2, 1, 1, 3, 3] if absent == "predicted alone" else [0, 1, 1, 1, 3, 3])
    assert score_classes(true, predicted, 4) == pytest.approx(
        (100 * (true == predicted).mean(), 100 * f1_score(true, predicted, average="macro", zero_division=0))
    )
