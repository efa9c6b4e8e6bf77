"""The unsupervised GCN: its network and loss against loops, and what it draws against the exact distributions."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy import stats

from conftest import random_graph
from sparsecut import Graph
from sparsecut.lab.baselines import UnsupervisedGCN
from sparsecut.lab.baselines.gcn_unsup import PairSampler, pair_loss

# Weighted, and the last node has no neighbour.
GRAPH = Graph(
    [[0, 1, 3, 0, 0], [1, 0, 0, 0, 0], [3, 0, 0, 2, 0], [0, 0, 2, 0, 0], [0, 0, 0, 0, 0]],
    features=np.eye(5, 3),
)


def test_the_loss_is_the_double_loop() -> None:
    generator = np.random.default_rng(0)
    Z = generator.normal(size=(6, 4))
    nodes, neighbours = np.array([0, 2, 3]), np.array([5, 1, 2])
    negatives = np.array([[1, 4], [2, 0], [5, 5]])
    total = 0.0
    for u, v, others in zip(nodes, neighbours, negatives, strict=True):
        total -= np.log(1 / (1 + np.exp(-Z[u] @ Z[v])))
        for other in others:
            total -= np.log(1 / (1 + np.exp(Z[u] @ Z[other])))
    loss = pair_loss(*(torch.as_tensor(array) for array in (Z, nodes, neighbours, negatives)))
    assert loss.item() == pytest.approx(total / 3)


def test_the_network_is_two_convolutions() -> None:
    graph = random_graph(15, is_weighted=True)
    model = UnsupervisedGCN(dimension=6, epochs=5).fit(graph)
    A = graph.adjacency.toarray() + np.eye(15)
    half = np.diag(A.sum(axis=1) ** -0.5)
    P = half @ A @ half
    W_1, b_1, W_2, b_2 = (parameter.detach().numpy() for parameter in model.network_.parameters())
    expected = P @ np.maximum(P @ graph.features @ W_1 + b_1, 0) @ W_2 + b_2
    np.testing.assert_allclose(model.embedding_, expected, rtol=1e-4, atol=1e-5)


def test_neighbours_are_drawn_by_weight_and_others_by_degree_to_three_quarters() -> None:
    sampler = PairSampler(GRAPH.adjacency, 4, np.random.default_rng(0))
    n_draws = 4_000
    neighbours, negatives = np.zeros((5, 5)), np.zeros(5)
    for _ in range(n_draws):
        nodes, drawn, others = sampler.draw()
        assert nodes.tolist() == [0, 1, 2, 3]
        neighbours[nodes, drawn] += 1
        negatives += np.bincount(others.ravel(), minlength=5)
    A = GRAPH.adjacency.toarray()
    assert not neighbours[A == 0].any()
    for node in (0, 2):
        expected = n_draws * A[node][A[node] > 0] / A[node].sum()
        assert stats.chisquare(neighbours[node][A[node] > 0], expected).pvalue > 1e-3
    odds = np.array([4, 1, 5, 2]) ** 0.75
    assert negatives[4] == 0
    assert stats.chisquare(negatives[:4], negatives.sum() * odds / odds.sum()).pvalue > 1e-3


def test_training_comes_near_the_lowest_loss_there_is() -> None:
    """Two cliques, of Q = 4 others two in a node's own.

    All vectors of a clique alike, the other's opposite, s = ‖z‖²: the loss is −3·log p − 2·log(1 − p) with p = sigmoid(s),
    lowest at p = 3/5.
    """
    clique = sp.coo_array(np.ones((30, 30)) - np.eye(30))
    graph = Graph(sp.block_diag([clique, clique]), features=np.repeat(np.eye(2), 30, axis=0))
    model = UnsupervisedGCN(dimension=8, n_negatives=4, learning_rate=0.01, epochs=200).fit(graph)
    lowest = 3 * np.log(5 / 3) + 2 * np.log(5 / 2)
    assert model.history_.loss[0] > 1.02 * lowest
    assert np.mean(model.history_.loss[-20:]) == pytest.approx(lowest, rel=0.01)


def test_a_callback_sees_its_epochs_weights() -> None:
    graph = random_graph()
    model = UnsupervisedGCN(dimension=8, learning_rate=0.01, epochs=30)
    seen = {}
    model.fit(graph, callback=lambda epoch, _: seen.update({epoch: model.transform(graph)}))
    for epochs in (1, 20):
        Z = UnsupervisedGCN(dimension=8, learning_rate=0.01, epochs=epochs).fit_transform(graph)
        np.testing.assert_array_equal(Z, seen[epochs])
    np.testing.assert_array_equal(model.embedding_, seen[30])


def test_the_papers_settings_are_there() -> None:
    assert UnsupervisedGCN.paper("cora", random_state=1).get_params() == UnsupervisedGCN(random_state=1).get_params()
    assert UnsupervisedGCN.paper("pubmed").dimension == 256
