"""What a report is given: one order for all of it, and a sentence for what does not fit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp

import sparsecut as sc
from report_blocks import blocks_of, meta_of, section
from sparsecut.base.errors import InputError


def test_a_graph_in_another_order_is_aligned_by_id(tmp_path: Path) -> None:
    star = sp.csr_array(np.array([[0, 1, 1, 1], [1, 0, 0, 0], [1, 0, 0, 0], [1, 0, 0, 0]]))
    graph = sc.Graph(star, node_ids=["hub", "a", "b", "c"], labels=["x", "y", "y", "y"])
    path = sc.report(np.eye(4), tmp_path / "r.html", ids=["c", "hub", "a", "b"], graph=graph, layout_method="pca")
    blocks, meta = blocks_of(path), meta_of(path)
    degree = next(column for column in meta["columns"] if column["name"] == "degree")
    assert np.frombuffer(blocks[degree["block"]], dtype="<f4").tolist() == [1, 3, 1, 1]
    label = meta["columns"][0]
    assert [label["names"][code - 1] for code in np.frombuffer(blocks[label["block"]], dtype="<u2")] == ["y", "x", "y", "y"]
    with pytest.raises(InputError, match="does not have these nodes of the embedding: 'zoe'"):
        sc.report(np.eye(4), tmp_path / "x.html", ids=["zoe", "hub", "a", "b"], graph=graph)


def test_nodes_with_broken_vectors_are_left_out_and_named(tmp_path: Path) -> None:
    Z = np.random.default_rng(0).normal(size=(40, 3))
    Z[5, 1], Z[9, 0] = np.nan, np.inf
    path = sc.report(
        Z, tmp_path / "r.html", layout_method="pca", nodes={"n": np.arange(40) + 0.5, "t": [f"t{i}" for i in range(40)]}
    )
    blocks, meta = blocks_of(path), meta_of(path)
    assert "2 of 40 nodes have vectors with NaN or infinite numbers" in meta["warnings"][0]
    assert "left out: 5, 9." in meta["warnings"][0]
    kept = [number for number in range(40) if number not in (5, 9)]
    assert json.loads(blocks["ids"]) == [str(number) for number in kept]
    number = next(column for column in meta["columns"] if column["name"] == "n")
    np.testing.assert_array_equal(np.frombuffer(blocks[number["block"]], dtype="<f4"), np.array(kept) + 0.5)
    with pytest.raises(InputError, match="no row of finite numbers"):
        sc.report(np.full((3, 2), np.nan), tmp_path / "x.html")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"ids": [1]}, "ids must have one entry per row"),
        ({"labels": [1]}, "labels must have one entry per row"),
        ({"xy": [[1, 2]]}, "xy must have one entry per row"),
        ({"metric": "l1"}, "must be one of cosine, euclidean"),
        ({"nodes": {"a": [1]}}, "must have one value per node"),
        ({"nodes": "nowhere.csv"}, "does not exist"),
        ({"n_neighbors": -1}, "integer of at least 0"),
        ({"layout_method": "magic"}, "must be one of"),
    ],
)
def test_wrong_input_is_refused_and_leaves_no_file(tmp_path: Path, options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        sc.report(np.eye(3), tmp_path / "r.html", **options)
    assert list(tmp_path.iterdir()) == []


def test_the_layout_is_kept_with_the_report_and_only_for_the_same_vectors(tmp_path: Path) -> None:
    Z = np.random.default_rng(0).normal(size=(80, 5)).astype(np.float32)
    stages: list[str] = []
    path = tmp_path / "r.html"
    sc.report(Z, path, layout_method="pca", overwrite=True, progress=lambda stage, *_: stages.append(stage))
    assert "layout by pca" in stages
    first = blocks_of(path)["x"]
    stages.clear()
    sc.report(Z, path, layout_method="pca", overwrite=True, progress=lambda stage, *_: stages.append(stage))
    assert "layout by pca" not in stages
    assert blocks_of(path)["x"] == first
    assert "kept from the report" in section(meta_of(path), "repeat")["sentences"][0]
    sc.report(Z * 2 + 1, path, layout_method="pca", overwrite=True, progress=lambda stage, *_: stages.append(stage))
    assert "layout by pca" in stages
    path.write_text('<script type="application/octet-stream" data-block="meta">AAAA<', "utf-8")
    sc.report(Z, path, layout_method="pca", overwrite=True)  # what is no report is no cache
    assert blocks_of(path)["x"] == first
