"""Constants chosen without a graph: the choice never sees it, and every cell is run once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparsecut import SCE, Graph
from sparsecut.evaluation import probe, sample_splits
from sparsecut.paper import beyond, leave_out
from sparsecut.paper.beyond_tables import left_out_shown
from sparsecut.paper.plan import Request
from sparsecut.paper.results import Results
from sparsecut.paper.runner import run_experiment
from sparsecut.paper.standins import stand_in

GRAPH = stand_in(n_nodes=160, n_edges=800, n_features=30, n_classes=2, random_state=0)
STAMP = {"date": "2026-01-01", "cpu": "Abacus", "cores": 2, "threads": 1, "python": "3.11"}


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
    expected = SCE(solver="spectral", filter="pagerank", **constants).fit_transform(GRAPH)
    np.testing.assert_array_equal(leave_out.embed(GRAPH, **constants), expected)


def test_cells_are_scored_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(leave_out, "load_graph", lambda _: GRAPH)
    monkeypatch.setattr(leave_out, "missing", lambda _: None)
    monkeypatch.setattr(leave_out, "plan", lambda request: leave_out.plan_with(embed, request))
    request = Request(["dblp"], [leave_out.SHIPPED, leave_out.ROWS[0]], n_splits=2)
    results, tally = run_experiment("leave_out", request, tmp_path, silent, silent)
    assert tally.n_run == 2
    Z = embed(GRAPH, effective_rank=16, length=9.0, strength=0.2)
    expected = [probe(Z, GRAPH.labels, sample_splits(np.asarray(GRAPH.labels), n, 2, 0)).mean for n in (5, 20)]
    cell = results.find(method=leave_out.SHIPPED, dataset="dblp")
    assert leave_out.score_of(cell) == pytest.approx(np.mean(expected), abs=0.01)
    _, tally = run_experiment("leave_out", request, tmp_path, silent, silent)
    assert (tally.n_run, tally.n_skipped) == (0, 2)


def cell(row: str, dataset: str, mean: float) -> dict[str, Any]:
    scored = {"5": {"mean": mean - 1}, "20": {"mean": mean + 1}}
    return {"method": row, "dataset": dataset, "accuracy": scored, "seconds": 1.0, "seed": 0, "environment": STAMP}


def test_the_table_by_hand(tmp_path: Path) -> None:
    results = Results(tmp_path, "leave_out")
    assert left_out_shown(results).remarks == ["The grid is not run on two graphs yet: there is nothing to leave out."]
    first, last = leave_out.ROWS[0], leave_out.ROWS[-1]
    for dataset, best in (("cora", first), ("dblp", last)):
        means = {**dict.fromkeys(leave_out.ROWS, 50.0), leave_out.SHIPPED: 60.0, best: 70.0}
        results.add([cell(row, dataset, mean) for row, mean in means.items()])
    results.add([cell(first, "pubmed", 10.0)])
    table = left_out_shown(results)
    rows = {name: dict(zip(table.columns, row, strict=True)) for name, row in table.rows}
    # On cora, what is best on dblp is chosen, and scores 50 where the shipped ones score 60.
    assert rows["chosen without it"]["cora"].ours == "50.00 (-10.00)"
    assert rows["chosen without it"]["cora"].remark == last
    assert rows["as shipped"]["cora"].ours == "60.00"
    assert (rows["best for it"]["cora"].ours, rows["best for it"]["cora"].remark) == ("70.00", first)
    assert rows["as shipped"]["pubmed"].ours == "1 of 36 choices run"
    assert rows["as shipped"]["citeseer"].ours == "not run"
    assert "Over 2 graphs" in table.remarks[0]
    assert "-10.00 points against those shipped (from -10.00 to -10.00)" in table.remarks[0]
    assert "the shipped ones 0 times" in table.remarks[0]


def test_the_shipped_constants_are_those_of_the_estimator() -> None:
    from sparsecut.model import recipe, restart, spectral
    from sparsecut.model.published import read_experiment

    shipped = read_experiment("leave_out")["shipped"]
    assert shipped == {
        "effective_rank": spectral.EFFECTIVE_RANK,
        "length": recipe.LENGTH,
        "strength": restart.USUAL_RESTART,
    }
