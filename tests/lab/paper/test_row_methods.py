"""Rows and columns: the method a row names, the settings a cell is known by, and why a cell is empty."""

from __future__ import annotations

import pytest

from sparsecut import Power, datasets
from sparsecut.lab.baselines import SmoothedFeatures, methods
from sparsecut.lab.paper.row_methods import make_model, missing, registered, settings_of, with_progress


def test_names_with_hyphens_and_capitals_are_found(registry: None) -> None:
    for name in ("graphsage-mean", "graphsage-pool"):
        methods.METHODS.pop(name, None)
    methods.register(methods.Method("graphsage_mean", "", "x:Y"))
    assert registered("GraphSAGE-mean").name == "graphsage_mean"
    assert registered("raw-features").name == "raw"
    assert registered("GraphSAGE-pool") is None


def test_an_override_a_method_does_not_have_is_left_out() -> None:
    model = make_model("smoothed-features", "cora", 3, order=5, dimension=8)
    assert isinstance(model, SmoothedFeatures)
    assert model.filter == Power(order=5)
    assert make_model("DeepWalk", "pubmed", 3).random_state == 3
    assert make_model("DeepWalk", "pubmed", 3, dimension=8).dimension == 8


def test_a_cell_is_known_by_its_settings_without_the_seed() -> None:
    settings = settings_of(make_model("MixHop", "cora", 3))
    assert settings == settings_of(make_model("MixHop", "cora", 4))
    assert settings["widths"] == [24, 18, 18]
    assert settings != settings_of(make_model("MixHop", "citeseer", 3))


def test_files_and_features_that_are_absent_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(datasets, "locate", lambda _: None)
    assert missing("cora") is None  # it can be fetched
    assert missing("cora", is_fetched=False) == "its files are not at hand"
    monkeypatch.setattr(datasets, "locate", lambda dataset: dataset)
    monkeypatch.setattr(datasets, "brings_features", lambda name: name == "cora")
    assert missing("cora") is None
    assert missing("cora_full") == "its features are not at hand"
    assert missing("cora_full", needs_features=False) is None


def test_progress_is_passed_to_a_call_that_reports_any() -> None:
    assert with_progress(lambda graph, progress: (graph, progress), "report", 1) == (1, "report")
    assert with_progress(lambda graph: graph, "report", 1) == 1
