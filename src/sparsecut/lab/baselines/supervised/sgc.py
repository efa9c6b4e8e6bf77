"""SGC (Wu et al., ICML 2019): a logistic regression on P^k·X, where X is the features scaled to rows of sum 1."""

from __future__ import annotations

from typing import ClassVar

import torch
from torch import Tensor, nn

from sparsecut.engines import MemoryEngine
from sparsecut.engines.rows import Rows, project
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.lab.baselines.declared import declared
from sparsecut.lab.baselines.supervised.classifier import ClassifierNetwork, SupervisedBaseline
from sparsecut.lab.baselines.tensors import scale_rows
from sparsecut.operators.filters import Filter


@declared
class SGC(SupervisedBaseline):
    """SGC (Wu et al., 2019): a logistic regression on smoothed features, trained on the labels of some nodes.

    Parameters
    ----------
    filter : str or Filter, default="symmetric"
        The low-pass filter, as in `SCE`; "symmetric", with two hops, is the authors'.
    l2 : float, default=5e-6
        The penalty on all weights.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import SGC
    >>> from sparsecut.evaluation import sample_splits
    >>> graph = sc.datasets.load("digits")
    >>> (split,) = sample_splits(graph.labels, per_class=10, n_splits=1)
    >>> predicted = SGC(epochs=30).fit_predict(graph, split)
    >>> bool((predicted == graph.labels)[split.test].mean() > 0.8)
    True
    """

    paper_method = "sgc"
    kinds: ClassVar = {"filter": Filter}

    filter: str | Filter = "symmetric"
    learning_rate: float = 0.2
    l2: float = 5e-6
    epochs: int = 100
    patience: int = 100

    def _check(self) -> None:
        self._choice("filter")

    def _network(self, n_features: int, n_classes: int) -> ClassifierNetwork:
        return Regression(n_features, n_classes)

    def _inputs(self, graph: Graph, device: torch.device) -> Rows:
        assert graph.features is not None
        scaled = scale_rows(graph.features)
        engine = MemoryEngine(device)
        filter = self._choice("filter").usual().on(is_directed=graph.is_directed)
        return engine.smooth(engine.load(graph, Weighting("none"), filter, scaled), filter.coefficients())


class Regression(ClassifierNetwork):
    def __init__(self, n_features: int, n_classes: int) -> None:
        super().__init__()
        start = nn.Linear(n_features, n_classes)
        self.weights = nn.Parameter(start.weight.detach().T.contiguous())
        self.bias = nn.Parameter(start.bias.detach())

    def penalised(self) -> list[nn.Parameter]:
        return [self.weights, self.bias]

    def forward(self, inputs: Rows, nodes: Tensor) -> Tensor:
        return project(inputs.take(nodes), self.weights) + self.bias
