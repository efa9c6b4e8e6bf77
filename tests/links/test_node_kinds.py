"""Sources and targets, as graphs say them."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.links.node_kinds import find_ends


def two_sides(n_users: int = 30, n_items: int = 20) -> sp.csr_array:
    R = (np.random.default_rng(0).random((n_users, n_items)) < 0.4).astype(float)
    R[0] = 1  # one component
    R[:, 0] = 1
    return sp.block_array([[None, sp.csr_array(R)], [sp.csr_array(R.T), None]]).tocsr()


def test_sides_that_were_read_and_sides_that_edges_show():
    ends = find_ends(sc.Graph(two_sides()))
    assert ends.has_sides
    assert np.flatnonzero(ends.is_source).tolist() == [*range(30)]
    assert np.flatnonzero(ends.is_target).tolist() == [*range(30, 50)]  # the side of the node with the most edges
    alone = find_ends(sc.Graph(sp.block_diag([two_sides(), sp.csr_array((1, 1))]).tocsr()))
    assert alone.is_source[50]  # a node without edges may be on either side
    assert alone.is_target[50]
    named = sc.from_edges([(u, v) for u in range(4) for v in range(4)], bipartite=True)
    read = find_ends(named)
    assert read.has_sides
    np.testing.assert_array_equal(read.is_source, named.types == named.node_types[0])


def test_an_odd_cycle_a_tree_and_a_directed_graph_have_no_sides():
    A = two_sides().tolil()
    A[0, 1] = A[1, 0] = 1
    assert not find_ends(sc.Graph(A.tocsr())).has_order
    path = np.eye(10, k=1) + np.eye(10, k=-1)
    ends = find_ends(sc.Graph(path))
    assert not ends.has_order  # two colours by chance
    assert ends.are_possible(np.array([[3, 5], [3, 3]])).tolist() == [True, False]
    path[0, 9] = path[9, 0] = 1
    assert not find_ends(sc.Graph(path)).has_order  # a ring of even length: one edge per node says nothing yet
    directed = find_ends(sc.Graph(np.triu(np.ones((5, 5)), 1), directed="out"))
    assert directed.has_order
    assert not directed.has_sides


def test_pairs_are_turned_so_that_the_source_is_first():
    ends = find_ends(sc.Graph(two_sides()))
    pairs = np.array([[0, 30], [30, 0], [0, 1]])
    turned = ends.oriented(pairs)
    assert ends.are_possible(turned).tolist() == [True, True, False]
    assert turned[0].tolist() == turned[1].tolist()


def test_of_two_nodes_with_as_many_edges_their_ids_say_which_side_is_which():
    A, ids = np.kron([[0, 1], [1, 0]], np.ones((6, 6))), np.array([f"node {number}" for number in range(12)])
    ends = find_ends(sc.Graph(A, node_ids=ids))
    sources = set(ids[ends.is_source].tolist())
    assert len(sources) == 6
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(12)
        turned = find_ends(sc.Graph(A[order][:, order], node_ids=ids[order]))
        assert set(ids[order][turned.is_source].tolist()) == sources
