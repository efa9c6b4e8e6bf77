"""What goes into the report, against hand-computed graphs and second routes; what comes out as a file."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import sparsecut as sc
from conftest import random_graph
from report_blocks import blocks_of, meta_of
from sparsecut.base.errors import InputError


def test_the_report_holds_every_node_its_columns_and_its_neighbours(tmp_path: Path) -> None:
    graph = random_graph(60, seed=2)
    Z = np.random.default_rng(0).normal(size=(60, 6)).astype(np.float32)
    ids = [f"n{number}" for number in range(60)]
    graph = sc.Graph(graph.adjacency, node_ids=ids)
    path = sc.report(Z, tmp_path / "r.html", graph=graph, layout_method="pca", nodes={"weight": np.arange(60) / 7})
    blocks, meta = blocks_of(path), meta_of(path)
    assert json.loads(blocks["ids"]) == ids
    neighbors = np.frombuffer(blocks["neighbors"], dtype="<u4").reshape(60, 10)
    np.testing.assert_array_equal(neighbors, sc.Neighbors(Z).nearest(10).positions)
    names = [column["name"] for column in meta["columns"]]
    assert names == ["degree", "length", "cluster", "weight"]
    degrees = np.frombuffer(blocks[meta["columns"][0]["block"]], dtype="<f4")
    np.testing.assert_array_equal(degrees, (graph.adjacency != 0).sum(axis=1))
    lengths = np.frombuffer(blocks[meta["columns"][1]["block"]], dtype="<f4")
    np.testing.assert_allclose(lengths, np.linalg.norm(Z, axis=1), rtol=1e-6)
    xy = np.column_stack([np.frombuffer(blocks[name], dtype="<f4") for name in "xy"])
    np.testing.assert_array_equal(xy, sc.layout(Z, method="pca"))


def test_the_same_input_gives_the_same_bytes(tmp_path: Path, digits: sc.Graph) -> None:
    Z = np.asarray(digits.features)[:200]
    first, second = (
        sc.report(Z, tmp_path / name, labels=digits.labels[:200], layout_method="pca") for name in ("a.html", "b.html")
    )
    assert first.read_bytes() == second.read_bytes()


def test_an_existing_report_is_kept_if_asked(tmp_path: Path) -> None:
    path = sc.report(np.eye(3), tmp_path / "r.html")
    with pytest.raises(InputError, match="exists"):
        sc.report(np.eye(3), path, overwrite=False)
