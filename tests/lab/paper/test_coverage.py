"""What is missing, from the tables themselves; the paper's graphs beside ours."""

from __future__ import annotations

from pathlib import Path

from sparsecut.lab.paper.coverage import GRAPHS, WITHOUT_FIGURES, graph_table, missing_remarks
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.shown import ALONE, ResultsTable, Shown

FULL = Shown("1", verdict=ALONE)


def remarks(tables: list[ResultsTable], folder: Path, n_curves: int = 8) -> list[str]:
    """What is missing beside some tables, with the first so many curves of the figure recorded."""
    figure = Results(folder, "figure")
    places = [(method, dataset) for dataset in GRAPHS[:4] for method in ("SCE", "DGI")]
    figure.add([{"method": method, "dataset": dataset, "per_class": 20} for method, dataset in places[:n_curves]])
    return missing_remarks(tables, Results(folder, "inductive"), figure)


def test_empty_cells_are_listed_by_reason_and_full_ones_are_not(tmp_path: Path) -> None:
    no_files, later = Shown("its files are not at hand"), Shown("not run")
    rows = [("a", [FULL, no_files, no_files]), ("b", [FULL, no_files, no_files]), ("c", [later, no_files, FULL])]
    lines = remarks([ResultsTable("First", "", ["x", "y", "z"], rows, [])], tmp_path)
    assert lines[0].startswith("5 cells are empty: its files are not at hand (Reddit's and Flickr's files")
    assert lines[0].endswith("First: every row (y); every row but c (z).")
    assert lines[1] == "1 cells are empty: not run. First: c (x)."
    assert lines[2:] == list(WITHOUT_FIGURES)
    whole = ResultsTable("Whole", "", ["x"], [("a", [FULL])], [])
    assert remarks([whole], tmp_path) == list(WITHOUT_FIGURES)


def test_curves_that_were_not_recorded_are_listed(tmp_path: Path) -> None:
    Results(tmp_path, "figure").mark_absent({"method": "DGI", "dataset": "cora_full", "per_class": 20}, "no features")
    (line, *_) = remarks([], tmp_path, n_curves=7)
    assert line == "Accuracy against time, without a curve: DGI on cora_full (no features)."


def test_fewer_runs_than_the_papers_are_said(tmp_path: Path) -> None:
    results = Results(tmp_path, "inductive")
    for method, n_runs in (("DGI", 2), ("SCE", 10), ("raw-features", 1)):  # the last has no seed
        results.add([{"method": method, "dataset": "facebook", "n_runs": n_runs}])
    (line, *_) = remarks([], tmp_path)
    assert line == "Inductive learning, 2 runs instead of the paper's 10: DGI on facebook."


def test_the_papers_graphs_as_it_counts_them() -> None:
    rows = {name: [shown.ours for shown in cells] for name, cells in graph_table().rows}
    assert tuple(rows) == GRAPHS == ("cora", "citeseer", "pubmed", "cora_full", "flickr", "reddit")
    assert rows["reddit"][1:3] == ["57,307,946", "11,606,919"]
    assert "57 million edges of GraphSAGE's release" in rows["reddit"][-1]
    assert rows["cora"][:3] == ["2,708", "5,278", "5,429"]
