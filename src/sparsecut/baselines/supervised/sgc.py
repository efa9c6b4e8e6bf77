"""SGC (Wu et al., ICML 2019): a logistic regression on P^k·X, where X is the features scaled to rows of sum 1."""

from __future__ import annotations

from typing import Any, ClassVar

import torch
from torch import Tensor, nn

from sparsecut.baselines.supervised.base import Network, SupervisedBaseline, row_scaled
from sparsecut.engines import MemoryEngine
from sparsecut.engines.rows import Rows, project
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.operators.filters import Filter, FilterWord


class SGC(SupervisedBaseline):
    """Parameters: the `filter` ("symmetric" is the authors'); Adam's `learning_rate`, `l2` on all
    weights, at most `epochs` of training, ended when the validation loss has not fallen for `patience` of them; `device` and
    `random_state` as in `SCE`.
    """

    paper_method = "sgc"
    kinds: ClassVar = {"filter": Filter}

    def __init__(
        self,
        *,
        filter: FilterWord | Filter = "symmetric",
        learning_rate: float = 0.2,
        l2: float = 5e-6,
        epochs: int = 100,
        patience: int = 100,
        device: str = "auto",
        random_state: int | None = 0,
    ) -> None:
        self.filter = filter
        self.learning_rate = learning_rate
        self.l2 = l2
        self.epochs = epochs
        self.patience = patience
        self.device = device
        self.random_state = random_state

    def _check(self) -> None:
        self._choice("filter")

    def _network(self, n_features: int, n_classes: int) -> Network:
        return Regression(n_features, n_classes)

    def _inputs(self, graph: Graph, device: torch.device) -> Rows:
        scaled: Any = row_scaled(graph)
        engine, filter = MemoryEngine(device), self._choice("filter").usual()
        return engine.smooth(engine.load(graph, Weighting("none"), filter, scaled), filter.coefficients())


class Regression(Network):
    def __init__(self, n_features: int, n_classes: int) -> None:
        super().__init__()
        start = nn.Linear(n_features, n_classes)
        self.weights = nn.Parameter(start.weight.detach().T.contiguous())
        self.bias = nn.Parameter(start.bias.detach())

    def penalised(self) -> list[nn.Parameter]:
        return [self.weights, self.bias]

    def forward(self, inputs: Rows, nodes: Tensor) -> Tensor:
        return project(inputs.take(nodes), self.weights) + self.bias
