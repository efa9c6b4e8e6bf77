"""Samples by parts of the rows are those by the whole graph."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from conftest import random_graph
from sparsecut.graph import Graph, walked_sample
from sparsecut.graph.edge_sample import (
    sample_edges,
    sample_linked_nodes,
    sample_neighbourhoods,
    sample_node_pairs,
    sample_nodes,
)
from walking import walked


@settings(deadline=None)
@given(graphs(), st.integers(0, 30), st.sampled_from(["none", "numbers", "words"]), st.lists(st.integers(0, 9)))
def test_any_graph_in_any_parts(graph: Graph, n: int, ids: str, cuts: list[int]) -> None:
    if ids == "numbers":
        graph = graph.replace(node_ids=np.arange(graph.n_nodes) * 10**9 - 5)
    elif ids == "words":
        graph = graph.replace(node_ids=np.array([f"n{number}" for number in range(graph.n_nodes)]))
    parted = walked(graph, cuts)
    for sample in (sample_edges, sample_node_pairs, sample_nodes, sample_linked_nodes):
        if n or sample is sample_edges:
            assert np.array_equal(sample(graph, n), sample(parted, n)), sample.__name__
    for ours, theirs in zip(sample_neighbourhoods(graph, 5, 3), sample_neighbourhoods(parted, 5, 3), strict=True):
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("entries_at_once", [7, 1 << 22])
def test_few_of_many_are_found_however_few_have_small_hashes(entries_at_once: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """With nothing to spare too few are found at first, half of the time: the share is then doubled."""
    graph = random_graph(400, density=0.02)
    parted = walked(graph, [100, 101, 350])
    monkeypatch.setattr(walked_sample, "SPARE", 1.0)
    monkeypatch.setattr(walked_sample, "MIN_SPARE", 0)
    monkeypatch.setattr(walked_sample, "ENTRIES_AT_ONCE", entries_at_once)
    for n in (1, 10, 50, 300, 3000):
        assert np.array_equal(sample_edges(graph, n), sample_edges(parted, n))
        assert np.array_equal(sample_nodes(graph, n), sample_nodes(parted, n))
        assert np.array_equal(sample_linked_nodes(graph, n), sample_linked_nodes(parted, n))
