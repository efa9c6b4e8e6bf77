"""What a Graph accepts, what it turns it into, and what it refuses."""

from __future__ import annotations

import copy
import pickle
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from conftest import random_graph
from sparsecut.errors import DirectedGraphWarning, InputError
from sparsecut.graph import Graph, as_graph

PATH = np.array([[0, 1, 0], [1, 0, 1], [0, 1, 0]], dtype=np.float32)


def test_counts_each_undirected_edge_once() -> None:
    graph = Graph(sp.csr_array(PATH), features=np.ones((3, 2)), labels=[0, 1, 1], node_ids=["a", "b", "c"])
    assert (graph.n_nodes, graph.n_edges, graph.n_features, graph.is_weighted) == (3, 2, 2, False)
    assert repr(graph) == "Graph(3 nodes, 2 edges, 2 features, labels)"
    assert list(graph.node_ids) == ["a", "b", "c"]


def test_directed_input_is_symmetrised_and_says_so() -> None:
    directed = np.array([[0, 2, 0], [1, 0, 5], [0, 0, 0]])
    with pytest.warns(DirectedGraphWarning, match="made undirected"):
        graph = Graph(directed)
    assert np.array_equal(graph.adjacency.toarray(), [[0, 2, 0], [2, 0, 5], [0, 5, 0]])
    assert any("directed" in note for note in graph.notes)


def test_the_warning_points_at_the_line_that_made_the_graph() -> None:
    with pytest.warns(DirectedGraphWarning) as caught:
        Graph(np.array([[0, 1], [0, 0]]))
    assert caught[0].filename == __file__


def test_self_loops_are_dropped_and_counted() -> None:
    graph = Graph(PATH + np.diag([3, 0, 1]))
    assert np.array_equal(graph.adjacency.toarray(), PATH)
    assert graph.notes == ("2 self-loops were dropped: filters count each node in its own neighbourhood once.",)


def test_entries_given_twice_are_summed() -> None:
    twice = sp.coo_array(([1.0, 2.0, 3.0], ([0, 0, 1], [1, 1, 0])), shape=(2, 2))
    assert np.array_equal(Graph(twice).adjacency.toarray(), [[0, 3], [3, 0]])


def test_stored_zeros_are_no_edges() -> None:
    stored = sp.csr_array(([0.0, 0.0], ([0, 1], [1, 0])), shape=(2, 2))
    assert Graph(stored).n_edges == 0


def test_one_node_and_no_edges() -> None:
    graph = Graph(sp.csr_array((1, 1)), features=[[1, 2]])
    assert (graph.n_nodes, graph.n_edges) == (1, 0)


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


@given(hnp.arrays(np.float32, st.tuples(*[st.shared(st.integers(1, 8), key="n")] * 2), elements=st.floats(0, 9, width=32)))
def test_any_adjacency_becomes_symmetric_without_loops(adjacency: np.ndarray) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DirectedGraphWarning)
        A = Graph(adjacency).adjacency.toarray()
    expected = np.maximum(adjacency, adjacency.T)
    np.fill_diagonal(expected, 0)
    assert np.array_equal(A, expected)


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
        (PATH, {"features": [["a"], ["b"], ["c"]]}, "features must be numbers"),
        (PATH, {"labels": [0, 1]}, r"labels must be one value for each of the 3 nodes. Got shape \(2,\)"),
        (PATH, {"node_ids": ["a", "a", "b"]}, "ids must be unique. These occur more than once: 'a'"),
    ],
)
def test_bad_input_gets_its_own_message(adjacency: object, arguments: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        Graph(adjacency, **arguments)


def test_features_beside_a_graph_are_refused() -> None:
    with pytest.raises(InputError, match="which has its own"):
        as_graph(random_graph(), features=np.ones((40, 2)))
