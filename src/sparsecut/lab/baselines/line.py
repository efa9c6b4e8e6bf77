"""LINE (Tang et al., 2015): vectors from single edges, without walks.

    first order     log σ(x_i·x_j)  + Σ over negatives n   log σ(−x_i·x_n)      neighbours are alike
    second order    log σ(x_i·y_j)  + Σ over negatives n   log σ(−x_i·y_n)      nodes with the same neighbours are alike

Edges are drawn by weight, negatives by degree^0.75. Each order has half of the columns, its rows scaled to length 1.
"""

from __future__ import annotations

import time

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from sparsecut.base.errors import InputError, check_integer, check_real
from sparsecut.graph import Graph
from sparsecut.lab.baselines.baseline import Baseline, Run
from sparsecut.lab.baselines.declared import declared

BATCH = 2**12  # edges per step


@declared
class LINE(Baseline):
    """LINE (Tang et al., 2015): first and second order proximity, side by side. Needs no features, but edges.

    The original takes one step per edge. Here AdaGrad takes one per some thousands of edges: its steps do not grow with
    the number of edges that a node has in the batch. A node without edges gets zeros.

    Parameters
    ----------
    dimension : int, default=128
        Columns of the embedding, half for each order; at least 2.
    epochs : int, default=100
        How often as many edges are drawn as there are, each in both directions.
    learning_rate : float, default=0.025
        Step size of AdaGrad.

    Attributes
    ----------
    history_ : History
        Loss and seconds per epoch. The loss is the mean over edges of the sum of both orders.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import LINE
    >>> graph = sc.datasets.load("digits")
    >>> LINE(dimension=8, epochs=1).fit_transform(graph).shape
    (1797, 8)
    """

    needs_features = False

    dimension: int = 128
    epochs: int = 100
    n_negatives: int = 5
    learning_rate: float = 0.025
    random_state: int | None = 0

    def _check(self) -> None:
        check_integer("LINE", "dimension", self.dimension, 2)
        check_integer("LINE", "epochs", self.epochs, 1)
        check_integer("LINE", "n_negatives", self.n_negatives, 1)
        check_real("LINE", "learning_rate", self.learning_rate, above=0)

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        if not graph.n_edges:
            raise InputError("LINE learns from edges, and the graph has no edge. Give it a graph with some.")
        half = self.dimension // 2
        first, second = Proximity(graph.n_nodes, half, order=1), Proximity(graph.n_nodes, self.dimension - half, order=2)
        draw = EdgeSampler(graph.adjacency, self.n_negatives, run.generator)
        optimizer = torch.optim.Adagrad([*first.parameters(), *second.parameters()], lr=self.learning_rate)
        for _ in range(self.epochs):
            started = time.perf_counter()
            total = 0.0
            with torch.sparse.check_sparse_tensor_invariants(enable=False):  # type: ignore[no-untyped-call] # else it warns
                for n_drawn in draw.batches():
                    source, targets = draw(n_drawn)
                    optimizer.zero_grad()
                    loss = first(source, targets) + second(source, targets)
                    loss.backward()
                    optimizer.step()
                    total += loss.item() * n_drawn
            run.end_epoch(total / graph.adjacency.nnz, time.perf_counter() - started, self.epochs)
        halves = [functional.normalize(order.inputs.weight.detach()) for order in (first, second)]
        Z = torch.cat(halves, dim=1).numpy()
        Z[np.diff(graph.adjacency.indptr) == 0] = 0
        return Z


class Proximity(nn.Module):
    """The objective of one order, with its sign turned, as the mean over edges."""

    def __init__(self, n_nodes: int, dimension: int, *, order: int) -> None:
        super().__init__()
        self.inputs = nn.Embedding(n_nodes, dimension, sparse=True)
        self.outputs = self.inputs if order == 1 else nn.Embedding(n_nodes, dimension, sparse=True)
        nn.init.uniform_(self.inputs.weight, -0.5 / dimension, 0.5 / dimension)
        if order == 2:
            nn.init.zeros_(self.outputs.weight)

    def forward(self, source: Tensor, targets: Tensor) -> Tensor:
        """`targets` (m, 1 + negatives) start with the other end of each edge."""
        logits = (self.outputs(targets) @ self.inputs(source)[:, :, None])[:, :, 0]  # (m, 1 + negatives)
        logits = torch.cat([logits[:, :1], -logits[:, 1:]], dim=1)
        return -functional.logsigmoid(logits).sum(dim=1).mean()


class EdgeSampler:
    """Edges by weight, each in both directions, and negatives by (weighted degree)^0.75."""

    def __init__(self, adjacency: sp.csr_array, n_negatives: int, generator: np.random.Generator) -> None:
        self.adjacency = adjacency
        self.n_negatives = n_negatives
        self.generator = generator
        self._by_weight = np.cumsum(adjacency.data, dtype=np.float64)
        self._by_degree = np.cumsum(np.asarray(adjacency.sum(axis=0), dtype=np.float64) ** 0.75)

    def batches(self, size: int = BATCH) -> list[int]:
        """The sizes of the batches of an epoch."""
        n_full, rest = divmod(self.adjacency.nnz, size)
        return [size] * n_full + [rest] * (rest > 0)

    def __call__(self, n_drawn: int) -> tuple[Tensor, Tensor]:
        """Sources (m,) and targets (m, 1 + negatives)."""
        entries = self._draw(self._by_weight, (n_drawn,))
        source = np.searchsorted(self.adjacency.indptr, entries, side="right") - 1
        negatives = self._draw(self._by_degree, (n_drawn, self.n_negatives))
        targets = np.column_stack([self.adjacency.indices[entries], negatives])
        return torch.from_numpy(source), torch.from_numpy(targets)

    def _draw(self, cumulative: NDArray[np.float64], shape: tuple[int, ...]) -> NDArray[np.int64]:
        """Places of a running sum, each as likely as it adds to it."""
        places = np.searchsorted(cumulative, self.generator.random(shape) * cumulative[-1], side="right")
        return np.asarray(np.minimum(places, len(cumulative) - 1), dtype=np.int64)
