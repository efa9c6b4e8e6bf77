"""GAT (Veličković et al., ICLR 2018): a node's neighbours and itself, weighted by attention, in several heads.

    a_ij = softmax_j( leaky_relu(s·h_i + t·h_j) ),   out_i = Σ_j a_ij h_j + b,   h = X·W,   X the features scaled to sum 1

The first layer's heads stand side by side, under an elu; the second's are averaged. Dropout comes before each layer and on
the attention. The heads are kept as nodes of their own, (node, head), which attend within their head: a graph of n·heads.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor, nn
from torch.nn import functional

from sparsecut.base.errors import check_integer
from sparsecut.graph import Graph
from sparsecut.lab.baselines.declared import declared
from sparsecut.lab.baselines.supervised.classifier import (
    ClassifierNetwork,
    SupervisedBaseline,
    check_dropout,
    row_normalised,
)
from sparsecut.lab.baselines.supervised.differentiable import DifferentiableMatrix, times_dropped

SLOPE = 0.2  # of the leaky relu below zero


@dataclass(frozen=True)
class Attending:
    """A graph for GAT: features, and who attends to whom, by the heads of each layer."""

    features: Tensor | DifferentiableMatrix
    first: DifferentiableMatrix
    second: DifferentiableMatrix


@declared
class GAT(SupervisedBaseline):
    """GAT (Veličković et al., 2018): neighbours weighted by attention. Edge weights are not looked at.

    Parameters
    ----------
    hidden : int, default=8
        Units of each of the first layer's heads.
    heads : int, default=8
        Heads of the first layer, side by side.
    output_heads : int, default=1
        Heads of the second layer, averaged.
    dropout : float, default=0.6
        The share of entries and of attention dropped in training.
    l2 : float, default=5e-4
        The penalty on all weights.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import GAT
    >>> from sparsecut.evaluation import sample_splits
    >>> graph = sc.datasets.load("digits")
    >>> (split,) = sample_splits(graph.labels, per_class=10, n_splits=1)
    >>> predicted = GAT(epochs=30).fit_predict(graph, split)
    >>> bool((predicted == graph.labels)[split.test].mean() > 0.8)
    True
    """

    paper_method = "gat"

    hidden: int = 8
    heads: int = 8
    output_heads: int = 1
    dropout: float = 0.6
    learning_rate: float = 0.005
    l2: float = 5e-4
    epochs: int = 1000
    patience: int = 100

    def _check(self) -> None:
        for name in ("hidden", "heads", "output_heads"):
            check_integer("GAT", name, getattr(self, name), 1)
        check_dropout("GAT", "dropout", self.dropout)

    def _network(self, n_features: int, n_classes: int) -> ClassifierNetwork:
        return GATNetwork(n_features, self.hidden, n_classes, (self.heads, self.output_heads), self.dropout)

    def _inputs(self, graph: Graph, device: torch.device) -> Attending:
        neighbourhoods = graph.adjacency + sp.eye_array(graph.n_nodes, dtype=np.float32, format="csr")
        first, second = (
            DifferentiableMatrix(sp.kron(neighbourhoods, sp.eye_array(heads, dtype=np.float32), format="csr"), device)
            for heads in (self.heads, self.output_heads)
        )
        return Attending(row_normalised(graph, device), first, second)


class GATNetwork(ClassifierNetwork):
    def __init__(self, n_features: int, hidden: int, n_classes: int, heads: tuple[int, int], dropout: float) -> None:
        super().__init__()
        self.first = AttentionLayer(n_features, hidden, heads[0], dropout)
        self.second = AttentionLayer(heads[0] * hidden, n_classes, heads[1], dropout)

    def penalised(self) -> list[nn.Parameter]:
        return list(self.parameters())

    def forward(self, inputs: Attending, nodes: Tensor) -> Tensor:
        hidden = functional.elu(self.first(inputs.features, inputs.first).flatten(1))
        scores: Tensor = self.second(hidden, inputs.second).mean(dim=1)
        return scores[nodes]


class AttentionLayer(nn.Module):
    """(n, f) features in, (n, heads, width) out."""

    def __init__(self, n_features: int, width: int, heads: int, dropout: float) -> None:
        super().__init__()
        self.weights = nn.Parameter(nn.init.xavier_uniform_(torch.empty(n_features, heads * width)))
        self.of_self = nn.Parameter(nn.init.xavier_uniform_(torch.empty(heads, width)))  # s
        self.of_other = nn.Parameter(nn.init.xavier_uniform_(torch.empty(heads, width)))  # t
        self.bias = nn.Parameter(torch.zeros(heads, width))
        self.dropout = dropout

    def forward(self, features: Tensor | DifferentiableMatrix, heads: DifferentiableMatrix) -> Tensor:
        h = times_dropped(features, self.weights, self.dropout, self.training).view(-1, *self.bias.shape)
        own, other = ((h * part).sum(dim=2).flatten() for part in (self.of_self, self.of_other))  # (n·heads,)
        attention = heads.softmax(functional.leaky_relu(heads.of_rows(own) + heads.of_columns(other), SLOPE))
        attention = functional.dropout(attention, self.dropout, self.training)
        return heads.times(h.flatten(0, 1), attention).view_as(h) + self.bias
