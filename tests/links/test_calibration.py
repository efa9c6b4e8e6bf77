"""Probabilities against the truth of synthetic data."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut.links.calibration import MIN_POOL, Calibration, calibrate


def test_probabilities_are_those_that_scores_were_drawn_by():
    """Links have normal scores around 2, other pairs around 0, and there is one link to nine other pairs."""
    generator = np.random.default_rng(0)
    n_links, n_others = 10_000, 90_000
    positive, others = generator.normal(2, 1, 4000), generator.normal(0, 1, 4000)
    found = calibrate(positive, others, n_links, n_others)
    scores = np.concatenate([generator.normal(2, 1, n_links), generator.normal(0, 1, n_others)])
    is_link = np.arange(len(scores)) < n_links
    shares = found(scores)
    assert shares.sum() == pytest.approx(n_links, rel=0.1)
    for low, high in ((0.02, 0.1), (0.1, 0.3), (0.3, 0.6), (0.6, 0.9)):
        inside = (shares >= low) & (shares < high)
        assert inside.sum() > 500
        assert is_link[inside].mean() == pytest.approx(shares[inside].mean(), abs=0.06)
    assert (np.diff(found.probabilities) >= 0).all()
    assert 0 < found.probabilities[0] < found.probabilities[-1] < 1


def test_scores_that_say_nothing_give_the_share_of_links():
    generator = np.random.default_rng(1)
    found = calibrate(generator.random(2000), generator.random(2000), 100, 900)
    np.testing.assert_allclose(found(generator.random(100)), 0.1, atol=0.03)


def test_the_last_scores_are_no_pool_of_their_own():
    """One link above all others would be a certainty by itself."""
    others = np.linspace(0, 1, MIN_POOL)
    found = calibrate(np.array([0.5, 2.0]), others, 2, len(others))
    assert found.probabilities.tolist() == pytest.approx([(2 + 1 / 2) / (MIN_POOL + 2 + 1)])


def test_a_scale_moves_the_scores_alone():
    found = Calibration(np.array([0.0, 1.0]), np.array([0.1, 0.5])).scaled(2.0)
    assert found(np.array([1.0, -5.0, 9.0])).tolist() == pytest.approx([0.3, 0.1, 0.5])


def test_equal_scores_are_one_pool_whatever_their_order():
    generator = np.random.default_rng(4)
    positive, others = (generator.integers(0, 4, size).astype(float) for size in (90, 400))
    found = calibrate(positive, others, 90, 400)
    noise = (1 + 1e-7 * generator.normal(size=size) for size in (90, 400))
    again = calibrate(positive * next(noise), others * next(noise), 90, 400)
    np.testing.assert_allclose(again.probabilities, found.probabilities, rtol=1e-9)
    np.testing.assert_allclose(again.scores, found.scores, rtol=1e-6)
