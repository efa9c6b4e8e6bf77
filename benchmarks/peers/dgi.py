"""DGI: `torch_geometric.nn.DeepGraphInfomax` over one `GCNConv` and a PReLU.

The settings are those of DGI's authors: rows of features that sum to 1, Adam at 0.001, patience 20, 512 columns, on Pubmed
256. The normalised adjacency is cached, which the library's example leaves out.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch_geometric.nn import DeepGraphInfomax, GCNConv

from peers.tensors import MAX_EPOCHS, Embedding, edge_index, scaled_features, train
from sparsecut import Graph


def dgi(graph: Graph, dimension: int, seed: int = 0, *, device: str = "cpu", max_epochs: int = MAX_EPOCHS) -> Embedding:
    torch.manual_seed(seed)
    features, edges = scaled_features(graph).to(device), edge_index(graph).to(device)
    model = DeepGraphInfomax(
        hidden_channels=dimension,
        encoder=Convolution(graph.n_features, dimension),
        summary=lambda Z, *_: Z.mean(dim=0).sigmoid(),
        corruption=lambda rows, edges: (rows[torch.randperm(len(rows), device=rows.device)], edges),
    ).to(device)
    n_epochs = train(model, lambda: model.loss(*model(features, edges)), learning_rate=0.001, max_epochs=max_epochs)
    with torch.no_grad():
        return model.encoder(features, edges).cpu().numpy(), n_epochs


class Convolution(nn.Module):
    """DGI's encoder."""

    def __init__(self, n_features: int, dimension: int) -> None:
        super().__init__()
        self.convolution = GCNConv(n_features, dimension, cached=True)
        self.activation = nn.PReLU(dimension)

    def forward(self, features: Tensor, edges: Tensor) -> Tensor:
        activated: Tensor = self.activation(self.convolution(features, edges))
        return activated
