"""A CSR matrix as tensors, against scipy: row sums, blocks, places of entries, lists of edges."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from sparsecut.graph import Graph
from sparsecut.kernels.entries import Entries, entries_of_edges, entries_on, index_type, ones_as_none

CPU = torch.device("cpu")


@settings(deadline=None)
@given(graphs(), st.integers(1, 20))
def test_row_sums_and_blocks_match_the_matrix(graph: Graph, at_once: int) -> None:
    A, entries = graph.adjacency, entries_on(graph.adjacency, CPU)
    assert np.allclose(entries.row_sums(), A.toarray().sum(axis=1))
    blocks = list(entries.blocks(at_once))
    assert [row for rows, _ in blocks for row in range(rows.start, rows.stop)] == list(range(graph.n_nodes))
    assert [place for _, places in blocks for place in range(places.start, places.stop)] == list(range(A.nnz))
    numbers = torch.cat([entries.row_numbers(rows, places) for rows, places in blocks])
    assert np.array_equal(numbers, A.tocoo().coords[0])


@settings(deadline=None)
@given(graphs(), st.integers(0, 99))
def test_some_rows_and_the_places_of_entries(graph: Graph, seed: int) -> None:
    A, entries = graph.adjacency, entries_on(graph.adjacency, CPU)
    rows = np.random.default_rng(seed).integers(0, graph.n_nodes, 5)
    taken = entries.of_rows(torch.from_numpy(rows)).to_scipy(graph.n_nodes)
    assert np.array_equal(taken.toarray(), A.toarray()[rows])
    i, j = (torch.from_numpy(ends.astype(np.int64)) for ends in A.tocoo().coords)
    assert torch.equal(entries.places_of(i, j), torch.arange(A.nnz))


@pytest.mark.parametrize("at_once", [3, 10**9], ids=["in ranges", "at once"])
@pytest.mark.parametrize("is_symmetric", [True, False])
@pytest.mark.parametrize("is_weighted", [True, False])
def test_lists_of_edges_match_the_dense_matrix(is_weighted: bool, is_symmetric: bool, at_once: int) -> None:
    """Repeats are summed in one direction, the larger direction counts, loops go; without weights all edges are one."""
    generator = np.random.default_rng(0)
    for n_nodes, n_edges in ((1, 2), (5, 0), (6, 12), (9, 40)):
        i, j = generator.integers(0, n_nodes, (2, n_edges))
        weights = generator.integers(0, 4, n_edges).astype(np.float32)
        dense = np.zeros((n_nodes, n_nodes), dtype=np.float32)
        np.add.at(dense, (i, j), weights if is_weighted else 1)
        np.fill_diagonal(dense, 0)
        dense = np.maximum(dense, dense.T) if is_symmetric else dense
        entries = entries_of_edges(
            torch.from_numpy(i),
            torch.from_numpy(j),
            torch.from_numpy(weights) if is_weighted else None,
            n_nodes,
            is_symmetric=is_symmetric,
            at_once=at_once,
        )
        made = entries.to_scipy(n_nodes)
        assert np.array_equal(made.toarray(), dense if is_weighted else dense > 0)
        assert made.has_canonical_format
        assert made.nnz == np.count_nonzero(dense)


def test_ones_are_not_kept_and_offsets_are_wide_only_where_they_must_be() -> None:
    assert ones_as_none(torch.ones(3)) is None
    assert ones_as_none(torch.tensor([1.0, 2.0])) is not None
    assert index_type(2**31 - 1, 5) == torch.int32
    assert index_type(2**31, 5) == torch.int64


def test_a_product_takes_offsets_of_64_bits_beside_indices_of_32() -> None:
    A = sp.csr_array(np.array([[0, 2.0], [1, 0]], dtype=np.float32))
    entries = entries_on(A, CPU)
    wide = Entries(entries.indices, entries.offsets.long(), entries.values)
    X = torch.arange(4.0).reshape(2, 2)
    assert torch.equal(wide @ X, entries @ X)
