"""What the networks of the supervised methods are compared with: their answer at a known start, and dense features."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import torch

from conftest import random_graph
from sparsecut import Graph
from sparsecut.lab.baselines.baseline import seeded
from sparsecut.lab.baselines.supervised.classifier import SupervisedBaseline

CPU = torch.device("cpu")


def scores_of(model: SupervisedBaseline, graph: Graph, n_classes: int = 3) -> tuple[np.ndarray, dict[str, np.ndarray]]:
    """What the network at its start answers for all nodes, and its weights in float64, none of them zero."""
    with seeded(0, CPU):
        network = model._network(graph.n_features, n_classes).eval()
        for parameter in network.parameters():
            parameter.data += 0.1 * torch.randn(parameter.shape)
    with torch.no_grad():
        scores = network(model._inputs(graph, CPU), torch.arange(graph.n_nodes))
    return scores.numpy(), {name: p.detach().double().numpy() for name, p in network.named_parameters()}


def scaled_dense(graph: Graph, order: int = 1) -> np.ndarray:
    F = graph.features.toarray() if sp.issparse(graph.features) else graph.features
    return F.astype(np.float64) / np.linalg.norm(F, axis=1, ord=order, keepdims=True)


def graph_with_full_rows(*, is_sparse: bool) -> Graph:
    """A weighted graph none of whose rows of features is zero, which an oracle would divide by."""
    graph = random_graph(30, 9, is_weighted=True, density=0.15, is_sparse=is_sparse)
    F = graph.features.toarray() if is_sparse else graph.features.copy()
    F[~F.any(axis=1), 0] = 1
    return Graph(graph.adjacency, features=sp.csr_array(F) if is_sparse else F)
