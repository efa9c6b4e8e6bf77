"""What a Graph accepts, what it turns it into, and what it refuses."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
import scipy.sparse as sp

from conftest import random_graph
from sparsecut.base.errors import InputError
from sparsecut.graph import Graph

PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.float32)


def test_one_node_and_no_edges() -> None:
    graph = Graph(sp.csr_array((1, 1)), features=[[1, 2]])
    assert (graph.n_nodes, graph.n_edges) == (1, 0)


def test_survives_copy_and_pickle() -> None:
    graph = random_graph(is_weighted=True)
    for twin in (copy.deepcopy(graph), pickle.loads(pickle.dumps(graph))):  # noqa: S301 - our own object
        assert (twin.adjacency != graph.adjacency).nnz == 0
        assert np.array_equal(twin.features, graph.features)


def test_subgraph_keeps_order_and_edges_among_the_nodes() -> None:
    graph = random_graph(is_weighted=True)
    nodes = np.array([7, 3, 20])
    part = graph.subgraph(nodes)
    assert np.array_equal(part.adjacency.toarray(), graph.adjacency.toarray()[np.ix_(nodes, nodes)])
    assert np.array_equal(part.features, graph.features[nodes])
    assert np.array_equal(part.node_ids, nodes)
    mask = np.zeros(40, dtype=bool)
    mask[nodes] = True
    assert np.array_equal(graph.subgraph(mask).node_ids, np.sort(nodes))


@pytest.mark.parametrize(
    ("adjacency", "arguments", "message"),
    [
        (np.ones((2, 3)), {}, r"The adjacency must be square.*\(2, 3\)"),
        (np.ones((0, 0)), {}, "The graph is empty"),
        ("edges.csv", {}, r"names a file or a dataset. Read it first: sc.read_graph\('edges.csv'"),
        ([[0, 1], [1]], {}, "must be a scipy sparse matrix"),
        (sp.csr_array(np.eye(2) * 1j), {}, "real numbers.*complex"),
        (np.array([[0, np.nan], [np.nan, 0]]), {}, "weights must be finite. Got nan between the nodes at positions 0 and 1"),
        (np.array([[0, np.inf], [np.inf, 0]]), {}, "weights must be finite. Got inf"),
        (np.array([[0, 1, 0], [1, 0, -2], [0, -2, 0]]), {}, "zero or more. Got -2 between the nodes at positions 1 and 2"),
        (PATH, {"features": np.ones((4, 2))}, "one row for each of the 3 nodes. Got 4 rows"),
        (PATH, {"features": np.ones(3)}, r"two-dimensional.*\(3,\)"),
        (PATH, {"features": np.ones((3, 0))}, "at least one column"),
        (PATH, {"features": [[1, 2], [3, np.nan], [5, 6]]}, "finite. Got nan in row 1, column 1"),
        (PATH, {"features": sp.csr_array([[0, 2], [0, np.inf], [5, 6]])}, "finite. Got inf in row 1, column 1"),
        (PATH, {"features": np.full((3, 1), 1e300)}, r"too large for float32\. Got 1e\+300 in row 0, column 0"),
        (PATH, {"features": [["a", 1.0], ["b", 2.0], ["c", 3.0]]}, "features must be numbers"),
        (PATH, {"labels": [0, 1]}, r"labels must be one value for each of the 3 nodes. Got shape \(2,\)"),
        (PATH, {"node_ids": ["a", "a", "b"]}, "ids must be unique. These occur more than once: 'a'"),
    ],
)
def test_bad_input_gets_its_own_message(adjacency: object, arguments: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Graph(adjacency, **arguments)
