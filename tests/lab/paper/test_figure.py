"""The figure: a curve recorded in one training run, drawn from what was recorded."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import random_graph
from sparsecut import SCE, Adam
from sparsecut.evaluation import probe, sample_splits
from sparsecut.lab.paper import figure
from sparsecut.lab.paper.experiment_plan import CellJob, Request
from sparsecut.lab.paper.figure import draw_figure
from sparsecut.lab.paper.results import Results
from standins import stand_in

GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=30, n_classes=2, random_state=0)


def silent(*_: object) -> None:
    """No progress."""


def test_a_recorded_epoch_is_a_fit_of_so_many_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    splits = sample_splits(np.asarray(GRAPH.labels), 20, 4)
    monkeypatch.setattr(figure, "load_graph", lambda _: GRAPH)
    monkeypatch.setattr(figure, "published_splits", lambda *_: splits)

    def model(epochs: int) -> SCE:
        return SCE(dimension=8, solver=Adam(epochs=epochs, learning_rate=0.05))

    cell = {"dataset": "cora", "per_class": 20, "n_splits": 4}
    (recorded,) = figure._record(model(4), cell, silent)
    refitted = [probe(model(n).fit_transform(GRAPH), GRAPH.labels, splits).mean for n in range(1, 5)]
    assert recorded["epoch_accuracies"] == pytest.approx(refitted, abs=0.01)
    assert len(set(refitted)) > 1  # the epochs do differ
    seconds = recorded["epoch_seconds"]
    assert 0 < seconds[0] <= seconds[1] <= seconds[2] <= seconds[3]


class Watched(SCE):
    """As SCE, and notes by a clock of its own how long the first epoch's callback was waited for."""

    def fit(self, graph: Any, y: object = None, *, callback: Any = None, **more: Any) -> Watched:
        started = time.perf_counter()

        def watch(epoch: int, history: Any) -> None:
            if epoch == 1:
                self.waited = time.perf_counter() - started
            callback(epoch, history)

        return super().fit(graph, y, callback=callback and watch, **more)


def test_preparation_is_on_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The first point waits for every stage but training and what comes after it, and for its own epoch."""
    graph = stand_in(n_nodes=3000, n_edges=30_000, n_features=400, n_classes=2, random_state=0)
    splits = sample_splits(np.asarray(graph.labels), 5, 1)
    monkeypatch.setattr(figure, "load_graph", lambda _: graph)
    monkeypatch.setattr(figure, "published_splits", lambda *_: splits)
    model = Watched(dimension=4, solver=Adam(epochs=2))
    (recorded,) = figure._record(model, {"dataset": "cora", "per_class": 5, "n_splits": 1}, silent)
    stages, epochs = model.history_.stages, model.history_.seconds
    before = sum(seconds for name, seconds in stages.items() if name not in ("train", "project"))
    assert before > 0.001
    assert recorded["epoch_seconds"] == pytest.approx([before + epochs[0], before + epochs[0] + epochs[1]], abs=1e-4)
    assert recorded["epoch_seconds"][0] <= model.waited


def test_scoring_is_not_on_the_clock() -> None:
    model = SCE(solver=Adam(epochs=3)).fit(random_graph(), callback=lambda *_: time.sleep(0.2))
    assert sum(model.history_.seconds) < 0.2


@pytest.mark.parametrize("features", ["given", "structure"])
def test_what_is_kept_of_an_epoch_does_not_move_on(features: str) -> None:
    kept = []
    model = SCE(features=features, solver=Adam(epochs=3, learning_rate=0.1))
    graph = random_graph()
    model.fit(graph, callback=lambda *_: kept.append((model.weights_[0], model.transform(graph))))
    for epochs, (weights, Z) in enumerate(kept, start=1):
        refitted = SCE(features=features, solver=Adam(epochs=epochs, learning_rate=0.1)).fit(graph)
        np.testing.assert_allclose(weights, refitted.weights_[0], atol=1e-6)
        np.testing.assert_allclose(Z, refitted.embedding_, atol=1e-5)


def test_a_method_that_reports_no_epochs_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    from sparsecut.lab.baselines import RawFeatures, methods

    monkeypatch.setattr(methods, "METHODS", dict(methods.METHODS))
    monkeypatch.setattr(figure, "missing", lambda _: None)
    methods.register(methods.Method("dgi", "", f"{RawFeatures.__module__}:RawFeatures"))
    jobs = figure.plan(Request(["cora"]))
    assert isinstance(jobs[0], CellJob)
    assert jobs[1].reason == "does not report its epochs"


def test_the_drawing_has_the_curve_and_the_reasons(tmp_path: Path) -> None:
    results = Results(tmp_path, "figure")
    cell = {"method": "SCE", "dataset": "cora", "per_class": 20}
    results.add([{**cell, "epoch_seconds": [0.1, 0.2, 0.4], "epoch_accuracies": [70.0, 75.0, 80.0]}])
    results.mark_absent({**cell, "dataset": "cora_full"}, "its features are not at hand")
    results.mark_absent({**cell, "method": "DGI"}, "not in this version")
    first = [path.read_bytes() for path in draw_figure(results, tmp_path)]
    svg = first[0].decode()
    assert first[1].startswith(b"\x89PNG")
    for words in ("(a) cora", "(d) cora_full", "SCE: its features are not at hand", "DGI: not in this version", "seconds"):
        assert f">{words}" in svg
    assert svg.count("SCE: not run") == 2  # citeseer and pubmed
    assert [path.read_bytes() for path in draw_figure(results, tmp_path)] == first  # the same data, the same drawing


def test_the_figure_has_the_papers_panels() -> None:
    assert figure.COLUMNS == ("cora", "citeseer", "pubmed", "cora_full")
    assert figure.ROWS == ("SCE", "DGI")
