"""The figure: a curve recorded in one training run, drawn from what was recorded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from conftest import random_graph
from sparsecut import SCE, Adam
from sparsecut.evaluation import probe, sample_splits
from sparsecut.paper import figure
from sparsecut.paper.figure import draw_figure
from sparsecut.paper.plan import Job, Request
from sparsecut.paper.results import Results
from sparsecut.paper.standins import stand_in

GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=30, n_classes=2, random_state=0)


def silent(*_: object) -> None:
    """No progress."""


def test_a_recorded_epoch_is_a_fit_of_so_many_epochs(monkeypatch: pytest.MonkeyPatch) -> None:
    splits = sample_splits(np.asarray(GRAPH.labels), 20, 4)
    monkeypatch.setattr(figure, "load_graph", lambda _: GRAPH)
    monkeypatch.setattr(figure, "published_splits", lambda *_: splits)
    settings: dict[str, Any] = {"dimension": 8, "learning_rate": 0.05}
    cell = {"dataset": "cora", "per_class": 20, "n_splits": 4}
    (recorded,) = figure._record(SCE(epochs=4, **settings), cell, silent)
    refitted = [probe(SCE(epochs=n, **settings).fit_transform(GRAPH), GRAPH.labels, splits).mean for n in range(1, 5)]
    assert recorded["epoch_accuracies"] == pytest.approx(refitted, abs=0.01)
    assert len(set(refitted)) > 1  # the epochs do differ
    seconds = recorded["epoch_seconds"]
    assert 0 < seconds[0] <= seconds[1] <= seconds[2] <= seconds[3]


def test_scoring_is_not_on_the_clock() -> None:
    import time

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
    from sparsecut.baselines import RawFeatures, methods

    monkeypatch.setattr(methods, "METHODS", dict(methods.METHODS))
    monkeypatch.setattr(figure, "missing", lambda _: None)
    methods.register(methods.Method("dgi", "", f"{RawFeatures.__module__}:RawFeatures"))
    jobs = figure.plan(Request(["cora"]))
    assert isinstance(jobs[0], Job)
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
