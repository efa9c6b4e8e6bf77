"""Sums over neighbours, a part of the rows at a time, against the whole matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from sparsecut.graph import Graph
from sparsecut.graph.edge_sample import degrees_at
from sparsecut.kernels.walk import sums_over_neighbours
from walking import MemoryWalk, walked

CUTS = st.lists(st.integers(0, 9))


@settings(deadline=None)
@given(graphs(), CUTS)
def test_degrees_in_any_parts(graph: Graph, cuts: list[int]) -> None:
    expected = graph.adjacency.toarray().sum(axis=1, dtype=np.float64)
    parted = walked(graph, cuts)
    assert np.array_equal(parted.degrees, graph.degrees)
    assert np.allclose(parted.degrees, expected)
    some = np.flatnonzero(np.arange(graph.n_nodes) % 2)
    assert np.array_equal(degrees_at(parted, some), degrees_at(graph, some))


@settings(deadline=None)
@given(graphs(), CUTS)
def test_values_of_neighbours_in_any_parts(graph: Graph, cuts: list[int]) -> None:
    values = np.random.default_rng(0).normal(size=graph.n_nodes)
    parts = MemoryWalk(graph, cuts).parts
    found = np.concatenate([sums_over_neighbours(part, values[part.neighbours()]) for part in parts])
    assert np.allclose(found, graph.adjacency.toarray().astype(np.float64) @ values)


def test_a_graph_with_a_walk_has_the_same_arrays_and_another_made_of_it_has_none() -> None:
    graph = Graph(np.ones((3, 3)), features=np.eye(3))
    parted = walked(graph)
    assert parted.shares_edges(graph)
    assert parted.features is graph.features
    assert graph.walk is None
    assert parted.replace(labels=[0, 1, 1]).walk is None
    assert parted._unplaced().walk is None
