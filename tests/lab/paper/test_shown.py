"""How a figure of ours is judged beside the paper's."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.shown import (
    ALONE,
    NOTHING,
    WITHIN,
    ResultsTable,
    Shown,
    accuracy_shown,
    mean_and_deviation,
    tally_verdicts,
    verdict,
    without_empty_columns,
)
from stamps import TODAY


@pytest.mark.parametrize(
    ("ours", "paper", "deviation", "expected"),
    [
        (80.0, 80.2, 1.1, "within"),
        (81.3, 80.2, 1.1, "within"),  # exactly one deviation is within
        (81.4, 80.2, 1.1, "ahead"),
        (79.1, 80.2, 1.1, "within"),
        (79.0, 80.2, 1.1, "behind"),
        (46.3, 46.2, 0.0, "ahead"),
    ],
)
def test_verdicts(ours: float, paper: float, deviation: float, expected: str) -> None:
    assert verdict(ours, paper, deviation) == expected
    mirrored = {"ahead": "behind", "behind": "ahead", "within": "within"}[expected]
    assert verdict(ours, paper, deviation, is_less_better=True) == mirrored


def test_a_cell_of_accuracies_is_judged_or_says_why_it_is_empty(tmp_path: Path) -> None:
    results = Results(tmp_path, "table1", ("method", "seed"))
    for seed, accuracies in ((0, [77.0, 79.0]), (1, [77.1, 79.1])):
        scores = {"paper": {"accuracies": accuracies}}
        results.add([{"method": "SCE", "dataset": "cora", "per_class": 5, "seed": seed, "scores": scores, "code": TODAY}])
    place = {"dataset": "cora", "per_class": 5}
    shown = accuracy_shown(results, (74.3, 2.7), "paper", "a remark", method="SCE", **place)
    assert shown == Shown("78.0 ± 1.0 ± 0.0", "74.3 ± 2.7", "ahead", "2 splits, 2 seeds; a remark")
    assert accuracy_shown(results, None, "paper", method="SCE", **place).verdict == "alone"
    assert accuracy_shown(results, None, "tuned", method="SCE", **place) == Shown("not run")
    empty = accuracy_shown(results, (74.3, 2.7), "paper", method="DGI", **place)
    assert empty == Shown("not run", "74.3 ± 2.7", "empty")


def test_one_run_has_no_deviation() -> None:
    assert mean_and_deviation({"mean": 80.06, "std": 0.0, "n_runs": 1}) == "80.1"
    assert mean_and_deviation({"mean": 80.06, "std": 1.24, "n_runs": 10}) == "80.1 ± 1.2"


def test_verdicts_are_counted() -> None:
    rows = [("a", [Shown("", "", "ahead"), Shown("", "", "within")]), ("b", [Shown("", "", "alone"), Shown("not run")])]
    assert tally_verdicts(rows) == "Of 4 cells: 1 ahead, 1 within, 0 behind; 1 without a figure of the paper's, 1 empty."


def test_columns_without_a_figure_are_left_out_and_named() -> None:
    figure, absent, empty = Shown("1.0", verdict=ALONE), Shown(NOTHING, verdict=ALONE), Shown("not run", "2.0")
    rows = [("SCE", [figure, absent, empty, figure]), ("DGI", [empty, absent, empty, figure])]
    table = ResultsTable("T", "about", ["a", "b", "c", "d"], rows, ["first"])
    shorter = without_empty_columns(table)
    assert shorter.columns == ["a", "d"]
    assert shorter.rows == [("SCE", [figure, figure]), ("DGI", [empty, figure])]
    assert shorter.remarks == ["first", "Without a figure of ours, and left out: b; c."]
    assert without_empty_columns(shorter) is shorter
    nothing = ResultsTable("T", "about", ["a"], [("SCE", [empty])], [])
    assert without_empty_columns(nothing) is nothing


def test_what_was_not_run_is_left_out_of_a_table() -> None:
    run, empty, nothing = Shown("80.0", "79.0", WITHIN), Shown("not run", "75.0"), Shown(NOTHING, verdict=ALONE)
    rows = [("SCE", [run, empty, empty]), ("DGI", [empty, empty, run]), ("GAT", [empty, nothing, nothing])]
    shown = ResultsTable("A table", "", ["cora", "citeseer", "pubmed"], rows, []).run()
    assert shown.columns == ["cora", "pubmed"]
    assert [(name, [cell.ours for cell in cells]) for name, cells in shown.rows] == [
        ("SCE", ["80.0", ""]),
        ("DGI", ["", "80.0"]),
    ]
