"""Edges and pairs drawn by a hash of the ids: uniform, against all edges, and the same in any order of nodes and lines."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from any_graph import graphs
from conftest import random_graph
from cut_blocks import cut
from hashed_ids import KINDS, ids_of
from sparsecut.engines.in_process import InProcess
from sparsecut.graph import Graph
from sparsecut.graph.edge_sample import (
    Spare,
    degrees_at,
    edges_below,
    sample_edges,
    sample_linked_nodes,
    sample_links,
    sample_node_pairs,
    sample_nodes,
)
from sparsecut.kernels.hashing import hash_ids, mixed


def with_ids(graph: Graph, ids: np.ndarray) -> Graph:
    return graph.replace(node_ids=ids)


def ends_of(graph: Graph, pairs: np.ndarray) -> list[Any]:
    """The pairs by the ids of their ends, in order; of an undirected graph the ends of each in order too."""
    named = [tuple(graph.node_ids[pair].tolist()) for pair in pairs.T]
    return named if graph.is_directed else [tuple(sorted(pair)) for pair in named]


def brute_force(graph: Graph) -> list[Any]:
    """All edges by their hash, one at a time, each undirected edge once."""
    A = graph.adjacency.toarray()
    hashes = hash_ids(graph.node_ids)
    found = []
    for i, j in zip(*A.nonzero(), strict=True):
        if graph.is_directed:
            second = int(mixed(hashes[j : j + 1].view(np.int64)).view(np.uint64)[0])
        elif i < j:
            second = int(hashes[j])
        else:
            continue
        total = int(hashes[i]) + second
        tie = int(mixed(np.array([total % 2**64], dtype=np.uint64).view(np.int64)).view(np.uint64)[0])
        found.append((total % 2**32, tie, (graph.node_ids[i].item(), graph.node_ids[j].item())))
    return [ends if graph.is_directed else tuple(sorted(ends)) for _, _, ends in sorted(found)]


@settings(deadline=None)
@given(graphs(), st.sampled_from(KINDS), st.integers(0, 40))
def test_they_are_the_edges_with_the_smallest_hashes(graph: Graph, kind: str, n_edges: int) -> None:
    graph = with_ids(graph, ids_of(kind, graph.n_nodes))
    expected = brute_force(graph)
    assert len(expected) == graph.n_edges
    assert ends_of(graph, sample_edges(InProcess(graph), n_edges)) == expected[:n_edges]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("is_directed", [False, True])
def test_another_order_of_nodes_and_lines_draws_the_same_by_id(kind: str, is_directed: bool) -> None:
    generator = np.random.default_rng(1)
    A = (generator.random((200, 200)) < 0.1) * (1 - np.eye(200))
    A = A if is_directed else np.maximum(A, A.T)
    directed = "out" if is_directed else "symmetrize"
    graph = Graph(A, node_ids=ids_of(kind, 200), directed=directed)
    order = generator.permutation(200)
    turned = Graph(A[order][:, order], node_ids=graph.node_ids[order], directed=directed)
    assert ends_of(graph, sample_edges(InProcess(graph), 150)) == ends_of(turned, sample_edges(InProcess(turned), 150))
    for seed in (0, 1):
        drawn, again = (ends_of(one, sample_links(InProcess(one), 150, seed)) for one in (graph, turned))
        assert drawn == again
    found = [(drawn, sample_node_pairs(InProcess(drawn), 80)) for drawn in (graph, turned)]
    named = [[tuple(drawn.node_ids[pair].tolist()) for pair in pairs.T] for drawn, pairs in found]
    assert named[0] == named[1]


@pytest.mark.parametrize("is_directed", [False, True])
def test_links_of_a_seed_are_drawn_once_each_and_as_often_as_any_other(is_directed: bool) -> None:
    graph = random_graph(12, density=0.4)
    A = np.triu(graph.adjacency.toarray()) if is_directed else graph.adjacency
    graph = Graph(A, directed="out" if is_directed else "symmetrize")
    every = sorted(ends_of(graph, sample_links(InProcess(graph), 10**6, 3)))
    assert every == sorted((i, j) for i, j in zip(*graph.adjacency.nonzero(), strict=True) if is_directed or i < j)
    drawn = [ends_of(graph, sample_links(InProcess(graph), 3, seed)) for seed in range(2000)]
    assert all(len(set(one)) == 3 for one in drawn)
    counts = np.array([sum(pair in one for one in drawn) for pair in every])
    assert stats.chisquare(counts).pvalue > 1e-3
    parts = cut(graph, [3])
    assert ends_of(graph, sample_links(parts, 5, 1)) == ends_of(graph, sample_links(InProcess(graph), 5, 1))


def test_a_cycle_with_three_edges_in_a_sample_has_the_fourth_no_more_often() -> None:
    """The sums of hashes that `sample_edges` goes by would have it in two of three."""
    cycle = Graph(np.roll(np.eye(4), 1, axis=1) + np.roll(np.eye(4), -1, axis=1))
    inside = Graph(sp.block_diag([cycle.adjacency] * 500).tocsr())
    drawn = sample_links(InProcess(inside), 1000, 0)  # half of all
    counts = np.bincount(np.bincount(drawn[0] // 4, minlength=500), minlength=5)
    assert stats.chisquare(counts, 500 * np.array([1, 4, 6, 4, 1]) / 16).pvalue > 1e-3


NOTHING_SPARE = Spare(factor=1.0, least=0)


def test_a_few_of_many_are_found_however_few_have_small_hashes() -> None:
    """With no spare edges looked at, half of the time too few are found at first: the share is then doubled."""
    graph = random_graph(300)
    expected = brute_force(graph)
    limits: list[int] = []

    class Watched(InProcess):
        def each(self, function: Any, *arguments: Any) -> Any:
            if function is edges_below:
                limits.append(arguments[2])
            return super().each(function, *arguments)

    for n_edges in (1, 10, 100, 1000, graph.n_edges, 10 * graph.n_edges):
        assert ends_of(graph, sample_edges(Watched(graph), n_edges, NOTHING_SPARE)) == expected[:n_edges]
    assert len(limits) > 6
    assert max(limits) == 2**31 - 1


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_edge_has_the_same_chance(kind: str) -> None:
    """Over many sets of ids each edge of a small graph is drawn as often as any other, in any place."""
    A = random_graph(12, density=0.4).adjacency
    n_edges = A.nnz // 2
    counts = dict.fromkeys(zip(*sp.triu(A).nonzero(), strict=True), 0)
    n_draws, n_wanted = 1500, 3
    pool = ids_of(kind, 12 * n_draws)
    for draw in range(n_draws):
        graph = Graph(A, node_ids=pool[12 * draw : 12 * draw + 12])
        for i, j in sample_edges(InProcess(graph), n_wanted).T:
            counts[min(i, j), max(i, j)] += 1
    assert sum(counts.values()) == n_draws * n_wanted
    assert stats.chisquare(list(counts.values())).pvalue > 0.001
    assert len(counts) == n_edges


def test_pairs_of_nodes_are_uniform_and_draw_any_two() -> None:
    graph = random_graph(40)
    pairs = sample_node_pairs(InProcess(graph), 40_000)
    assert pairs.shape == (2, 40_000)
    table = np.bincount(40 * pairs[0] + pairs[1], minlength=1600)
    assert stats.chisquare(table).pvalue > 0.001
    few = sample_node_pairs(InProcess(random_graph(1000, density=0.002)), 30)  # of a large graph: no more nodes than ends
    assert few.shape == (2, 30)
    assert few.max() > 500


def test_a_graph_without_edges_has_none_to_draw() -> None:
    assert sample_edges(InProcess(Graph(sp.csr_array((5, 5)))), 10).shape == (2, 0)


def named(graph: Graph, ids: str) -> Graph:
    if ids == "numbers":
        return graph.replace(node_ids=np.arange(graph.n_nodes) * 10**9 - 5)
    if ids == "words":
        return graph.replace(node_ids=np.array([f"n{number}" for number in range(graph.n_nodes)]))
    return graph


@settings(deadline=None)
@given(
    graphs(), st.integers(0, 30), st.sampled_from(["none", "numbers", "words"]), st.lists(st.integers(0, 9)), st.booleans()
)
def test_any_blocks_of_arrays_or_tensors_have_the_samples_of_the_whole(
    graph: Graph, n: int, ids: str, cuts: list[int], with_tensors: bool
) -> None:
    graph = named(graph, ids)
    parts, whole = cut(graph, cuts, with_tensors=with_tensors), InProcess(graph)
    for sample in (sample_edges, sample_node_pairs, sample_nodes, sample_linked_nodes):
        if n or sample is sample_edges:
            assert np.array_equal(sample(parts, n), sample(whole, n)), sample.__name__
    some = sample_nodes(whole, 7)
    assert np.allclose(degrees_at(parts, some), graph.degrees[some])


@pytest.mark.parametrize("with_tensors", [False, True])
def test_few_of_many_in_blocks_however_few_have_small_hashes(with_tensors: bool) -> None:
    """With nothing to spare too few are found at first, half of the time: the share is then doubled."""
    graph = random_graph(400, density=0.02)
    hashes = hash_ids(graph.node_ids)
    linked = np.flatnonzero(np.diff(graph.adjacency.indptr))
    parts = cut(graph, [100, 101, 350], with_tensors=with_tensors)
    expected = brute_force(graph)
    for n in (1, 10, 50, 300, 3000):
        assert ends_of(graph, sample_edges(parts, n, NOTHING_SPARE)) == expected[:n]
        assert np.array_equal(sample_nodes(parts, n, NOTHING_SPARE), np.sort(np.argsort(hashes)[:n]))
        nearest = np.sort(linked[np.argsort(hashes[linked])[:n]])
        assert np.array_equal(sample_linked_nodes(parts, n, NOTHING_SPARE), nearest)
