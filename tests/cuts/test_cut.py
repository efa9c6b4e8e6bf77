"""The sparsest cut against every cut there is, against other libraries' values, and on graphs whose answer is known."""

from __future__ import annotations

import math

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsecut as sc
from cut_graphs import barbell, every_cut, graph_of, grid, planted, random_weights
from sparsecut.base.errors import InputError
from sparsecut.cuts.objective import CutProblem
from tables_by_type import graph_of_tables


@settings(max_examples=60, deadline=None)
@given(random_weights(2, 8), st.sampled_from(["ratio", "conductance"]), st.sampled_from([0.0, 0.25, 0.4]))
def test_small_graphs_get_the_optimum(A: np.ndarray, objective: str, balance: float) -> None:
    graph = sc.Graph(A)
    best = every_cut(graph, objective, balance)
    if math.isinf(best):
        with pytest.raises(InputError, match=r"balance|edges"):
            sc.sparsest_cut(graph, objective=objective, balance=balance)
        return
    found = sc.sparsest_cut(graph, objective=objective, balance=balance)
    assert found.value == pytest.approx(best, rel=1e-6, abs=1e-9)
    assert found.lower_bound <= best * (1 + 1e-6) + 1e-9


@pytest.mark.slow
@pytest.mark.parametrize("objective", ["ratio", "conductance"])
def test_values_agree_with_networkx(objective: str) -> None:
    graph = planted(300, 2, 8, 1, seed=1)
    found = sc.sparsest_cut(graph, objective=objective, balance=0.1)
    G = nx.from_scipy_sparse_array(graph.adjacency)
    S = set(found.nodes.tolist())
    cut = nx.cut_size(G, S, weight="weight")
    assert found.cut == pytest.approx(cut)
    n = graph.n_nodes
    expected = n * cut / (len(S) * (n - len(S))) if objective == "ratio" else nx.conductance(G, S, weight="weight")
    assert found.value == pytest.approx(expected)


@pytest.mark.slow
def test_values_agree_with_igraph_and_networkit() -> None:
    igraph = pytest.importorskip("igraph")
    networkit = pytest.importorskip("networkit")
    graph = grid(9, 20)
    found = sc.sparsest_cut(graph)
    edges = sp.triu(graph.adjacency, 1).tocoo()
    pairs = np.column_stack([edges.row, edges.col])
    G = igraph.Graph(n=graph.n_nodes, edges=pairs)
    between = G.es.select(_between=(np.flatnonzero(found.side).tolist(), np.flatnonzero(~found.side).tolist()))
    assert len(between) == found.cut == 9
    H = networkit.GraphFromCoo(
        (np.ones(len(pairs)), (pairs[:, 0].astype(np.int64), pairs[:, 1].astype(np.int64))), n=graph.n_nodes
    )
    parts = networkit.structures.Partition(graph.n_nodes)
    parts.setUpperBound(2)
    for node, inside in enumerate(found.side):
        parts.addToSubset(int(inside), node)
    assert networkit.community.EdgeCut().getQuality(parts, H) == found.cut


@pytest.mark.slow
@pytest.mark.parametrize(("objective", "factor"), [("ratio", 1.0), ("conductance", 0.5)])
def test_the_lower_bound_is_the_dense_eigenvalue(objective: str, factor: float) -> None:
    graph = planted(700, 3, 9, 2, seed=2)
    A = graph.adjacency.toarray().astype(float)
    degrees = A.sum(axis=1)
    root = np.ones(len(A)) if objective == "ratio" else np.sqrt(degrees)
    second = np.linalg.eigvalsh((np.diag(degrees) - A) / np.outer(root, root))[1]
    found = sc.sparsest_cut(graph, objective=objective)
    assert found.lower_bound == pytest.approx(factor * second, rel=1e-6)
    assert found.lower_bound <= factor * second * (1 + 1e-9)
    assert found.value >= found.lower_bound


def test_a_disconnected_graph_is_cut_for_nothing() -> None:
    one, two = grid(5, 5).adjacency, grid(4, 4).adjacency
    graph = sc.Graph(sp.block_diag([one, two]))
    found = sc.sparsest_cut(graph)
    assert (found.value, found.lower_bound, found.cut, found.source) == (0.0, 0.0, 0.0, "components")
    assert found.nodes.tolist() == list(range(25, 41))
    assert sc.sparsest_cut(graph, objective="conductance").value == 0.0
    # The components are 25 and 16 nodes: half and half cannot be had without cutting one of them.
    balanced = sc.sparsest_cut(graph, balance=0.48)
    assert len(balanced.nodes) == 20
    assert 0 < balanced.cut <= 5


def test_isolated_nodes_have_no_volume() -> None:
    A = np.zeros((22, 22))
    A[:20, :20] = barbell(10).adjacency.toarray()
    graph = sc.Graph(A)
    assert sc.sparsest_cut(graph).cut == 0.0
    found = sc.sparsest_cut(graph, objective="conductance")
    assert found.nodes.tolist() in (list(range(10)), list(range(10, 20)))
    assert found.value == pytest.approx(1 / 91)


def test_a_star_loses_one_leaf_whatever_the_leaf() -> None:
    n = 40
    A = np.zeros((n, n))
    A[0, 1:] = 1
    found = sc.sparsest_cut(graph_of(A))
    assert found.value == pytest.approx(n / (n - 1))  # every set of leaves has n·s/(s(n−s)): one leaf is best
    assert len(found.nodes) == 1
    assert found.lower_bound == pytest.approx(1.0, rel=1e-6)


@pytest.mark.parametrize("n", [2, 5, 30])
def test_every_cut_of_a_clique_has_the_value_n(n: int) -> None:
    found = sc.sparsest_cut(graph_of(np.ones((n, n))))
    assert found.value == pytest.approx(n)  # n·s(n−s)/(s(n−s))
    assert found.lower_bound == pytest.approx(n, rel=1e-6)


def test_two_nodes_and_one() -> None:
    pair = sc.sparsest_cut(sc.Graph([[0, 3], [3, 0]], node_ids=["a", "b"]))
    assert pair.nodes.tolist() == ["b"]
    assert pair.value == pytest.approx(6.0)
    assert sc.sparsest_cut(sc.Graph([[0, 3], [3, 0]]), objective="conductance").value == pytest.approx(1.0)
    assert sc.sparsest_cut(sc.Graph(np.zeros((2, 2)))).value == 0.0
    with pytest.raises(InputError, match="at least two nodes"):
        sc.sparsest_cut(sc.Graph([[0]]))
    with pytest.raises(InputError, match="Conductance needs edges"):
        sc.sparsest_cut(sc.Graph(np.zeros((3, 3))), objective="conductance")


@pytest.mark.slow
def test_weights_decide() -> None:
    """A ring of 40 with two light edges: those are cut, and nothing else."""
    n = 40
    A = np.zeros((n, n))
    A[np.arange(n - 1), np.arange(1, n)] = A[0, n - 1] = 1
    A[9, 10] = A[29, 30] = 0.01
    found = sc.sparsest_cut(graph_of(A))
    assert found.nodes.tolist() in (list(range(10, 30)), [*range(10), *range(30, 40)])
    assert found.cut == pytest.approx(0.02)
    doubled = sc.sparsest_cut(graph_of(7 * A))
    assert doubled.value == pytest.approx(7 * found.value)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(3))
def test_a_planted_cut_above_the_threshold_is_found(seed: int) -> None:
    """Two halves, 10 edges inside and 2 across per node: (10 − 2)² > 2·(10 + 2), far above detectability."""
    graph = planted(1000, 2, 10, 2, seed=seed)
    found = sc.sparsest_cut(graph, objective="conductance")
    agreement = np.mean(found.side == (graph.labels == 1))
    assert max(agreement, 1 - agreement) > 0.95
    truth = graph.labels == 1
    volumes = graph.adjacency.sum(axis=1)
    cut = graph.adjacency[truth][:, ~truth].sum()
    assert found.value <= cut / min(volumes[truth].sum(), volumes[~truth].sum())


@pytest.mark.slow
def test_relabelling_the_nodes_changes_nothing() -> None:
    graph = barbell(30, bridge=3)
    order = np.random.default_rng(0).permutation(graph.n_nodes)
    shuffled = sc.Graph(graph.adjacency[order][:, order], node_ids=order)
    one, other = sc.sparsest_cut(graph), sc.sparsest_cut(shuffled)
    assert one.value == pytest.approx(other.value)
    assert set(one.nodes.tolist()) in (set(other.nodes.tolist()), set(range(graph.n_nodes)) - set(other.nodes.tolist()))


@pytest.mark.slow
def test_the_same_seed_gives_the_same_cut() -> None:
    graph = planted(600, 4, 7, 2, seed=3)
    one, other = (sc.sparsest_cut(graph, random_state=4) for _ in range(2))
    assert (one.nodes == other.nodes).all()
    assert one.value == other.value


@pytest.mark.slow
def test_balance_is_kept() -> None:
    graph = planted(500, 2, 5, 1, seed=4)
    free = sc.sparsest_cut(graph)
    for balance in (0.2, 0.5):
        found = sc.sparsest_cut(graph, balance=balance)
        assert found.share >= balance
        assert found.value >= free.value
    assert len(sc.sparsest_cut(graph, balance=0.5).nodes) == graph.n_nodes // 2


@pytest.mark.slow
def test_the_columns_of_an_embedding_are_candidates() -> None:
    """An expander with a hidden column: only the embedding knows the set, and flow cannot improve it away."""
    graph = planted(60, 1, 6, 0, seed=5)
    found = sc.sparsest_cut(graph, embedding=np.random.default_rng(0).normal(size=(graph.n_nodes, 3)))
    assert found.value <= sc.sparsest_cut(graph).value * (1 + 1e-9)
    with pytest.raises(InputError, match="one row of finite numbers"):
        sc.sparsest_cut(graph, embedding=np.zeros((3, 2)))


@pytest.mark.slow
def test_a_graph_with_features_is_embedded() -> None:
    graph = sc.datasets.load("digits")
    found = sc.sparsest_cut(graph)
    assert 0 <= found.lower_bound <= found.value


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"objective": "sparsity"}, "one of 'ratio', 'conductance'"),
        ({"balance": 0.6}, "at most 0.5"),
        ({"balance": -1}, "at least 0"),
        ({"random_state": "now"}, "random_state"),
    ],
)
def test_wrong_options_are_named(options: dict, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sc.sparsest_cut(barbell(4), **options)


def test_a_directed_graph_is_refused() -> None:
    with pytest.raises(InputError, match="undirected"):
        sc.sparsest_cut(sc.Graph([[0, 1, 0], [0, 0, 1], [0, 0, 0]], directed="out"))


@pytest.mark.slow
@pytest.mark.parametrize("graph", [planted(200, 4, 8, 2, seed=4), grid(9, 24)], ids=str)
@pytest.mark.parametrize("objective", ["ratio", "conductance"])
def test_no_other_function_returns_a_sparser_cut(graph: sc.Graph, objective: str) -> None:
    """Parts of partitions with any objective, of the tree, and sweeps along the eigenvector of another library."""
    found = sc.sparsest_cut(graph, objective=objective).value
    tree = sc.hierarchy(graph)
    clusterings = [tree.cut(parts=parts) for parts in (2, 4)]
    for parts in (2, 4):
        clusterings += [sc.partition(graph, parts, objective=word).parts for word in ("cut", "conductance", "modularity")]
    clusterings += [sc.partition(graph, 2, imbalance=imbalance).parts for imbalance in (0.3,)]
    for members in clusterings:
        for part in range(members.max() + 1):
            assert found <= CutProblem.of(graph, objective).value(members == part) * (1 + 1e-9)
    vector = nx.fiedler_vector(nx.from_scipy_sparse_array(graph.adjacency), seed=0)
    assert found <= sc.sweep_cut(graph, vector, objective=objective).value * (1 + 1e-9)


def test_a_graph_with_types_names_them() -> None:
    graph = graph_of_tables()
    found = sc.sparsest_cut(graph)
    frame = found.to_frame()
    assert frame["type"].tolist() == graph.types.tolist()
    assert frame.index[frame["part"] == 1].tolist() == found.nodes.tolist()
    named = [f"{name}:{one}" for name in graph.node_types for one in found.nodes_of(name).tolist()]
    assert sorted(named) == sorted(found.nodes.tolist())
    with pytest.raises(InputError, match="The graph has no nodes of type 'editor'"):
        found.nodes_of("editor")
    assert list(sc.sparsest_cut(barbell(3)).to_frame()) == ["part"]
