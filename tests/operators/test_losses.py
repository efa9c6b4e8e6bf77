"""The losses by hand, and what a given α comes to."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from sparsecut.engines import MemoryEngine
from sparsecut.engines.rows import Rows
from sparsecut.operators.losses import LOSSES, alpha_against, edge_graph, loss_of_energy, slope_of_energy, unit_alpha


def test_losses_by_hand() -> None:
    energy = torch.tensor(4.0)
    assert LOSSES == ("inverse", "ratio", "negative", "none")
    assert loss_of_energy("inverse", energy, 2.0).item() == 0.5
    assert loss_of_energy("negative", energy, 2.0).item() == -8
    assert loss_of_energy("ratio", torch.tensor(12.0) / torch.tensor(3.0), 2.0).item() == 0.5  # 2·E_G/E, E = 12, E_G = 3
    assert loss_of_energy("inverse", energy, unit_alpha("inverse", 4.0)).item() == 1
    assert loss_of_energy("ratio", energy, unit_alpha("ratio", 4.0)).item() == 1
    assert loss_of_energy("negative", energy, unit_alpha("negative", 4.0)).item() == -1


@pytest.mark.parametrize("loss", ["inverse", "ratio", "negative"])
def test_the_slope_is_the_derivative(loss: str) -> None:
    energy = torch.tensor(3.0, dtype=torch.float64, requires_grad=True)
    alpha = torch.tensor(7.0, dtype=torch.float64)
    (slope,) = torch.autograd.grad(loss_of_energy(loss, energy, alpha), energy)
    assert slope_of_energy(loss, energy.detach(), alpha).item() == pytest.approx(slope.item())


@pytest.mark.parametrize("loss", ["inverse", "ratio", "negative"])
def test_alpha_against_a_heavier_graph_gives_the_loss_that_was_meant(loss: str) -> None:
    """An energy of ten times the weight, scaled down to the unit, is the energy that α was given against."""
    energy, alpha = torch.tensor(6.0), 2.0
    against = alpha_against(loss, alpha, weight=50.0, unit=5.0)
    assert loss_of_energy(loss, 10 * energy, against).item() == pytest.approx(loss_of_energy(loss, energy, alpha).item())
    assert alpha_against(loss, alpha, weight=0.0, unit=5.0) == alpha  # no pair is apart: nothing to measure by


@pytest.mark.parametrize("is_directed", [False, True])
def test_the_edges_of_a_graph_are_pairs_listed_once(is_directed: bool) -> None:
    A = np.array([[0, 2, 0, 0.5], [0, 0, 1, 0], [0, 3 * is_directed, 0, 0], [0, 0, 0, 0]])
    edges = edge_graph(sp.csr_array(A if is_directed else A + A.T), is_directed=is_directed)
    Z = np.random.default_rng(0).normal(size=(4, 3))
    by_hand = sum(A[i, j] * np.sum((Z[i] - Z[j]) ** 2) for i in range(4) for j in range(4))
    assert edges.energy(torch.from_numpy(Z)).item() == pytest.approx(by_hand, rel=1e-6)
    assert edges.total_weight == edges.base_weight == A.sum()
    M = MemoryEngine(torch.device("cpu")).moments([Rows(torch.from_numpy(Z))], edges).M.numpy()
    assert np.trace(M) == pytest.approx(by_hand, rel=1e-6)
