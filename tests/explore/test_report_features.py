"""Features come back from the page's bytes within half a step of each column, dense and sparse."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from report_blocks import blocks_of, meta_of
from sparsecut.explore.report_features import kept_columns


def features_of(path: Path, n_nodes: int) -> np.ndarray:
    """The features that a page holds, as its script reads them."""
    about, blocks = meta_of(path)["features"], blocks_of(path)
    values = np.frombuffer(blocks["feature-values"], "<u1").astype(float)
    low, high = np.array(about["low"]), np.array(about["high"])
    unit = (high - low) / 255
    if not about["isSparse"]:
        return np.asarray(low[:, None] + unit[:, None] * values.reshape(-1, n_nodes)).T
    found, place = np.zeros((n_nodes, len(low))), 0
    steps = np.frombuffer(blocks["feature-steps"], "<u4").tolist()
    for column, count in enumerate(np.frombuffer(blocks["feature-counts"], "<u4").tolist()):
        row = 0
        for _ in range(count):
            row += steps[place]
            found[row, column] = low[column] + unit[column] * values[place]
            place += 1
    return found


def page_on(features: Any, path: Path, **options: Any) -> Path:
    n_nodes = features.shape[0]
    ring = np.roll(np.eye(n_nodes), 1, axis=1)
    graph = sc.Graph(ring + ring.T, features=features, **options)
    return sc.report(np.random.default_rng(0).normal(size=(n_nodes, 3)), path, graph=graph, layout_method="pca")


@pytest.mark.parametrize("is_sparse", [False, True])
def test_features_come_back(tmp_path: Path, is_sparse: bool) -> None:
    generator = np.random.default_rng(1)
    X = (generator.normal(size=(40, 6)) * (generator.random((40, 6)) < 0.4) * [1, 10, 0.1, 1, 0, 3]).astype(np.float32)
    names = [f"column {number}" for number in range(6)]
    path = page_on(sp.csr_array(X) if is_sparse else X, tmp_path / "r.html", feature_names=names)
    about = meta_of(path)["features"]
    assert (about["names"], about["isSparse"], about["nAll"]) == (names, is_sparse, 6)
    width = np.array(about["high"]) - np.array(about["low"])
    assert (np.abs(features_of(path, 40) - X) <= width / 510 + 1e-6).all()


@pytest.mark.parametrize("make", [np.asarray, sp.csc_array])
def test_of_too_many_values_the_columns_that_vary_most_are_kept(make: Any) -> None:
    X = np.random.default_rng(2).normal(size=(20, 4)) * [1, 5, 0.2, 3]
    assert kept_columns(make(X), most_values=45).tolist() == [1, 3]
    assert kept_columns(make(X), most_values=80).tolist() == [0, 1, 2, 3]


def test_a_graph_without_features_has_none(tmp_path: Path) -> None:
    path = sc.report(np.eye(3), tmp_path / "r.html", graph=sc.Graph(np.ones((3, 3))), layout_method="pca")
    assert meta_of(path)["features"] is None
