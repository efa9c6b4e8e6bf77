"""The tree: a valid SciPy linkage, Dasgupta's cost by its definition, cut where asked."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from scipy.cluster.hierarchy import cophenet, dendrogram, is_valid_linkage
from scipy.spatial.distance import squareform

import sparsecut as sc
from cut_graphs import barbell, graph_of, grid, planted, random_weights
from sparsecut.base.errors import InputError
from sparsecut.cuts import dasgupta_cost
from tables_by_type import graph_of_tables


@settings(max_examples=40, deadline=None)
@given(random_weights(2, 20))
def test_a_valid_linkage_whose_distances_make_the_cost(A: np.ndarray) -> None:
    graph = sc.Graph(A)
    tree = sc.hierarchy(graph)
    assert is_valid_linkage(tree.linkage)
    assert tree.linkage[-1, 3] == graph.n_nodes
    distances = squareform(cophenet(tree.linkage))  # of two nodes: the leaves below their lowest common ancestor
    assert tree.cost == pytest.approx(float((A * distances).sum() / 2))
    assert len(tree.values) == graph.n_nodes - 1
    for parts in range(1, graph.n_nodes + 1):
        assert len(np.unique(tree.cut(parts=parts))) == parts


def test_every_split_is_the_sparsest_cut_of_its_nodes() -> None:
    """On a graph this small each split is checked against all cuts of the nodes it splits."""
    random = np.random.default_rng(3)
    A = np.triu(random.random((9, 9)) < 0.5, 1).astype(float)
    graph = graph_of(A)
    A = graph.adjacency.toarray()
    tree = sc.hierarchy(graph)
    members = {node: [node] for node in range(9)}
    for row, (one, other, height, count) in enumerate(tree.linkage):
        inside, outside = members[int(one)], members[int(other)]
        nodes = members[9 + row] = inside + outside
        assert height == count == len(nodes)

        def value(S: list[int], nodes: list[int] = nodes) -> float:
            rest = [node for node in nodes if node not in S]
            return len(nodes) * A[np.ix_(S, rest)].sum() / (len(S) * len(rest))

        subsets = [list(S) for size in range(1, len(nodes)) for S in itertools.combinations(nodes, size)]
        assert value(inside) == pytest.approx(min(map(value, subsets)))
        assert tree.values[row] == pytest.approx(value(inside))


def test_the_cost_of_a_clique_is_the_same_for_every_tree() -> None:
    n = 12
    tree = sc.hierarchy(graph_of(np.ones((n, n))))
    assert tree.cost == pytest.approx((n**3 - n) / 3)  # Dasgupta 2016, section 2.3


def test_levels_and_parts() -> None:
    A = sp.block_diag([barbell(6).adjacency] * 2).tolil()
    A[0, 12] = A[12, 0] = 0.1
    graph = sc.Graph(A.tocsr())
    tree = sc.hierarchy(graph)
    assert tree.cut(level=0).tolist() == [0] * 24
    assert tree.cut(level=1).tolist() == [0] * 12 + [1] * 12
    assert tree.cut(level=2).tolist() == [0] * 6 + [1] * 6 + [2] * 6 + [3] * 6
    assert tree.cut(parts=4).tolist() == tree.cut(level=2).tolist()
    assert tree.cut(parts=24).tolist() == list(range(24))
    assert len(np.unique(tree.cut(level=100))) == 24
    for options in ({}, {"parts": 2, "level": 1}):
        with pytest.raises(InputError, match="either parts= or level="):
            tree.cut(**options)
    with pytest.raises(InputError, match="at most the number of nodes"):
        tree.cut(parts=25)


def test_dendrograms_work() -> None:
    tree = sc.hierarchy(planted(60, 2, 8, 1, seed=0))
    drawn = dendrogram(tree.linkage, no_plot=True)
    assert sorted(drawn["leaves"]) == list(range(len(tree.values) + 1))


@pytest.mark.slow
def test_a_larger_graph_costs_less_than_average_linkage_by_chance() -> None:
    """Any tree over random groups costs more: the planted structure must be found."""
    graph = planted(500, 4, 10, 1, seed=1)
    tree = sc.hierarchy(graph)
    n = graph.n_nodes
    order = np.random.default_rng(0).permutation(n)
    chain = np.zeros((n - 1, 4))
    current = order[0]
    for row, node in enumerate(order[1:]):
        chain[row] = (min(current, node), max(current, node), row + 2, row + 2)
        current = n + row
    assert tree.cost < 0.6 * dasgupta_cost(graph.adjacency, chain)


def test_one_node_components_and_chains() -> None:
    single = sc.hierarchy(sc.Graph([[0]]))
    assert single.linkage.shape == (0, 4)
    assert single.cut(parts=1).tolist() == [0]
    assert sc.hierarchy(sc.Graph(np.zeros((5, 5)))).cost == 0
    parts = sc.hierarchy(sc.Graph(sp.block_diag([grid(4, 4).adjacency, grid(3, 3).adjacency])))
    assert parts.values[-1] == 0
    assert parts.cut(parts=2).tolist() == [0] * 16 + [1] * 9


def test_the_embedding_alone() -> None:
    random = np.random.default_rng(0)
    Z = np.concatenate([random.normal(size=(20, 3)) * 0.1 + [1, 0, 1], random.normal(size=(20, 3)) * 0.1 + [-1, 0, 1]])
    ring = np.zeros((40, 40))
    ring[np.arange(39), np.arange(1, 40)] = 1
    tree = sc.hierarchy(graph_of(ring), use="embedding", embedding=Z)
    assert tree.cut(parts=2).tolist() == [0] * 20 + [1] * 20


def test_the_leaves_of_a_graph_with_types_name_them() -> None:
    graph = graph_of_tables(20)
    columns = sc.hierarchy(graph).columns()
    assert columns["type"][: graph.n_nodes].tolist() == graph.types.tolist()
    assert columns["type"][graph.n_nodes :].mask.all()
    assert "type" not in sc.hierarchy(barbell(3)).columns()
