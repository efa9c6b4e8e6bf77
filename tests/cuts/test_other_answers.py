"""No other function returns a sparser cut than `sparsest_cut`, on graphs of many kinds."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx
import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from cut_graphs import grid, planted
from sparsecut.cuts.cut_input import material
from sparsecut.cuts.objective import CutProblem
from sparsecut.cuts.other_answers import other_answers
from sparsecut.cuts.recursion import Speed, cut_down, first_clusters


def weighted(n: int) -> sc.Graph:
    upper = sp.triu(nx.to_scipy_sparse_array(nx.connected_watts_strogatz_graph(n, 6, 0.3, seed=3), dtype=float), 1)
    upper.data = np.random.default_rng(3).exponential(size=upper.nnz)
    return sc.Graph(upper + upper.T)


# Most have fewer than 32 nodes, where no other library's process is started: that takes most of the time.
KINDS = {
    "regular": lambda: sc.from_networkx(nx.random_regular_graph(4, 60, seed=1)),
    "denser regular": lambda: sc.from_networkx(nx.random_regular_graph(6, 30, seed=2)),
    "mesh": lambda: grid(5, 6),
    "mesh in space": lambda: sc.from_networkx(nx.grid_graph((3, 3, 3))),
    "torus": lambda: sc.from_networkx(nx.grid_graph((5, 6), periodic=True)),
    "hubs": lambda: sc.from_networkx(nx.barabasi_albert_graph(31, 2, seed=1)),
    "hubs with triangles": lambda: sc.from_networkx(nx.powerlaw_cluster_graph(120, 3, 0.5, seed=1)),
    "tree": lambda: sc.from_networkx(nx.random_labeled_tree(30, seed=1)),
    "places": lambda: sc.from_networkx(nx.random_geometric_graph(28, 0.35, seed=4)),
    "groups": lambda: planted(30, 3, 6, 2, seed=1),
    "cliques in a ring": lambda: sc.from_networkx(nx.connected_caveman_graph(5, 6)),
    "cycle": lambda: sc.from_networkx(nx.cycle_graph(25)),
    "weights": lambda: weighted(31),
    "pieces": lambda: sc.from_networkx(nx.gnp_random_graph(30, 0.05, seed=1)),
}


def clusters(linkage: np.ndarray) -> list[np.ndarray]:
    """The nodes of every cluster of a tree but the whole, as masks."""
    n = len(linkage) + 1
    found = list(np.eye(n, dtype=bool))
    for one, other in linkage[:-1, :2].astype(int):
        found.append(found[one] | found[other])
    return found


def answers(graph: sc.Graph, seed: int) -> Iterator[np.ndarray]:
    """Every cut that others return: clusters of the tree, its parts, and those of `partition`."""
    tree = sc.hierarchy(graph, random_state=seed)
    yield from clusters(tree.linkage)
    parts = [tree.cut(parts=count) for count in (2, 3, 5)]
    words = ("cut", "conductance", "modularity")
    parts += [sc.partition(graph, 3, objective=word, random_state=seed).parts for word in words]
    for members in parts:
        yield from (members == part for part in range(members.max() + 1))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", [0, 1])
def test_no_other_function_returns_a_sparser_cut(kind: str, seed: int) -> None:
    graph = KINDS[kind]()
    given = list(answers(graph, seed))
    for objective in ("ratio", "conductance"):
        problem = CutProblem.of(graph, objective)
        found = sc.sparsest_cut(graph, objective=objective, random_state=seed)
        assert found.value == problem.value(found.side)
        assert found.value <= min(map(problem.value, given)) * (1 + 1e-9), found.source


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("objective", ["ratio", "conductance"])
def test_all_clusters_of_the_tree_are_candidates(kind: str, objective: str) -> None:
    """By themselves, without the search that usually finds sparser cuts; nodes without edges have no volume."""
    graph = KINDS[kind]()
    problem = CutProblem.of(graph, objective)
    seen = np.flatnonzero(problem.measure > 0)
    A = problem.adjacency
    of_seen = CutProblem.of_adjacency(A[seen][:, seen], objective)
    for seed in (0, 1):
        found = other_answers(of_seen, A, seen, seed)
        assert [one.value for one in found] == sorted(of_seen.value(one.side) for one in found)
        least = min(map(problem.value, clusters(sc.hierarchy(graph, random_state=seed).linkage)))
        assert found[0].value <= least * (1 + 1e-9)


@pytest.mark.parametrize("work", [np.inf, 300])
def test_clusters_are_those_of_the_tree(work: float) -> None:
    source = material(grid(7, 9), "structure", None, "test")
    for speed in (Speed(), Speed(large_from=2, joined=1)):
        linkage, _ = cut_down(source, np.random.default_rng(0), lambda *_: None, speed)
        whole = {tuple(np.flatnonzero(one)) for one in clusters(linkage)}
        found = {tuple(np.sort(one)) for one in first_clusters(source, np.random.default_rng(0), work, speed)}
        assert found <= whole
        assert 2 <= len(found) < 40 if work == 300 else len(found) == len(whole)


@pytest.mark.parametrize("objective", ["ratio", "conductance"])
def test_a_balance_is_kept(objective: str) -> None:
    graph = sc.from_networkx(nx.barabasi_albert_graph(90, 2, seed=1))
    problem = CutProblem.of(graph, objective, 0.3)
    found = other_answers(problem, problem.adjacency, np.arange(90), 0)
    assert found
    assert all(0.3 <= problem.measure[one.side].sum() / problem.total <= 0.7 for one in found)


def test_the_order_of_the_edges_and_the_run_change_nothing() -> None:
    graph = sc.from_networkx(nx.random_regular_graph(4, 100, seed=1))
    edges = sp.triu(graph.adjacency, 1).tocoo()
    order = np.random.default_rng(0).permutation(edges.nnz)
    rows, columns = (np.concatenate(ends) for ends in ((edges.col[order], edges.row), (edges.row[order], edges.col)))
    again = sc.Graph(sp.coo_array((np.ones(len(rows)), (rows, columns)), graph.adjacency.shape))
    sides = []
    for one in (graph, again, graph):
        problem = CutProblem.of(one)
        sides.append([found.side.tolist() for found in other_answers(problem, problem.adjacency, np.arange(100), 0)])
    assert sides[0] == sides[1] == sides[2]
