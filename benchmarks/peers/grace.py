"""GRACE (2020), written from the paper with its authors' published settings.

    two views: edges dropped, columns of features masked; z = projection of a two-layer GCN, s(a, b) = e^(cos(a, b)/τ)
    loss of node i = −ln s(z_i, z′_i) / (Σ_j s(z_i, z′_j) + Σ_j≠i s(z_i, z_j)),  the mean over nodes and both views

The settings of each graph are those of the release's configuration; a graph that it does not name gets Pubmed's. All pairs
of nodes are compared where there are at most 4,000; beyond, those of 2,000 nodes drawn anew at every step, and Pubmed's
1,500 epochs are 300, which keeps a fit below a quarter of an hour on one core.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from peers.tensors import GraphConvolution, edge_index, keep_columns, propagation, sparse_features
from sparsecut import Graph

MAX_COMPARED = 4_000
N_COMPARED = 2_000
WEIGHT_DECAY = 1e-5


@dataclass(frozen=True)
class Settings:
    width: int
    learning_rate: float
    temperature: float  # τ
    dropped: tuple[float, float]  # of the edges, in each view
    masked: tuple[float, float]  # of the features' columns
    n_epochs: int
    activation: type[nn.Module] = nn.ReLU


SETTINGS = {
    "cora": Settings(128, 0.0005, 0.4, dropped=(0.2, 0.4), masked=(0.3, 0.4), n_epochs=200),
    "citeseer": Settings(256, 0.001, 0.9, dropped=(0.2, 0.0), masked=(0.3, 0.2), n_epochs=200, activation=nn.PReLU),
    "pubmed": Settings(256, 0.001, 0.7, dropped=(0.4, 0.1), masked=(0.0, 0.2), n_epochs=300),
}


def embed_as(graph_name: str) -> Callable[[Graph, int], Any]:
    settings = SETTINGS.get(graph_name, SETTINGS["pubmed"])
    return lambda graph, seed: embed(graph, seed, settings)


def embed(graph: Graph, seed: int, settings: Settings) -> Any:
    torch.manual_seed(seed)
    X, edges = sparse_features(graph), edge_index(graph)
    encoder = Encoder(graph.n_features, settings)
    width = settings.width
    projection = nn.Sequential(nn.Linear(width, width), nn.ELU(), nn.Linear(width, width))
    parameters = [*encoder.parameters(), *projection.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=settings.learning_rate, weight_decay=WEIGHT_DECAY)
    for _ in range(settings.n_epochs):
        optimizer.zero_grad()
        nodes = torch.randperm(graph.n_nodes)[:N_COMPARED] if graph.n_nodes > MAX_COMPARED else slice(None)
        views = [
            projection(encoder(X, propagation(edges, graph.n_nodes, dropped), keep_columns(graph.n_features, masked))[nodes])
            for dropped, masked in zip(settings.dropped, settings.masked, strict=True)
        ]
        contrast_loss(views[0], views[1], settings.temperature).backward()
        optimizer.step()
    with torch.no_grad():
        return encoder(X, propagation(edges, graph.n_nodes)).numpy()


def contrast_loss(first: Tensor, second: Tensor, temperature: float) -> Tensor:
    first, second = functional.normalize(first), functional.normalize(second)
    between = (first @ second.T / temperature).exp()  # s(z_i, z′_j)
    losses = []
    for rows, others in ((first, between), (second, between.T)):
        within = (rows @ rows.T / temperature).exp()
        everything = others.sum(dim=1) + within.sum(dim=1) - within.diagonal()
        losses.append((everything.log() - others.diagonal().log()).mean())
    return (losses[0] + losses[1]) / 2


class Encoder(nn.Module):
    """Two graph convolutions, the first twice as wide, an activation after each."""

    def __init__(self, n_features: int, settings: Settings) -> None:
        super().__init__()
        self.first = GraphConvolution(n_features, 2 * settings.width)
        self.second = GraphConvolution(2 * settings.width, settings.width)
        self.activation = settings.activation()

    def forward(self, X: Tensor, P: Tensor, kept_columns: Tensor | None = None) -> Tensor:
        hidden = self.activation(self.first(X, P, kept_columns))
        activated: Tensor = self.activation(self.second(hidden, P))
        return activated
