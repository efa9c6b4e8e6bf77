"""Graph2Gauss against its definition: the energy is a KL divergence, the loss a mean over triples, and the ranking holds."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from scipy.integrate import quad
from scipy.sparse.csgraph import shortest_path
from scipy.stats import norm
from sklearn.metrics import average_precision_score, roc_auc_score
from torch.distributions import Independent, Normal, kl_divergence

from conftest import random_graph
from sparsecut import Graph, InputError
from sparsecut.engines.rows import Rows
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.lab.baselines import Graph2Gauss
from sparsecut.lab.baselines.graph2gauss import (
    GaussianEncoder,
    Gaussians,
    Ranking,
    energy,
    hold_out,
    link_score,
    triple_counts,
)
from sparsecut.lab.baselines.rings import Rings
from sparsecut.lab.baselines.stopping import EarlyStopping


def random_gaussians(n_nodes: int, dimension: int, seed: int = 0) -> Gaussians:
    generator = torch.Generator().manual_seed(seed)
    mean = torch.randn(n_nodes, dimension, generator=generator, dtype=torch.float64)
    variance = torch.rand(n_nodes, dimension, generator=generator, dtype=torch.float64) * 2 + 0.1
    return Gaussians(mean, variance, variance.log().sum(dim=1))


def as_distribution(gaussians: Gaussians) -> Independent:
    return Independent(Normal(gaussians.mean, gaussians.variance.sqrt()), 1)


def test_the_energy_is_the_kl_divergence():
    of, partner = random_gaussians(20, 7), random_gaussians(20, 7, seed=1)
    expected = kl_divergence(as_distribution(partner), as_distribution(of))
    torch.testing.assert_close(energy(of, partner), expected)
    torch.testing.assert_close(energy(of, of), torch.zeros(20, dtype=torch.float64), atol=1e-12, rtol=0)


def test_the_energy_of_a_line_is_the_integral():
    of, partner = random_gaussians(1, 1), random_gaussians(1, 1, seed=1)
    p = norm(partner.mean.item(), partner.variance.sqrt().item())
    q = norm(of.mean.item(), of.variance.sqrt().item())
    integral, _ = quad(lambda x: p.pdf(x) * (p.logpdf(x) - q.logpdf(x)), *p.interval(1 - 1e-15))
    assert energy(of, partner).item() == pytest.approx(integral, rel=1e-8)


def all_triples(adjacency: sp.csr_array, radius: int):
    """(i, j, j') with j in a nearer ring of i than j', by dense shortest paths."""
    distance = shortest_path(adjacency, unweighted=True)
    ring = np.minimum(distance, radius + 1)
    nodes = range(adjacency.shape[0])
    return [(i, j, k) for i, j, k in itertools.product(nodes, nodes, nodes) if 0 < ring[i, j] < ring[i, k]]


ADJACENCY = random_graph(14, density=0.15, seed=2).adjacency
GAUSSIANS = random_gaussians(14, 3, seed=5)


def pair_energies() -> np.ndarray:
    n = len(GAUSSIANS.mean)
    distribution = [as_distribution(GAUSSIANS.take(torch.tensor([i]))) for i in range(n)]
    return np.array([[kl_divergence(distribution[j], distribution[i]).item() for j in range(n)] for i in range(n)])


@pytest.mark.parametrize("radius", [1, 2, 3])
def test_weighted_by_sizes_a_draw_estimates_the_mean_over_all_triples(radius):
    generator = np.random.default_rng(0)
    found = Rings(ADJACENCY, radius, generator)
    pull, push = map(torch.from_numpy, triple_counts(found.sizes))
    draws = [Ranking(found, pull, push).loss(GAUSSIANS, generator).item() for _ in range(3000)]
    E = pair_energies()
    expected = np.mean([E[i, j] ** 2 + np.exp(-E[i, k]) for i, j, k in all_triples(ADJACENCY, radius)])
    error = np.std(draws) / np.sqrt(len(draws))
    assert error < 0.02 * expected
    assert np.mean(draws) == pytest.approx(expected, abs=4 * error)


@pytest.mark.parametrize("radius", [1, 2])
def test_unweighted_it_is_the_mean_over_the_triples_drawn(radius):
    found = Rings(ADJACENCY, radius, np.random.default_rng(0))
    pull, push = map(torch.from_numpy, triple_counts(found.sizes > 0))
    loss = Ranking(found, pull, push).loss(GAUSSIANS, np.random.default_rng(7)).item()
    drawn = found.draw(np.random.default_rng(7))
    E = pair_energies()
    terms = [
        E[i, drawn[i, near]] ** 2 + np.exp(-E[i, drawn[i, far]])
        for i in range(14)
        for near, far in itertools.combinations(range(radius + 1), 2)
        if found.sizes[i, near] and found.sizes[i, far]
    ]
    assert loss == pytest.approx(np.mean(terms), rel=1e-5)


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_the_encoder_by_hand(is_sparse):
    torch.manual_seed(0)
    encoder = GaussianEncoder(6, 5, 3).double()
    with torch.no_grad():
        for parameter in encoder.parameters():
            parameter.normal_()
    F = np.random.default_rng(0).normal(size=(4, 6))
    rows = Rows(SparseMatrix(sp.csr_array(F), torch.device("cpu")) if is_sparse else torch.from_numpy(F))
    W, b, W_mean, b_mean, W_spread, b_spread = (parameter.detach().numpy() for parameter in encoder.parameters())
    h = np.maximum(F @ W + b, 0)
    x = h @ W_spread.T + b_spread
    mean, variance, log_volume = (tensor.detach().numpy() for tensor in encoder(rows))
    np.testing.assert_allclose(mean, h @ W_mean.T + b_mean)
    np.testing.assert_allclose(variance, np.where(x > 0, x + 1, np.exp(x)))
    np.testing.assert_allclose(log_volume, np.log(variance).sum(axis=1))


def two_cliques() -> Graph:
    """Two cliques of six joined by a path of three nodes; every node its own feature."""
    adjacency = np.zeros((15, 15))
    adjacency[:6, :6] = adjacency[9:, 9:] = 1
    for i in range(5, 9):
        adjacency[i, i + 1] = adjacency[i + 1, i] = 1
    np.fill_diagonal(adjacency, 0)
    return Graph(adjacency, features=np.eye(15))


@pytest.mark.parametrize("weighting", ["none", "sizes"])
def test_after_training_nearer_nodes_have_the_lower_energy(weighting):
    graph = two_cliques()
    model = Graph2Gauss(dimension=8, hops=2, hidden=64, weighting=weighting, held_out=0.0, epochs=250, device="cpu")
    Z = model.fit_transform(graph)
    variance = torch.from_numpy(model.variance_)
    gaussians = Gaussians(torch.from_numpy(Z), variance, variance.log().sum(dim=1))
    nodes = torch.arange(15)
    E = torch.stack([energy(gaussians, gaussians.take(nodes.roll(-shift))) for shift in range(15)], dim=1)
    E = np.stack([np.roll(row, i) for i, row in enumerate(E.numpy())])  # [i, j]
    triples = all_triples(graph.adjacency, 2)
    assert np.mean([E[i, j] < E[i, k] for i, j, k in triples]) > 0.95
    assert np.mean(model.history_.loss[-50:]) < 0.5 * np.mean(model.history_.loss[:50])


def test_a_node_that_comes_later_needs_no_edges():
    graph = random_graph(is_sparse=True)
    model = Graph2Gauss(dimension=4, hidden=16, epochs=3, device="cpu").fit(graph)
    later = Graph(sp.csr_array((5, 5)), features=graph.features[10:15])
    np.testing.assert_allclose(model.transform(later), model.embedding_[10:15], rtol=1e-5, atol=1e-6)
    np.testing.assert_allclose(model.transform_variance(later), model.variance_[10:15], rtol=1e-5, atol=1e-6)
    np.testing.assert_array_equal(model.transform_variance(graph), model.variance_)
    assert (model.variance_ > 0).all()


@pytest.mark.parametrize("held_out", [0.0, 0.2], ids=["loss", "links"])
def test_training_ends_early_and_goes_back_to_the_best(held_out, monkeypatch):
    shown = []

    def watch(self, value, network):
        shown.append((value, network.mean.weight.detach().clone()))
        return original(self, value, network)

    original = EarlyStopping.is_over
    monkeypatch.setattr(EarlyStopping, "is_over", watch)
    model = Graph2Gauss(dimension=4, hidden=16, held_out=held_out, patience=5, epochs=2000, device="cpu", learning_rate=0.02)
    model.fit(random_graph())
    values = [value for value, _ in shown]
    best = int(np.argmin(values))
    assert len(values) == len(model.history_.loss) == best + 6 < 2000
    torch.testing.assert_close(model.network_.mean.weight.detach(), shown[best][1], rtol=0, atol=0)
    assert (np.array(values) == model.history_.loss).all() == (held_out == 0)


def test_a_callback_sees_the_embedding_move():
    graph = random_graph()
    model = Graph2Gauss(dimension=4, hidden=16, epochs=3, device="cpu")
    seen = []
    model.fit(graph, callback=lambda epoch, history: seen.append((epoch, len(history.loss), model.transform(graph))))
    assert [(epoch, n_losses) for epoch, n_losses, _ in seen] == [(1, 1), (2, 2), (3, 3)]
    assert not np.array_equal(seen[0][2], seen[2][2])


def test_where_all_are_neighbours_nothing_is_learned_and_a_note_says_so():
    model = Graph2Gauss(dimension=2, device="cpu").fit(np.ones((5, 5)) - np.eye(5), features=np.eye(5))
    assert model.history_.loss == []
    assert "stay as they started" in model.history_.notes[0]


def test_wrong_input_is_refused():
    graph = random_graph()
    for option, value in {"hops": 0, "hidden": 0, "patience": 0, "held_out": 1.0, "weighting": "size"}.items():
        with pytest.raises(InputError, match=f"The {option} parameter of Graph2Gauss must be"):
            Graph2Gauss(**{option: value}).fit(graph)
    huge = Graph(graph.adjacency, features=graph.features * 1e12)
    with pytest.raises(InputError, match=r"overflowed in epoch 1\. Scale the features"):
        Graph2Gauss(dimension=4, device="cpu").fit(huge)


def test_the_papers_settings_are_its_dimensions():
    assert [Graph2Gauss.paper(name).dimension for name in ("cora", "citeseer", "pubmed", "cora_full")] == [
        512,
        512,
        256,
        512,
    ]
    assert Graph2Gauss.paper("cora", dimension=3, random_state=1).get_params()["dimension"] == 3


def test_held_out_edges_are_gone_and_no_node_loses_its_last():
    adjacency = random_graph(60, density=0.1, is_weighted=True).adjacency
    dense = adjacency.toarray()
    rest, pairs, is_edge = hold_out(adjacency, 0.3, np.random.default_rng(0))
    assert is_edge.sum() == (~is_edge).sum() == 2 * int(0.3 * (adjacency.nnz // 2))
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    assert (pairs[:, 0] != pairs[:, 1]).all()
    i, j = pairs.T
    np.testing.assert_array_equal(dense[i, j] > 0, is_edge)
    expected = dense.copy()
    expected[i, j] = 0
    np.testing.assert_array_equal(rest.toarray(), expected)
    np.testing.assert_array_equal(np.diff(rest.indptr) > 0, np.diff(adjacency.indptr) > 0)


def test_a_star_and_a_complete_graph_spare_no_edge():
    star = np.zeros((6, 6))
    star[0, 1:] = star[1:, 0] = 1  # every edge is some leaf's last
    for dense in (star, np.ones((6, 6)) - np.eye(6)):  # in the other, no pair is missing to compare with
        rest, pairs, is_edge = hold_out(sp.csr_array(dense), 0.5, np.random.default_rng(0))
        np.testing.assert_array_equal(rest.toarray(), dense)
        assert len(pairs) == len(is_edge) == 0


def test_the_score_of_links_is_auc_plus_average_precision():
    energy = np.array([1.0, 3.0, 2.0, 4.0], dtype=np.float32)
    is_edge = np.array([True, True, False, False])
    assert link_score(energy, is_edge) == pytest.approx(3 / 4 + (1 + 2 / 3) / 2)
    assert link_score(energy, is_edge) == roc_auc_score(is_edge, -energy) + average_precision_score(is_edge, -energy)
