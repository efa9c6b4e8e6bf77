"""What is cut: the graph's edges, the nearest neighbours in an embedding, or both with the same total weight."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import sparsecut as sc
from cut_graphs import planted
from sparsecut.base.errors import DirectedGraphWarning, InputError
from sparsecut.cuts.cut_input import DIMENSION, N_NEIGHBOURS, graph_to_cut, material, nearest_by_angle
from typed_graphs import typed_graph


def test_neighbours_are_those_of_the_largest_cosines() -> None:
    Z = np.random.default_rng(0).normal(size=(40, 3))
    found = nearest_by_angle(Z).toarray()
    unit = Z / np.linalg.norm(Z, axis=1, keepdims=True)
    cosine = unit @ unit.T
    np.fill_diagonal(cosine, -2)
    expected = np.zeros((40, 40))
    for node in range(40):
        near = np.argsort(-cosine[node])[:N_NEIGHBOURS]
        expected[node, near] = np.maximum(cosine[node, near], 0)
    np.testing.assert_allclose(found, np.maximum(expected, expected.T), atol=1e-6)


def test_both_have_the_same_total_weight() -> None:
    graph = planted(100, 2, 6, 1, seed=0)
    Z = np.random.default_rng(1).normal(size=(graph.n_nodes, 20))
    edges, near, both = (
        material(graph, use, None if use == "structure" else Z, "x") for use in ("structure", "embedding", "both")
    )
    np.testing.assert_array_equal(edges.adjacency.toarray(), graph.adjacency.toarray())
    scaled = near.adjacency * (edges.adjacency.sum() / near.adjacency.sum())
    np.testing.assert_allclose(both.adjacency.toarray(), (edges.adjacency + scaled).toarray(), rtol=1e-6)
    assert edges.vectors is None
    np.testing.assert_array_equal(both.vectors, Z[:, :DIMENSION])


@pytest.mark.parametrize(
    ("use", "embedding", "message"),
    [
        ("edges", None, "one of 'structure', 'embedding', 'both'"),
        ("structure", np.eye(4), "does not use an embedding with use='structure'"),
        ("both", None, "no features to make one of"),
        ("both", np.eye(3), "for each of the 4 nodes"),
        ("embedding", [["a"]] * 4, "must be numbers"),
    ],
)
def test_wrong_material_is_named(use: str, embedding: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        material(sc.Graph(np.ones((4, 4))), use, embedding, "partition")


def test_types_of_edges_count_the_same_in_sum() -> None:
    graph = typed_graph(60)
    matrices = graph.relations.matrices
    dense = [matrix.toarray() / matrix.sum() for matrix in matrices]
    cut = graph_to_cut(graph).adjacency.toarray()
    np.testing.assert_allclose(cut / cut.sum(), (dense[0] + dense[1]) / 2, rtol=1e-5)


@pytest.mark.parametrize("library", ["networkx", "igraph"])
def test_a_graph_that_loses_its_directions_is_said(library: str) -> None:
    module = pytest.importorskip(library)
    ends = [(0, 1), (1, 2), (2, 0), (2, 3)]
    make = module.DiGraph if library == "networkx" else lambda edges: module.Graph(edges, directed=True)
    with pytest.warns(DirectedGraphWarning, match=f"The {library} graph is directed and was made undirected"):
        graph = graph_to_cut(make(ends))
    assert graph.n_edges == 4
    assert any("lost their direction" in note for note in graph.notes)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert graph_to_cut(make([*ends, *((b, a) for a, b in ends)])).n_edges == 4  # every edge goes both ways
