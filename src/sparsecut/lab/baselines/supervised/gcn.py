"""GCN (Kipf and Welling, ICLR 2017): P·relu(P·X·W₁)·W₂, with P = D̃^−½ÃD̃^−½ and X the features scaled to rows of sum 1.

Dropout comes before each layer, the L2 penalty is on W₁ alone, and there is no bias: as in the authors' code. They stop when
the validation loss exceeds the mean of its last ten; here, when it has had no new low for `patience` epochs.
"""

from __future__ import annotations

from dataclasses import dataclass

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
from sparsecut.operators.filters import Symmetric
from sparsecut.operators.propagation import propagation_matrix


@dataclass(frozen=True)
class Propagated:
    """A graph for a network that propagates: features X and matrix P."""

    features: Tensor | DifferentiableMatrix
    propagation: DifferentiableMatrix


def propagated(graph: Graph, device: torch.device) -> Propagated:
    return Propagated(
        row_normalised(graph, device), DifferentiableMatrix(propagation_matrix(graph.adjacency, Symmetric()), device)
    )


@declared
class GCN(SupervisedBaseline):
    """GCN (Kipf and Welling, 2017): two graph convolutions, trained on the labels of some nodes.

    Parameters
    ----------
    hidden : int, default=16
        Units of the hidden layer.
    dropout : float, default=0.5
        The share of entries dropped before each layer in training.
    l2 : float, default=5e-4
        The penalty on the first layer's weights.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import GCN
    >>> from sparsecut.evaluation import sample_splits
    >>> graph = sc.datasets.load("digits")
    >>> (split,) = sample_splits(graph.labels, per_class=10, n_splits=1)
    >>> predicted = GCN().fit_predict(graph, split)
    >>> bool((predicted == graph.labels)[split.test].mean() > 0.8)
    True
    """

    paper_method = "gcn"

    hidden: int = 16
    dropout: float = 0.5
    learning_rate: float = 0.01
    l2: float = 5e-4
    epochs: int = 200
    patience: int = 10

    def _check(self) -> None:
        check_integer("GCN", "hidden", self.hidden, 1)
        check_dropout("GCN", "dropout", self.dropout)

    def _network(self, n_features: int, n_classes: int) -> ClassifierNetwork:
        return GCNNetwork(n_features, self.hidden, n_classes, self.dropout)

    def _inputs(self, graph: Graph, device: torch.device) -> Propagated:
        return propagated(graph, device)


class GCNNetwork(ClassifierNetwork):
    def __init__(self, n_features: int, hidden: int, n_classes: int, dropout: float) -> None:
        super().__init__()
        self.first = nn.Parameter(nn.init.xavier_uniform_(torch.empty(n_features, hidden)))
        self.second = nn.Parameter(nn.init.xavier_uniform_(torch.empty(hidden, n_classes)))
        self.dropout = dropout

    def penalised(self) -> list[nn.Parameter]:
        return [self.first]

    def forward(self, inputs: Propagated, nodes: Tensor) -> Tensor:
        P = inputs.propagation
        hidden = P.times(times_dropped(inputs.features, self.first, self.dropout, self.training)).relu()
        hidden = functional.dropout(hidden, self.dropout, self.training)
        return P.times(hidden @ self.second)[nodes]
