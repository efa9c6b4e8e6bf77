"""The linear network: forward by hand, gradients by finite differences, the start by its distribution."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch

from sparsecut.base.errors import InputError
from sparsecut.engines.memory import _gram_by_columns
from sparsecut.engines.rows import Rows, StackedRows
from sparsecut.model.linear_encoder import LinearEncoder, glorot_uniform, layer_widths
from sparsecut.model.training import EnergyOverGram, energy_over_rows
from sparsecut.operators.losses import loss_of_energy
from sparsecut.operators.negatives import complete_graph


def generator(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def levels(n_levels: int, n_nodes: int = 8, n_features: int = 5) -> list[Rows]:
    return [Rows(torch.randn(n_nodes, n_features, dtype=torch.float64, generator=generator(i))) for i in range(n_levels)]


def grams(encoder: LinearEncoder, rows: list[Rows]) -> dict[tuple[int, ...], torch.Tensor]:
    negatives = complete_graph(8)
    return {
        group: _gram_by_columns(StackedRows([rows[level] for level in group]), negatives) for group, _ in encoder.blocks()
    }


def test_a_deep_network_is_the_product_of_its_layers() -> None:
    encoder = LinearEncoder([[5, 7, 3, 2]], "mean", generator()).double()
    (rows,) = levels(1)
    (layers,) = encoder.levels
    Z = rows.features
    for layer in layers:
        Z = Z @ layer
    assert torch.allclose(encoder([rows]), Z)
    assert [tuple(layer.shape) for layer in layers] == [(5, 7), (7, 3), (3, 2)]


@pytest.mark.parametrize("depths", [[1, 1, 1], [1, 2, 3]])
@pytest.mark.parametrize("aggregation", ["concat", "mean"])
def test_the_energy_over_gram_is_the_energy_over_rows(aggregation: str, depths: list[int]) -> None:
    rows = levels(3)
    encoder = LinearEncoder([[5, *[4] * depth] for depth in depths], aggregation, generator()).double()
    over_rows = energy_over_rows(rows, complete_graph(8))(encoder)
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
    encoder = LinearEncoder([[5, 3], [5, 4, 3]], aggregation, generator()).double()
    energy = energy_over_rows(rows, complete_graph(8))

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


def test_the_start_is_glorot_uniform_and_seeded() -> None:
    weights = glorot_uniform(300, 500, generator(3)).detach()
    bound = math.sqrt(6 / 800)
    assert weights.abs().max() <= bound
    assert weights.mean().item() == pytest.approx(0, abs=bound / 100)
    assert weights.var().item() == pytest.approx(bound**2 / 3, rel=0.02)
    assert torch.equal(weights, glorot_uniform(300, 500, generator(3)))


def test_widths_of_the_layers() -> None:
    assert layer_widths(1, None, [9], 4, "mean") == [[9, 4]]
    assert layer_widths(3, None, [9], 4, "mean") == [[9, 4, 4, 4]]
    assert layer_widths(3, [7, 6], [9], 4, "mean") == [[9, 7, 6, 4]]
    assert layer_widths([1, 2], 5, [9, 9], 4, "mean") == [[9, 4], [9, 5, 4]]
    assert layer_widths([2, 3], [5, [8, 7]], [9, 9], 4, "max") == [[9, 5, 4], [9, 8, 7, 4]]
    assert layer_widths(1, None, [9, 9, 9], 5, "concat") == [[9, 2], [9, 2], [9, 1]]  # they share out the dimension


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            (3, [4], [9], 4, "mean"),
            r"The widths parameter of Adam must be .* one for each of the 2 hidden layers. Got \[4\]",
        ),
        ((2, 0, [9], 4, "mean"), "The widths parameter of Adam must be an integer of at least 1. Got 0"),
        (([1, 1, 1], None, [9, 9], 4, "mean"), r"The depth .* one for each of the 2 levels. Got \[1, 1, 1\]"),
        (([1, 2], None, [9], 4, "mean"), r"The depth .* one for all or one for the one level. Got \[1, 2\]"),
        ((1, [3], [9, 9], 4, "mean"), r"The widths .* one for each of the 2 levels. Got \[3\]"),
        ((1, None, [9, 9, 9], 2, "concat"), "MoSCE needs a dimension for each of its 3 levels to concat. Got 2."),
    ],
)
def test_shapes_that_cannot_be(arguments: tuple, message: str) -> None:
    with pytest.raises(InputError, match=message):
        layer_widths(*arguments)
