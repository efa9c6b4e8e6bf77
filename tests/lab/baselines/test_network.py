"""Graph convolutions against dense matrices, and the loop that trains them: patience, overflow, checks."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from conftest import random_graph
from reference import dense_propagation
from sparsecut import InputError, Power, Symmetric
from sparsecut.lab.baselines import DGI, UnsupervisedGCN
from sparsecut.lab.baselines.network import GraphNetwork
from sparsecut.lab.baselines.tensors import graph_tensors

CPU = torch.device("cpu")


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_layers_are_their_equation_with_and_without_the_nodes_own_rows(is_sparse: bool) -> None:
    graph = random_graph(20, 7, is_weighted=True, is_sparse=is_sparse)
    F = graph.features.toarray() if is_sparse else np.asarray(graph.features)
    for with_own, filter in ((False, Symmetric()), (True, Power())):
        torch.manual_seed(0)
        network = GraphNetwork(7, 6, [nn.ReLU(), nn.Identity()], with_own=with_own)
        for layer in network.layers:
            layer.bias.data = torch.randn(6)
        P, rows = dense_propagation(graph.adjacency.toarray(), "row" if with_own else "symmetric"), F
        for layer, activate in zip(network.layers, (lambda x: np.maximum(x, 0), lambda x: x), strict=True):
            product = rows @ layer.weight.detach().numpy()
            n_own = 3 if with_own else 0
            rows = activate(np.hstack([product[:, :n_own], P @ product[:, n_own:]]) + layer.bias.detach().numpy())
        tensors = graph_tensors(graph, CPU, filter=filter)
        np.testing.assert_allclose(network(tensors).detach(), rows, atol=1e-4)


def test_rows_reordered_between_start_and_finish_are_features_reordered() -> None:
    graph = random_graph(20, 7)
    network = GraphNetwork(7, 6, [nn.PReLU()])
    order = np.random.default_rng(0).permutation(20)
    shuffled = graph_tensors(graph.replace(features=np.asarray(graph.features)[order]), CPU)
    tensors = graph_tensors(graph, CPU)
    ours = network.finish(network.start(tensors.features)[order], tensors.propagation)
    torch.testing.assert_close(ours, network(shuffled))


@pytest.mark.parametrize("estimator", [DGI, UnsupervisedGCN])
@pytest.mark.parametrize(("option", "value"), [("dimension", 0), ("epochs", 0), ("learning_rate", -1.0)])
def test_what_the_networks_share_is_checked(estimator: type[DGI], option: str, value: object) -> None:
    with pytest.raises(InputError, match=f"The {option} parameter of {estimator.__name__} must be"):
        estimator(**{option: value}).fit(random_graph())
