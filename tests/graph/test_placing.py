"""A graph copied to a device and back; the moves to a GPU are tested with the graphs of device tensors."""

from __future__ import annotations

import numpy as np
import torch

from as_tensors import CPU, as_tensors
from conftest import random_graph
from sparsecut.graph.placing import features_on, placed


def test_back_in_the_hosts_memory_nothing_is_on_a_device() -> None:
    graph = random_graph(is_weighted=True)
    assert placed(graph, "cpu") is graph
    back = placed(as_tensors(graph), "cpu")
    assert back.held_edges is back.adjacency
    assert back.held_features is back.features
    assert np.array_equal(back.adjacency.toarray(), graph.adjacency.toarray())
    assert np.array_equal(back.features, graph.features)


def test_features_dense_and_sparse() -> None:
    for is_sparse in (False, True):
        features = random_graph(is_sparse=is_sparse).features
        tensor = features_on(features, CPU)
        assert (tensor.layout == torch.sparse_csr) == is_sparse
        assert np.array_equal(tensor.to_dense(), features.toarray() if is_sparse else features)
