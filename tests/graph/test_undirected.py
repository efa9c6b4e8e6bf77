"""A graph without its directions, against a dense matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings

from any_graph import graphs
from as_tensors import as_tensors
from sparsecut.graph import Graph
from sparsecut.graph.undirected import without_directions


@settings(deadline=None)
@given(graph=graphs())
def test_nodes_are_linked_where_an_edge_points_either_way(graph: Graph) -> None:
    A = graph.adjacency.toarray() > 0
    expected = A | A.T if graph.is_directed else graph.adjacency.toarray()
    for given_graph in (graph, as_tensors(graph)):
        found = without_directions(given_graph)
        assert not found.is_directed
        np.testing.assert_array_equal(found.adjacency.toarray(), expected)


def test_ids_stay_and_an_undirected_graph_is_itself() -> None:
    graph = Graph(np.triu(np.ones((3, 3)), 1), directed="out", node_ids=["a", "b", "c"])
    assert without_directions(graph).node_ids.tolist() == ["a", "b", "c"]
    linked = without_directions(graph)
    assert without_directions(linked) is linked
