"""Vectors that are given, fitted already, or made by a copy; never those of another graph."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from sparsecut.links.held_out_links import hold_out_links
from sparsecut.links.link_vectors import vectors_again, vectors_of
from sparsecut.links.node_kinds import find_ends

GRAPH = sc.datasets.load("digits")


def test_given_vectors_are_placed_by_their_ids_and_fitted_ones_are_taken():
    Z = np.random.default_rng(0).normal(size=(GRAPH.n_nodes, 3))
    order = np.random.default_rng(1).permutation(GRAPH.n_nodes)
    frame = pd.DataFrame(Z[order], index=order)
    np.testing.assert_array_equal(vectors_of(frame, GRAPH), Z)
    model = sc.SCE(dimension=8).fit(GRAPH)
    assert vectors_of(model, GRAPH) is model.embedding_
    part = GRAPH.subgraph(positions=range(900))
    assert vectors_of(model, part).shape == (900, 8)  # a copy is fitted
    assert len(model.embedding_) == GRAPH.n_nodes  # and the model is as it was


def test_an_estimator_makes_them_again_without_the_held_out_links():
    held_out = hold_out_links(GRAPH, find_ends(GRAPH), 0)
    model = sc.SCE(dimension=8).fit(GRAPH)
    again = vectors_again(model, GRAPH, held_out)
    np.testing.assert_allclose(again, sc.SCE(dimension=8).fit_transform(held_out.graph), atol=1e-6)
    assert not np.allclose(again, model.embedding_)
    Z = np.ones((GRAPH.n_nodes, 2))
    np.testing.assert_array_equal(vectors_again(Z, GRAPH, held_out), Z)


def test_the_vectors_of_a_tuple_stand_side_by_side():
    held_out = hold_out_links(GRAPH, find_ends(GRAPH), 0)
    model, given = sc.SCE(dimension=8).fit(GRAPH), np.random.default_rng(0).normal(size=(GRAPH.n_nodes, 3))
    found = vectors_of((model, given), GRAPH)
    np.testing.assert_array_equal(found, np.hstack([model.embedding_, given]))
    again = vectors_again((model, given), GRAPH, held_out)
    np.testing.assert_array_equal(again[:, 8:], found[:, 8:])
    assert not np.allclose(again[:, :8], found[:, :8])
    with pytest.raises(sc.InputError, match="an empty tuple"):
        vectors_of((), GRAPH)


def test_vectors_of_other_nodes_are_refused():
    with pytest.raises(sc.InputError, match="one vector of numbers for each of the 1,797 nodes"):
        vectors_of(np.ones((5, 2)), GRAPH)
    with pytest.raises(sc.InputError, match="must be finite"):
        vectors_of(np.full((GRAPH.n_nodes, 2), np.inf), GRAPH)
