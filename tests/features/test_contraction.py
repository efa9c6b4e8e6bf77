"""Contraction against its rules, applied one node at a time, and the sums it must keep."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given
from hypothesis import strategies as st

from sparsecut.features.contraction import centres, contract


def undirected(n_nodes: int, pairs: list[tuple[int, int]], weights: list[float] | None = None) -> sp.csr_array:
    i, j = np.array(pairs, dtype=int).reshape(-1, 2).T
    values = np.ones(len(i)) if weights is None else np.array(weights)
    upper = sp.coo_array((values.astype(np.float32), (i, j)), shape=(n_nodes, n_nodes)).tocsr()
    return sp.csr_array(upper + upper.T)


@st.composite
def graphs(draw: st.DrawFn) -> sp.csr_array:
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_nodes = draw(st.integers(2, 30))
    upper = np.triu(generator.random((n_nodes, n_nodes)) < draw(st.floats(0.02, 0.5)), 1)
    weighted = upper * (generator.integers(1, 4, upper.shape) if draw(st.booleans()) else 1)
    return sp.csr_array((weighted + weighted.T).astype(np.float32))


@given(graphs())
def test_centres_are_taken_by_rank_and_no_two_are_neighbours(A: sp.csr_array) -> None:
    ranks = np.random.default_rng(A.nnz).permutation(A.shape[0]).astype(np.int32)
    expected: set[int] = set()
    for node in np.argsort(-ranks):
        if not expected & set(A[[node]].indices.tolist()):
            expected.add(int(node))
    assert set(np.flatnonzero(centres(A, ranks)).tolist()) == expected


@given(graphs(), st.integers(1, 12))
def test_groups_are_connected_and_their_edges_are_added_up(A: sp.csr_array, n_groups: int) -> None:
    groups, small = contract(A, np.arange(A.shape[0]), n_groups)
    linked = np.diff(small.indptr) > 0
    assert linked.sum() <= max(n_groups, 0)
    for group in range(small.shape[0]):
        inside = groups == group
        assert sp.csgraph.connected_components(A[inside][:, inside])[0] == 1
    if A.astype(bool).sum() == 0 or np.count_nonzero(np.diff(A.indptr)) <= n_groups:
        assert np.array_equal(groups, np.arange(A.shape[0]))
        return
    member = np.eye(small.shape[0])[groups]
    expected = member.T @ A.toarray() @ member
    np.fill_diagonal(expected, 0)
    assert np.allclose(small.toarray(), expected)


def test_as_many_join_as_must_and_those_of_fewest_neighbours_first() -> None:
    """A path 0–1–2–3–4 with three leaves at 1: two groups less are two leaves less, by the hash of their ids."""
    A = undirected(8, [(0, 1), (1, 2), (2, 3), (3, 4), (1, 5), (1, 6), (1, 7)])
    groups, small = contract(A, np.arange(8), 6)
    assert small.shape == (6, 6)
    joined = [node for node in (0, 4, 5, 6, 7) if np.count_nonzero(groups == groups[node]) > 1]
    assert len(joined) == 2
    assert all(groups[node] in (groups[1], groups[3]) for node in joined)


def test_a_node_joins_the_centre_it_has_the_largest_share_of() -> None:
    """Node 6 is next to a hub of 5 and to a hub of 3: it is a third of the smaller one's edges."""
    A = undirected(9, [(0, 2), (0, 3), (0, 4), (0, 5), (0, 6), (1, 6), (1, 7), (1, 8)])
    groups, _ = contract(A, np.arange(9), 2)
    assert groups[6] == groups[1] != groups[0]


def test_components_and_nodes_without_edges_do_not_count() -> None:
    """Two pairs become groups without neighbours; the ring beside them, four nodes for four groups, stays as it is."""
    ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
    groups, small = contract(undirected(10, [*ring, (4, 5), (6, 7)]), np.arange(10), 4)
    assert len(np.unique(groups[:4])) == 4
    assert groups[4] == groups[5]
    assert groups[6] == groups[7]
    assert small.shape == (8, 8)
    assert np.count_nonzero(np.diff(small.indptr)) == 4


@pytest.mark.parametrize("is_directed", [False, True])
def test_the_order_of_the_nodes_decides_nothing(is_directed: bool) -> None:
    generator = np.random.default_rng(0)
    i, j = generator.integers(0, 200, (2, 600))
    A = sp.coo_array((np.ones(600, dtype=np.float32), (i, j)), shape=(200, 200)).tocsr()
    A = sp.csr_array(A if is_directed else A + A.T)
    order, ids = generator.permutation(200), np.array([f"n{number}" for number in range(200)])
    groups, small = contract(A, ids, 50, is_directed=is_directed)
    other, _ = contract(sp.csr_array(A[order][:, order]), ids[order], 50, is_directed=is_directed)
    together = groups[:, None] == groups
    assert np.array_equal((other[:, None] == other), together[order][:, order])
    assert (np.diff(sp.csr_array(small + small.T).indptr) > 0).sum() == 50
