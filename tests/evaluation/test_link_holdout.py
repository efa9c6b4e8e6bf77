"""Held-out edges: the graph is cut in two, whatever its kind, and nothing of one part is in the other."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

from pair_sets import edge_set, pair_set
from sparsecut import Graph, Power, datasets
from sparsecut.evaluation import hold_out_edges
from sparsecut.lab.baselines import SmoothedFeatures


@pytest.fixture(scope="module")
def graph() -> Graph:
    return datasets.load("digits")


def test_the_graph_is_cut_in_two(graph):
    split = hold_out_edges(graph, 0.2, random_state=3)
    kept, positive, negative = edge_set(split.graph), pair_set(split.positive), pair_set(split.negative)
    assert len(positive) == len(split.positive) == round(0.2 * graph.n_edges)
    assert kept.isdisjoint(positive)
    assert kept | positive == edge_set(graph)
    assert len(negative) == len(positive)
    assert negative.isdisjoint(edge_set(graph))
    # Neither direction is left in the adjacency.
    i, j = split.positive.T
    assert split.graph.adjacency[i, j].sum() == split.graph.adjacency[j, i].sum() == 0
    assert split.graph.n_nodes == graph.n_nodes
    np.testing.assert_array_equal(split.graph.features, graph.features)
    np.testing.assert_array_equal(split.graph.labels, graph.labels)


def test_weights_of_the_edges_that_stay():
    A = np.triu(np.random.default_rng(0).random((20, 20)), 1)
    A[A < 0.5] = 0
    whole = Graph(A + A.T)
    split = hold_out_edges(whole, 0.1)
    i, j = sp.triu(split.graph.adjacency).nonzero()
    np.testing.assert_array_equal(split.graph.adjacency[i, j], whole.adjacency[i, j])


def test_seeds_decide(graph):
    one, two, other = (hold_out_edges(graph, 0.1, random_state=seed) for seed in (1, 1, 2))
    np.testing.assert_array_equal(one.positive, two.positive)
    np.testing.assert_array_equal(one.negative, two.negative)
    assert pair_set(one.positive) != pair_set(other.positive)


def directed_graph(n_nodes: int = 40) -> Graph:
    """Edges in one direction or in both, with weights of their own."""
    generator = np.random.default_rng(5)
    A = generator.random((n_nodes, n_nodes)) * (generator.random((n_nodes, n_nodes)) < 0.2)
    np.fill_diagonal(A, 0)
    assert ((A > 0) & (A.T == 0)).any()
    assert ((A > 0) & (A.T > 0)).any()
    return Graph(A, features=generator.normal(size=(n_nodes, 4)), directed="out")


def test_a_directed_graph_stays_directed_and_loses_both_directions_of_a_pair():
    whole = directed_graph()
    split = hold_out_edges(whole, 0.2, random_state=1)
    dense = whole.adjacency.toarray()
    linked = {(i, j) for i, j in zip(*np.nonzero(np.triu((dense > 0) | (dense.T > 0))), strict=True)}
    assert len(split.positive) == round(0.2 * len(linked))
    assert pair_set(np.sort(split.positive, axis=1)) <= linked
    i, j = split.positive.T
    assert (dense[i, j] > 0).all()  # along the arcs
    expected_one_way = {(i, j) for i, j in split.positive.tolist() if dense[j, i] == 0}
    assert {tuple(pair) for pair in split.one_way.tolist()} == expected_one_way
    assert pair_set(np.sort(split.negative, axis=1)).isdisjoint(linked)
    expected = dense.copy()
    for i, j in split.positive:
        expected[i, j] = expected[j, i] = 0
    assert split.graph.is_directed
    np.testing.assert_array_equal(split.graph.adjacency.toarray(), expected)


def test_what_is_embedded_of_a_directed_path_follows_its_arrows():
    """0 → 1 → … → 9: one hop averages a node with the next one, unless the edge between them is held out."""
    A, n_nodes = np.diag(np.ones(9), 1), 10
    features = np.eye(n_nodes)
    split = hold_out_edges(Graph(A, features=features, directed="out"), 0.2)
    held_out = pair_set(split.positive)
    expected = np.array(
        [
            (features[i] + features[i + 1]) / 2 if i + 1 < n_nodes and (i, i + 1) not in held_out else features[i]
            for i in range(n_nodes)
        ]
    )
    np.testing.assert_allclose(SmoothedFeatures(filter=Power(order=1)).fit_transform(split.graph), expected, atol=1e-6)


def test_pairs_without_an_edge_are_between_the_sides_of_a_graph_that_has_two():
    R = sp.csr_array((np.random.default_rng(0).random((40, 30)) < 0.3).astype(float))
    whole = Graph(sp.block_array([[None, R], [R.T, None]]).tocsr())
    split = hold_out_edges(whole, 0.2)
    dense = whole.adjacency.toarray()
    for pairs, is_edge in ((split.positive, True), (split.negative, False)):
        assert ((pairs < 40).sum(axis=1) == 1).all()  # one end on each side
        i, j = pairs.T
        assert ((dense[i, j] > 0) == is_edge).all()
