"""The filters against their dense definitions, and what smoothing must do on any graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import torch

from conftest import random_graph
from reference import dense_filter, dense_propagation
from sparsecut.engines import MemoryEngine
from sparsecut.engines.memory import _is_sparse_hop_cheaper
from sparsecut.graph import Graph
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.operators.filters import FILTERS, polynomial, propagation
from sparsecut.operators.rows import Rows

ENGINE = MemoryEngine(torch.device("cpu"))


def test_by_hand_on_a_path_of_three() -> None:
    path = Graph(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    expected = [[1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3], [0, 1 / 2, 1 / 2]]
    assert np.allclose(propagation(path.adjacency).toarray(), expected)
    s = 1 / np.sqrt(6)
    assert np.allclose(propagation(path.adjacency, "symmetric").toarray(), [[1 / 2, s, 0], [s, 1 / 3, s], [0, s, 1 / 2]])


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("filter", FILTERS)
def test_matches_the_dense_definition(filter: str, is_weighted: bool) -> None:
    graph = random_graph(is_weighted=is_weighted)
    P = propagation(graph.adjacency, filter)
    assert np.allclose(P.toarray(), dense_propagation(graph.adjacency.toarray(), filter), atol=1e-6)
    assert P.nnz == 2 * graph.n_edges + graph.n_nodes


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("order", [0, 1, 2, 5])
def test_smoothing_is_the_power_of_p(order: int, is_sparse: bool) -> None:
    graph = random_graph(is_sparse=is_sparse, is_weighted=True)
    F = graph.features.toarray() if is_sparse else graph.features
    P = dense_propagation(graph.adjacency.toarray())
    loaded = ENGINE.load(graph.features, graph.adjacency)
    levels = [ENGINE.smooth(loaded, polynomial("row", hops)) for hops in range(order + 1)]
    assert len(levels) == order + 1
    for hops, rows in enumerate(levels):
        assert np.allclose(rows @ torch.eye(12), np.linalg.matrix_power(P, hops) @ F, atol=1e-5)


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize(("order", "strength"), [(0, 0.3), (1, 0.9), (4, 0.15)])
@pytest.mark.parametrize("filter", FILTERS)
def test_every_filter_is_its_dense_definition(filter: str, order: int, strength: float, is_sparse: bool) -> None:
    graph = random_graph(is_sparse=is_sparse, is_weighted=True)
    F = graph.features.toarray() if is_sparse else graph.features
    expected = dense_filter(graph.adjacency.toarray(), filter, order, strength) @ F
    loaded = ENGINE.load(graph.features, graph.adjacency, filter)
    coefficients = polynomial(filter, order, strength)
    assert sum(coefficients) == pytest.approx(1)
    assert np.allclose(ENGINE.smooth(loaded, coefficients) @ torch.eye(12), expected, atol=1e-5)
    assert np.allclose(Rows(loaded.features, loaded.propagation, coefficients) @ torch.eye(12), expected, atol=1e-5)


@pytest.mark.parametrize("filter", ["pagerank", "pagerank-symmetric"])
def test_many_hops_of_pagerank_are_its_closed_form(filter: str) -> None:
    A = random_graph(is_weighted=True).adjacency.toarray()
    P = dense_propagation(A, filter)
    closed = 0.2 * np.linalg.inv(np.eye(40) - 0.8 * P)
    series = sum(c * np.linalg.matrix_power(P, k) for k, c in enumerate(polynomial(filter, 80, 0.2)))
    assert np.allclose(series, closed, atol=1e-6)


def test_many_hops_of_heat_are_the_exponential() -> None:
    P = dense_propagation(random_graph(is_weighted=True).adjacency.toarray())
    series = sum(c * np.linalg.matrix_power(P, k) for k, c in enumerate(polynomial("heat", 40, 3.0)))
    assert np.allclose(series, scipy.linalg.expm(3 * (P - np.eye(40))), atol=1e-8)


def test_smoothing_reports_every_hop() -> None:
    graph = random_graph()
    reports = []
    loaded = ENGINE.load(graph.features, graph.adjacency)
    ENGINE.smooth(loaded, polynomial("average", 3), lambda *report: reports.append(report))
    assert reports == [("smoothing", hop, 3) for hop in (1, 2, 3)]


def test_sparse_features_stay_sparse_while_that_is_cheaper() -> None:
    n_nodes = 2000
    ring = sp.diags_array([np.ones(n_nodes - 1)], offsets=[1], shape=(n_nodes, n_nodes))
    words = sp.random_array((n_nodes, 5000), density=0.001, rng=np.random.default_rng(0), dtype=np.float32).tocsr()
    graph = Graph(ring + ring.T, features=words)
    loaded = ENGINE.load(graph.features, graph.adjacency)
    assert isinstance(ENGINE.smooth(loaded, polynomial("row", 2)).features, SparseMatrix)

    full = Graph(ring + ring.T, features=sp.csr_array(np.ones((n_nodes, 8), dtype=np.float32)))
    loaded = ENGINE.load(full.features, full.adjacency)
    assert not _is_sparse_hop_cheaper(loaded.propagation, loaded.features.csr)
    assert isinstance(ENGINE.smooth(loaded, polynomial("row", 2)).features, torch.Tensor)


def test_an_isolated_node_keeps_its_features_and_constants_stay_constant() -> None:
    graph = Graph(sp.csr_array((4, 4)), features=np.arange(8).reshape(4, 2))
    smoothed = ENGINE.smooth(ENGINE.load(graph.features, graph.adjacency), polynomial("row", 1))
    assert np.array_equal(smoothed.features, graph.features)
    P = propagation(random_graph(is_weighted=True).adjacency)
    assert np.allclose(P @ np.ones(40), 1)
