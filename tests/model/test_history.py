"""What a history tells of an embedding, and of the time a fit took."""

from __future__ import annotations

import time

import numpy as np
import pytest
import torch

from reference import dense_effective_rank
from sparsecut.model.history import History, effective_rank


def test_effective_rank_matches_the_singular_values() -> None:
    Z = np.random.default_rng(0).normal(size=(50, 8)) * np.array([5, 3, 1, 1, 0.5, 0.1, 0, 0])
    assert effective_rank(torch.from_numpy(Z)) == pytest.approx(dense_effective_rank(Z), rel=1e-6)
    assert effective_rank(torch.ones(4, 2)) == 0
    assert effective_rank(torch.arange(5.0)[:, None] @ torch.ones(1, 3)) == pytest.approx(1, abs=1e-4)


def test_the_effective_rank_of_very_many_rows_is_that_of_a_sample() -> None:
    generator = np.random.default_rng(0)
    Z = generator.normal(size=(200_000, 6)) * np.array([4, 2, 1, 1, 0.5, 0.1])
    assert effective_rank(torch.from_numpy(Z)) == pytest.approx(dense_effective_rank(Z), rel=5e-3)


def test_history_starts_empty() -> None:
    assert History().effective_rank is None
    assert History().to_dict()["loss"] == []


def test_a_stage_that_is_entered_again_goes_on() -> None:
    history = History()
    for _ in range(2):
        with history.stage("smooth"):
            time.sleep(0.01)
    assert history.stages["smooth"] >= 0.02
