"""Pairs with an edge between them, by brute force over all pairs."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from conftest import random_graph
from sparsecut import Graph
from sparsecut.graph.linked_pairs import linked_pairs, number_pairs, pairs_of, sample_non_edges, without_pairs


@pytest.mark.parametrize("directed", ["symmetrize", "out"])
def test_pairs_and_the_graph_without_some_by_brute_force(directed: str) -> None:
    dense = random_graph(25, density=0.3, is_weighted=True).adjacency.toarray()
    if directed == "out":
        dense = np.triu(dense)
        dense[3, 1] = dense[4, 2] = 2.0  # some go back: both directions are one pair
    graph = Graph(dense, directed=directed)
    A = graph.adjacency.toarray()
    expected = [(i, j) for i, j in combinations(range(25), 2) if A[i, j] or A[j, i]]
    pairs = linked_pairs(graph)
    assert [tuple(pair) for pair in pairs.tolist()] == expected
    some = pairs[::3]
    rest = A.copy()
    for i, j in some:
        rest[i, j] = rest[j, i] = 0
    left = without_pairs(graph.adjacency, some)
    np.testing.assert_array_equal(left.toarray(), rest)
    assert left.nnz == np.count_nonzero(rest)
    assert without_pairs(graph.adjacency, pairs[:0]).nnz == graph.adjacency.nnz


@given(st.integers(2, 2**31 - 1), st.data())
def test_a_pair_and_its_number_are_the_same_thing(n_nodes: int, data: st.DataObject) -> None:
    i, j = sorted(data.draw(st.lists(st.integers(0, n_nodes - 1), min_size=2, max_size=2, unique=True)))
    numbers = number_pairs(np.array([i, j], dtype=np.int32), np.array([j, i], dtype=np.int32), n_nodes)
    assert numbers.tolist() == [i * n_nodes + j] * 2
    assert pairs_of(numbers, n_nodes).tolist() == [[i, j]] * 2


@pytest.mark.parametrize("n_enumerated", [10**6, 0], ids=["listed", "drawn"])
def test_non_edges_are_uniform(n_enumerated: int) -> None:
    known = np.array([[0, 1], [2, 5]])
    generator = np.random.default_rng(0)
    counts: dict[tuple[int, int], int] = {}
    for _ in range(3000):
        pairs = sample_non_edges(known, np.array([2, 5, 0, 1, 4, 3]), 3, generator, n_enumerated)
        assert len({tuple(pair) for pair in pairs.tolist()}) == 3
        for pair in {tuple(pair) for pair in pairs.tolist()}:
            counts[pair] = counts.get(pair, 0) + 1
    assert len(counts) == 13  # 15 pairs less 2
    expected = 3000 * 3 / 13
    assert max(abs(count - expected) for count in counts.values()) < 5 * np.sqrt(expected)
    assert (0, 1) not in counts
