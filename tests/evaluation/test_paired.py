"""Paired comparison against scipy's own tests."""

from __future__ import annotations

import json

import numpy as np
import pytest
from scipy import stats

from sparsecut import InputError
from sparsecut.evaluation import Scores, compare_scores

A = np.array([80.0, 82.0, 79.0, 81.5, 83.0, 80.5])
B = np.array([79.0, 80.5, 79.5, 80.0, 81.0, 80.0])
OF_A, OF_B = Scores({"accuracy": A}), Scores({"accuracy": B})


def test_the_comparison_is_scipys():
    by_t, by_ranks = compare_scores(OF_A, OF_B), compare_scores(OF_A, OF_B, test="wilcoxon")
    reference = stats.ttest_rel(A, B)
    assert by_t.mean_difference == pytest.approx(1.0)
    assert by_t.p_value == pytest.approx(reference.pvalue)
    assert by_t.interval == pytest.approx(tuple(reference.confidence_interval(0.95)))
    assert by_ranks.p_value == pytest.approx(stats.wilcoxon(A - B, zero_method="zsplit").pvalue)
    assert str(by_t).startswith("better: +1.00 points [")
    assert str(compare_scores(OF_B, OF_A)).startswith("worse: -1.00 points [")
    assert str(compare_scores(OF_A, OF_A)).startswith("no difference shown")
    assert json.dumps(by_t.to_dict(), allow_nan=False)


@pytest.mark.parametrize("test", ["t", "wilcoxon"])
def test_equal_scores_show_no_difference(test):
    assert compare_scores(OF_A, OF_A, test=test).p_value == 1.0


def test_a_constant_difference_leaves_no_doubt_and_one_split_no_answer():
    assert (
        compare_scores(Scores({"accuracy": np.array([2.0, 3.0])}), Scores({"accuracy": np.array([1.0, 2.0])})).p_value == 0.0
    )
    alone = compare_scores(Scores({"accuracy": A[:1]}), Scores({"accuracy": B[:1]}))
    assert np.isnan(alone.p_value)
    assert "one split" in str(alone)
    assert alone.to_dict()["p_value"] is None


def test_only_scores_of_the_same_splits_are_paired():
    with pytest.raises(InputError, match=r"the same splits. Got 6 and 5 scores"):
        compare_scores(OF_A, Scores({"accuracy": B[:5]}))
    with pytest.raises(InputError, match="of different splits"):
        compare_scores(Scores({"accuracy": A}, splits="x"), Scores({"accuracy": B}, splits="y"))
    with pytest.raises(InputError, match=r"one protocol. Got paper and tuned"):
        compare_scores(OF_A, Scores({"accuracy": B}, probe="tuned"))
    with pytest.raises(InputError, match="must be one of 't', 'wilcoxon'"):
        compare_scores(OF_A, OF_B, test="z")


def test_any_figure_that_both_have_is_compared_in_its_own_unit():
    ours = Scores({"accuracy": A, "rmse": B / 100})
    theirs = Scores({"accuracy": B, "rmse": A / 100})
    by_error = compare_scores(ours, theirs, metric="rmse")
    assert by_error.mean_difference == pytest.approx((B - A).mean() / 100)
    assert str(by_error).startswith("better: -0.010 [")  # the smaller the better, and no points of percent
    assert compare_scores(theirs, ours).metric == "accuracy"
    with pytest.raises(InputError, match="'roc_auc' is not in both; these are: accuracy, rmse"):
        compare_scores(ours, theirs, metric="roc_auc")
