"""Blocks of a graph in this process, as arrays and as tensors, against the whole graph."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from conftest import random_graph
from cut_blocks import cut
from sparsecut.engines import in_process
from sparsecut.engines.in_process import InProcess
from sparsecut.graph import Graph
from sparsecut.kernels.either import on_host

CUTS = st.lists(st.integers(0, 9))


@settings(deadline=None)
@given(graphs(), CUTS, st.booleans(), st.booleans())
def test_blocks_are_the_rows_of_the_graph(graph: Graph, cuts: list[int], with_tensors: bool, is_sparse: bool) -> None:
    X = np.random.default_rng(0).integers(0, 3, (graph.n_nodes, 4)).astype(np.float32)
    graph = graph.replace(features=sp.csr_array(X) if is_sparse else X, node_ids=np.arange(graph.n_nodes) * 10 - 7)
    A = graph.adjacency.toarray()
    for block in cut(graph, cuts, with_tensors=with_tensors).blocks:
        assert on_host(block.ids()).tolist() == graph.node_ids[block.rows].tolist()
        features = block.features()
        dense = on_host(features.to_dense()) if with_tensors else features.toarray() if is_sparse else features
        assert np.array_equal(dense, X[block.rows])
        starts, indices = on_host(block.starts()), on_host(block.neighbours())
        data = np.ones(len(indices)) if block.weights() is None else on_host(block.weights())
        made = sp.csr_array((data, indices, starts), shape=(len(starts) - 1, graph.n_nodes))
        assert np.array_equal(made.toarray(), A[block.rows])
        if len(indices):
            assert on_host(block.neighbours(np.array([len(indices) - 1]))).tolist() == indices[-1:].tolist()


@pytest.mark.parametrize("with_tensors", [False, True])
def test_ids_are_the_positions_or_words(with_tensors: bool) -> None:
    graph = random_graph(6)
    (block,) = cut(graph, with_tensors=with_tensors).blocks
    assert on_host(block.ids()).tolist() == list(range(6))
    (block,) = cut(graph.replace(node_ids=np.array(list("abcdef"))), with_tensors=with_tensors).blocks
    assert block.ids().tolist() == list("abcdef")


def test_large_graphs_are_cut_and_small_ones_are_one_block() -> None:
    graph = random_graph(200)
    assert len(InProcess(graph).blocks) == 1
    assert len(cut(graph, [20], with_tensors=True).blocks) == 2
    found = in_process.blocks_of(cut(graph, with_tensors=True).graph, graph.adjacency.nnz // 3)
    assert [block.rows.start for block in found[1:]] == [block.rows.stop for block in found[:-1]]
    assert 3 <= len(found) <= 4


def test_a_column_is_computed_once_as_long_as_it_is_held() -> None:
    calls = []

    def counted(block: in_process.HeldBlock) -> np.ndarray:
        calls.append(block.rows)
        return np.zeros(block.rows.stop - block.rows.start)

    passes = cut(random_graph(10), [4])
    first = passes.column("zeros", np.float64, counted)
    assert passes.column("zeros", np.float64, counted) is first
    assert len(calls) == 2
    del first
    passes.column("zeros", np.float64, counted)
    assert len(calls) == 4
