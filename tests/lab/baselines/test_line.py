"""LINE: its objective against loops, its draws against their exact chances, communities found."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy.stats import chisquare

from sparsecut import Graph
from sparsecut.lab.baselines import LINE
from sparsecut.lab.baselines.line import EdgeSampler, Proximity

STAR = np.zeros((5, 5))  # 0 in the middle, weighted; 4 alone
for leaf, weight in ((1, 1.0), (2, 2.0), (3, 5.0)):
    STAR[0, leaf] = STAR[leaf, 0] = weight


@pytest.mark.parametrize("order", [1, 2])
def test_objective_and_gradient_against_loops(order: int) -> None:
    torch.manual_seed(0)
    proximity = Proximity(4, 3, order=order).double()
    for table in {proximity.inputs, proximity.outputs}:
        torch.nn.init.normal_(table.weight)
    source, targets = np.array([0, 2, 0]), np.array([[1, 3, 3], [1, 0, 2], [3, 1, 0]])

    def direct(X: np.ndarray, Y: np.ndarray) -> float:
        total = 0.0
        for i, (j, *negatives) in zip(source, targets, strict=True):
            total += math.log(1 / (1 + math.exp(-X[i] @ Y[j])))
            for n in negatives:
                total += math.log(1 / (1 + math.exp(X[i] @ Y[n])))
        return -total / len(source)

    loss = proximity(torch.from_numpy(source), torch.from_numpy(targets))
    loss.backward()
    X, Y = proximity.inputs.weight.detach().numpy(), proximity.outputs.weight.detach().numpy()
    assert (X is Y) or np.shares_memory(X, Y) == (order == 1)
    assert loss.item() == pytest.approx(direct(X, Y), rel=1e-10)
    gradient = proximity.inputs.weight.grad.to_dense().numpy()
    for place in np.ndindex(4, 3):
        moved = []
        for step in (1e-6, -1e-6):
            changed = X.copy()
            changed[place] += step
            moved.append(direct(changed, changed if order == 1 else Y))
        assert gradient[place] == pytest.approx((moved[0] - moved[1]) / 2e-6, abs=1e-7)


def test_edges_are_drawn_by_weight_and_negatives_by_degree() -> None:
    draw = EdgeSampler(Graph(STAR).adjacency, 3, np.random.default_rng(0))
    source, targets = (tensor.numpy() for tensor in draw(60_000))
    drawn = np.zeros((5, 5))
    np.add.at(drawn, (source, targets[:, 0]), 1)
    assert not drawn[STAR == 0].any()
    assert chisquare(drawn[STAR > 0], STAR[STAR > 0] / STAR.sum() * 60_000).pvalue > 1e-4
    chances = STAR.sum(axis=1) ** 0.75
    counts = np.bincount(targets[:, 1:].ravel(), minlength=5)
    assert counts[4] == 0
    assert chisquare(counts[:4], chances[:4] / chances.sum() * 180_000).pvalue > 1e-4


def test_an_epoch_draws_as_many_edges_as_there_are() -> None:
    sampler = EdgeSampler(Graph(STAR).adjacency, 1, np.random.default_rng(0))
    assert [sampler.batches(size) for size in (4, 3)] == [[4, 2], [3, 3]]


def test_two_cliques_lie_apart_and_a_lonely_node_is_zero() -> None:
    A = np.zeros((17, 17))
    A[:8, :8] = A[8:16, 8:16] = 1
    np.fill_diagonal(A, 0)
    A[7, 8] = A[8, 7] = 1
    model = LINE(dimension=8, epochs=100)
    Z = model.fit_transform(Graph(A))
    assert not Z[16].any()
    for half in (Z[:16, :4], Z[:16, 4:]):
        np.testing.assert_allclose(np.linalg.norm(half, axis=1), 1, rtol=1e-5)
    similarity = Z[:16] @ Z[:16].T
    is_same = np.kron(np.eye(2), np.ones((8, 8))) > 0
    assert similarity[is_same].mean() > similarity[~is_same].mean() + 0.5
    assert model.history_.loss[-1] < model.history_.loss[0]


def test_an_odd_dimension_is_filled() -> None:
    assert LINE(dimension=5, epochs=1).fit_transform(Graph(STAR)).shape == (5, 5)
