"""MixHop (Abu-El-Haija et al., ICML 2019): layers that keep the powers of P apart, [X·W₀ | P·X·W₁ | P²·X·W₂].

The first layer is followed by a batch normalisation over all nodes and a relu. The second gives, for every power, some
segments of class scores; the answer is their average with learned weights, softmax(q). P = D̃^−½ÃD̃^−½; the features' rows
are scaled to length 1 after the dropout. Trained by plain gradient descent, as the authors do, who let its rate fall by a
tenth or two over the training: that is left out. They keep the weights of the highest validation accuracy.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn
from torch.nn import functional

from sparsecut.base.errors import check_integer, parameter_error
from sparsecut.graph import Graph
from sparsecut.lab.baselines.declared import declared
from sparsecut.lab.baselines.supervised.classifier import ClassifierNetwork, Optimizer, SupervisedBaseline, check_dropout
from sparsecut.lab.baselines.supervised.differentiable import DifferentiableMatrix
from sparsecut.lab.baselines.supervised.gcn import Propagated, propagated

EPSILON = 1e-3  # of the batch normalisation, the authors' library's


@declared
class MixHop(SupervisedBaseline):
    """MixHop (Abu-El-Haija et al., 2019): layers that keep the powers of P apart.

    Parameters
    ----------
    widths : sequence of int, default=(20, 20, 20)
        Hidden units for the powers 0, 1, 2, ….
    segments : sequence of int, default=(1, 1, 1)
        How many times the classes each power has in the output.
    dropout : float, default=0.5
        The share of entries of the features dropped in training.
    hidden_dropout : float, default=0.9
        The share of hidden units dropped in training.
    l2 : float, default=0.01
        The penalty on the layers' weights.
    learning_rate : float, default=0.5
        Step size of plain gradient descent.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import MixHop
    >>> from sparsecut.evaluation import sample_splits
    >>> graph = sc.datasets.load("digits")
    >>> (split,) = sample_splits(graph.labels, per_class=10, n_splits=1)
    >>> predicted = MixHop(epochs=30).fit_predict(graph, split)
    >>> bool((predicted == graph.labels)[split.test].mean() > 0.8)
    True
    """

    paper_method = "mixhop"
    stops_on = "accuracy"

    widths: Sequence[int] = (20, 20, 20)
    segments: Sequence[int] = (1, 1, 1)
    dropout: float = 0.5
    hidden_dropout: float = 0.9
    learning_rate: float = 0.5
    l2: float = 0.01
    epochs: int = 400
    patience: int = 200

    def _check(self) -> None:
        for name in ("widths", "segments"):
            counts = getattr(self, name)
            if isinstance(counts, str) or not isinstance(counts, Sequence) or len(counts) == 0:
                raise parameter_error("MixHop", name, "a list of one integer per power of P", counts)
            for count in counts:
                check_integer("MixHop", name, count, 0)
            if sum(counts) == 0:
                raise parameter_error("MixHop", name, "above 0 for some power", counts)
        check_dropout("MixHop", "dropout", self.dropout)
        check_dropout("MixHop", "hidden_dropout", self.hidden_dropout)

    def _network(self, n_features: int, n_classes: int) -> ClassifierNetwork:
        return MixHopNetwork(n_features, self.widths, self.segments, n_classes, (self.dropout, self.hidden_dropout))

    def _inputs(self, graph: Graph, device: torch.device) -> Propagated:
        return propagated(graph, device)

    def _optimizers(self, network: ClassifierNetwork) -> list[Optimizer]:
        return [Descent(network, self.learning_rate, self.l2)]


class MixHopNetwork(ClassifierNetwork):
    def __init__(
        self,
        n_features: int,
        widths: Sequence[int],
        segments: Sequence[int],
        n_classes: int,
        dropouts: tuple[float, float],
    ) -> None:
        super().__init__()
        self.widths, self.outputs = tuple(widths), tuple(n_classes * count for count in segments)
        # Each power starts as a layer of its own.
        self.first = nn.Parameter(torch.cat([_glorot(n_features, width) for width in self.widths], dim=1))
        self.second = nn.Parameter(torch.cat([_glorot(sum(self.widths), width) for width in self.outputs], dim=1))
        self.centre = nn.Parameter(torch.zeros(sum(self.widths)))
        self.shares = nn.Parameter(torch.zeros(sum(segments)))  # q
        self.n_classes = n_classes
        self.dropout, self.hidden_dropout = dropouts

    def penalised(self) -> list[nn.Parameter]:
        return [self.first, self.second]

    def forward(self, inputs: Propagated, nodes: Tensor) -> Tensor:
        P = inputs.propagation
        hidden = mix_hops(P, self._project(inputs.features), self.widths)
        centred = hidden - hidden.mean(dim=0)
        hidden = (centred / (centred.square().mean(dim=0) + EPSILON).sqrt() + self.centre).relu()
        hidden = functional.dropout(hidden, self.hidden_dropout, self.training)
        segments = mix_hops(P, hidden @ self.second, self.outputs)[nodes].view(len(nodes), -1, self.n_classes)
        return (segments * self.shares.softmax(dim=0)[:, None]).sum(dim=1)

    def _project(self, features: Tensor | DifferentiableMatrix) -> Tensor:
        """X·W with X's entries dropped in training, then its rows scaled to length 1."""
        if isinstance(features, DifferentiableMatrix):
            values = functional.dropout(features.values, self.dropout, self.training)
            lengths = features.times(values.new_ones(len(self.first), 1), values.square()).sqrt()
            return features.times(self.first, values) / lengths.clamp(min=1e-12)
        dropped = functional.dropout(features, self.dropout, self.training)
        return functional.normalize(dropped) @ self.first


def mix_hops(P: DifferentiableMatrix, columns: Tensor, widths: Sequence[int]) -> Tensor:
    """Columns of the powers 0, 1, 2, … side by side, each multiplied by P as often: all but the first, all but two, …"""
    parts = []
    for power, width in enumerate(widths):
        if power:
            columns = P.times(columns.contiguous())
        parts.append(columns[:, :width])
        columns = columns[:, width:]
    return torch.cat(parts, dim=1)


class Descent:
    """Gradient descent, with the L2 penalty in the gradient."""

    def __init__(self, network: ClassifierNetwork, learning_rate: float, l2: float) -> None:
        self.network = network
        self.learning_rate = learning_rate
        self.l2 = l2

    @torch.no_grad()
    def step(self) -> None:
        for parameter in self.network.penalised():
            assert parameter.grad is not None
            parameter.grad.add_(parameter, alpha=self.l2)
        for parameter in self.network.parameters():
            assert parameter.grad is not None
            parameter.sub_(parameter.grad, alpha=self.learning_rate)
            parameter.grad = None


def _glorot(n_rows: int, n_columns: int) -> Tensor:
    start = torch.empty(n_rows, n_columns)
    return nn.init.xavier_uniform_(start) if n_columns else start
