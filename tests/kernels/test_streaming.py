"""Blocks of rows against the whole array; sizes in bytes, read and said."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

import sparsecut as sc
from disk_cases import community_graph, mapped
from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.kernels import blocks_of_entries, dense_blocks, in_words, is_mapped, neighbour_sums, parse_bytes, row_blocks


@given(st.integers(0, 50), st.integers(1, 20), st.integers(1, 100))
def test_blocks_are_the_rows_in_order_and_as_large_as_they_may_be(n_rows: int, row_bytes: int, block_bytes: int) -> None:
    blocks = list(row_blocks(n_rows, row_bytes, block_bytes))
    assert [row for block in blocks for row in range(block.start, block.stop)] == list(range(n_rows))
    assert all((block.stop - block.start) * row_bytes <= max(block_bytes, row_bytes) for block in blocks)


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30), st.integers(1, 200))
def test_blocks_of_entries_are_the_rows_in_order(counts: list[int], block_bytes: int) -> None:
    blocks = blocks_of_entries(np.cumsum([0, *counts]), block_bytes)
    assert [row for block in blocks for row in range(block.start, block.stop)] == list(range(len(counts)))


def test_degrees_are_the_sums_of_the_rows() -> None:
    A = sp.random_array((40, 40), density=0.2, format="csr", rng=np.random.default_rng(0), dtype=np.float32)
    np.testing.assert_allclose(neighbour_sums(A), A.toarray().astype(np.float64).sum(axis=1))


def test_dense_blocks_of_a_sparse_matrix_are_its_rows() -> None:
    A = sp.csr_array(np.arange(12.0).reshape(4, 3))
    blocks = list(dense_blocks(A, block_bytes=1))
    assert len(blocks) == 4
    np.testing.assert_array_equal(np.concatenate([values for _, values in blocks]), A.toarray())


@pytest.mark.parametrize(("said", "expected"), [("2GiB", 2 << 30), ("1.5 MB", 1_500_000), (7, 7), ("10kb", 10_000)])
def test_sizes_as_people_write_them(said: object, expected: int) -> None:
    assert parse_bytes("fit", "memory_limit", said) == expected


@pytest.mark.parametrize("said", ["much", "-1GB", 0, True, None, "3 parsecs"])
def test_sizes_that_are_none(said: object) -> None:
    with pytest.raises(InputError, match="The memory_limit parameter of fit must be"):
        parse_bytes("fit", "memory_limit", said)


def test_what_is_said_of_a_size_can_be_read_again() -> None:
    for n_bytes in (512 << 20, 3 << 30):
        assert parse_bytes("fit", "memory_limit", in_words(n_bytes)) == n_bytes


def test_only_what_lies_in_a_file_is_mapped(tmp_path) -> None:
    np.save(tmp_path / "x.npy", np.eye(3))
    mapped = np.load(tmp_path / "x.npy", mmap_mode="r")
    assert is_mapped(mapped)
    assert is_mapped(mapped[1:])
    assert not is_mapped(np.array(mapped))


def test_a_graph_in_memory_maps_is_not_copied(tmp_path: Path) -> None:
    graph = community_graph()
    maps = mapped(graph, tmp_path)
    again = Graph(
        sp.csr_array((maps["data"], maps["indices"], maps["indptr"]), shape=graph.adjacency.shape), features=maps["features"]
    )
    for array, name in ((again.features, "features"), (again.adjacency.indices, "indices"), (again.adjacency.data, "data")):
        assert np.shares_memory(array, maps[name])


@pytest.mark.parametrize(
    ("rule", "change"),
    [
        ("symmetric", lambda A: A.data.__setitem__(5, 2)),
        ("sorted and without repeats", lambda A: A.indices.__setitem__([0, 1], A.indices[[1, 0]])),
        ("without self-loops", lambda A: A.indices.__setitem__(0, 0)),
        ("of finite weights above zero", lambda A: A.data.__setitem__(5, -1)),
        ("whole", lambda A: A.indices.__setitem__(5, 10_000)),
        ("whole", lambda A: A.indptr.__setitem__(2, 10_000_000)),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_adjacency_in_memory_maps_needs_no_change_or_is_refused(rule: str, change: Any, tmp_path: Path) -> None:
    graph = community_graph()
    A = graph.adjacency.copy()
    assert A.indices[0] > 0
    change(A)
    maps = mapped(Graph.from_canonical(A, features=graph.features, node_ids=graph.node_ids), tmp_path)
    adjacency = sp.csr_array(A.shape, dtype=np.float32)
    adjacency.data, adjacency.indices, adjacency.indptr = maps["data"], maps["indices"], maps["indptr"]
    with pytest.raises(sc.InputError, match=f"An adjacency in a memory map must be {rule}, since it is not copied"):
        Graph(adjacency)
