"""The table of times: complete, its settings the caption's, methods timed in turns."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparsecut import Graph
from sparsecut.lab.baselines import RawFeatures, methods
from sparsecut.lab.paper import EXPERIMENTS, timing
from sparsecut.lab.paper.experiment_plan import Request
from sparsecut.lab.paper.experiments import read_experiment
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.runner import run_experiment
from stamps import TODAY
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
    jobs = timing.plan(Request(methods=["SCE"]))
    assert len(jobs) == 4 * 10
    settings = {cell["dataset"]: cell["settings"] for job in jobs for cell in job.cells}
    assert [settings[dataset]["solver__epochs"] for dataset in timing.COLUMNS] == [20, 200, 100, 20]
    assert [settings[dataset]["dimension"] for dataset in timing.COLUMNS] == [512, 512, 128, 128]


class Timed:
    """Notes that it was fitted, and takes as long as it is told on a clock that stands otherwise."""

    def __init__(self, name: str, clock: list[float], order: list[str], seconds: float = 1.0) -> None:
        self.name, self.clock, self.order, self.seconds = name, clock, order, seconds

    def fit(self, graph: Graph) -> Timed:
        self.order.append(self.name)
        self.clock[0] += self.seconds
        return self


def test_methods_take_turns_after_a_warm_up_and_a_long_fit_has_none(monkeypatch: pytest.MonkeyPatch) -> None:
    """G2G has three runs on pubmed, and its first fit counts; the others have ten after a warm-up each."""
    clock, order = [0.0], []
    made = {"G2G": Timed("G", clock, order, 300.0), "DGI": Timed("d", clock, order), "SCE": Timed("s", clock, order)}
    monkeypatch.setattr(timing.time, "perf_counter", lambda: clock[0])
    monkeypatch.setattr(timing, "missing", lambda *_: None)
    monkeypatch.setattr(timing, "make_model", lambda name, *_, **__: made[name])
    monkeypatch.setattr(timing, "load_graph", lambda _: GRAPH)
    jobs = timing.plan(Request(["pubmed"]))
    measured = [job.run(silent) for job in jobs]
    assert "".join(order[:11]) == "Gddss" + "dsG" + "sGd"
    assert order.count("G") == 3
    assert order.count("s") == order.count("d") == 11
    assert [[cell["method"] for cell in job.cells] for job in jobs][1] == ["DGI", "SCE", "G2G"]
    assert {cell["seconds"] for cells in measured for cell in cells} == {300.0, 1.0}
    assert [cell["run"] for job in jobs for cell in job.cells if cell["method"] == "G2G"] == [0, 1, 2]


def test_runs_add_up_and_fewer_than_ten_are_said(tmp_path: Path) -> None:
    results = EXPERIMENTS["time"].results(tmp_path)
    for run, seconds in enumerate((1.0, 3.0)):
        results.add([{"method": "SCE", "dataset": "cora", "run": run, "seconds": seconds, "code": TODAY}])
    results.add([{"method": "G2G", "dataset": "cora", "run": 0, "seconds": 100.0, "code": TODAY}])
    (table,) = timing.tables(results)
    rows = dict(table.rows)
    assert rows["SCE"][0].ours == "2.00 ± 1.00 s, ratio 1"
    assert rows["SCE"][0].remark == "2 runs"
    assert (rows["G2G"][0].ours, rows["G2G"][0].remark) == ("100.00 s, ratio 50", "one run")
    assert "Fewer than the paper's 10 runs: G2G on cora (one run), SCE on cora (2 runs)." in table.remarks[0]
    assert "a fit takes minutes: G2G on pubmed" in table.remarks[0]


def test_rounds_that_are_done_are_not_run_again(planted: Graph, tmp_path: Path, registry: None) -> None:
    _, first = run("time", tmp_path, Request(["cora"], ["SCE"], n_splits=1))
    _, second = run("time", tmp_path, Request(["cora"], ["SCE"], n_splits=3))
    assert (first.n_run, second.n_run, second.n_skipped) == (1, 2, 1)
    assert [cell["run"] for cell in Results(tmp_path, "time").cells] == [0, 1, 2]


def test_methods_are_timed_together_and_again_when_one_joins(planted: Graph, tmp_path: Path, registry: None) -> None:
    request = Request(["cora"], n_splits=2)
    for name in ("g2g", "dgi"):  # the table's others have not joined yet
        methods.METHODS.pop(name, None)
    run("time", tmp_path, request)
    assert [cell["timed_with"] for cell in Results(tmp_path, "time").cells] == [["SCE"]] * 2
    methods.register(methods.Method("dgi", "a stranger", f"{RawFeatures.__module__}:RawFeatures"))
    results, tally = run("time", tmp_path, request)
    assert tally.n_run == 4
    assert [cell["timed_with"] for cell in results.cells] == [["DGI", "SCE"]] * 4
