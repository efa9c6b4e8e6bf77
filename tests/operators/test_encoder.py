"""The networks and the losses: forward by hand, gradients by finite differences, the start by its distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from sparsecut.model.training import EnergyOverGram, energy_over_rows
from sparsecut.operators.encoder import LinearEncoder, MultiOrderEncoder, aggregate, glorot_uniform
from sparsecut.operators.negatives import CompleteNegatives
from sparsecut.operators.objective import LOSSES, loss_of_energy, unit_alpha
from sparsecut.operators.rows import Rows, StackedRows


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def levels(n_levels: int, n_nodes: int = 8, n_features: int = 5) -> list[Rows]:
    return [Rows(torch.randn(n_nodes, n_features, dtype=torch.float64, generator=generator(i))) for i in range(n_levels)]


def grams(encoder: LinearEncoder | MultiOrderEncoder, rows: list[Rows]) -> dict[tuple[int, ...], torch.Tensor]:
    return {group: CompleteNegatives(8).gram(StackedRows([rows[level] for level in group])) for group, _ in encoder.blocks()}


def test_a_deep_network_is_the_product_of_its_layers() -> None:
    encoder = LinearEncoder([5, 7, 3, 2], generator()).double()
    (rows,) = levels(1)
    Z = rows.features
    for layer in encoder.layers:
        Z = Z @ layer
    assert torch.allclose(encoder([rows]), Z)
    assert [tuple(layer.shape) for layer in encoder.layers] == [(5, 7), (7, 3), (3, 2)]


def test_aggregations_by_hand() -> None:
    first, second = torch.tensor([[1.0, 4.0]]), torch.tensor([[3.0, 2.0]])
    assert aggregate([first, second], "concat").tolist() == [[1, 4, 3, 2]]
    assert aggregate([first, second], "mean").tolist() == [[2, 3]]
    assert aggregate([first, second], "max").tolist() == [[3, 4]]


@pytest.mark.parametrize("depths", [[1, 1, 1], [1, 2, 3]])
@pytest.mark.parametrize("aggregation", ["concat", "mean"])
def test_the_energy_over_gram_is_the_energy_over_rows(aggregation: str, depths: list[int]) -> None:
    rows = levels(3)
    encoder = MultiOrderEncoder([[5, *[4] * depth] for depth in depths], aggregation, generator()).double()
    over_rows = energy_over_rows(rows, CompleteNegatives(8))(encoder)
    over_gram = EnergyOverGram(grams(encoder, rows))(encoder)
    assert over_gram.item() == pytest.approx(over_rows.item(), rel=1e-12)
    for one, other in zip(
        torch.autograd.grad(over_rows, list(encoder.parameters())),
        torch.autograd.grad(over_gram, list(encoder.parameters())),
        strict=True,
    ):
        assert torch.allclose(one, other, rtol=1e-10)


@pytest.mark.parametrize("aggregation", ["concat", "mean", "max"])
@pytest.mark.parametrize("loss", ["inverse", "negative"])
def test_gradients_of_the_loss_by_finite_differences(loss: str, aggregation: str) -> None:
    rows = levels(2)
    encoder = MultiOrderEncoder([[5, 3], [5, 4, 3]], aggregation, generator()).double()
    energy = energy_over_rows(rows, CompleteNegatives(8))

    def value() -> float:
        return loss_of_energy(loss, energy(encoder), alpha=50.0).item()

    loss_of_energy(loss, energy(encoder), alpha=50.0).backward()
    step = 1e-6
    for parameter in encoder.parameters():
        for entry in np.ndindex(*parameter.shape):
            with torch.no_grad():
                parameter[entry] += step
                above = value()
                parameter[entry] -= 2 * step
                below = value()
                parameter[entry] += step
            assert parameter.grad[entry].item() == pytest.approx((above - below) / (2 * step), rel=1e-5, abs=1e-7)


def test_losses_by_hand() -> None:
    energy = torch.tensor(4.0)
    assert LOSSES == ("inverse", "negative", "none")
    assert loss_of_energy("inverse", energy, 2.0).item() == 0.5
    assert loss_of_energy("negative", energy, 2.0).item() == -8
    assert loss_of_energy("inverse", energy, unit_alpha("inverse", 4.0)).item() == 1
    assert loss_of_energy("negative", energy, unit_alpha("negative", 4.0)).item() == -1


def test_the_start_is_glorot_uniform_and_seeded() -> None:
    weights = glorot_uniform(300, 500, generator(3)).detach()
    bound = math.sqrt(6 / 800)
    assert weights.abs().max() <= bound
    assert weights.mean().item() == pytest.approx(0, abs=bound / 100)
    assert weights.var().item() == pytest.approx(bound**2 / 3, rel=0.02)
    assert torch.equal(weights, glorot_uniform(300, 500, generator(3)))
