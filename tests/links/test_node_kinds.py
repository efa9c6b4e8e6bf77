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
    assert {frozenset(np.flatnonzero(mask).tolist()) for mask in (ends.is_source, ends.is_target)} == {
        frozenset(range(30)),
        frozenset(range(30, 50)),
    }
    named = sc.from_edges([(u, v) for u in range(4) for v in range(4)], bipartite=True)
    read = find_ends(named)
    assert read.has_sides
    np.testing.assert_array_equal(read.is_source, named.types == named.node_types[0])


def test_an_odd_cycle_a_tree_and_a_directed_graph_have_no_sides():
    A = two_sides().tolil()
    A[0, 1] = A[1, 0] = 1
    assert not find_ends(sc.Graph(A.tocsr())).has_order
    path = np.eye(10, k=1) + np.eye(10, k=-1)
    assert not find_ends(sc.Graph(path)).has_order  # two colours by chance
    directed = find_ends(sc.Graph(np.triu(np.ones((5, 5)), 1), directed="out"))
    assert directed.has_order
    assert not directed.has_sides


def test_pairs_are_turned_so_that_the_source_is_first():
    ends = find_ends(sc.Graph(two_sides()))
    pairs = np.array([[0, 30], [30, 0], [0, 1]])
    turned = ends.oriented(pairs)
    assert ends.are_possible(turned).tolist() == [True, True, False]
    assert turned[0].tolist() == turned[1].tolist()
