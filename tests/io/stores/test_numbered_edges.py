"""Edges of a file by age and sign, a batch at a time, are what `io.weighing` makes of all of them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from sparsecut.graph.clock import Clock
from sparsecut.graph.timeline import DatedEdges
from sparsecut.io.edges.adjacency import build_adjacency
from sparsecut.io.edges.weighing import weighed
from sparsecut.io.stores.edge_batches import EdgeFile
from sparsecut.io.stores.numbered_edges import EdgeScan, FileEdges, latest_among, look_through, of_sign

N_NODES = 12
CLOCK = Clock(5.0, 100.0, is_calendar=False)


def columns(n_edges: int = 90, seed: int = 0) -> dict[str, Any]:
    generator = np.random.default_rng(seed)
    i, j = generator.integers(0, N_NODES, (2, n_edges))
    scores = generator.choice([-2.0, -0.5, 1.0, 3.0], n_edges)
    return {"source": i, "target": j, "score": scores, "at": generator.integers(0, 100, n_edges).astype(float)}


def opened(folder: Path, directed: str, *, is_signed: bool = True) -> FileEdges:
    pyarrow.parquet.write_table(pa.table(columns()), folder / "e.parquet", row_group_size=17)
    asked = {"source": "source", "target": "target", "weight": "score", "time": "at"}
    file = EdgeFile(folder / "e.parquet", asked, is_signed=is_signed)
    places = (np.asarray, np.asarray)
    return FileEdges(file, look_through(file, lambda *_: None), places, directed, lambda *_: None)


@pytest.mark.parametrize("directed", ["symmetrize", "out", "in"])
def test_both_signs_are_those_of_memory(directed: str, tmp_path: Path) -> None:
    edges, table = opened(tmp_path, directed), columns()
    assert edges.scan.has_negative
    i, j = table["source"], table["target"]
    i, j = (j, i) if directed == "in" else (i, j)
    dated = DatedEdges(i, j, table["score"].astype(np.float32), table["at"])
    friendly, demands, _ = weighed(dated, CLOCK, N_NODES, is_directed=directed != "symmetrize")
    for is_demand, wanted in ((False, friendly), (True, demands)):
        numbered = edges.numbered(CLOCK, is_demand=is_demand)
        assert numbered.value_type is np.float64
        first, second, weights = (np.concatenate(parts) for parts in zip(*numbered.batches(""), strict=True))
        found, _ = build_adjacency(first, second, weights, N_NODES, directed)
        np.testing.assert_array_equal(found.toarray(), wanted.toarray())


def test_the_latest_edges_are_those_of_a_stable_sort(tmp_path: Path) -> None:
    edges, table = opened(tmp_path, "in"), columns()
    found = edges.latest_edges(20)
    here = (table["source"] != table["target"]) & (table["score"] > 0)
    last = np.sort(np.flatnonzero(here)[np.argsort(table["at"][here], kind="stable")[-20:]])
    assert found.i.tolist() == table["target"][last].tolist()
    assert found.j.tolist() == table["source"][last].tolist()
    assert found.times is not None
    assert found.times.tolist() == table["at"][last].tolist()
    parts = [
        (table["source"][rows], table["target"][rows], None, table["at"][rows]) for rows in (slice(0, 50), slice(50, 90))
    ]
    kept = latest_among(latest_among(None, parts[0], "out", 5), parts[1], "out", 5)
    assert kept.times is not None
    assert sorted(kept.times) == sorted(table["at"][table["source"] != table["target"]])[-5:]


def test_without_signs_and_times_nothing_is_looked_through(tmp_path: Path) -> None:
    pyarrow.parquet.write_table(pa.table({"source": [0, 1], "target": [1, 2]}), tmp_path / "e.parquet")
    file = EdgeFile(tmp_path / "e.parquet", {"source": None, "target": None, "weight": None})
    assert look_through(file, lambda *_: pytest.fail("read")) == EdgeScan()
    i, j, weights = of_sign((np.array([0]), np.array([1]), None, None), EdgeScan(), None, "out", is_demand=False)
    assert (i.tolist(), j.tolist(), weights) == ([0], [1], None)
