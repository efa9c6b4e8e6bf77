"""Degrees and sums over neighbours, a block of the rows at a time, against the whole matrix."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from cut_blocks import cut
from sparsecut.graph import Graph
from sparsecut.kernels.block import degrees, sums_over_neighbours
from sparsecut.kernels.either import on_host

CUTS = st.lists(st.integers(0, 9))


@settings(deadline=None)
@given(graphs(), CUTS, st.booleans())
def test_degrees_in_any_blocks(graph: Graph, cuts: list[int], with_tensors: bool) -> None:
    found = on_host(degrees(cut(graph, cuts, with_tensors=with_tensors))[:])
    assert np.array_equal(found, graph.degrees)
    assert np.allclose(found, graph.adjacency.toarray().sum(axis=1, dtype=np.float64))


@settings(deadline=None)
@given(graphs(), CUTS, st.booleans())
def test_values_of_neighbours_in_any_blocks(graph: Graph, cuts: list[int], with_tensors: bool) -> None:
    values = np.random.default_rng(0).normal(size=graph.n_nodes)
    passes = cut(graph, cuts, with_tensors=with_tensors)
    column = passes.column("values", np.float64, lambda block: values[block.rows])
    found = passes.each(lambda block: on_host(sums_over_neighbours(block, column[block.neighbours()])))
    assert np.allclose(np.concatenate(found), graph.adjacency.toarray().astype(np.float64) @ values)
