"""CCA-SSG (NeurIPS'21), written from the paper with its authors' published settings.

    two views: edges dropped, columns of features masked at random      Z̃ = standardised columns of the GCN's output
    loss = −tr(Z̃₁ᵀZ̃₂)/n + λ (‖I − Z̃₁ᵀZ̃₁/n‖² + ‖I − Z̃₂ᵀZ̃₂/n‖²)

Adam at 0.001, 512 columns in every layer. The epochs, λ and shares dropped of each graph are those of the release's README;
a graph that it does not name gets Amazon Photo's.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import torch
from torch import Tensor, nn

from peers.tensors import GraphConvolution, edge_index, keep_columns, propagation, sparse_features
from sparsecut import Graph

WIDTH = 512
LEARNING_RATE = 0.001


@dataclass(frozen=True)
class Settings:
    n_epochs: int
    weight: float  # λ
    masked: float  # of the features' columns
    dropped: float  # of the edges
    n_layers: int = 2


OTHERWISE = Settings(n_epochs=50, weight=1e-3, masked=0.2, dropped=0.3)
SETTINGS = {
    "cora": Settings(n_epochs=50, weight=1e-3, masked=0.1, dropped=0.4),
    "citeseer": Settings(n_epochs=20, weight=5e-4, masked=0.0, dropped=0.4, n_layers=1),
    "pubmed": Settings(n_epochs=100, weight=1e-3, masked=0.3, dropped=0.5),
}


def embed_as(graph_name: str) -> Callable[[Graph, int], Any]:
    settings = SETTINGS.get(graph_name, OTHERWISE)
    return lambda graph, seed: embed(graph, seed, settings)


def embed(graph: Graph, seed: int, settings: Settings) -> Any:
    torch.manual_seed(seed)
    X, edges = sparse_features(graph), edge_index(graph)
    encoder = Encoder(graph.n_features, settings.n_layers)
    optimizer = torch.optim.Adam(encoder.parameters(), lr=LEARNING_RATE)
    for _ in range(settings.n_epochs):
        optimizer.zero_grad()
        views = [
            encoder(X, propagation(edges, graph.n_nodes, settings.dropped), keep_columns(graph.n_features, settings.masked))
            for _ in range(2)
        ]
        correlation_loss(views[0], views[1], settings.weight).backward()
        optimizer.step()
    with torch.no_grad():
        return encoder(X, propagation(edges, graph.n_nodes)).numpy()


def correlation_loss(first: Tensor, second: Tensor, weight: float) -> Tensor:
    n = len(first)
    first, second = (((rows - rows.mean(dim=0)) / rows.std(dim=0)) for rows in (first, second))
    alike = (first * second).sum() / n
    eye = torch.eye(first.shape[1])
    apart = sum(((eye - rows.T @ rows / n) ** 2).sum() for rows in (first, second))
    return -alike + weight * apart


class Encoder(nn.Module):
    """Graph convolutions with ReLU between them."""

    def __init__(self, n_features: int, n_layers: int) -> None:
        super().__init__()
        widths = [n_features, *[WIDTH] * n_layers]
        self.layers = nn.ModuleList(GraphConvolution(*pair) for pair in pairwise(widths))

    def forward(self, X: Tensor, P: Tensor, kept_columns: Tensor | None = None) -> Tensor:
        Z = self.layers[0](X, P, kept_columns)
        for layer in self.layers[1:]:
            Z = layer(Z.relu(), P)
        return Z
