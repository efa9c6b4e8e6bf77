"""DGI's loss by hand, its early stopping, and what a callback sees."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from conftest import random_graph
from sparsecut import Graph, InputError
from sparsecut.lab.baselines import DGI
from sparsecut.lab.baselines.dgi import Infomax
from sparsecut.lab.baselines.network import GraphNetwork
from sparsecut.lab.baselines.tensors import graph_tensors

CPU = torch.device("cpu")

# A path of four nodes: degrees with self-loops 2, 3, 3, 2.
PATH = Graph(
    [[0, 1, 0, 0], [1, 0, 1, 0], [0, 1, 0, 1], [0, 0, 1, 0]],
    features=np.array([[1, 0, 2], [0, 3, 0], [1, 1, 0], [0, 0, 4]]),
)


def sigmoid(x: Any) -> Any:
    return 1 / (1 + np.exp(-x))


def numbers_of(module: nn.Module) -> dict[str, np.ndarray]:
    """Weights away from their start, so that biases and slopes count, in double precision."""
    generator = torch.Generator().manual_seed(3)
    with torch.no_grad():
        for parameter in module.parameters():
            parameter.copy_(torch.randn(parameter.shape, generator=generator))
    return {name: parameter.detach().double().numpy() for name, parameter in module.named_parameters()}


def test_the_loss_on_four_nodes_is_the_one_by_hand() -> None:
    infomax = Infomax(GraphNetwork(3, 2, [nn.PReLU()]), 2)
    numbers = numbers_of(infomax)
    W, b = numbers["network.layers.0.weight"], numbers["network.layers.0.bias"]
    slope, B, beta = numbers["network.layers.0.activation.weight"], numbers["discriminator"], numbers["bias"]
    r = 1 / np.sqrt(6)
    P = np.array([[1 / 2, r, 0, 0], [r, 1 / 3, 1 / 3, 0], [0, 1 / 3, 1 / 3, r], [0, 0, r, 1 / 2]])
    F = np.array([[1 / 3, 0, 2 / 3], [0, 1, 0], [1 / 2, 1 / 2, 0], [0, 0, 1]])  # rows sum to one
    order = [2, 0, 3, 1]

    def encode(features: np.ndarray) -> np.ndarray:
        X = P @ features @ W + b
        return np.where(X > 0, X, slope * X)

    H, H_shuffled = encode(F), encode(F[order])
    c = sigmoid(H.mean(axis=0))
    expected = 0.0
    for i in range(4):
        expected -= np.log(sigmoid(H[i] @ B @ c + beta)) / 8
        expected -= np.log(1 - sigmoid(H_shuffled[i] @ B @ c + beta)) / 8

    tensors = graph_tensors(PATH, CPU, is_scaled=True)
    assert infomax.loss(tensors, torch.tensor(order)).item() == pytest.approx(expected, rel=1e-5)


def test_the_mean_encoder_is_three_layers_of_own_beside_pooled() -> None:
    model = DGI(dimension=4, encoder="mean", features="given", epochs=1).fit(PATH)
    numbers = numbers_of(model.network_)
    P = np.array([[1, 1, 0, 0], [1, 1, 1, 0], [0, 1, 1, 1], [0, 0, 1, 1]]) / np.array([[2], [3], [3], [2]])
    X = np.asarray(PATH.features, dtype=np.float64)
    for layer in range(3):
        W, b = numbers[f"layers.{layer}.weight"], numbers[f"layers.{layer}.bias"]
        X = np.hstack([X @ W[:, :2], P @ X @ W[:, 2:]]) + b
        X = np.where(X > 0, X, numbers[f"layers.{layer}.activation.weight"] * X)
    np.testing.assert_allclose(model.transform(PATH), X, rtol=1e-4)


def test_training_tells_nodes_from_shuffled_ones() -> None:
    graph = two_groups()
    model = DGI(dimension=16, learning_rate=0.01, epochs=200).fit(graph)
    assert model.history_.loss[0] == pytest.approx(np.log(2), abs=0.02)  # a coin's
    assert min(model.history_.loss) < 0.35


def test_training_ends_after_patience_and_goes_back_to_the_lowest_loss() -> None:
    graph = two_groups()
    model = DGI(dimension=16, learning_rate=0.05, patience=5, epochs=500)
    after_epoch = []
    model.fit(graph, callback=lambda *_: after_epoch.append(model.transform(graph)))
    losses = model.history_.loss
    best = int(np.argmin(losses))
    assert best > 0
    assert len(losses) == best + 1 + 5 < 500
    # The loss of an epoch is that of the weights the epoch before left.
    np.testing.assert_array_equal(model.embedding_, after_epoch[best - 1])
    np.testing.assert_array_equal(model.transform(graph), model.embedding_)
    assert (after_epoch[-1] != model.embedding_).any()


def test_a_callback_sees_its_own_epochs_weights() -> None:
    graph = random_graph()
    seen: list[np.ndarray] = []
    epochs: list[int] = []
    model = DGI(dimension=4, learning_rate=0.01, epochs=4)

    def look(epoch: int, history: Any) -> None:
        assert model.n_features_in_ == graph.n_features
        assert len(history.loss) == len(history.seconds) == epoch
        epochs.append(epoch)
        seen.append(model.transform(graph))

    model.fit(graph, callback=look)
    assert epochs == [1, 2, 3, 4]
    for before, after in itertools.pairwise(seen):
        assert abs(before - after).max() > 1e-5
    # Looking changes nothing.
    np.testing.assert_array_equal(DGI(dimension=4, learning_rate=0.01, epochs=4).fit_transform(graph), model.embedding_)


def test_unseen_nodes_are_embedded_by_their_own_neighbourhood_alone() -> None:
    """Two graphs side by side are embedded as each alone: nothing of the graph trained on, nor of the other, leaks in."""
    model = DGI(dimension=4, epochs=3).fit(random_graph())
    one, two = random_graph(20, seed=1), random_graph(30, seed=2)
    A = np.zeros((50, 50))
    A[:20, :20], A[20:, 20:] = one.adjacency.toarray(), two.adjacency.toarray()
    both = Graph(A, features=np.vstack([one.features, two.features]))
    np.testing.assert_allclose(model.transform(both), np.vstack([model.transform(one), model.transform(two)]), atol=1e-6)


def test_the_papers_settings_are_there() -> None:
    assert DGI.paper("cora").get_params() == DGI().get_params()
    assert DGI.paper("pubmed", patience=3).get_params() == DGI(dimension=256, patience=3).get_params()
    assert DGI.paper("reddit").encoder == "mean"


@pytest.mark.parametrize(("option", "value"), [("encoder", "gat"), ("features", "tf-idf"), ("patience", 0)])
def test_bad_options_are_named(option: str, value: object) -> None:
    with pytest.raises(InputError, match=f"The {option} parameter of DGI must be"):
        DGI(**{option: value}).fit(PATH)


def test_an_overflow_is_said_in_words() -> None:
    graph = Graph(PATH.adjacency, features=np.full((4, 3), 3e38))
    with pytest.raises(InputError, match=r"The loss of DGI overflowed in epoch \d\. Scale the features down"):
        DGI(dimension=8, features="given", epochs=2).fit(graph)


def two_groups() -> Graph:
    """Two groups of ten, each with its own words and more edges within than between."""
    generator = np.random.default_rng(0)
    group = np.repeat([0, 1], 10)
    is_same = group[:, None] == group
    upper = np.triu(generator.random((20, 20)) < np.where(is_same, 0.6, 0.02), 1)
    words = generator.random((20, 12)) < np.where(np.arange(12) < 6, 1 - group[:, None], group[:, None]) * 0.5 + 0.05
    return Graph(upper | upper.T, features=words.astype(np.float32))
