"""Figures of rankings by hand and against scikit-learn."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.metrics import ndcg_score

from sparsecut import InputError
from sparsecut.links.ranking import check_link_metrics, figure_of_places, levelled, ndcg_of_table, places_of


def test_places_by_hand():
    scores = np.array([0.9, 0.8, 0.7, 0.6, 0.5])
    is_link = np.array([False, True, False, True, False])
    everyone = np.ones(5, dtype=bool)
    assert places_of(scores, is_link, everyone).tolist() == [2, 4]
    assert places_of(scores, is_link, np.array([False, True, True, True, True])).tolist() == [1, 3]
    assert places_of(np.zeros(5), np.eye(5, dtype=bool)[0], everyone).tolist() == [3]  # in the middle of ties
    assert places_of(np.zeros(5), np.arange(5) < 4, everyone).tolist() == [3, 3, 3, 4]  # four links have no three places


def test_figures_by_hand():
    places = [np.array([1, 4]), np.array([3]), np.array([20])]
    assert figure_of_places("mrr", places) == pytest.approx((1 + 1 / 3 + 1 / 20) / 3)
    assert figure_of_places("hit@3", places) == pytest.approx(2 / 3)
    first = (1 + 1 / np.log2(5)) / (1 + 1 / np.log2(3))
    assert figure_of_places("ndcg@10", places) == pytest.approx((first + 1 / 2 + 0) / 3)
    assert figure_of_places("ndcg@1", places) == pytest.approx(1 / 3)
    assert np.isnan(figure_of_places("mrr", []))


def test_the_table_is_scikit_learns_and_that_of_places():
    generator = np.random.default_rng(0)
    scores, is_link = generator.normal(size=(30, 40)), generator.random((30, 40)) < 0.1
    is_link[:, 0] = True
    everyone = np.ones_like(is_link)
    assert ndcg_of_table(scores, is_link, everyone) == pytest.approx(ndcg_score(is_link, scores, k=10), abs=1e-6)
    may = generator.random((30, 40)) < 0.7
    places = [places_of(*one) for one in zip(scores, is_link, may, strict=True)]
    expected = figure_of_places("ndcg@10", [one for one in places if len(one)])
    assert ndcg_of_table(scores, is_link, may) == pytest.approx(expected, abs=1e-6)


def test_scores_that_rounding_tells_apart_are_equal_and_others_are_not():
    generator = np.random.default_rng(2)
    scores = generator.normal(size=20_000) * 10.0 ** generator.integers(-3, 6, 20_000)  # of very different sizes
    level = levelled(scores)
    usual = np.median(np.abs(scores))
    np.testing.assert_allclose(level, scores, rtol=2e-5, atol=2e-5 * usual)
    order = np.argsort(scores)
    assert (np.diff(level[order]) >= 0).all()
    np.testing.assert_array_equal(levelled(-scores), -level)
    np.testing.assert_array_equal(levelled(np.zeros((2, 3))), np.zeros((2, 3)))
    moved = levelled(scores * (1 + 1e-8) + 1e-9 * usual)
    assert (moved == level).mean() > 0.98


def test_unknown_metrics_are_refused():
    check_link_metrics("evaluate_links", ("roc_auc", "hit@7", "mrr"))
    with pytest.raises(InputError, match=r"hit@K, ndcg@K and mrr\. Got 'hit@0'"):
        check_link_metrics("evaluate_links", ("hit@0",))
