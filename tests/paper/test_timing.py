"""The table of times: complete, its settings the caption's, methods timed in turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparsecut import Graph
from sparsecut.baselines import RawFeatures, methods
from sparsecut.model.published import read_experiment
from sparsecut.paper import timing
from sparsecut.paper.plan import Request
from sparsecut.paper.results import Results
from sparsecut.paper.runner import run_experiment
from standins import stand_in

GRAPH = stand_in(n_nodes=20, n_edges=40, n_features=3, n_classes=2)


def silent(*_: object) -> None:
    """No progress."""


def run(name: str, folder: Path, request: Request, **more: Any) -> Any:
    return run_experiment(name, request, folder, silent, silent, **more)


def test_every_row_of_the_times_is_complete() -> None:
    assert timing.ROWS == ("G2G", "DGI", "SCE")
    assert [timing.published_seconds("SCE", dataset) for dataset in timing.COLUMNS] == [0.1, 1.4, 2.3, 0.9]
    assert timing.published_seconds("DGI", "cora_full") == 548.2
    assert all(len(row) == len(timing.COLUMNS) for row in read_experiment("time")["published"].values())
    assert read_experiment("time")["n_runs"] == 10


def test_settings_of_the_time_table_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """128 dimensions on Pubmed and Cora Full, and 20, 200, 100, 20 epochs."""
    monkeypatch.setattr(timing, "missing", lambda *_: None)
    settings = {cell["dataset"]: cell["settings"] for job in timing.plan(Request(methods=["SCE"])) for cell in job.cells}
    assert [settings[dataset]["epochs"] for dataset in timing.COLUMNS] == [20, 200, 100, 20]
    assert [settings[dataset]["dimension"] for dataset in timing.COLUMNS] == [512, 512, 128, 128]


def test_timing_takes_turns_after_a_warm_up() -> None:
    order = []

    class Timed:
        def __init__(self, name: str) -> None:
            self.name = name

        def fit(self, graph: Graph) -> Timed:
            order.append(self.name)
            return self

    seconds = timing.time_rounds([Timed("a"), Timed("b"), Timed("c")], GRAPH, 4, silent)
    assert "".join(order) == "abc" + "abc" + "bca" + "cab" + "abc"
    assert [len(values) for values in seconds] == [4, 4, 4]


def test_methods_are_timed_together_and_again_when_one_joins(planted: Graph, tmp_path: Path, registry: None) -> None:
    request = Request(["cora"], n_splits=2)
    for name in ("g2g", "dgi"):  # the table's others have not joined yet
        methods.METHODS.pop(name, None)
    run("time", tmp_path, request)
    assert [cell["timed_with"] for cell in Results(tmp_path, "time").cells] == [["SCE"]]
    methods.register(methods.Method("dgi", "a stranger", f"{RawFeatures.__module__}:RawFeatures"))
    results, tally = run("time", tmp_path, request)
    assert tally.n_run == 2
    assert [cell["timed_with"] for cell in results.cells] == [["DGI", "SCE"]] * 2
    assert all(len(cell["all_seconds"]) == 2 for cell in results.cells)
