"""A GCN trained without labels, by the loss of LINE and GraphSAGE: near a neighbour, far from nodes drawn at random.

    Z = P·relu(P·F·W₁ + b₁)·W₂ + b₂,     P = D̃^−½ÃD̃^−½
    L_u = −log sigmoid(z_uᵀz_v) − Σ_{q=1..Q} log sigmoid(−z_uᵀz_q)          (eq. sageloss, its expectation by Q draws)

v is a neighbour of u, drawn anew every epoch with the odds of the edges' weights; the Q others come from P_n ∝ degree^¾, as
in both papers. The loss is the mean of L_u over the nodes that have a neighbour.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import softplus

from sparsecut.base.errors import InputError, check_integer
from sparsecut.graph import Graph
from sparsecut.kernels.transfer import as_tensor
from sparsecut.lab.baselines.baseline import Baseline, Nodes, Run
from sparsecut.lab.baselines.declared import declared
from sparsecut.lab.baselines.network import GraphNetwork, TrainsNetwork
from sparsecut.lab.baselines.tensors import GraphTensors, graph_tensors

NEGATIVE_POWER = 0.75


@declared
class UnsupervisedGCN(TrainsNetwork, Baseline):
    """A two-layer GCN trained without labels, to embed neighbours near each other.

    Parameters
    ----------
    dimension : int, default=512
        Columns of the embedding and of the hidden layer.
    n_negatives : int, default=5
        Q, the nodes drawn for each node to be kept away from.
    epochs : int, default=60
        Steps over the whole graph. The score rises and falls with them.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import UnsupervisedGCN
    >>> graph = sc.datasets.load("digits")
    >>> UnsupervisedGCN(dimension=8, epochs=2).fit_transform(graph).shape
    (1797, 8)
    """

    paper_method = "gcn-unsup"

    dimension: int = 512
    n_negatives: int = 5
    learning_rate: float = 0.001
    epochs: int = 60
    device: str = "auto"
    random_state: int | None = 0

    def _check(self) -> None:
        super()._check()
        check_integer("UnsupervisedGCN", "n_negatives", self.n_negatives, 1)

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        if graph.n_edges == 0:
            raise InputError("UnsupervisedGCN learns from neighbours, and the graph has no edges.")
        with run.history.stage("prepare"):
            tensors = self._tensors(graph, run.device)
            network = GraphNetwork(graph.n_features, self.dimension, [nn.ReLU(), nn.Identity()]).to(run.device)
        self.network_ = network
        self.n_features_in_ = graph.n_features
        pairs = PairSampler(graph.adjacency, self.n_negatives, run.generator)

        def loss() -> Tensor:
            drawn = (as_tensor(nodes, run.device) for nodes in pairs.draw())
            return pair_loss(network(tensors), *drawn)

        self._train(network, loss, run)
        return self._apply(tensors)

    def _tensors(self, graph: Graph, device: torch.device) -> GraphTensors:
        return graph_tensors(graph, device)


class PairSampler:
    """Draws a neighbour and `n_negatives` others for every node that has a neighbour."""

    def __init__(self, adjacency: sp.csr_array, n_negatives: int, generator: np.random.Generator) -> None:
        self.adjacency = adjacency
        self.n_negatives = n_negatives
        self.generator = generator
        self.nodes: Nodes = np.flatnonzero(np.diff(adjacency.indptr)).astype(np.int64)
        # The edges end to end, each as long as its weight: a point within a node's stretch is a neighbour of it.
        self._edge_ends = np.cumsum(adjacency.data, dtype=np.float64)
        self._negative_ends = np.cumsum(adjacency.sum(axis=1, dtype=np.float64) ** NEGATIVE_POWER)

    def draw(self) -> tuple[Nodes, Nodes, Nodes]:
        """Nodes (m,), a neighbour of each (m,), others for each (m, n_negatives)."""
        first, last = self.adjacency.indptr[self.nodes], self.adjacency.indptr[self.nodes + 1] - 1
        start = np.where(first > 0, self._edge_ends[first - 1], 0.0)
        points = start + self.generator.random(len(self.nodes)) * (self._edge_ends[last] - start)
        # Rounding may put a point on the border to the next node's stretch.
        entries = np.clip(np.searchsorted(self._edge_ends, points, side="right"), first, last)
        points = self.generator.random((len(self.nodes), self.n_negatives)) * self._negative_ends[-1]
        negatives = np.searchsorted(self._negative_ends, points, side="right")
        return self.nodes, self.adjacency.indices[entries].astype(np.int64), negatives


def pair_loss(Z: Tensor, nodes: Tensor, neighbours: Tensor, negatives: Tensor) -> Tensor:
    """The mean of L_u over `nodes`, (m,), with a neighbour of each, (m,), and others for each, (m, Q)."""
    own = Z.index_select(0, nodes)
    loss = softplus(-(own * Z.index_select(0, neighbours)).sum(dim=1))
    for others in negatives.unbind(dim=1):  # one after the other: the product of all Q at once takes twice the memory
        loss = loss + softplus((own * Z.index_select(0, others)).sum(dim=1))
    return loss.mean()
