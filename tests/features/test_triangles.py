"""Triangles against networkx and hand-computed graphs; blocks, tensors and the order of nodes change nothing."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from cut_blocks import cut
from sparsecut.features.triangles import MOST_LISTED, triangles
from sparsecut.graph import Graph
from sparsecut.graph.undirected import without_directions
from sparsecut.kernels.either import on_host


def graph_of(network: nx.Graph) -> Graph:
    return Graph(nx.to_scipy_sparse_array(network, format="csr", dtype=np.float32))


def counted(network: nx.Graph) -> list[int]:
    return [nx.triangles(network, node) for node in network]


def test_two_triangles_that_share_an_edge() -> None:
    graph = graph_of(nx.Graph([(0, 1), (1, 2), (2, 0), (1, 3), (3, 2), (3, 4)]))
    assert on_host(triangles(cut(graph))).tolist() == [1, 2, 2, 1, 0]


@pytest.mark.parametrize("with_tensors", [False, True])
def test_counts_of_networkx_where_no_list_is_cut_short(with_tensors: bool) -> None:
    network = nx.barabasi_albert_graph(400, 5, seed=3)
    found = triangles(cut(graph_of(network), (7, 100, 101), with_tensors=with_tensors))
    assert on_host(found).tolist() == counted(network)


@settings(deadline=None)
@given(graph=graphs(), cuts=st.lists(st.integers(1, 8), max_size=3), with_tensors=st.booleans())
def test_any_graph_in_any_blocks(graph: Graph, cuts: list[int], with_tensors: bool) -> None:
    graph = without_directions(graph)
    A = (graph.adjacency.toarray() > 0).astype(int)
    found = triangles(cut(graph, cuts, with_tensors=with_tensors))
    np.testing.assert_array_equal(on_host(found), np.diag(A @ A @ A) / 2)


@pytest.mark.parametrize("most_listed", [2, MOST_LISTED])
def test_estimates_depend_on_neither_blocks_nor_the_order_of_nodes(most_listed: int) -> None:
    network = nx.gnp_random_graph(120, 0.5, seed=4)
    graph = graph_of(network)
    found = on_host(triangles(cut(graph), most_listed))
    assert not np.array_equal(found, counted(network))  # lists are cut short
    np.testing.assert_array_equal(on_host(triangles(cut(graph, (1, 50)), most_listed)), found)
    np.testing.assert_array_equal(on_host(triangles(cut(graph, (60,), with_tensors=True), most_listed)), found)
    order = np.random.default_rng(0).permutation(120)
    shuffled = Graph(graph.adjacency[order][:, order], node_ids=order)
    np.testing.assert_array_equal(on_host(triangles(cut(shuffled), most_listed)), found[order])


def test_lists_in_parts_give_the_same() -> None:
    """As of graphs with so many nodes that whole lists would take too much memory."""
    graph = graph_of(nx.gnp_random_graph(120, 0.5, seed=4))
    found = on_host(triangles(cut(graph, (50,))))
    np.testing.assert_array_equal(on_host(triangles(cut(graph, (50,)), most_nodes=100)), found)


def test_estimates_are_unbiased_and_close() -> None:
    """Half of all pairs linked: 38 neighbours of 75 are pointed to where 16 are kept, and the counts stay within 10 %."""
    network = nx.gnp_random_graph(150, 0.5, seed=5)
    found, exact = on_host(triangles(cut(graph_of(network)))), np.array(counted(network))
    assert abs(found.sum() / exact.sum() - 1) < 0.02
    assert np.abs(found / exact - 1).max() < 0.10


def test_a_hub_with_chords_is_exact_however_large() -> None:
    """The hub has 2,000 neighbours, linked in pairs: it points to none, so no list is cut short."""
    network = nx.star_graph(2000)
    network.add_edges_from((node, node + 1) for node in range(1, 2000, 2))
    assert on_host(triangles(cut(graph_of(network)))).tolist() == counted(network)
