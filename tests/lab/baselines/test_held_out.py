"""Edges kept from training: gone from the graph, no node without its last, scored by hand."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.metrics import average_precision_score, roc_auc_score

from conftest import random_graph
from sparsecut.lab.baselines.held_out import hold_out, link_score


def test_held_out_edges_are_gone_and_no_node_loses_its_last():
    adjacency = random_graph(60, density=0.1, is_weighted=True).adjacency
    dense = adjacency.toarray()
    rest, pairs, is_edge = hold_out(adjacency, 0.3, np.random.default_rng(0))
    assert is_edge.sum() == (~is_edge).sum() == 2 * int(0.3 * (adjacency.nnz // 2))
    assert len(np.unique(pairs, axis=0)) == len(pairs)
    assert (pairs[:, 0] != pairs[:, 1]).all()
    i, j = pairs.T
    np.testing.assert_array_equal(dense[i, j] > 0, is_edge)
    expected = dense.copy()
    expected[i, j] = 0
    np.testing.assert_array_equal(rest.toarray(), expected)
    np.testing.assert_array_equal(np.diff(rest.indptr) > 0, np.diff(adjacency.indptr) > 0)


def test_a_star_and_a_complete_graph_spare_no_edge():
    star = np.zeros((6, 6))
    star[0, 1:] = star[1:, 0] = 1  # every edge is some leaf's last
    for dense in (star, np.ones((6, 6)) - np.eye(6)):  # in the other, no pair is missing to compare with
        rest, pairs, is_edge = hold_out(sp.csr_array(dense), 0.5, np.random.default_rng(0))
        np.testing.assert_array_equal(rest.toarray(), dense)
        assert len(pairs) == len(is_edge) == 0


def test_the_score_of_links_is_auc_plus_average_precision():
    energy = np.array([1.0, 3.0, 2.0, 4.0], dtype=np.float32)
    is_edge = np.array([True, True, False, False])
    assert link_score(energy, is_edge) == pytest.approx(3 / 4 + (1 + 2 / 3) / 2)
    assert link_score(energy, is_edge) == roc_auc_score(is_edge, -energy) + average_precision_score(is_edge, -energy)
