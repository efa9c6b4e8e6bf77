"""Early stopping: when it ends, and which weights stay."""

from __future__ import annotations

import math

import pytest
import torch
from torch import nn

from sparsecut.lab.baselines.stopping import EarlyStopping


def run(values: list[float], patience: int) -> tuple[int, float]:
    """How many values were looked at, and the weight that stays; the weight is the number of the value."""
    network, stopping = nn.Linear(1, 1, bias=False), EarlyStopping(patience)
    n_seen = 0
    for number, value in enumerate(values):
        network.weight.data.fill_(number)
        n_seen += 1
        if stopping.is_over(value, network):
            break
    stopping.restore(network)
    return n_seen, network.weight.item()


@pytest.mark.parametrize(
    ("values", "patience", "expected"),
    [
        ([5, 4, 3, 2, 1], 2, (5, 4)),  # better each time: never over, the last stays
        ([5, 3, 4, 4, 1], 2, (4, 1)),  # two in a row no better than 3
        ([5, 3, 4, 2, 4, 4], 2, (6, 3)),  # the count starts again at a better one
        ([3, 3, 3], 2, (3, 0)),  # as good is no better: the first of equals stays
        ([math.nan, math.nan], 5, (2, 1)),  # nothing was ever better than nothing: the weights stay as they are
    ],
)
def test_it_ends_after_patience_values_in_a_row_and_the_best_stays(
    values: list[float], patience: int, expected: tuple[int, float]
) -> None:
    assert run(values, patience) == expected


def test_what_is_kept_does_not_move_with_the_network() -> None:
    network, stopping = nn.Linear(2, 2), EarlyStopping(3)
    best = network.weight.detach().clone()
    stopping.is_over(1.0, network)
    with torch.no_grad():
        network.weight.add_(1)
    stopping.restore(network)
    assert torch.equal(network.weight, best)
