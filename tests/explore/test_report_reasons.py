"""Reasons come back from the page's blocks as they were, and a report that cannot have them says why."""

from __future__ import annotations

import json

import numpy as np

import sparsecut as sc
from sparsecut.explore.report_page import read_block
from sparsecut.links.neighbor_reasons import reasons_of_neighbors

GRAPH = sc.datasets.load("digits").subgraph(positions=range(0, 1797, 12))


def test_the_page_holds_the_reasons_of_every_neighbour(tmp_path):
    model = sc.SCE(dimension=16).fit(GRAPH)
    path = sc.report(model.embedding_, tmp_path / "r.html", graph=GRAPH, model=model, n_neighbors=4, layout_method="pca")
    meta = json.loads(read_block(path, "meta") or b"")
    neighbors = np.frombuffer(read_block(path, "neighbors") or b"", "<u4").reshape(-1, 4).astype(np.int64)
    expected = reasons_of_neighbors(sc.Nearness(model), neighbors)
    assert meta["why"]["channels"] == list(model.channels_)
    channels = np.frombuffer(read_block(path, "why-channels") or b"", "<i1").reshape(expected.channel_shares.shape)
    np.testing.assert_allclose(channels, np.clip(100 * expected.channel_shares, -127, 127), atol=0.51)
    features = np.frombuffer(read_block(path, "why-features") or b"", "<i4").reshape(expected.features.shape)
    names = np.array(["", *meta["why"]["names"]], dtype=object)[np.abs(features)]
    is_named = expected.features >= 0
    np.testing.assert_array_equal(names != "", is_named)
    np.testing.assert_array_equal(names[is_named], expected.feature_names[expected.features[is_named]])
    np.testing.assert_array_equal(features[is_named] > 0, expected.are_above[is_named])
    through = np.frombuffer(read_block(path, "why-through") or b"", "<i4").reshape(expected.through.shape)
    np.testing.assert_array_equal(through, expected.through + 1)
    assert (through > 0).any(axis=2).mean() > 0.9
    percents = np.frombuffer(read_block(path, "why-through-shares") or b"", "<i1").reshape(through.shape)
    np.testing.assert_allclose(percents, np.clip(100 * expected.through_shares, -127, 127), atol=0.51)
    np.testing.assert_array_equal(
        np.frombuffer(read_block(path, "why-links") or b"", "<u1") > 0, expected.are_linked.ravel()
    )
    np.testing.assert_array_equal(np.frombuffer(read_block(path, "why-shared") or b"", "<u4"), expected.n_shared.ravel())


def test_a_report_without_reasons_says_why(tmp_path):
    model = sc.SCE(dimension=16, features="given").fit(GRAPH)
    other = np.random.default_rng(0).normal(size=model.embedding_.shape)
    path = sc.report(other, tmp_path / "r.html", graph=GRAPH, model=model, layout_method="pca")
    meta = json.loads(read_block(path, "meta") or b"")
    assert "why" not in meta
    said = " ".join(meta["sections"][-1]["sentences"])
    assert "Why neighbours are near is not shown. The vectors are not what the model makes of this graph" in said
    path = sc.report(other, tmp_path / "two.html", graph=GRAPH, layout_method="pca")  # without a model nobody expects them
    assert "Why neighbours" not in " ".join(json.loads(read_block(path, "meta") or b"")["sections"][-1]["sentences"])
