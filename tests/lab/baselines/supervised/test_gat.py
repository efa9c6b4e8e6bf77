"""GAT against loops over pairs of nodes, and against torch_geometric's layer."""

from __future__ import annotations

import numpy as np
import pytest
import torch

from baseline_graphs import edge_tensors
from network_oracles import CPU, scaled_dense, scores_of
from sparsecut import Graph
from sparsecut.lab.baselines import GAT
from sparsecut.lab.baselines.supervised.differentiable import DifferentiableMatrix
from sparsecut.lab.baselines.supervised.gat import AttentionLayer


def leaky(value: float) -> float:
    return value if value > 0 else 0.2 * value


def attend(A: np.ndarray, h: np.ndarray, s: np.ndarray, t: np.ndarray) -> np.ndarray:
    """One head of attention, a pair of nodes at a time."""
    out = np.zeros_like(h)
    for i in range(len(A)):
        near = [j for j in range(len(A)) if A[i, j] or i == j]
        powers = np.exp([leaky(s @ h[i] + t @ h[j]) for j in near])
        for j, share in zip(near, powers / powers.sum(), strict=True):
            out[i] += share * h[j]
    return out


def test_gat_on_a_path_of_four_by_loops() -> None:
    A = np.array([[0, 1, 0, 0], [1, 0, 5, 0], [0, 5, 0, 1], [0, 0, 1, 0]])  # the 5 is not looked at
    graph = Graph(A, features=np.random.default_rng(0).normal(size=(4, 3)))
    scores, W = scores_of(GAT(hidden=2, heads=3, output_heads=2), graph)
    hidden = scaled_dense(graph)
    for layer, width, heads in (("first", 2, 3), ("second", 3, 2)):
        h = hidden @ W[f"{layer}.weights"]
        parts = [
            attend(A, h[:, k * width : (k + 1) * width], W[f"{layer}.of_self"][k], W[f"{layer}.of_other"][k])
            + W[f"{layer}.bias"][k]
            for k in range(heads)
        ]
        side_by_side = np.hstack(parts)
        hidden = np.where(side_by_side > 0, side_by_side, np.expm1(side_by_side))
    np.testing.assert_allclose(scores, np.mean(parts, axis=0), atol=1e-5)


def test_it_agrees_with_torch_geometric(graph: Graph) -> None:
    nn = pytest.importorskip("torch_geometric.nn")
    edges, _ = edge_tensors(graph)
    X = torch.tensor(scaled_dense(graph), dtype=torch.float32)
    with torch.no_grad():
        scores, W = scores_of(GAT(hidden=4, heads=2, output_heads=2), graph)
        layers = [nn.GATConv(9, 4, heads=2), nn.GATConv(8, 3, heads=2, concat=False)]
        for layer, name in zip(layers, ("first", "second"), strict=True):
            layer.lin.weight.copy_(torch.tensor(W[f"{name}.weights"].T))
            layer.att_dst.copy_(torch.tensor(W[f"{name}.of_self"])[None])
            layer.att_src.copy_(torch.tensor(W[f"{name}.of_other"])[None])
            bias = torch.tensor(W[f"{name}.bias"])
            layer.bias.copy_(bias.flatten() if name == "first" else bias.mean(dim=0))
        np.testing.assert_allclose(scores, layers[1](torch.nn.functional.elu(layers[0](X, edges)), edges), atol=1e-5)


def test_attention_is_dropped_in_training() -> None:
    layer = AttentionLayer(9, 2, 1, dropout=0.5)
    whole = DifferentiableMatrix(np.ones((30, 30)), CPU)
    with torch.no_grad():
        layer.bias.zero_()
        layer.of_self.zero_()
        layer.of_other.zero_()
        deviation = layer.train()(torch.ones(30, 9), whole)[:, 0].std(dim=0)
    assert (deviation > 0).all()  # equal inputs, equal attention: what differs between nodes was dropped
