"""What a graph says of itself, and that nothing of it can be changed."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import random_graph
from sparsecut.graph import Graph

PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.float32)


def test_counts_each_undirected_edge_once() -> None:
    graph = Graph(sp.csr_array(PATH), features=np.ones((3, 2)), labels=[0, 1, 1], node_ids=["a", "b", "c"])
    assert (graph.n_nodes, graph.n_edges, graph.n_features, graph.is_weighted) == (3, 2, 2, False)
    assert repr(graph) == "Graph(3 nodes, 2 edges, 2 features, labels)"
    assert list(graph.node_ids) == ["a", "b", "c"]


def test_is_frozen() -> None:
    graph = random_graph(is_sparse=True)
    with pytest.raises(AttributeError, match="frozen"):
        graph.labels = np.zeros(40)
    with pytest.raises(AttributeError, match="frozen"):
        del graph.labels
    for array in (graph.adjacency.data, graph.adjacency.indices, graph.features.data, graph.node_ids):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_callers_arrays_stay_writeable_and_uncopied() -> None:
    features = np.ones((3, 2), dtype=np.float32)
    graph = Graph(PATH, features=features)
    features[0, 0] = 7
    assert np.shares_memory(graph.features, features)
