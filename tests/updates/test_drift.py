"""Drift: the scatter of rows; the distance of two closed forms, by hand and against rows themselves."""

from __future__ import annotations

import numpy as np
import pytest

from sparsecut.updates.alignment import rotation
from sparsecut.updates.drift import DriftMeter, Gauge, Scatter, columns_beside, level_groups


def test_the_scatter_is_about_the_mean_however_far_it_is() -> None:
    rows = (np.random.default_rng(0).normal(size=(50, 3)) + 100).astype(np.float32)
    centred = rows - rows.mean(axis=0, dtype=np.float64)
    np.testing.assert_allclose(Scatter(rows).matrix, centred.T @ centred, atol=1e-6)


def test_columns_beside_are_orthogonal_to_the_weights_and_hold_what_they_leave_out() -> None:
    generator = np.random.default_rng(0)
    scales = np.ones(40) * 0.1
    scales[:20] = 3
    F = (generator.normal(size=(500, 40)) * scales).astype(np.float32)
    W = np.eye(40, dtype=np.float32)[:, :4]
    beside = columns_beside(F, W, 16)
    assert beside.shape == (40, 16)
    assert np.abs(W.T @ beside).max() < 1e-6
    np.testing.assert_allclose(beside.T @ beside, np.eye(16), atol=1e-9)
    share = np.square(beside[:20]).sum() / np.square(beside).sum()
    assert share > 0.95  # the leading directions, of which four are W's
    assert columns_beside(F[:, :6], W[:6], 16).shape == (6, 2)  # all there is
    assert columns_beside(F[:, :4], np.eye(4, dtype=np.float32)).shape == (4, 0)


def test_a_direction_beside_the_weights_counts_and_none_is_no_drift() -> None:
    """The weights know one axis; the variance is along another one later."""
    gauge = Gauge([np.eye(2, dtype=np.float32)[:, :1]], width=1, weight=1.0, rank=16)
    gauge.learn(Scatter(np.array([[1], [-1]], dtype=np.float32)))
    beside = [np.eye(2)[:, 1:]]
    assert gauge.square(Scatter(np.array([[1, 0.5], [-1, 0.5]], dtype=np.float32)), beside) == pytest.approx(0)
    assert gauge.square(Scatter(np.array([[0, 1], [0, -1]], dtype=np.float32)), beside) == pytest.approx(1)


def test_drift_is_the_distance_of_two_closed_forms_of_the_rows() -> None:
    """B is all of the space: the gauge's number is that of rows embedded both ways and rotated."""
    generator = np.random.default_rng(0)
    first = generator.normal(size=(300, 5)) * [3, 2, 1, 0.5, 0.2]
    later = generator.normal(size=(300, 5)) * [1, 2, 3, 0.5, 0.2] + [1, 0, 2, 0, 0]
    basis = generator.normal(size=(5, 5)).astype(np.float32)  # any columns that span it
    gauge = Gauge([basis], width=2, weight=1.0, rank=1.8)
    gauge.learn(Scatter((first @ basis).astype(np.float32)))
    drift = np.sqrt(gauge.square(Scatter((later @ basis).astype(np.float32))))

    def closed_form(rows: np.ndarray) -> np.ndarray:
        alone = Gauge([np.eye(5, dtype=np.float32)], width=2, weight=1.0, rank=1.8)
        alone.learn(Scatter(rows.astype(np.float32)))
        return alone.first

    old, new = (later - first.mean(axis=0)) @ closed_form(first), (later - later.mean(axis=0)) @ closed_form(later)
    R = rotation(old, new)
    assert drift == pytest.approx(np.linalg.norm(old @ R - new) / np.linalg.norm(new), rel=1e-3)
    assert gauge.square(Scatter((first @ basis).astype(np.float32))) == pytest.approx(0, abs=1e-9)


def test_a_turned_subspace_by_hand() -> None:
    """All variance along one axis, then along another: old vectors have nothing of the new ones left."""
    gauge = Gauge([np.eye(2, dtype=np.float32)], width=1, weight=1.0, rank=16)
    gauge.learn(Scatter(np.array([[1, 0], [-1, 0]], dtype=np.float32)))
    assert gauge.square(Scatter(np.array([[0, 1], [0, -1]], dtype=np.float32))) == pytest.approx(1)


def test_channels_count_by_their_weights_and_levels_of_a_mean_together() -> None:
    assert level_groups(3, "concat") == [[0], [1], [2]]
    assert level_groups(2, "mean") == [[0, 1]]
    basis = np.eye(2, dtype=np.float32)
    rows = {0: np.array([[1, 0], [-1, 0]], dtype=np.float32), 1: np.array([[1, 0], [-1, 0]], dtype=np.float32)}
    meter = DriftMeter([basis, basis], "concat", [1.0, 0.5], 16.0)
    meter.learn(rows.__getitem__)
    rows[1] = rows[1][:, ::-1].copy()
    assert meter.drift(rows.__getitem__) == pytest.approx(np.sqrt(0.25 / 1.25))
