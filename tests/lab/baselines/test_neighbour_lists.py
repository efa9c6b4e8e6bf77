"""Sampled neighbours and walks have the distribution they should, and cost what the batch costs."""

from __future__ import annotations

from collections import Counter
from itertools import combinations, permutations, product

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from sparsecut.lab.baselines.neighbour_lists import NeighbourLists, number, sample_layers, walk_pairs

# Node 0 has five neighbours, 1 has three, 6 has none.
EDGES = [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 2), (1, 3)]
A = sp.coo_array((np.ones(len(EDGES)), tuple(zip(*EDGES, strict=True))), shape=(7, 7)).tocsr()
A = (A + A.T).tocsr()
GRAPH = NeighbourLists.of_graph(A)


def assert_uniform(drawn, outcomes) -> None:
    counts = Counter(drawn)
    assert set(counts) <= set(outcomes)
    assert chisquare([counts[outcome] for outcome in outcomes]).pvalue > 1e-3


@given(st.lists(st.lists(st.booleans(), min_size=6, max_size=6), min_size=6, max_size=6))
def test_the_lists_are_the_rows_and_an_empty_one_is_the_node(rows):
    dense = np.array(rows)
    lists = NeighbourLists.of_graph(sp.csr_array(dense))
    expected = [list(np.flatnonzero(row)) or [node] for node, row in enumerate(dense)]
    assert [list(part) for part in np.split(lists.indices, lists.offsets[1:-1])] == expected
    np.testing.assert_array_equal(lists.lengths, [len(part) for part in expected])
    part = lists.part(2, 5)
    assert [list(ids) for ids in np.split(part.indices, part.offsets[1:-1])] == expected[2:5]


def test_enough_neighbours_give_every_set_alike():
    drawn = GRAPH.sample(np.zeros(20_000, dtype=np.int64), 3, np.random.default_rng(0))
    assert_uniform((tuple(sorted(row)) for row in drawn.tolist()), list(combinations([1, 2, 3, 4, 5], 3)))


def test_enough_neighbours_come_in_every_order_alike():
    generator = np.random.default_rng(0)
    drawn = [tuple(GRAPH.sample(np.array([0]), 3, generator)[0].tolist()) for _ in range(4000)]
    assert_uniform(drawn, list(permutations([1, 2, 3, 4, 5], 3)))


def test_just_enough_neighbours_are_all_taken():
    drawn = GRAPH.sample(np.array([1, 0]), 3, np.random.default_rng(0))
    assert sorted(drawn[0]) == [0, 2, 3]


def test_too_few_neighbours_are_drawn_with_replacement():
    drawn = GRAPH.sample(np.ones(20_000, dtype=np.int64), 4, np.random.default_rng(0))
    assert_uniform(map(tuple, drawn.tolist()), list(product([0, 2, 3], repeat=4)))


def test_a_node_without_neighbours_samples_itself():
    np.testing.assert_array_equal(GRAPH.sample(np.array([6, 6]), 3, np.random.default_rng(0)), np.full((2, 3), 6))


@given(st.lists(st.integers(0, 9), min_size=1, max_size=30))
def test_numbers_are_in_order_of_appearance(nodes):
    scratch = np.full(10, -7)
    distinct, places = number(np.array(nodes), scratch)
    assert distinct.tolist() == list(dict.fromkeys(nodes))
    assert distinct[places].tolist() == nodes


def test_sampled_layers_lead_to_neighbours():
    nodes = np.array([6, 1, 4])
    sampled = sample_layers(GRAPH, nodes, (4, 2), np.random.default_rng(0), np.empty(7, dtype=np.int64))
    first, second = sampled.lists
    assert len(second) == 3
    assert len(set(sampled.sources)) == len(sampled.sources)
    np.testing.assert_array_equal(sampled.sources[:3], nodes)
    allowed = {node: set(np.flatnonzero(A.toarray()[node])) or {node} for node in range(7)}
    for lists, size in ((first, 4), (second, 2)):
        table = sampled.sources[lists.indices].reshape(-1, size)
        for node, neighbours in zip(sampled.sources[: len(lists)], table, strict=True):
            assert set(neighbours) <= allowed[node]
            assert len(set(neighbours)) == size or len(allowed[node]) < size
    assert set(second.indices) <= set(range(len(first)))  # whom the second layer hears, the first one has made


def circulant(n_nodes: int, degree: int) -> NeighbourLists:
    """A ring on which each node knows the next ones."""
    indices = (np.arange(n_nodes)[:, None] + np.arange(1, degree + 1)) % n_nodes
    return NeighbourLists.of_table(indices)


@pytest.mark.parametrize("n_nodes", [3_000, 300_000])
def test_a_sample_is_no_larger_in_a_larger_graph(n_nodes):
    graph = circulant(n_nodes, 30)
    nodes = np.arange(8) * (n_nodes // 8)
    sampled = sample_layers(graph, nodes, (25, 10), np.random.default_rng(0), np.empty(n_nodes, dtype=np.int64))
    first, second = sampled.lists
    assert second.indices.size == 8 * 10
    assert len(first) == 8 * (1 + 10)  # far apart, so that nobody shares a neighbour
    assert first.indices.size == 8 * (1 + 10) * 25
    assert len(sampled.sources) <= 8 * (1 + 30 + 30)


def test_one_step_walks_go_to_every_neighbour_alike():
    pairs = walk_pairs(GRAPH, np.zeros(10_000, dtype=np.int64), 2, np.random.default_rng(0))
    assert pairs.shape == (10_000, 2)
    assert not pairs[:, 0].any()
    assert_uniform(pairs[:, 1].tolist(), [1, 2, 3, 4, 5])


def test_two_step_walks_follow_the_squared_walk_matrix():
    # Two sides, {0, 1, 2} and {3, 4, 5}: the parity of a step tells it apart.
    side = np.array([[1, 1, 0], [1, 1, 1], [0, 1, 1]])
    dense = np.block([[np.zeros((3, 3), dtype=int), side], [side.T, np.zeros((3, 3), dtype=int)]])
    P = dense / dense.sum(axis=1, keepdims=True)
    n_walks = 20_000
    graph = NeighbourLists.of_graph(sp.csr_array(dense))
    pairs = walk_pairs(graph, np.zeros(n_walks, dtype=np.int64), 3, np.random.default_rng(0))
    counts = np.bincount(pairs[:, 1], minlength=6)
    assert counts[0] == 0  # back at the start
    second = n_walks * (P @ P)[0]
    observed = [n_walks - counts[1] - counts[2], counts[1], counts[2]]
    assert chisquare(observed, second[:3]).pvalue > 1e-3
    assert chisquare(counts[3:5], n_walks * P[0, 3:5]).pvalue > 1e-3


def test_walks_stay_in_order_and_a_lonely_start_makes_no_pair():
    path = sp.diags_array([np.ones(4), np.ones(4)], offsets=[1, -1]).tocsr()
    graph = NeighbourLists.of_graph(sp.block_diag([path, [[0]]], format="csr"))
    pairs = walk_pairs(graph, np.array([4, 5, 2]), 4, np.random.default_rng(0))
    assert pairs[:2, 0].tolist() == [4, 4]
    assert pairs[0].tolist() == [4, 3]
    assert 5 not in pairs
    assert (abs(pairs[:, 0] - pairs[:, 1]) <= 3).all()
