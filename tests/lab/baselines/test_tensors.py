"""A graph's tensors hold its numbers, and products with them have the right gradient."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given
from hypothesis import strategies as st

from baseline_graphs import edge_tensors
from conftest import random_graph
from sparsecut import Graph, Power
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.lab.baselines.tensors import graph_tensors, product, scale_rows

CPU = torch.device("cpu")


def dense_convolution(graph: Graph) -> np.ndarray:
    """D̃^−½ÃD̃^−½, written out."""
    A = graph.adjacency.toarray() + np.eye(graph.n_nodes)
    half = np.diag(A.sum(axis=1) ** -0.5)
    return half @ A @ half


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_propagation_and_features_are_the_dense_formula(is_sparse: bool) -> None:
    graph = random_graph(25, is_weighted=True, is_sparse=is_sparse)
    tensors = graph_tensors(graph, CPU)
    assert isinstance(tensors.features, SparseMatrix) == is_sparse
    W = torch.randn(graph.n_features, 3, generator=torch.Generator().manual_seed(0))
    F = graph.features.toarray() if is_sparse else graph.features
    expected = dense_convolution(graph) @ F @ W.numpy()
    np.testing.assert_allclose(product(tensors.propagation, product(tensors.features, W)), expected, atol=1e-5)


@pytest.mark.parametrize("is_sparse", [False, True], ids=["dense", "sparse"])
def test_the_gradient_of_a_product_is_that_of_the_dense_one(is_sparse: bool) -> None:
    graph = random_graph(15, 6, is_sparse=is_sparse)
    directed = sp.csr_array(np.triu(graph.adjacency.toarray()))  # not symmetric: a forgotten transpose would show
    graph = Graph(directed, features=graph.features, directed="out")
    tensors = graph_tensors(graph, CPU, filter=Power())
    W = torch.randn(6, 4, generator=torch.Generator().manual_seed(0), requires_grad=True)
    product(tensors.propagation, product(tensors.features, W)).square().sum().backward()
    W_dense = W.detach().clone().requires_grad_()
    F = torch.as_tensor(graph.features.toarray() if is_sparse else np.array(graph.features))
    (tensors.propagation.to_dense() @ F @ W_dense).square().sum().backward()
    torch.testing.assert_close(W.grad, W_dense.grad, rtol=1e-4, atol=1e-4)


def test_it_is_what_gcn_conv_computes_from_the_same_edges() -> None:
    layers = pytest.importorskip("torch_geometric.nn")
    graph = random_graph(25, is_weighted=True)
    tensors = graph_tensors(graph, CPU)
    ends, weights = edge_tensors(graph)
    layer = layers.GCNConv(graph.n_features, 5, bias=False)
    W = layer.lin.weight.detach().T
    expected = layer(tensors.features, ends, weights).detach()
    torch.testing.assert_close(product(tensors.propagation, product(tensors.features, W)), expected, rtol=1e-4, atol=1e-5)


@given(st.integers(0, 2**32 - 1), st.booleans())
def test_scaled_rows_sum_to_one_in_size_and_empty_ones_stay(seed: int, is_sparse: bool) -> None:
    generator = np.random.default_rng(seed)
    features = (generator.normal(size=(7, 4)) * (generator.random((7, 4)) < 0.4)).astype(np.float32)
    scaled = scale_rows(sp.csr_array(features) if is_sparse else features)
    scaled = scaled.toarray() if is_sparse else scaled
    for row, scaled_row in zip(features, scaled, strict=True):
        np.testing.assert_allclose(scaled_row, row / abs(row).sum() if row.any() else row, rtol=1e-5)
