"""GraphSAGE (Hamilton, Ying and Leskovec, NeurIPS'17) without labels, one class for each of its aggregators.

Two layers over sampled neighbours. Nodes of one short random walk get similar vectors, random pairs do not (eq. sageloss):

    loss(u, v) = -log σ(z_u·z_v) - Σ_Q log σ(-z_u·z_n),    n drawn by degree^0.75, one set of Q for a batch
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn.functional import logsigmoid, normalize

from sparsecut.base.errors import InputError, check_integer, check_real, parameter_error
from sparsecut.graph import Features, Graph
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.transfer import as_tensor
from sparsecut.lab.baselines.aggregators import LAYERS, Layer, NodeRows
from sparsecut.lab.baselines.baseline import Baseline, Inductive, Nodes, Run
from sparsecut.lab.baselines.declared import declared, learned
from sparsecut.lab.baselines.neighbour_lists import NeighbourLists, SampledLayers, number, sample_layers, walk_pairs
from sparsecut.model.published import from_paper

EMBEDDED_AT_ONCE = 4096  # rows; beside features and messages of all nodes, `transform` holds what so many of them need


@declared
class GraphSAGE(Inductive):
    """For a `Baseline`: GraphSAGE without labels, by one of the four aggregators in `sparsecut.lab.baselines.aggregators`.

    Memory in training depends on the batch and the fan-outs, beside a few numbers per node. `transform` computes layer by
    layer over all neighbours, so nothing in it is random. The LSTM is trained on neighbour lists of one length in random
    order; it samples them once per graph, with a seed kept from `fit`, so that a graph always gets the same embedding.

    Parameters
    ----------
    dimension : int, default=256
        Columns of the embedding and of the hidden layer. Even, for half is the node's and half its neighbours', except
        with the gcn aggregator.
    fan_outs : pair of int, default=(25, 10)
        Neighbours sampled by the first and the second layer: 25 of each of a node's 10.
    walk_length : int, default=5
        Nodes of a random walk, with its start. The others are the start's positives.
    n_negatives : int, default=20
        Q, the nodes pushed away from each start.
    batch_size : int, default=512
        Pairs per step.
    learning_rate : float, default=5e-4
        Adam's. GraphSAGE's code stores 50 walks and passes over them once at a rate of 1e-5; one walk at 50 times that rate
        goes as far.
    epochs : int, default=1
        In each, one walk goes out from every node.

    """

    paper = classmethod(from_paper)
    aggregator: ClassVar[str]

    dimension: int = 256
    fan_outs: Sequence[int] = (25, 10)
    walk_length: int = 5
    n_negatives: int = 20
    batch_size: int = 512
    learning_rate: float = 5e-4
    epochs: int = 1
    device: str = "auto"
    random_state: int | None = 0

    network_: GraphSAGENetwork = learned()
    lists_seed_: int = learned()

    def _check(self) -> None:
        name = type(self).__name__
        check_integer(name, "dimension", self.dimension, 1)
        if self.aggregator != "gcn" and self.dimension % 2:
            raise parameter_error(name, "dimension", "even, half for the node and half for its neighbours", self.dimension)
        if not isinstance(self.fan_outs, Sequence) or len(self.fan_outs) != 2:
            raise parameter_error(name, "fan_outs", "a pair of integers, one per layer", self.fan_outs)
        for fan_out in self.fan_outs:
            check_integer(name, "fan_outs", fan_out, 1)
        check_integer(name, "walk_length", self.walk_length, 2)
        check_integer(name, "n_negatives", self.n_negatives, 1)
        check_integer(name, "batch_size", self.batch_size, 1)
        check_real(name, "learning_rate", self.learning_rate, above=0)
        check_integer(name, "epochs", self.epochs, 1)

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        if graph.n_edges == 0:
            raise InputError(f"{type(self).__name__} learns from random walks, and the graph has no edge to walk along.")
        assert graph.features is not None
        self.n_features_in_ = graph.n_features
        self.lists_seed_ = int(run.generator.integers(2**63))
        self.network_ = GraphSAGENetwork(self.aggregator, graph.n_features, self.dimension, self.fan_outs).to(run.device)
        lists = NeighbourLists.of_graph(graph.adjacency)
        features = _as_rows(graph.features, run.device)
        optimizer = torch.optim.Adam(self.network_.parameters(), lr=self.learning_rate)
        scratch = np.empty(graph.n_nodes, dtype=np.int64)
        for _ in range(self.epochs):
            started = time.perf_counter()
            losses, sizes = [], []
            for pairs, negatives in self._batches(graph, lists, run.generator):
                nodes, places = number(np.concatenate([pairs.ravel(), negatives]), scratch)
                sampled = sample_layers(lists, nodes, self.fan_outs, run.generator, scratch)
                Z = self.network_(_take(features, sampled.sources), sampled)
                left, right = places[: pairs.size].reshape(pairs.shape).T
                loss = pair_loss(Z[left], Z[right], Z[places[pairs.size :]])
                optimizer.zero_grad()
                loss.backward()  # type: ignore[no-untyped-call]
                optimizer.step()
                losses.append(loss.item())
                sizes.append(len(pairs))
            run.end_epoch(float(np.average(losses, weights=sizes)), time.perf_counter() - started, self.epochs)
        return self._embed(graph)

    def _batches(self, graph: Graph, lists: NeighbourLists, generator: np.random.Generator) -> Iterator[tuple[Nodes, Nodes]]:
        """The pairs of a walk from every node, a batch at a time, each with its negatives.

        The walks are shuffled and not their pairs: a start then serves all its pairs in a batch, and a step has
        little more than half as many nodes to embed.
        """
        degrees = np.diff(graph.adjacency.indptr)
        starts = generator.permutation(np.flatnonzero(degrees))
        pairs = walk_pairs(lists, starts, self.walk_length, generator)
        batches = np.split(pairs, range(self.batch_size, len(pairs), self.batch_size))
        chances = degrees**0.75
        size = (len(batches), self.n_negatives)
        negatives = generator.choice(graph.n_nodes, size, p=chances / chances.sum())
        yield from zip(batches, negatives, strict=True)

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        assert graph.features is not None
        lists = NeighbourLists.of_graph(graph.adjacency)
        layers = [lists, lists]
        if self.aggregator == "lstm":
            generator = np.random.default_rng(self.lists_seed_)
            nodes = np.arange(graph.n_nodes)
            layers = [NeighbourLists.of_table(lists.sample(nodes, size, generator)) for size in self.fan_outs]
        device = next(self.network_.parameters()).device
        Z = self.network_.embed(_as_rows(graph.features, device), layers, EMBEDDED_AT_ONCE)
        return np.asarray(Z.cpu().numpy())


@declared
class GraphSAGEGCN(GraphSAGE, Baseline):
    """GraphSAGE by the mean of a node and its neighbours together."""

    aggregator = "gcn"
    paper_method = "graphsage-gcn"


@declared
class GraphSAGEMean(GraphSAGE, Baseline):
    """GraphSAGE by the mean of the neighbours.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import GraphSAGEMean
    >>> graph = sc.datasets.load("digits").subgraph(range(200))
    >>> GraphSAGEMean(dimension=8, fan_outs=(3, 2)).fit_transform(graph).shape
    (200, 8)
    """

    aggregator = "mean"
    paper_method = "graphsage-mean"


@declared
class GraphSAGELSTM(GraphSAGE, Baseline):
    """GraphSAGE by an LSTM over the neighbours in random order."""

    aggregator = "lstm"
    paper_method = "graphsage-lstm"


@declared
class GraphSAGEPool(GraphSAGE, Baseline):
    """GraphSAGE by the largest message of the neighbours, each made by one layer from the neighbour's features."""

    aggregator = "pool"
    paper_method = "graphsage-pool"


class GraphSAGENetwork(nn.Module):
    """Two layers with a ReLU between them; the rows that come out have length one."""

    def __init__(self, aggregator: str, n_features: int, dimension: int, fan_outs: Sequence[int]) -> None:
        super().__init__()
        make = LAYERS[aggregator]
        self.first: Layer = make(n_features, dimension, fan_outs[0])
        self.second: Layer = make(dimension, dimension, fan_outs[1])

    def forward(self, features: NodeRows, sampled: SampledLayers) -> Tensor:
        """The embedding of the sampled nodes, from the features of their sources."""
        rows: Any = features
        for layer, lists, activate in self._stages(sampled.lists):
            rows = activate(layer(_part(rows, 0, len(lists)), layer.messages(rows), lists, 0))
        assert isinstance(rows, Tensor)
        return rows

    @torch.no_grad()
    def embed(self, features: NodeRows, lists_of_layers: Sequence[NeighbourLists], block_size: int) -> Tensor:
        """The embedding of every node, from lists of all nodes for each layer, in blocks of rows."""
        n_nodes = features.shape[0]
        blocks = [(start, min(start + block_size, n_nodes)) for start in range(0, n_nodes, block_size)]
        rows: Any = features
        for layer, lists, activate in self._stages(lists_of_layers):
            messages = torch.cat([layer.messages(_part(rows, *block)) for block in blocks])
            parts = [layer(_part(rows, *block), messages, lists.part(*block), block[0]) for block in blocks]
            rows = activate(torch.cat(parts))
        assert isinstance(rows, Tensor)
        return rows

    def _stages(self, lists: Sequence[NeighbourLists]) -> Iterable[tuple[Layer, NeighbourLists, Callable[[Tensor], Tensor]]]:
        return zip((self.first, self.second), lists, (torch.relu, normalize), strict=True)


def pair_loss(left: Tensor, right: Tensor, negatives: Tensor) -> Tensor:
    """The mean over pairs of -log σ(left·right) - Σ log σ(-left·negative)."""
    attraction = logsigmoid((left * right).sum(dim=1))
    repulsion = logsigmoid(-left @ negatives.T).sum(dim=1)
    return -(attraction + repulsion).mean()


def _as_rows(features: Features, device: torch.device) -> NodeRows:
    """Sparse features stay sparse, unless so many are set that dense rows take no more than twice their memory."""
    if isinstance(features, np.ndarray):
        return as_tensor(features, device)
    rows = SparseMatrix(features, device)
    return rows.to_dense() if 4 * rows.nnz > rows.shape[0] * rows.shape[1] else rows


def _take(rows: NodeRows, nodes: Nodes) -> NodeRows:
    places = torch.from_numpy(nodes)
    return rows.take(places) if isinstance(rows, SparseMatrix) else rows[places.to(rows.device)]


def _part(rows: NodeRows, start: int, stop: int) -> NodeRows:
    return SparseMatrix(rows.csr[start:stop], rows.device) if isinstance(rows, SparseMatrix) else rows[start:stop]
