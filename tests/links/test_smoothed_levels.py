"""The mean rows of levels agree with the offset that models take off, and with dense means."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.links.channel_rows import ChannelRows
from sparsecut.links.smoothed_levels import Levels


def levels_of(model, graph):
    weights = [np.asarray(matrix, dtype=float) for matrix in model.weights_]
    return Levels(ChannelRows(graph, model.recipe_, model.columns_), weights, model.offset_.astype(float))


@pytest.mark.parametrize("features", ["given", "both"])
def test_the_mean_row_is_that_of_the_smoothed_rows_and_gives_the_offset(features):
    graph = sc.datasets.load("digits")
    model = sc.SCE(features=features).fit(graph)
    levels = levels_of(model, graph)
    assert [level.channel for level in levels.listed] == list(model.recipe_.channels)
    assert len(levels.matrices) == 1  # all channels take means over neighbours
    for level in levels.listed:
        np.testing.assert_allclose(
            level.centre @ level.W, model.offset_[level.columns], atol=1e-5 * max(1, np.abs(model.offset_).max())
        )
    smoothed = next(level for level in levels.listed if level.channel == "smoothed")
    rows = np.asarray(model.recipe_.weighting.apply(graph.features), dtype=float)
    A = graph.adjacency.toarray() + np.eye(graph.n_nodes)
    P = A / A.sum(axis=1, keepdims=True)
    S, step = np.zeros_like(rows), rows
    for coefficient in smoothed.coefficients:
        S += coefficient * step
        step = P @ step
    np.testing.assert_allclose(smoothed.centre, S.mean(axis=0), atol=1e-5 * np.abs(S).max())


def test_another_graph_is_held_against_the_offset_of_the_fitted_one():
    graph = sc.datasets.load("digits")
    model = sc.SCE(features="given").fit(graph)
    part = graph.subgraph(positions=range(600))
    for level in levels_of(model, part).listed:
        np.testing.assert_allclose(level.centre @ level.W, model.offset_[level.columns], atol=1e-4)


def test_filters_of_other_matrices_are_kept_apart_and_trained_vectors_have_no_mean_taken_off():
    graph = sc.datasets.load("digits")
    model = sc.SCE(filter=sc.Symmetric(order=2), solver=sc.Adam(epochs=1), dimension=8).fit(graph)
    levels = levels_of(model, graph)
    assert levels.matrices[0].right is not None
    assert not levels.listed[0].centre.any()
    assert levels.n_hops == [2]
