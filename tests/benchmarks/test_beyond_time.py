"""Seconds measured again: the scores of a cell stay as they are, and a cell that is not there is not made."""

from __future__ import annotations

from pathlib import Path

import pytest

import beyond
import beyond_time
from sparsecut.lab.paper.results import Results
from standins import stand_in


def test_only_the_seconds_of_cells_that_are_there_change(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    graph = stand_in(n_nodes=160, n_edges=800, n_features=30, n_classes=2, random_state=0)
    monkeypatch.setattr(beyond_time, "load_graph", lambda name: graph)
    scored = {"method": "default", "dataset": "dblp", "seed": 0, "accuracy": {"paper": {}}, "environment": {"cpu": "x"}}
    other = {**scored, "method": "raw", "seconds": 7.0, "first_seconds": 7.0}
    Results(tmp_path, beyond.NAME).add([{**scored, "seconds": 1e6, "first_seconds": 1e6}, other])
    beyond_time.main(["--dataset", "DBLP", "--dataset", "cora", "-o", str(tmp_path)])
    results = Results(tmp_path, beyond.NAME)
    assert len(results.cells) == 2
    cell = results.find(method="default", dataset="dblp")
    assert cell is not None
    assert 0 < cell["seconds"] <= cell["first_seconds"] < 1e6
    assert cell["timed"]["threads"] >= 1
    assert {name: cell[name] for name in scored} == scored
    assert results.find(method="raw", dataset="dblp") == other
