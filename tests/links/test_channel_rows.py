"""Rows of some nodes against those of the whole graph."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.links.channel_rows import ChannelRows


@pytest.fixture(scope="module")
def fitted():
    graph = sc.datasets.load("digits")
    return graph, sc.SCE(features="both").fit(graph)


def test_places_counts_and_features_are_those_of_the_whole_graph(fitted):
    graph, model = fitted
    rows, nodes = ChannelRows(graph, model.recipe_, model.columns_), np.array([5, 900, 17, 1796])
    for source in ("structure", "roles"):
        np.testing.assert_allclose(
            rows.take(source, nodes), model.columns_.whole(source, graph)[nodes], atol=1e-5, err_msg=source
        )
    weighted = model.recipe_.weighting.apply(graph.features)
    np.testing.assert_allclose(rows.take("features", nodes), weighted[nodes], rtol=1e-6)
    importance = np.random.default_rng(0).random(graph.n_nodes)
    np.testing.assert_allclose(rows.mean(importance), importance @ weighted, rtol=1e-5)
    assert rows.cost("features", nodes).tolist() == [graph.n_features] * 4
    assert (rows.cost("structure", nodes) > graph.degrees[nodes]).all()


def test_nodes_that_were_not_fitted_have_the_places_of_their_neighbours(fitted):
    graph, _ = fitted
    model = sc.SCE(features="both").fit(graph.subgraph(positions=range(1500)))
    rows = ChannelRows(graph, model.recipe_, model.columns_)
    nodes = np.array([1700, 3, 1600, 1790, 1501])
    whole = model.columns_.whole("structure", graph)
    np.testing.assert_allclose(rows.take("structure", nodes), whole[nodes], atol=1e-5)


def test_columns_have_the_names_of_the_table():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame({"age": [20, 30, 40, 50, 60, 70], "city": ["Oslo", "Rome"] * 3})
    A = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    graph = sc.Graph(A, features=frame)
    model = sc.SCE(features="both").fit(graph)
    rows = ChannelRows(graph, model.recipe_, model.columns_)
    names = rows.names("smoothed", "features").tolist()
    assert len(names) == graph.n_features
    assert names[0] == "age"
    assert any("Oslo" in name for name in names)
    assert rows.names("structure", "structure").tolist() == ["place in the graph"]
    assert rows.names("roles_1", "roles")[0] == "log degree of neighbours"
