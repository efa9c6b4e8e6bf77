"""Experiments run cell by cell: saved as they end, skipped when done, empty with a reason, joined by what is registered."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sparsecut import Graph, InputError
from sparsecut.lab.paper import table1
from sparsecut.lab.paper.experiment_plan import Request
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.runner import check_request, describe, run_experiment
from standins import stand_in

GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=600, n_classes=2, random_state=0)
notes: list[str] = []


def silent(*_: object) -> None:
    """No progress."""


def run(name: str, folder: Path, request: Request, **more: Any) -> Any:
    return run_experiment(name, request, folder, silent, notes.append, **more)


CORA_SCE = Request(["cora"], ["SCE"], n_splits=4, n_seeds=1)


def test_a_cell_is_run_once_and_again_when_forced_or_changed(planted: Graph, tmp_path: Path) -> None:
    def counts(request: Request, **more: Any) -> tuple[int, int]:
        _, tally = run("table1", tmp_path, request, **more)
        return tally.n_run, tally.n_skipped

    assert counts(CORA_SCE) == (2, 0)
    assert counts(CORA_SCE) == (0, 2)
    assert counts(CORA_SCE, is_forced=True) == (2, 0)
    fewer = replace(CORA_SCE, n_splits=3)
    assert counts(fewer) == (2, 0)
    assert len(Results(tmp_path, "table1").cells) == 2  # a new run takes the old one's place
    assert counts(replace(fewer, seed=1)) == (2, 0)
    assert counts(replace(fewer, seed=1)) == (0, 2)
    assert counts(replace(fewer, n_seeds=3)) == (2, 4)  # the third seed is new
    assert [cell["seed"] for cell in Results(tmp_path, "table1").cells] == [0, 0, 1, 1, 2, 2]


def test_other_settings_are_another_cell(planted: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("table1", tmp_path, CORA_SCE)
    make = table1.make_model
    monkeypatch.setattr(table1, "make_model", lambda *args: make(*args, epochs=2))
    _, tally = run("table1", tmp_path, CORA_SCE)
    assert (tally.n_run, tally.n_skipped) == (2, 0)
    assert Results(tmp_path, "table1").cells[0]["settings"]["solver__epochs"] == 2


def test_what_ended_is_kept_when_the_next_cell_fails(
    planted: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted in citeseer, cora stays; the next run goes on from there."""

    def load(name: str) -> Graph:
        if name == "citeseer":
            raise KeyboardInterrupt
        return GRAPH

    monkeypatch.setattr(table1, "load_graph", load)
    request = Request(["cora", "citeseer"], ["SCE"], n_splits=2, n_seeds=1)
    with pytest.raises(KeyboardInterrupt):
        run("table1", tmp_path, request)
    assert {cell["dataset"] for cell in Results(tmp_path, "table1").cells} == {"cora"}
    monkeypatch.setattr(table1, "load_graph", lambda _: GRAPH)
    _, tally = run("table1", tmp_path, request)
    assert (tally.n_run, tally.n_skipped) == (2, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["table1.json"]  # no temporary file stays


def test_empty_cells_say_why(planted: Graph, tmp_path: Path, registry: None) -> None:
    results, tally = run("table1", tmp_path, Request(["cora", "cora_full"], ["SCE", "DGI"], n_splits=2, n_seeds=1))
    assert (tally.n_run, tally.n_absent) == (2, 6)
    assert results.why_absent(method="DGI", dataset="cora", per_class=5) == "not in this version"
    assert results.why_absent(method="SCE", dataset="cora_full", per_class=20) == "its features are not at hand"
    assert results.why_absent(method="GAT", dataset="cora", per_class=5) == "not run"


def test_names_that_are_not_in_the_table() -> None:
    assert check_request(["table1"], Request(["Cora"], ["mosce"])) == Request(["cora"], ["MoSCE"])
    with pytest.raises(
        InputError, match=r"--dataset imdb is not part of table1\. There are: cora, citeseer, pubmed, cora_full"
    ):
        check_request(["table1"], Request(["imdb"]))
    with pytest.raises(InputError, match=r"--method negative is not part of time"):
        check_request(["time"], Request(methods=["negative"]))
    check_request(["time", "loss"], Request(methods=["negative", "SCE"]))


def test_a_cell_in_a_few_words() -> None:
    scores = {"paper": {"mean": 74.93}, "tuned": {"mean": 74.53}}
    cell = {"scores": scores, "per_class": 5, "seed": 2, "seconds": 1.0}
    assert describe(cell) == "74.9 by the paper probe and 74.5 by the tuned probe with 5 labels, seed 2, 1.00 s"
    assert describe({**cell, "scores": {"none": {"mean": 62.1}}}) == "62.1 with 5 labels, seed 2, 1.00 s"
    assert describe({"run": 0, "seconds": 69.04}) == "run 1, 69.04 s"
