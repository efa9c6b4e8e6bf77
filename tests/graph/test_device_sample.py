"""Samples by the tensors of a graph are those by its arrays."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from as_tensors import as_tensors
from conftest import random_graph
from sparsecut.graph import Graph, edge_sample
from sparsecut.graph.device_sample import mixed
from sparsecut.graph.edge_sample import (
    degrees_at,
    sample_edges,
    sample_linked_nodes,
    sample_neighbourhoods,
    sample_node_pairs,
    sample_nodes,
)


@settings(deadline=None)
@given(graphs(), st.integers(0, 30), st.sampled_from(["none", "numbers", "words"]))
def test_any_graph(graph: Graph, n: int, ids: str) -> None:
    if ids == "numbers":
        graph = graph.replace(node_ids=np.arange(graph.n_nodes) * 10**9 - 5)
    elif ids == "words":
        graph = graph.replace(node_ids=np.array([f"n{number}" for number in range(graph.n_nodes)]))
    placed = as_tensors(graph)
    for sample in (sample_edges, sample_node_pairs, sample_nodes, sample_linked_nodes):
        if n or sample is sample_edges:
            assert np.array_equal(sample(graph, n), sample(placed, n)), sample.__name__
    some = sample_nodes(graph, 7)
    assert np.allclose(degrees_at(placed, some), graph.degrees[some])
    for ours, theirs in zip(sample_neighbourhoods(graph, 5, 3), sample_neighbourhoods(placed, 5, 3), strict=True):
        assert np.array_equal(ours, theirs)


def test_few_edges_of_many(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = random_graph(400, density=0.1)
    monkeypatch.setattr(edge_sample, "MIN_SPARE", 10)
    for n_edges in (1, 50, 3000):
        assert np.array_equal(sample_edges(graph, n_edges), sample_edges(as_tensors(graph), n_edges))


def test_the_hash_is_the_same_to_the_bit() -> None:
    numbers = np.random.default_rng(0).integers(-(2**63), 2**63 - 1, 1000)
    assert np.array_equal(
        mixed(torch.from_numpy(numbers)).numpy().view(np.uint64), edge_sample.mixed(numbers.view(np.uint64))
    )
