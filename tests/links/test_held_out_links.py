"""Held-out links are out of the graph, and other pairs are none."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.links.held_out_links import hold_out_links
from sparsecut.links.node_kinds import find_ends


def arcs() -> sc.Graph:
    A = np.tril(np.random.default_rng(0).random((60, 60)) < 0.2, -1)
    A[:5, 50:] = True  # some point the other way
    return sc.Graph(A.astype(float), directed="out")


def test_links_are_out_of_the_graph_and_other_pairs_are_none():
    for graph in (sc.datasets.load("digits"), arcs()):
        ends = find_ends(graph)
        held_out = hold_out_links(graph, ends, 0)
        whole, rest = graph.adjacency.toarray(), held_out.graph.adjacency.toarray()
        i, j = held_out.positive.T
        assert (whole[i, j] > 0).all()
        assert not rest[i, j].any()
        for pairs in (held_out.others, held_out.turned, held_out.calibrating):
            i, j = pairs.T
            assert not whole[i, j].any()
            assert (i != j).all()
        assert len(held_out.negative) <= len(held_out.positive)
        turned = {tuple(pair) for pair in held_out.turned[:, ::-1].tolist()}
        assert turned <= {tuple(pair) for pair in held_out.positive.tolist()}
        assert bool(turned) == graph.is_directed


def test_pairs_of_two_sides_are_between_them():
    R = sp.csr_array((np.random.default_rng(0).random((40, 30)) < 0.3).astype(float))
    graph = sc.Graph(sp.block_array([[None, R], [R.T, None]]).tocsr())
    ends = find_ends(graph)
    held_out = hold_out_links(graph, ends, 0)
    for pairs in (held_out.positive, held_out.others, held_out.calibrating):
        assert ends.are_possible(pairs).all()


def test_a_graph_without_other_pairs_is_refused():
    complete = sc.Graph(np.ones((8, 8)) - np.eye(8))
    with pytest.raises(sc.InputError, match="every pair of nodes that could be linked is"):
        hold_out_links(complete, find_ends(complete), 0)
