"""P between its diagonals against P written out, and its transpose, on any graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from any_graph import graphs
from reference import dense_propagation
from sparsecut.graph import Graph
from sparsecut.operators.filters import FILTERS
from sparsecut.operators.propagation import Propagation

CPU = torch.device("cpu")


@given(graphs(), st.sampled_from(FILTERS), st.integers(1, 5))
def test_a_hop_and_its_transpose_are_the_dense_products(graph: Graph, filter: str, width: int) -> None:
    A = graph.adjacency.toarray()
    P = Propagation.of(graph.adjacency, filter, CPU, is_directed=graph.is_directed)
    dense = dense_propagation(A, filter)
    X = np.random.default_rng(0).normal(size=(len(A), width)).astype(np.float32)
    assert np.allclose(P @ torch.from_numpy(X), dense @ X, atol=1e-5)
    assert np.allclose(P.T @ torch.from_numpy(X), dense.T @ X, atol=1e-5)
    assert np.allclose(P.T.T @ torch.from_numpy(X), dense @ X, atol=1e-5)
    assert np.allclose(P.csr.toarray(), dense, atol=1e-6)
    assert P.nnz == np.count_nonzero(dense)


@pytest.mark.parametrize("is_weighted", [False, True])
def test_the_graph_is_not_copied_and_values_are_read_only_where_there_are_weights(is_weighted: bool) -> None:
    ring = sp.csr_array(np.roll(np.eye(5), 1, axis=1) * (2 if is_weighted else 1))
    adjacency = Graph(ring + ring.T).adjacency
    entries = Propagation.of(adjacency, "row", CPU).neighbors
    assert entries.indices.data_ptr() == adjacency.indices.ctypes.data
    assert (entries.values is None) == (not is_weighted)
