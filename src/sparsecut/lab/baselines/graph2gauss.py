"""Graph2Gauss (Bojchevski and Günnemann, ICLR 2018): every node a Gaussian, near nodes at a lower energy than far ones.

    h = ReLU(F·W + b)      mean μ = h·W_μ + b_μ      variance σ = ELU(h·W_σ + b_σ) + 1 + ε      the encoder: features alone
    E_ij = KL(N_j ‖ N_i) = ½ Σ [ (σ_j + (μ_j − μ_i)²)/σ_i − 1 − log(σ_j/σ_i) ]                  the energy of a pair
    loss = mean of  E_ij² + exp(−E_ij')  over triples with j in a nearer ring of i than j'      the ranking

The rings of a node are those at 1, …, K steps, and last all that is further off. There are far more triples than can be
visited, so each epoch draws one node from every ring of every node and takes all triples of those. A drawn triple stands for
|ring of j|·|ring of j'| others: weighted by that product, the draw is an unbiased estimate of the mean over all triples
(`weighting="sizes"`). Left unweighted, as the authors' code runs, every node counts the same, and hubs do not rule.
"""

from __future__ import annotations

import math
import time
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score
from torch import Tensor, nn

from sparsecut.base.errors import InputError, check_choice, check_integer, check_real, parameter_error
from sparsecut.engines import resolve_device
from sparsecut.engines.rows import Rows, project
from sparsecut.graph import Graph
from sparsecut.graph.linked_pairs import Pairs, number_pairs, pairs_of, without_pairs
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.transfer import as_tensor
from sparsecut.lab.baselines.baseline import Baseline, Inductive, Run
from sparsecut.lab.baselines.declared import declared, learned
from sparsecut.lab.baselines.rings import Rings
from sparsecut.lab.baselines.stopping import EarlyStopping
from sparsecut.model.published import from_paper

WEIGHTINGS = ("none", "sizes")
EPSILON = 1e-14  # the least variance


class Gaussians(NamedTuple):
    """One Gaussian per node, with a diagonal covariance."""

    mean: Tensor  # (n, d)
    variance: Tensor  # (n, d)
    log_volume: Tensor  # (n,): the sum of log variances

    def take(self, nodes: Tensor) -> Gaussians:
        return Gaussians(*(column.index_select(0, nodes) for column in self))


@declared
class Graph2Gauss(Inductive, Baseline):
    """Graph2Gauss (Bojchevski and Günnemann, 2018): Gaussian embeddings, ranked by distance in the graph.

    `embedding_` is the mean of each node's Gaussian, `variance_` how uncertain it is. The encoder sees features alone, so a
    node that comes later needs no edges.

    Parameters
    ----------
    dimension : int, default=128
        Columns of the mean, and as many of the variance.
    hops : int, default=1
        K: nodes at 1, 2, …, K steps are ranked in this order, and before all further ones.
    hidden : int, default=512
        Width of the hidden layer.
    weighting : {"none", "sizes"}, default="none"
        "none" counts every drawn triple once; "sizes" by how many triples it was drawn from.
    held_out : float, default=0.1
        The fraction of edges kept from training, to measure how well energies separate them from pairs without an edge.
    patience : int, default=100
        Training ends when that has not improved for so many epochs, and goes back to the best weights. Where no edges are
        held out the loss decides; it falls long after the embedding has stopped improving.

    Attributes
    ----------
    variance_ : array of shape (n, dimension)
        The diagonal of each node's covariance.

    Examples
    --------
    >>> import sparsecut as sc
    >>> from sparsecut.lab.baselines import Graph2Gauss
    >>> graph = sc.datasets.load("digits")
    >>> graph = graph.replace(features=graph.features / 16)  # energies of large features overflow
    >>> Graph2Gauss(dimension=8, hidden=16, epochs=2).fit_transform(graph).shape
    (1797, 8)
    """

    paper_method = "g2g"
    paper = classmethod(from_paper)

    dimension: int = 128
    hops: int = 1
    hidden: int = 512
    weighting: str = "none"
    learning_rate: float = 0.001
    epochs: int = 2000
    held_out: float = 0.1
    patience: int = 100
    device: str = "auto"
    random_state: int | None = 0

    network_: GaussianEncoder = learned()
    variance_: NDArray[np.float32] = learned()

    def transform_variance(self, graph: Any, *, features: Any = None) -> NDArray[np.float32]:
        """The variances of any graph's nodes, (n, dimension), as `transform` gives their means."""
        return self._encode(self._with_same_features(graph, features)).variance.cpu().numpy()

    def _check(self) -> None:
        for name, minimum in (("dimension", 1), ("hops", 1), ("hidden", 1), ("epochs", 1), ("patience", 1)):
            check_integer("Graph2Gauss", name, getattr(self, name), minimum)
        check_real("Graph2Gauss", "learning_rate", self.learning_rate, above=0)
        if check_real("Graph2Gauss", "held_out", self.held_out) >= 1:
            raise parameter_error("Graph2Gauss", "held_out", "a fraction below 1", self.held_out)
        check_choice("Graph2Gauss", "weighting", self.weighting, WEIGHTINGS)

    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        if graph.adjacency.nnz == 0:
            raise InputError("Graph2Gauss learns from distances in the graph, and this one has no edge.")
        adjacency, pairs, is_edge = hold_out(graph.adjacency, self.held_out, run.generator)
        with run.history.stage("rings"):
            rings = Rings(adjacency, self.hops, run.generator)
        self.n_features_in_ = graph.n_features  # and the network: a callback may transform before training ends
        self.network_ = GaussianEncoder(graph.n_features, self.hidden, self.dimension).to(run.device)
        pull, push = triple_counts(rings.sizes if self.weighting == "sizes" else rings.sizes > 0)
        if pull.any():
            ranking = Ranking(rings, as_tensor(pull, run.device), as_tensor(push, run.device))
            links = HeldOutLinks(as_tensor(pairs, run.device), is_edge)
            self._train(_rows(graph, run.device), ranking, links, run)
        else:
            run.history.notes.append("No node is nearer to another than a third is: the weights stay as they started.")
        gaussians = self._encode(graph)
        self.variance_ = gaussians.variance.cpu().numpy()
        return gaussians.mean.cpu().numpy()

    def _train(self, rows: Rows, ranking: Ranking, links: HeldOutLinks, run: Run) -> None:
        optimizer = torch.optim.Adam(self.network_.parameters(), lr=self.learning_rate)
        stopping = EarlyStopping(self.patience)
        for epoch in range(self.epochs):
            started = time.perf_counter()
            gaussians = self.network_(rows)
            loss = ranking.loss(gaussians, run.generator)
            value = loss.item()
            if not math.isfinite(value):
                raise InputError(
                    f"The energy of Graph2Gauss overflowed in epoch {epoch + 1}. Scale the features or learning_rate down."
                )
            # Before the step: it is these weights that are judged.
            is_over = stopping.is_over(-links.score(gaussians) if len(links.is_edge) else value, self.network_)
            optimizer.zero_grad()
            loss.backward()  # type: ignore[no-untyped-call]
            optimizer.step()
            run.end_epoch(value, time.perf_counter() - started, self.epochs)
            if is_over:
                break
        stopping.restore(self.network_)

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        return self._encode(graph).mean.cpu().numpy()

    @torch.no_grad()
    def _encode(self, graph: Graph) -> Gaussians:
        gaussians: Gaussians = self.network_(_rows(graph, resolve_device(self.device, "Graph2Gauss")))
        return gaussians


class GaussianEncoder(nn.Module):
    """One hidden layer, and two linear maps of it. Glorot-uniform start."""

    def __init__(self, n_features: int, hidden: int, dimension: int) -> None:
        super().__init__()
        self.weights = nn.Parameter(torch.empty(n_features, hidden))
        self.bias = nn.Parameter(torch.zeros(hidden))
        self.mean = nn.Linear(hidden, dimension)
        self.variance = nn.Linear(hidden, dimension)
        for matrix in (self.weights, self.mean.weight, self.variance.weight):
            nn.init.xavier_uniform_(matrix)
        for bias in (self.mean.bias, self.variance.bias):
            nn.init.zeros_(bias)

    def forward(self, rows: Rows) -> Gaussians:
        h = torch.relu(project(rows, self.weights) + self.bias)  # (n, hidden)
        variance = nn.functional.elu(self.variance(h)) + 1 + EPSILON
        return Gaussians(self.mean(h), variance, variance.log().sum(dim=1))


def energy(of: Gaussians, partner: Gaussians) -> Tensor:  # (n,)
    """E_ij = KL(N_j ‖ N_i), row by row: i is `of`, j its `partner`."""
    misfit = (partner.variance + (partner.mean - of.mean).square()) / of.variance
    return (misfit.sum(dim=1) - of.mean.shape[1] - partner.log_volume + of.log_volume) / 2


@dataclass(frozen=True)
class Ranking:
    """The rings, and how many triples each stands for (`triple_counts`)."""

    rings: Rings
    pull: Tensor  # (n, rings)
    push: Tensor  # (n, rings)

    def loss(self, gaussians: Gaussians, generator: np.random.Generator) -> Tensor:
        """Σ pull·E² + push·exp(−E) over each node and one of each of its rings: the mean loss of all their triples."""
        drawn = as_tensor(self.rings.draw(generator), gaussians.mean.device)
        E = torch.stack([energy(gaussians, gaussians.take(nodes)) for nodes in drawn.unbind(dim=1)], dim=1)
        return (self.pull * E.square() + self.push * torch.exp(-E)).sum()


@dataclass(frozen=True)
class HeldOutLinks:
    """Pairs that training has not seen, and which of them are edges."""

    pairs: Tensor  # (m, 2)
    is_edge: NDArray[np.bool_]

    @torch.no_grad()
    def score(self, gaussians: Gaussians) -> float:
        i, j = self.pairs.unbind(dim=1)
        return link_score(energy(gaussians.take(i), gaussians.take(j)).cpu().numpy(), self.is_edge)


def triple_counts(counts: NDArray[Any]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
    """In how many triples each ring of each node is the nearer one, and in how many the further, as shares of all triples.

    `counts` (n, k) are the rings' members: all of them, or 1 where one is drawn from a ring that has any.
    """
    c = counts.astype(np.float64)
    nearer = np.cumsum(c, axis=1) - c
    further = c.sum(axis=1, keepdims=True) - nearer - c
    total = max((c * further).sum(), 1.0)
    return (c * further / total).astype(np.float32), (c * nearer / total).astype(np.float32)


def _rows(graph: Graph, device: torch.device) -> Rows:
    F: Any = graph.features
    return Rows(SparseMatrix(F, device) if sp.issparse(F) else as_tensor(F, device))


def hold_out(
    adjacency: sp.csr_array, fraction: float, generator: np.random.Generator
) -> tuple[sp.csr_array, Pairs, NDArray[np.bool_]]:
    """The graph without a fraction of its edges; those and as many pairs that are none; which of the pairs are edges.

    The pairs are given both ways round. No node loses its last edge: one edge of each node stays, drawn at random, and what
    is held out is drawn from the rest; where hardly an edge can be spared there are none. (`evaluation.hold_out_edges`
    measures what a finished embedding knows; this decides when a training ends.)
    """
    n_nodes = adjacency.shape[0]
    entries = adjacency.tocoo()
    edges, edge_of_entry = np.unique(number_pairs(entries.row, entries.col, n_nodes), return_inverse=True)
    shuffled = generator.permutation(len(edge_of_entry))
    _, first = np.unique(entries.row[shuffled], return_index=True)
    spare = np.setdiff1d(np.arange(len(edges)), edge_of_entry[shuffled[first]])
    # Pairs that are no edges, drawn until enough fit, must be easy to find: half of the missing ones at most.
    n_missing = n_nodes * (n_nodes - 1) // 2 - len(edges)
    n_held = min(int(fraction * len(edges)), len(spare), n_missing // 2)
    held = generator.choice(spare, n_held, replace=False)
    pairs = pairs_of(np.concatenate([edges[held], _draw_missing(edges, n_held, n_nodes, generator)]), n_nodes)
    rest = without_pairs(adjacency, pairs[:n_held])
    return rest, np.concatenate([pairs, pairs[:, ::-1]]), np.tile(np.repeat([True, False], n_held), 2)


def link_score(energy: NDArray[np.float32], is_edge: NDArray[np.bool_]) -> float:
    """AUC plus average precision of the pairs ranked by low energy, between 0 and 2."""
    return float(roc_auc_score(is_edge, -energy) + average_precision_score(is_edge, -energy))


def _draw_missing(edges: NDArray[np.int64], n_pairs: int, n_nodes: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """The numbers of some pairs that are no edges, all different."""
    found = np.empty(0, dtype=np.int64)
    while len(found) < n_pairs:
        i, j = generator.integers(0, n_nodes, (2, 2 * n_pairs))
        fresh = number_pairs(i, j, n_nodes)[i != j]
        found = np.union1d(found, np.setdiff1d(fresh, edges))
    return generator.choice(found, n_pairs, replace=False)
