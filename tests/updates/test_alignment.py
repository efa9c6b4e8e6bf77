"""A rotation onto earlier vectors: found where there is one, and the best of many where there is none."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import ortho_group

from sparsecut.features.weighting import Weighting
from sparsecut.operators.filters import Power
from sparsecut.operators.recipe import Recipe
from sparsecut.updates.alignment import align, rotation

GENERATOR = np.random.default_rng(0)
S = GENERATOR.normal(size=(60, 7)).astype(np.float32)


def recipe(aggregation: str, n_levels: int) -> Recipe:
    return Recipe(Weighting("none"), (Power(order=0),) * n_levels, aggregation)


def test_a_rotation_that_was_made_is_undone() -> None:
    W, R = GENERATOR.normal(size=(7, 4)).astype(np.float32), ortho_group.rvs(4, random_state=1)
    offset = np.arange(4, dtype=np.float32)
    Z = S @ W - offset
    aligned = align(Z, (Z @ R).astype(np.float32), [W], offset, recipe("mean", 1))
    assert aligned.residual < 1e-6
    np.testing.assert_allclose(S @ aligned.weights[0] - aligned.offset, Z @ R, atol=1e-4)


def test_no_other_rotation_is_nearer() -> None:
    Z, before = (GENERATOR.normal(size=(50, 3)).astype(np.float32) for _ in range(2))
    best = np.linalg.norm(Z @ rotation(Z, before) - before)
    assert all(np.linalg.norm(Z @ ortho_group.rvs(3, random_state=seed) - before) >= best - 1e-9 for seed in range(200))


@pytest.mark.parametrize("by_channel", [False, True])
def test_channels_give_what_was_rotated(by_channel: bool) -> None:
    weights = [GENERATOR.normal(size=(7, width)).astype(np.float32) for width in (2, 3)]
    offset, before = GENERATOR.normal(size=5).astype(np.float32), GENERATOR.normal(size=(60, 5)).astype(np.float32)
    Z = np.concatenate([S @ matrix for matrix in weights], axis=1) - offset
    aligned = align(Z, before, weights, offset, recipe("concat", 2), by_channel=by_channel)
    assert aligned.recipe.aggregation == ("concat" if by_channel else "mean")
    parts = [S @ matrix for matrix in aligned.weights]
    again = (np.concatenate(parts, axis=1) if by_channel else sum(parts) / 2) - aligned.offset
    np.testing.assert_allclose(again, aligned.embedding, atol=1e-4)
    assert aligned.residual == pytest.approx(np.linalg.norm(aligned.embedding - before) / np.linalg.norm(before), rel=1e-5)
    np.testing.assert_allclose(np.linalg.norm(aligned.embedding, axis=1), np.linalg.norm(Z, axis=1), rtol=1e-4)
