"""The losses by hand, and what a given α comes to."""

from __future__ import annotations

import pytest
import torch

from sparsecut.operators.losses import LOSSES, alpha_against, loss_of_energy, slope_of_energy, unit_alpha


def test_losses_by_hand() -> None:
    energy = torch.tensor(4.0)
    assert LOSSES == ("inverse", "negative", "none")
    assert loss_of_energy("inverse", energy, 2.0).item() == 0.5
    assert loss_of_energy("negative", energy, 2.0).item() == -8
    assert loss_of_energy("inverse", energy, unit_alpha("inverse", 4.0)).item() == 1
    assert loss_of_energy("negative", energy, unit_alpha("negative", 4.0)).item() == -1


@pytest.mark.parametrize("loss", ["inverse", "negative"])
def test_the_slope_is_the_derivative(loss: str) -> None:
    energy = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    alpha = torch.tensor(7.0, dtype=torch.float64)
    (slope,) = torch.autograd.grad(loss_of_energy(loss, energy, alpha), energy)
    assert slope_of_energy(loss, energy.detach(), alpha).item() == pytest.approx(slope.item())


@pytest.mark.parametrize("loss", ["inverse", "negative"])
def test_alpha_against_a_heavier_graph_gives_the_loss_that_was_meant(loss: str) -> None:
    """An energy of ten times the weight, scaled down to the unit, is the energy that α was given against."""
    energy, alpha = torch.tensor(6.0), 2.0
    against = alpha_against(loss, alpha, weight=50.0, unit=5.0)
    assert loss_of_energy(loss, 10 * energy, against).item() == pytest.approx(loss_of_energy(loss, energy, alpha).item())
    assert alpha_against(loss, alpha, weight=0.0, unit=5.0) == alpha  # no pair is apart: nothing to measure by
