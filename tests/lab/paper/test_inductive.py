"""Inductive learning: rows complete, roles drawn by the seed, what cannot be run says why."""

from __future__ import annotations

import math

import numpy as np
import pytest

from conftest import random_graph
from sparsecut import SCE, Graph, datasets
from sparsecut.lab.baselines import methods
from sparsecut.lab.paper import inductive
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Request
from sparsecut.lab.paper.experiments import read_experiment


def silent(*_: object) -> None:
    """No progress."""


@pytest.fixture
def graph() -> Graph:
    plain = random_graph(60, 8, seed=3, density=0.3)
    return Graph(plain.adjacency, features=plain.features, labels=np.arange(60) // 20)


def test_roles_are_drawn_by_the_seed_and_stratified(monkeypatch: pytest.MonkeyPatch, graph: Graph) -> None:
    inductive.unseen_task.cache_clear()
    monkeypatch.setattr(inductive, "load_graph", lambda _: graph)
    task = inductive.unseen_task("facebook", 0)
    inductive.unseen_task.cache_clear()
    again, other = inductive.unseen_task("facebook", 0), inductive.unseen_task("facebook", 1)
    inductive.unseen_task.cache_clear()
    assert task.seen.n_nodes == 36
    assert np.bincount(task.seen.labels).tolist() == [12, 12, 12]
    assert np.bincount(graph.labels[task.test]).tolist() == [4, 4, 4]
    np.testing.assert_array_equal(task.test, again.test)
    assert set(task.test) != set(other.test)


def test_two_graphs_train_on_all_of_one_and_test_on_all_of_the_other(monkeypatch: pytest.MonkeyPatch, graph: Graph) -> None:
    other = random_graph(25, 8, seed=9)
    monkeypatch.setattr(inductive, "load_graph", {"twitch_es": graph}.__getitem__)
    monkeypatch.setattr(inductive.datasets, "load", {"twitch_de": other}.__getitem__)
    inductive.unseen_task.cache_clear()
    task = inductive.unseen_task("twitch_de → twitch_es", 0)
    inductive.unseen_task.cache_clear()
    assert task.seen is other
    assert task.met is graph
    assert task.test.tolist() == list(range(60))


def test_what_cannot_be_run_says_why(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(methods.METHODS, "graphsage-pool")

    def reason(method: str, dataset: str) -> str | None:
        (job,) = inductive.plan(Request([dataset], [method]))
        return job.reason if isinstance(job, Absent) else None

    assert reason("GraphSAGE-pool", "facebook") == "not in this version"
    assert "the two graphs share none" in (reason("DeepWalk-and-features", "twitch_de → twitch_es") or "")


def test_a_method_without_a_seed_runs_once_and_one_with_a_seed_ten_times(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inductive, "missing", lambda *_, **__: None)
    rows = ["raw-features", "DeepWalk-and-features", "SCE", "smoothed-features"]
    jobs = [job for job in inductive.plan(Request(["facebook"], rows)) if isinstance(job, CellJob)]
    assert {job.cells[0]["method"]: job.cells[0]["n_runs"] for job in jobs} == {
        "raw-features": 1,
        "DeepWalk-and-features": 10,
        "SCE": 10,
        "smoothed-features": 1,
    }


def test_every_row_of_inductive_learning_is_complete() -> None:
    published = read_experiment("inductive")["published"]
    assert len(published) == 8
    for method, row in published.items():
        assert len(row) == 4, method
        assert all(math.isnan(value) or value > 0 for value in row)
        assert 40 < row[0] < 100, method
        assert 40 < row[2] < 100, method
    assert inductive.published_figure("SCE", "reddit", "f1") == 94.6
    assert inductive.published_figure("SCE", "flickr", "seconds") == 16.0
    assert inductive.published_figure("DGI", "reddit", "seconds") is None  # not reported
    assert inductive.published_figure("SCE", "facebook", "f1") is None  # not in the paper


def test_graphs_are_known_and_their_settings_are_the_papers() -> None:
    for name, about in read_experiment("inductive")["graphs"].items():
        for graph in [about["train_on"], about["meet"]] if "train_on" in about else [name]:
            datasets.find_dataset(graph)
        SCE.paper(about["settings"])
        if "fractions" in about:
            assert 0 < sum(about["fractions"]) < 1
