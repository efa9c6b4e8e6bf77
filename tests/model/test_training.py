"""The loop itself: steps that look at no number between them are the steps that do."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from sparsecut.model.encoder import LinearEncoder
from sparsecut.model.history import History
from sparsecut.model.training import EnergyOverGram, TrainingSettings, _train_unasked, train


@pytest.mark.parametrize("widths", [[[6, 4]], [[6, 5, 4]]], ids=["one matrix", "two"])
def test_steps_unasked_are_the_steps_asked(widths: list[list[int]]) -> None:
    """What a GPU does, which never looks at a number between steps; here on the CPU, against the loop that does."""
    M = torch.randn(30, 6, generator=torch.Generator().manual_seed(0))
    energy = EnergyOverGram({(0,): M.T @ M})
    for loss, alpha in (("inverse", "auto"), ("negative", 0.3)):
        settings = TrainingSettings(loss, alpha, l2=0.01, learning_rate=0.01, epochs=7, batch_size=None)
        asked, unasked = (LinearEncoder(widths, "mean", torch.Generator().manual_seed(1)) for _ in range(2))
        histories = History(), History()
        train(asked, lambda: [energy], histories[0], settings, lambda *_: None)
        assert _train_unasked(unasked, lambda: [energy], histories[1], settings)
        assert torch.allclose(asked.matrices()[0], unasked.matrices()[0], rtol=1e-5)
        assert np.allclose(histories[0].loss, histories[1].loss, rtol=1e-5)
        assert np.allclose(histories[0].energy, histories[1].energy, rtol=1e-5)
        assert np.isclose(histories[0].alpha, histories[1].alpha)


@pytest.mark.parametrize("size", [0.0, 1e30])
def test_steps_unasked_that_made_no_sense_are_taken_back(size: float) -> None:
    encoder = LinearEncoder([[3, 2]], "mean", torch.Generator().manual_seed(1))
    start = encoder.matrices()[0].clone()
    settings = TrainingSettings("inverse", "auto", l2=0, learning_rate=0.01, epochs=3, batch_size=None)
    history = History()
    energy = EnergyOverGram({(0,): torch.eye(3) * size * size})
    assert not _train_unasked(encoder, lambda: [energy], history, settings)
    assert torch.equal(encoder.matrices()[0], start)
    assert history == History()
