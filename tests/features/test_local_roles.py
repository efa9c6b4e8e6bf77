"""Roles of some nodes by their lists, to the bit those of the whole graph; after changes, against all of it again."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from any_graph import graphs
from cut_blocks import cut
from sparsecut.features.local_roles import LinkedNodes, counts_at, touched
from sparsecut.features.roles import RoleKind, count_roles, kind_of
from sparsecut.features.triangles import MOST_LISTED
from sparsecut.graph import Graph
from sparsecut.graph.undirected import without_directions
from sparsecut.kernels.hashing import hash_ids
from sparsecut.updates.neighbor_lists import NeighborLists


def linked(graph: Graph) -> LinkedNodes:
    into = NeighborLists(graph.adjacency.T.tocsr()) if graph.is_directed else None
    return LinkedNodes(NeighborLists(graph.adjacency), into, lambda nodes: graph.node_ids[nodes])


def table_of(graph: Graph, kind: RoleKind) -> np.ndarray:
    return np.asarray(count_roles(cut(graph), cut(without_directions(graph)), kind))


@settings(deadline=None)
@given(graph=graphs(), numbers=st.sets(st.integers(0, 8), min_size=1))
def test_some_nodes_are_as_in_the_whole(graph: Graph, numbers: set[int]) -> None:
    nodes = np.array(sorted(number for number in numbers if number < graph.n_nodes), dtype=np.int64)
    kind = kind_of(cut(graph))
    np.testing.assert_array_equal(counts_at(linked(graph), nodes, kind), table_of(graph, kind)[nodes])


@pytest.mark.parametrize("is_directed", [False, True])
@pytest.mark.parametrize("network", ["clustered", "dense"])
def test_after_changes_only_touched_nodes_differ(network: str, is_directed: bool) -> None:
    """In the dense graph lists are cut short, so that nodes beyond the ends' neighbours differ too."""
    generator = np.random.default_rng(1)
    made = (
        nx.powerlaw_cluster_graph(300, 3, 0.5, seed=2) if network == "clustered" else nx.gnp_random_graph(120, 0.4, seed=2)
    )
    A = nx.to_numpy_array(made) * generator.integers(1, 5, (len(made), len(made)))
    A = A if is_directed else np.maximum(A, A.T)
    directed = "out" if is_directed else "symmetrize"
    before = Graph(A, directed=directed)
    kind = kind_of(cut(before))
    for _ in range(5):
        i, j = generator.choice(len(A), 2, replace=False)
        changed = A.copy()
        changed[i, j] = 3 if changed[i, j] == 0 else 0
        changed[j, i] = changed[j, i] if is_directed else changed[i, j]
        after = Graph(changed, directed=directed)
        lists, ends = linked(after), np.array([i, j])
        nodes = touched(lists, ends)
        found = table_of(before, kind).copy()
        found[nodes] = counts_at(lists, nodes, kind)
        np.testing.assert_array_equal(found, table_of(after, kind))
        assert set(nodes) >= {i, j}
        if network == "clustered":
            assert len(nodes) < len(A) / 2
        A, before = changed, after


@pytest.mark.parametrize("network", ["clustered", "dense"])
def test_compiled_loops_count_the_same_triangles(network: str) -> None:
    """In the dense graph lists are cut short, by the same hashes."""
    loops = pytest.importorskip("sparsecut.updates.role_loops")
    made = (
        nx.powerlaw_cluster_graph(300, 3, 0.5, seed=2) if network == "clustered" else nx.gnp_random_graph(120, 0.4, seed=2)
    )
    graph = Graph(nx.to_numpy_array(made), node_ids=[f"node {node}" for node in made])
    kind, lists, nodes = kind_of(cut(graph)), NeighborLists(graph.adjacency), np.arange(0, graph.n_nodes, 3)
    hashes, marks = hash_ids(graph.node_ids).view(np.int64), np.zeros(graph.n_nodes, dtype=np.int32)

    def triangles(nodes: np.ndarray) -> np.ndarray:
        near = np.unique(lists.take(nodes).columns).astype(np.int64)
        return loops.triangles_at(nodes, near, lists.parts, hashes, marks, MOST_LISTED)

    compiled = LinkedNodes(lists, None, lambda nodes: graph.node_ids[nodes], triangles=triangles)
    np.testing.assert_array_equal(counts_at(compiled, nodes, kind), table_of(graph, kind)[nodes])
    assert not marks.any()


@settings(deadline=None)
@given(
    seed=st.integers(0, 1000), share=st.floats(0.02, 0.6), n_ends=st.integers(1, 6), most_listed=st.sampled_from([1, 4, 16])
)
def test_compiled_loops_find_the_same_nodes(seed: int, share: float, n_ends: int, most_listed: int) -> None:
    loops = pytest.importorskip("sparsecut.updates.role_loops")
    graph = Graph(nx.to_numpy_array(nx.gnp_random_graph(60, share, seed=seed)))
    ends, marks = np.unique(np.random.default_rng(seed).integers(0, 60, n_ends)), np.zeros(60, dtype=np.int32)
    found = loops.touched(ends, NeighborLists(graph.adjacency).parts, marks, most_listed)
    np.testing.assert_array_equal(found, touched(linked(graph), ends, most_listed))
    assert not marks.any()
