"""The loop itself: steps that look at no number between them are the steps that do."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from conftest import random_graph
from sparsecut.engines.rows import Rows
from sparsecut.model.history import History
from sparsecut.model.linear_encoder import LinearEncoder
from sparsecut.model.training import (
    EnergyOverGram,
    TrainingSettings,
    _train_unasked,
    energy_over_rows,
    train,
)
from sparsecut.operators.losses import EnergyPerEdges, edge_graph, loss_of_energy
from sparsecut.operators.negatives import complete_graph


@pytest.mark.parametrize("widths", [[[6, 4]], [[6, 5, 4]]], ids=["one matrix", "two"])
def test_steps_unasked_are_the_steps_asked(widths: list[list[int]]) -> None:
    """What a GPU does, which never looks at a number between steps; here on the CPU, against the loop that does."""
    M = torch.randn(30, 6, generator=torch.Generator().manual_seed(0))
    inverse = EnergyOverGram({(0,): M.T @ M})
    ratio = EnergyPerEdges(inverse, EnergyOverGram({(0,): M[:9].T @ M[:9]}))
    for loss, alpha, energy in (("inverse", "auto", inverse), ("negative", 0.3, inverse), ("ratio", 2.0, ratio)):
        settings = TrainingSettings(loss, alpha, l2=0.01, learning_rate=0.01, epochs=7, batch_size=None)
        asked, unasked = (LinearEncoder(widths, "mean", torch.Generator().manual_seed(1)) for _ in range(2))
        histories = History(), History()
        train(asked, lambda energy=energy: [energy], histories[0], settings, lambda *_: None)
        assert _train_unasked(unasked, lambda energy=energy: [energy], histories[1], settings)
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


@pytest.mark.parametrize("widths", [[[5, 3]], [[5, 4, 3]]], ids=["one matrix", "two"])
@pytest.mark.parametrize("over", ["gram", "rows"])
def test_the_ratio_has_the_gradient_of_finite_differences(over: str, widths: list[list[int]]) -> None:
    """Equation opt from dense matrices, and its derivative in every weight by a central difference in float64."""
    graph = random_graph(12, 5, density=0.4, is_weighted=True)
    A, S = graph.adjacency.toarray().astype(np.float64), graph.features.astype(np.float64)
    L_G, L_K = np.diag(A.sum(axis=1)) - A, 12 * np.eye(12) - np.ones((12, 12))
    if over == "gram":
        parts = (EnergyOverGram({(0,): torch.from_numpy(S.T @ L @ S)}) for L in (L_K, L_G))
    else:
        levels = [Rows(torch.from_numpy(S))]
        parts = (energy_over_rows(levels, pairs) for pairs in (complete_graph(12), edge_graph(graph.adjacency)))
    encoder = LinearEncoder(widths, "mean", torch.Generator().manual_seed(1)).double()

    def opt() -> float:
        Z = S @ encoder.matrices()[0].detach().numpy()
        return 7 * np.trace(Z.T @ L_G @ Z) / np.trace(Z.T @ L_K @ Z)

    loss = loss_of_energy("ratio", EnergyPerEdges(*parts)(encoder), 7.0)
    assert loss.item() == pytest.approx(opt(), rel=1e-6)  # a listed Laplacian is float32
    loss.backward()
    for parameter in encoder.parameters():
        differences = torch.zeros_like(parameter)
        flat, step = parameter.data.view(-1), 1e-5
        for place in range(len(flat)):
            start = flat[place].item()
            flat[place] = start + step
            above = opt()
            flat[place] = start - step
            differences.view(-1)[place] = (above - opt()) / (2 * step)
            flat[place] = start
        assert torch.allclose(parameter.grad, differences, rtol=1e-4, atol=1e-5)
        assert abs((parameter.grad * parameter).sum().item()) < 1e-5  # the scale of a layer changes nothing
