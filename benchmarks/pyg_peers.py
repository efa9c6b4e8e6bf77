"""torch-geometric's own methods, as its examples build them, on a graph of ours: full batch, dense features, one process.

DGI is `torch_geometric.nn.DeepGraphInfomax` over one `GCNConv` (its normalised adjacency cached, which its example leaves
out) and a PReLU, with the settings of DGI's authors: rows of features that sum to 1, Adam at 0.001, patience 20.
GraphSAGE is `torch_geometric.nn.GraphSAGE`, two layers of means, trained to tell edges from as many sampled pairs by the
inner product of their ends, with Adam at 0.01 and the same patience.
"""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch_geometric.nn import DeepGraphInfomax, GCNConv, GraphSAGE
from torch_geometric.utils import negative_sampling

from sparsecut import Graph

PATIENCE = 20
MAX_EPOCHS = 10_000

Embedding = tuple[NDArray[np.float32], int]  # and the epochs it took


def dgi(graph: Graph, dimension: int, seed: int = 0) -> Embedding:
    torch.manual_seed(seed)
    features, edges = scaled_features(graph), edge_index(graph)
    model = DeepGraphInfomax(
        hidden_channels=dimension,
        encoder=Convolution(graph.n_features, dimension),
        summary=lambda Z, *_: Z.mean(dim=0).sigmoid(),
        corruption=lambda rows, edges: (rows[torch.randperm(len(rows))], edges),
    )
    n_epochs = train(model, lambda: model.loss(*model(features, edges)), learning_rate=0.001)
    with torch.no_grad():
        return model.encoder(features, edges).numpy(), n_epochs


def graphsage(graph: Graph, dimension: int, seed: int = 0) -> Embedding:
    torch.manual_seed(seed)
    features, edges = scaled_features(graph), edge_index(graph)
    model = GraphSAGE(graph.n_features, dimension, num_layers=2)

    def loss() -> Tensor:
        Z = model(features, edges)
        others = negative_sampling(edges, graph.n_nodes)
        pairs = torch.cat([edges, others], dim=1)
        is_edge = torch.cat([torch.ones(edges.shape[1]), torch.zeros(others.shape[1])])
        scores = (Z[pairs[0]] * Z[pairs[1]]).sum(dim=1)
        return nn.functional.binary_cross_entropy_with_logits(scores, is_edge)

    n_epochs = train(model, loss, learning_rate=0.01)
    with torch.no_grad():
        return model(features, edges).numpy(), n_epochs


class Convolution(nn.Module):
    """DGI's encoder."""

    def __init__(self, n_features: int, dimension: int) -> None:
        super().__init__()
        self.convolution = GCNConv(n_features, dimension, cached=True)
        self.activation = nn.PReLU(dimension)

    def forward(self, features: Tensor, edges: Tensor) -> Tensor:
        activated: Tensor = self.activation(self.convolution(features, edges))
        return activated


def train(model: nn.Module, loss_of: Callable[[], Tensor], *, learning_rate: float) -> int:
    """Adam until the loss has not fallen for so many epochs; the best weights are put back. The number of epochs."""
    optimizer = torch.optim.Adam(model.parameters(), lr=learning_rate)
    lowest, best, n_waited, n_epochs = float("inf"), deepcopy(model.state_dict()), 0, 0
    while n_waited < PATIENCE and n_epochs < MAX_EPOCHS:
        optimizer.zero_grad()
        loss = loss_of()
        loss.backward()
        value = float(loss.detach())
        if value < lowest:  # the weights that gave this loss, before the step that leaves them
            lowest, best, n_waited = value, deepcopy(model.state_dict()), 0
        else:
            n_waited += 1
        optimizer.step()
        n_epochs += 1
    model.load_state_dict(best)
    return n_epochs


def scaled_features(graph: Graph) -> Tensor:
    """Dense features, every row divided by its sum of sizes."""
    features: Any = graph.features
    dense = features.toarray() if sp.issparse(features) else np.asarray(features)
    rows = torch.tensor(dense, dtype=torch.float32)
    return rows / rows.abs().sum(dim=1, keepdim=True).clamp(min=1e-12)


def edge_index(graph: Graph) -> Tensor:
    """Both directions of every edge, (2, 2m)."""
    entries = graph.adjacency.tocoo()
    return torch.tensor(np.stack([entries.row, entries.col]), dtype=torch.int64)
