"""Graph convolutions over sparse features, and their training: what DGI and the unsupervised GCN share.

convolution     σ(P·F·W + b)                Kipf and Welling's, with P = D̃^−½ÃD̃^−½
with_own        σ([F·W' ‖ P·F·W] + b)       mean-pooling with P = D̃⁻¹Ã, a node kept apart from its neighbourhood
"""

from __future__ import annotations

import math
import time
from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from sparsecut.base.errors import InputError, check_integer, check_real
from sparsecut.graph import Graph
from sparsecut.kernels.optimizer import AdamSteps
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.lab.baselines.baseline import Inductive, Run
from sparsecut.lab.baselines.stopping import EarlyStopping
from sparsecut.lab.baselines.tensors import GraphTensors, product
from sparsecut.model.published import from_paper


class GraphLayer(nn.Module):
    """One layer, given F·W: what remains is the product with P."""

    def __init__(self, n_in: int, n_out: int, activation: nn.Module, *, with_own: bool = False) -> None:
        super().__init__()
        self.weight = nn.Parameter(nn.init.xavier_uniform_(torch.empty(n_in, n_out)))
        self.bias = nn.Parameter(torch.zeros(n_out))
        self.activation = activation
        self.n_own = n_out // 2 if with_own else 0

    def forward(self, rows: Tensor, propagation: SparseMatrix) -> Tensor:
        hidden = product(propagation, rows[:, self.n_own :])
        if self.n_own:
            hidden = torch.cat([rows[:, : self.n_own], hidden], dim=1)
        activated: Tensor = self.activation(hidden + self.bias)
        return activated


class GraphNetwork(nn.Module):
    """Layers one after the other.

    `start` sees the features, `finish` the graph: reordering the rows in between is the same as reordering the features, and
    costs no second product with them.
    """

    def __init__(self, n_features: int, width: int, activations: Sequence[nn.Module], *, with_own: bool = False) -> None:
        super().__init__()
        inputs = [n_features] + [width] * (len(activations) - 1)
        self.layers = nn.ModuleList(
            GraphLayer(n_in, width, activation, with_own=with_own)
            for n_in, activation in zip(inputs, activations, strict=True)
        )

    def start(self, features: Tensor | SparseMatrix) -> Tensor:
        first: Any = self.layers[0]
        return product(features, first.weight)

    def finish(self, rows: Tensor, propagation: SparseMatrix) -> Tensor:
        for number, layer in enumerate(self.layers):
            rows = layer(rows @ layer.weight if number else rows, propagation)  # type: ignore[operator]
        return rows

    def forward(self, tensors: GraphTensors) -> Tensor:
        return self.finish(self.start(tensors.features), tensors.propagation)


class TrainsNetwork(Inductive):
    """For a `Baseline` whose embedding is a `GraphNetwork` of the features, trained over the whole graph by Adam."""

    paper = classmethod(from_paper)

    # What its class declares.
    dimension: int
    learning_rate: float
    epochs: int

    network_: GraphNetwork

    @abstractmethod
    def _tensors(self, graph: Graph, device: torch.device) -> GraphTensors:
        """What the network is given of a graph."""

    def _check(self) -> None:
        name = type(self).__name__
        check_integer(name, "dimension", self.dimension, 1)
        check_integer(name, "epochs", self.epochs, 1)
        check_real(name, "learning_rate", self.learning_rate, above=0)

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        device = next(self.network_.parameters()).device
        return self._apply(self._tensors(graph, device))

    def _apply(self, tensors: GraphTensors) -> NDArray[np.float32]:
        with torch.no_grad():
            return np.asarray(self.network_(tensors).cpu().numpy())

    def _train(self, module: nn.Module, loss_of: Callable[[], Tensor], run: Run, patience: int | None = None) -> None:
        """Adam on the loss of an epoch, up to `epochs` times; with `patience`, the weights end as the best there were.

        The loss of an epoch is that of the weights before its step, and it is those that early stopping keeps.
        """
        optimizer = AdamSteps(module.parameters(), learning_rate=self.learning_rate, l2=0.0)
        stopping = None if patience is None else EarlyStopping(patience)
        for epoch in range(self.epochs):
            started = time.perf_counter()
            loss = loss_of()
            value = loss.item()
            if not math.isfinite(value):
                raise InputError(
                    f"The loss of {type(self).__name__} overflowed in epoch {epoch + 1}. Scale the features down, or lower "
                    "learning_rate or epochs."
                )
            is_over = stopping is not None and stopping.is_over(value, module)
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            run.end_epoch(value, time.perf_counter() - started, self.epochs)
            if is_over:
                break
        if stopping is not None:
            stopping.restore(module)
