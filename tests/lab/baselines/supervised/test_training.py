"""The one loop that trains the supervised methods: when it stops, what it penalises, what it drops."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from baseline_graphs import a_split, labelled
from conftest import random_graph
from network_oracles import CPU
from sparsecut import Graph
from sparsecut.evaluation import Split
from sparsecut.lab.baselines import GAT, GCN, SGC, MixHop, methods
from sparsecut.lab.baselines.baseline import seeded
from sparsecut.lab.baselines.supervised.classifier import ClassifierNetwork, SupervisedBaseline

QUICK = {"epochs": 3, "device": "cpu", "random_state": 0}
METHODS = methods.names(is_supervised=True)
NOBODY = np.empty(0, dtype=np.int64)


def make(name: str, **more: object):
    return methods.find_method(name).make({**QUICK, **more})


class Wobbling(SupervisedBaseline):
    """One weight, which is raised by one per step. The score of class 1 is −(weight − 3)²: best after the third step."""

    def __init__(self, epochs: int = 50, patience: int = 4) -> None:
        self.epochs, self.patience = epochs, patience
        self.learning_rate, self.l2, self.device, self.random_state = 1.0, 0.0, "cpu", 0

    def _check(self) -> None: ...

    def _network(self, n_features: int, n_classes: int) -> ClassifierNetwork:
        class Parabola(ClassifierNetwork):
            def __init__(self) -> None:
                super().__init__()
                self.weight = torch.nn.Parameter(torch.zeros(()))

            def forward(self, inputs: object, nodes: torch.Tensor) -> torch.Tensor:
                score = -((self.weight - 3) ** 2)
                return torch.stack([torch.zeros(()), score]).expand(len(nodes), 2)

            def penalised(self) -> list[torch.nn.Parameter]:
                return []

        return Parabola()

    def _inputs(self, graph: Graph, device: torch.device) -> None: ...

    def _optimizers(self, network: ClassifierNetwork) -> list[SimpleNamespace]:
        return [SimpleNamespace(step=lambda: network.weight.data.add_(1))]


def test_early_stopping_goes_back_to_the_best_weights() -> None:
    """Best for the validation nodes, of class 1; for the training nodes, three of four of class 0, epoch 2 would be."""
    graph = Graph(np.ones((6, 6)), features=np.eye(6), labels=[0, 0, 0, 1, 1, 1])
    split = Split(np.arange(4), np.array([4]), np.array([5]))
    model = Wobbling().fit(graph, split=split)
    assert len(model.history_.loss) == 3 + 4
    assert np.argmin(model.history_.loss) == 2  # the loss of epoch 3 is that of the weights of epoch 2
    assert model.network_.weight.item() == 3
    assert model.history_.notes == ["Stopped after epoch 7: the weights of epoch 3 stay."]
    model = Wobbling(epochs=5).fit(graph, split=split)
    assert model.network_.weight.item() == 3  # at the last epoch too


@pytest.mark.parametrize("name", METHODS)
def test_the_weights_that_stay_are_those_best_for_the_validation_nodes(name: str) -> None:
    """Trained for 1, 2, … epochs without any, and judged by hand: by the loss, or by the accuracy where that decides."""
    n_epochs, split = 12, a_split()
    labels = np.arange(40) % 3
    graph = labelled(random_graph(), labels)
    on_validation, on_training, weights = [], [], []
    for epochs in range(1, n_epochs + 1):
        model = make(name, epochs=epochs, learning_rate=0.1).fit(graph, split=Split(split.train, NOBODY, split.test))
        with torch.no_grad():
            scores = model.network_.eval()(model._inputs(graph, CPU), torch.arange(40)).double().numpy()
        losses = np.log(np.exp(scores).sum(axis=1)) - scores[np.arange(40), labels]
        worth = scores.argmax(axis=1) != labels if name == "mixhop" else losses
        on_validation.append(worth[split.validation].mean())
        on_training.append(worth[split.train].mean())
        weights.append([parameter.detach().clone() for parameter in model.network_.parameters()])
    best = int(np.argmin(on_validation))
    assert best != np.argmin(on_training)
    model = make(name, epochs=n_epochs, patience=n_epochs, learning_rate=0.1).fit(graph, split=split)
    assert all(map(torch.equal, model.network_.parameters(), weights[best]))


def test_the_penalty_is_on_the_weights_the_authors_penalise() -> None:
    """Where nothing is told apart the loss has no gradient for the first layer, so what shrinks is what is penalised."""
    graph = Graph(sp.csr_array((4, 4)), features=np.ones((4, 3)), labels=[0, 1, 0, 1])
    split = Split(np.arange(4), np.arange(0), np.arange(0))
    shrunk = {}
    for l2 in (0.0, 0.3):
        for model in (GCN(dropout=0), MixHop(dropout=0, hidden_dropout=0), GAT(dropout=0), SGC()):
            model.set_params(l2=l2, epochs=1, device="cpu").fit(graph, split=split)
            name = type(model).__name__
            shrunk[name, l2] = {key: p.detach().clone() for key, p in model.network_.named_parameters()}
    changed = {
        name: {key for key in shrunk[name, 0.0] if not torch.equal(shrunk[name, 0.0][key], shrunk[name, 0.3][key])}
        for name in ("GCN", "MixHop", "GAT", "SGC")
    }
    assert changed["GCN"] == {"first"}
    assert changed["MixHop"] == {"first", "second"}
    assert {"first.weights", "second.weights"} <= changed["GAT"]
    assert changed["SGC"] == {"weights", "bias"}


def test_dropout_is_drawn_in_training_alone(graph: Graph) -> None:
    for model in (GCN(dropout=0.5), GAT(dropout=0.5), MixHop(dropout=0.5, hidden_dropout=0)):
        with seeded(0, CPU):
            network = model._network(graph.n_features, 3)
            inputs, nodes = model._inputs(graph, CPU), torch.arange(30)
            trained = [network.train()(inputs, nodes) for _ in range(2)]
            still = [network.eval()(inputs, nodes) for _ in range(2)]
        assert not torch.equal(*trained)
        assert torch.equal(*still)
