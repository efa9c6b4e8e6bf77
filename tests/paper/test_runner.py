"""Experiments run cell by cell: saved as they end, skipped when done, empty with a reason, joined by what is registered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator

from sparsecut import SCE, Graph, InputError
from sparsecut.baselines import RawFeatures, methods
from sparsecut.evaluation import sample_splits
from sparsecut.paper import loss, table1, timing
from sparsecut.paper.plan import Job, Request
from sparsecut.paper.results import Results
from sparsecut.paper.runner import check_request, run_experiment
from sparsecut.paper.standins import stand_in

GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=600, n_classes=2, random_state=0)
notes: list[str] = []


def silent(*_: object) -> None:
    """No progress."""


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Graph:
    """A small graph in the place of the paper's; cora_full stays without features."""

    def splits_of(_: str, per_class: int, n_nodes: int) -> list[Any]:
        return sample_splits(np.asarray(GRAPH.labels), per_class, 4)

    def missing(dataset: str, needs_features: bool = True) -> str | None:
        return "its features are not at hand" if dataset == "cora_full" and needs_features else None

    for module in (table1, loss, timing):
        monkeypatch.setattr(module, "load_graph", lambda _: GRAPH, raising=False)
        monkeypatch.setattr(module, "published_splits", splits_of, raising=False)
        monkeypatch.setattr(module, "missing", missing)
    return GRAPH


@pytest.fixture
def registry(monkeypatch: pytest.MonkeyPatch) -> None:
    """The paper's own two alone, so that every other row is free; what a test registers is gone after it."""
    monkeypatch.setattr(methods, "METHODS", {name: methods.METHODS[name] for name in ("sce", "mosce", "raw")})


def run(name: str, folder: Path, request: Request, **more: Any) -> Any:
    return run_experiment(name, request, folder, silent, notes.append, **more)


CORA_SCE = Request(["cora"], ["SCE"], n_splits=4)


def test_a_cell_is_run_once_and_again_when_forced_or_changed(planted: Graph, tmp_path: Path) -> None:
    def counts(request: Request, **more: Any) -> tuple[int, int]:
        _, tally = run("table1", tmp_path, request, **more)
        return tally.n_run, tally.n_skipped

    assert counts(CORA_SCE) == (2, 0)
    assert counts(CORA_SCE) == (0, 2)
    assert counts(CORA_SCE, is_forced=True) == (2, 0)
    assert counts(Request(["cora"], ["SCE"], n_splits=3)) == (2, 0)
    assert counts(Request(["cora"], ["SCE"], n_splits=3, seed=1)) == (2, 0)
    assert counts(Request(["cora"], ["SCE"], n_splits=3, seed=1)) == (0, 2)
    assert len(Results(tmp_path, "table1").cells) == 2  # a new run takes the old one's place


def test_other_settings_are_another_cell(planted: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("table1", tmp_path, CORA_SCE)
    make = table1.make_model
    monkeypatch.setattr(table1, "make_model", lambda *args: make(*args, epochs=2))
    _, tally = run("table1", tmp_path, CORA_SCE)
    assert (tally.n_run, tally.n_skipped) == (2, 0)
    assert Results(tmp_path, "table1").cells[0]["settings"]["epochs"] == 2


def test_every_cell_is_stamped_and_is_what_the_library_gives(planted: Graph, tmp_path: Path) -> None:
    run("table1", tmp_path, CORA_SCE)
    cells = json.loads((tmp_path / "table1.json").read_text("utf-8"))["cells"]
    from sparsecut.evaluation import probe

    Z = SCE.paper("cora", random_state=0).fit_transform(planted)
    for cell in cells:
        splits = sample_splits(np.asarray(planted.labels), cell["per_class"], 4)
        assert cell["mean"] == round(probe(Z, planted.labels, splits).mean, 2)
        assert cell["seed"] == 0
        assert cell["n_splits"] == len(cell["accuracies"]) == 4
        assert {"date", "cpu", "cores", "threads", "python", "sparsecut", "numpy", "torch"} <= set(cell["environment"])
        assert cell["settings"]["alpha"] == 15000


def test_what_ended_is_kept_when_the_next_cell_fails(
    planted: Graph, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Interrupted in citeseer, cora stays; the next run goes on from there."""

    def load(name: str) -> Graph:
        if name == "citeseer":
            raise KeyboardInterrupt
        return GRAPH

    monkeypatch.setattr(table1, "load_graph", load)
    request = Request(["cora", "citeseer"], ["SCE"], n_splits=2)
    with pytest.raises(KeyboardInterrupt):
        run("table1", tmp_path, request)
    assert {cell["dataset"] for cell in Results(tmp_path, "table1").cells} == {"cora"}
    monkeypatch.setattr(table1, "load_graph", lambda _: GRAPH)
    _, tally = run("table1", tmp_path, request)
    assert (tally.n_run, tally.n_skipped) == (2, 2)
    assert [path.name for path in tmp_path.iterdir()] == ["table1.json"]  # no temporary file stays


def test_empty_cells_say_why(planted: Graph, tmp_path: Path, registry: None) -> None:
    results, tally = run("table1", tmp_path, Request(["cora", "cora_full"], ["SCE", "DGI"], n_splits=2))
    assert (tally.n_run, tally.n_absent) == (2, 6)
    assert results.why_absent(method="DGI", dataset="cora", per_class=5) == "not in this version"
    assert results.why_absent(method="SCE", dataset="cora_full", per_class=20) == "its features are not at hand"
    assert results.why_absent(method="GAT", dataset="cora", per_class=5) == "not run"


def test_what_needs_no_features_runs_without_them(planted: Graph, tmp_path: Path, registry: None) -> None:
    methods.register(methods.Method("deepwalk", "a stranger", f"{__name__}:Position"))
    _, tally = run("table1", tmp_path, Request(["cora_full"], ["SCE", "DeepWalk"], n_splits=2))
    assert (tally.n_run, tally.n_absent) == (2, 2)
    assert {cell["method"] for cell in Results(tmp_path, "table1").cells} == {"DeepWalk"}


class Position(BaseEstimator):
    """Embeds a node by its number, without looking at features."""

    needs_features = False

    def fit(self, graph: Graph) -> Position:
        self.embedding_ = np.arange(graph.n_nodes, dtype=np.float32)[:, None]
        return self


def test_a_method_appears_by_being_registered(planted: Graph, tmp_path: Path, registry: None) -> None:
    request = Request(["cora"], ["DGI"], n_splits=2)
    run("table1", tmp_path, request)
    assert len(Results(tmp_path, "table1").absent) == 2
    methods.register(methods.Method("dgi", "a stranger", f"{RawFeatures.__module__}:RawFeatures"))
    results, tally = run("table1", tmp_path, request)
    assert tally.n_run == 2
    assert results.absent == []
    assert {cell["method"] for cell in results.cells} == {"DGI"}


class Majority(BaseEstimator):
    """Predicts the most frequent class of the training nodes: a supervised method small enough to check by hand."""

    def fit_predict(self, graph: Graph, split: Any) -> Any:
        return np.full(graph.n_nodes, np.bincount(np.asarray(graph.labels)[split.train]).argmax())


def test_a_supervised_method_is_fitted_on_every_split(
    planted: Graph, tmp_path: Path, registry: None, monkeypatch: Any
) -> None:
    monkeypatch.setattr(methods.Method, "load", lambda self: Majority)
    methods.register(methods.Method("gcn", "supervised", "nowhere:Majority"))
    results, _ = run("table1", tmp_path, Request(["cora"], ["GCN"], n_splits=4))
    labels = np.asarray(planted.labels)
    for cell in results.cells:
        splits = sample_splits(labels, cell["per_class"], 4)
        by_hand = [100 * (labels[s.test] == np.bincount(labels[s.train]).argmax()).mean() for s in splits]
        assert cell["accuracies"] == [round(value, 2) for value in by_hand]


def test_names_with_hyphens_and_capitals_are_found(registry: None) -> None:
    from sparsecut.paper.rows import registered

    for name in ("graphsage-mean", "graphsage-pool"):
        methods.METHODS.pop(name, None)
    methods.register(methods.Method("graphsage_mean", "", "x:Y"))
    assert registered("GraphSAGE-mean").name == "graphsage_mean"
    assert registered("raw-features").name == "raw"
    assert registered("GraphSAGE-pool") is None


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


def test_the_losses_start_alike(planted: Graph) -> None:
    """`none` is where `negative` and `inverse` start: an epoch of no step leaves its weights."""
    jobs = [job for job in loss.plan(Request(["cora"])) if isinstance(job, Job)]
    settings = {job.cells[0]["method"]: job.cells[0]["settings"] for job in jobs}
    start = SCE(**settings["none"], random_state=0).fit(planted).weights_[0]
    for name in ("negative", "inverse"):
        nearly = SCE(**{**settings[name], "epochs": 1, "learning_rate": 1e-9}, random_state=0).fit(planted).weights_[0]
        np.testing.assert_allclose(nearly, start, atol=1e-7)


def test_names_that_are_not_in_the_table() -> None:
    assert check_request(["table1"], Request(["Cora"], ["mosce"])) == Request(["cora"], ["MoSCE"])
    with pytest.raises(
        InputError, match=r"--dataset imdb is not part of table1\. There are: cora, citeseer, pubmed, cora_full"
    ):
        check_request(["table1"], Request(["imdb"]))
    with pytest.raises(InputError, match=r"--method negative is not part of time"):
        check_request(["time"], Request(methods=["negative"]))
    check_request(["time", "loss"], Request(methods=["negative", "SCE"]))


@pytest.mark.parametrize(
    "text", ["", "[]", "{", '{"experiment": "loss", "cells": []}', '{"experiment": "time", "cells": [1]}']
)
def test_a_file_that_holds_something_else_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "time.json").write_text(text)
    with pytest.raises(InputError, match=r"time.json does not hold the results of time"):
        Results(tmp_path, "time")
    assert (tmp_path / "time.json").read_text() == text
