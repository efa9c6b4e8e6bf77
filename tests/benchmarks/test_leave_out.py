"""Constants chosen without a graph: the choice never sees it, and every cell is run once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import beyond
import leave_out
from sparsecut import SCE, ClosedForm, Graph, PageRank
from sparsecut.evaluation import probe, sample_splits
from sparsecut.lab.paper.experiment_plan import Request
from sparsecut.lab.paper.runner import run_jobs
from standins import stand_in

GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=30, n_classes=2, random_state=0)


def silent(*_: object) -> None:
    """No progress."""


def embed(graph: Graph, *, effective_rank: int, length: float, strength: float) -> Any:
    """A stand-in for the estimator: some columns of the features, scaled."""
    return np.asarray(graph.features)[:, :effective_rank] * length * strength


def test_the_grid_holds_the_shipped_constants() -> None:
    assert len(leave_out.ROWS) == 4 * 3 * 3
    assert leave_out.SHIPPED == "effective rank 16, length 9, strength 0.2"
    assert leave_out.GRID[leave_out.SHIPPED] == {"effective_rank": 16, "length": 9.0, "strength": 0.2}
    assert leave_out.COLUMNS == beyond.COLUMNS


def test_the_choice_is_by_the_other_graphs_alone() -> None:
    scores = {"one": {"x": 90.0, "y": 10.0}, "two": {"x": 50.0, "y": 60.0}, "three": {"x": 55.0, "y": 52.0}}
    assert leave_out.choose(scores, "one") == "y"  # 56 against 52.5, though x is far better on the one left out
    assert leave_out.choose(scores, "two") == "x"
    poisoned = {**scores, "one": {"x": np.nan, "y": np.nan}}
    assert leave_out.choose(poisoned, "one") == "y"
    assert leave_out.choose({"a": {"x": 1.0, "y": 1.0}, "b": {"x": 0.0, "y": 9.0}}, "b") == "x"  # of equals the first


def test_the_estimator_is_made_with_the_constants() -> None:
    constants = {"effective_rank": 8.0, "length": 7.0, "strength": 0.1}
    solver = ClosedForm(effective_rank=8.0, length=7.0)
    expected = SCE(filter=PageRank(restart=0.1), solver=solver).fit_transform(GRAPH)
    np.testing.assert_array_equal(leave_out.embed(GRAPH, **constants), expected)


def test_cells_are_scored_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leave_out, "load_graph", lambda _: GRAPH)
    monkeypatch.setattr(leave_out, "missing", lambda _: None)
    request = Request(["dblp"], [leave_out.SHIPPED, leave_out.ROWS[0]], n_splits=2)
    results, tally = run_jobs("leave_out", leave_out.plan_with(embed, request), tmp_path, silent, silent)
    assert tally.n_run == 2
    Z = embed(GRAPH, effective_rank=16, length=9.0, strength=0.2)
    expected = [probe(Z, GRAPH.labels, sample_splits(np.asarray(GRAPH.labels), n, 2, 0)).mean for n in (5, 20)]
    cell = results.find(method=leave_out.SHIPPED, dataset="dblp")
    assert leave_out.score_of(cell) == pytest.approx(np.mean(expected), abs=0.01)
    _, tally = run_jobs("leave_out", leave_out.plan_with(embed, request), tmp_path, silent, silent)
    assert (tally.n_run, tally.n_skipped) == (0, 2)


def test_the_shipped_constants_are_those_of_the_estimator() -> None:
    from sparsecut.model.auto.constants import CONSTANTS
    from sparsecut.operators.filters import pagerank

    assert leave_out.SETTINGS["shipped"] == {
        "effective_rank": CONSTANTS.spectrum.effective_rank,
        "length": CONSTANTS.spectrum.length,
        "strength": pagerank.RESTARTS[1],
    }
