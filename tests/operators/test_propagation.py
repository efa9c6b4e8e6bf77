"""P between its diagonals against P written out, its transpose, and P without some edges, on any graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from conftest import random_graph
from filter_cases import FILTERS, make_filter
from reference import dense_propagation
from sparsecut.graph import Graph
from sparsecut.operators.filters import Power
from sparsecut.operators.propagation import Propagation, propagation_matrix

CPU = torch.device("cpu")


@settings(deadline=None)  # the first call of a kernel takes longer
@given(graphs(), st.sampled_from(FILTERS), st.integers(1, 5))
def test_a_hop_and_its_transpose_are_the_dense_products(graph: Graph, filter: str, width: int) -> None:
    A = graph.adjacency.toarray()
    P = Propagation.of(graph.adjacency, make_filter(filter), CPU, is_directed=graph.is_directed)
    dense = dense_propagation(A, filter)
    X = np.random.default_rng(0).normal(size=(len(A), width)).astype(np.float32)
    assert np.allclose(P @ torch.from_numpy(X), dense @ X, atol=1e-5)
    assert np.allclose(P.T @ torch.from_numpy(X), dense.T @ X, atol=1e-5)
    assert np.allclose(P.T.T @ torch.from_numpy(X), dense @ X, atol=1e-5)
    assert np.allclose(P.csr.toarray(), dense, atol=1e-6)
    assert P.nnz == np.count_nonzero(dense)


@settings(deadline=None)
@given(graphs(), st.sampled_from(FILTERS), st.integers(0, 99))
def test_some_rows_after_one_hop_are_those_of_all(graph: Graph, filter: str, seed: int) -> None:
    P = Propagation.of(graph.adjacency, make_filter(filter), CPU, is_directed=graph.is_directed)
    X = torch.randn(graph.n_nodes, 3, generator=torch.Generator().manual_seed(seed))
    nodes = torch.from_numpy(np.random.default_rng(seed).integers(0, graph.n_nodes, 4))
    assert np.allclose(P.smooth_some((0.25, 0.75), X, nodes), P.smooth((0.25, 0.75), X)[nodes], atol=1e-6)
    halves = X.half()  # only what is read of them becomes float32
    assert torch.equal(P.smooth_some((0.25, 0.75), halves, nodes), P.smooth_some((0.25, 0.75), halves.float(), nodes))


@settings(deadline=None)  # the first call of a kernel takes longer
@given(graphs(), st.sampled_from(FILTERS), st.data())
def test_without_some_edges_it_is_p_of_the_graph_that_is_left(graph: Graph, filter: str, data: st.DataObject) -> None:
    A = graph.adjacency.toarray()
    edges = np.array((A if graph.is_directed else np.triu(A)).nonzero(), dtype=np.int64)
    is_out = np.array(data.draw(st.lists(st.booleans(), min_size=edges.shape[1], max_size=edges.shape[1])), dtype=bool)
    P = Propagation.of(graph.adjacency, make_filter(filter), CPU, is_directed=graph.is_directed)
    less = P.without(edges[:, is_out])
    for i, j in edges[:, is_out].T:
        A[i, j] = 0
        if not graph.is_directed:
            A[j, i] = 0
    X = np.random.default_rng(0).normal(size=(len(A), 3)).astype(np.float32)
    assert np.allclose(less @ torch.from_numpy(X), dense_propagation(A, filter) @ X, atol=1e-5)
    assert np.allclose(less.T @ torch.from_numpy(X), dense_propagation(A, filter).T @ X, atol=1e-5)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_graph_is_not_copied_and_values_are_read_only_where_there_are_weights(is_weighted: bool) -> None:
    ring = sp.csr_array(np.roll(np.eye(5), 1, axis=1) * (2 if is_weighted else 1))
    adjacency = Graph(ring + ring.T).adjacency
    entries = Propagation.of(adjacency, Power(), CPU).neighbors
    assert entries.indices.data_ptr() == adjacency.indices.ctypes.data
    assert (entries.values is None) == (not is_weighted)


def test_by_hand_on_a_path_of_three() -> None:
    path = Graph(np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]]))
    expected = [[1 / 2, 1 / 2, 0], [1 / 3, 1 / 3, 1 / 3], [0, 1 / 2, 1 / 2]]
    assert np.allclose(propagation_matrix(path.adjacency).toarray(), expected)
    s = 1 / np.sqrt(6)
    symmetric = propagation_matrix(path.adjacency, make_filter("symmetric")).toarray()
    assert np.allclose(symmetric, [[1 / 2, s, 0], [s, 1 / 3, s], [0, s, 1 / 2]])


@pytest.mark.parametrize("is_weighted", [False, True])
@pytest.mark.parametrize("filter", FILTERS)
def test_the_matrix_is_the_dense_definition(filter: str, is_weighted: bool) -> None:
    graph = random_graph(is_weighted=is_weighted)
    P = propagation_matrix(graph.adjacency, make_filter(filter))
    assert np.allclose(P.toarray(), dense_propagation(graph.adjacency.toarray(), filter), atol=1e-6)
    assert P.nnz == 2 * graph.n_edges + graph.n_nodes


def test_constants_stay_constant() -> None:
    P = propagation_matrix(random_graph(is_weighted=True).adjacency)
    assert np.allclose(P @ np.ones(40), 1)
