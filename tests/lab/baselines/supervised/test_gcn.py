"""GCN against its equation with dense matrices, and against torch_geometric's layer."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from baseline_graphs import edge_tensors
from network_oracles import scaled_dense, scores_of
from reference import dense_propagation
from sparsecut import Graph
from sparsecut.lab.baselines import GCN


def test_gcn_is_its_equation(graph: Graph) -> None:
    scores, W = scores_of(GCN(hidden=5), graph)
    P, X = dense_propagation(graph.adjacency.toarray(), "symmetric"), scaled_dense(graph)
    np.testing.assert_allclose(scores, P @ np.maximum(P @ X @ W["first"], 0) @ W["second"], atol=1e-5)


def test_it_agrees_with_torch_geometric(graph: Graph) -> None:
    nn = pytest.importorskip("torch_geometric.nn")
    edges, weights = edge_tensors(graph)
    X = torch.tensor(scaled_dense(graph), dtype=torch.float32)
    with torch.no_grad():
        scores, W = scores_of(GCN(hidden=5), graph)
        first, second = nn.GCNConv(9, 5, bias=False), nn.GCNConv(5, 3, bias=False)
        first.lin.weight.copy_(torch.tensor(W["first"].T))
        second.lin.weight.copy_(torch.tensor(W["second"].T))
        np.testing.assert_allclose(scores, second(first(X, edges, weights).relu(), edges, weights), atol=1e-5)
