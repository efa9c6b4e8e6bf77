"""What comes through neighbours, of many pairs at once, against walks that read everything, on every kind of graph."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from disk_cases import community_graph
from sparsecut.links.through_neighbors import smoothed, through_of_pairs
from typed_graphs import typed_graph


@pytest.mark.parametrize("kind", ["plain", "directed", "typed", "without hops"])
def test_parts_are_those_of_why(kind):
    graph = typed_graph(60) if kind == "typed" else community_graph(120, 8, is_directed=kind == "directed")
    filter = sc.Power(order=0) if kind == "without hops" else "auto"
    model = sc.SCE(dimension=8, filter=filter).fit(graph)
    near = sc.Nearness(model, most_edges=10**6)
    graph = near.graph
    pairs = np.random.default_rng(0).integers(0, graph.n_nodes, (30, 2))
    nodes, parts = through_of_pairs(near, pairs, graph.n_nodes)
    for (u, v), listed, values in zip(pairs, nodes, parts, strict=True):
        why = near.why(graph.node_ids[u], graph.node_ids[v])
        is_there = listed >= 0
        found = dict(zip(graph.node_ids[listed[is_there]].tolist(), values[is_there], strict=True))
        size = float(np.linalg.norm(near.vectors[u]) * np.linalg.norm(near.vectors[v]))
        for name, value in zip(why.neighbors.names.tolist(), why.neighbors.values, strict=True):
            assert found.pop(name, 0.0) == pytest.approx(value, abs=1e-4 * size)
        assert np.abs(list(found.values())).max(initial=0) <= 1e-4 * size
        assert (np.diff(values[is_there]) <= 0).all()


def test_pairs_with_too_many_neighbours_have_none():
    near = sc.Nearness(sc.SCE(dimension=4).fit(community_graph(60, 6)))
    assert through_of_pairs(near, np.array([[0, 1]]), 3, most_steps=5) is None
    assert through_of_pairs(near, np.array([[0, 1]]), 3) is not None


def test_hops_are_those_of_the_matrix():
    near = sc.Nearness(sc.SCE(dimension=4).fit(community_graph(60, 6)))
    matrix = near.levels.matrices[0]
    rows, columns, values = matrix.entries(np.arange(60))
    P = np.zeros((60, 60))
    np.add.at(P, (rows, columns), values)
    X = np.random.default_rng(0).normal(size=(60, 3)).astype(np.float32)
    np.testing.assert_allclose(smoothed(matrix, (0.5, 0.25, 2.0), X), 0.5 * X + 0.25 * P @ X + 2 * P @ (P @ X), atol=1e-4)
