"""`sparsecut compare`: one table for several methods, and what becomes of a method that fails."""

from __future__ import annotations

import json

import numpy as np
import pytest

from cli_files import assert_refused, write_labels
from sparsecut import datasets, evaluate

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("forks")]


def test_compare(run):
    code, out, _ = run("compare", "digits", "--methods", "smoothed,raw", "--split", "10-10-80", "--splits", 3)
    assert code == 0
    for word in ("smoothed", "raw", "seconds", "memory", "probe: paper", "less smoothed", "3 splits (10-10-80)"):
        assert word in " ".join(out.split())
    assert out.count("┃ method ") == 1  # in one piece at 80 columns
    assert_refused(run("compare", "digits", "--methods", "raw,x", "-q"), "no method 'x'")
    assert_refused(run("compare", "digits", "--methods", ",", "-q"), "at least one method")


def test_compare_fits_a_method_that_predicts_to_every_split(run):
    words = ("compare", "digits", "--methods", "sgc", "--splits", 2, "--per-class", 5, "--paper", "cora", "--json")
    code, out, _ = run(*words)
    assert code == 0
    (sgc,) = json.loads(out)["methods"]
    assert sgc["per_class"]["5"]["probe"] == "none"
    assert sgc["per_class"]["5"]["n_splits"] == 2
    assert sgc["per_class"]["5"]["accuracy"] > 60


def test_compare_over_other_splits(run):
    words = ("compare", "digits", "--methods", "raw,smoothed", "--split", "10-10-80", "--splits", 2)
    code, out, _ = run(*words, "--json")
    assert code == 0
    told = json.loads(out)
    assert (told["split"], told["n_splits"]) == ("10-10-80", 2)
    graph = datasets.load("digits")
    expected = evaluate(graph.features, graph.labels, split="10-10-80", n_splits=2)
    assert told["methods"][0]["per_class"]["10-10-80"]["accuracies"] == expected.accuracies.tolist()
    assert told["methods"][0]["per_class"]["10-10-80"]["probe"] == "paper"
    assert "10-10-80" in told["methods"][1]["against_first"]
    assert_refused(
        run("compare", "digits", "--methods", "raw", "--split", "public", "-q"), "There is no public split of digits"
    )


def test_compare_exits_with_1_when_some_method_failed(run, edges, vectors, tmp_path):
    _, _, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    words = ("compare", edges, "-l", file, "--methods", "smoothed,sce", "--splits", 2, "--per-class", 5)
    code, out, error = run(*words)
    assert code == 1
    assert "failed" in out
    assert "sce" in out
    assert error.splitlines()[-1].startswith("Error: smoothed failed: ")
    assert "Exit code: 0 if every method ran, 1 if some failed" in " ".join(run("compare", "--help-all")[1].split())


def test_compare_and_evaluate_take_the_reading_options(run, vectors, tmp_path):
    path, _, ids, labels = vectors
    lines = [f"{a}|{b}|1" for name in np.unique(labels) for a, b in zip(
        ids[labels == name], np.roll(ids[labels == name], 1), strict=True)]  # fmt: skip
    (tmp_path / "e.txt").write_text("\n".join(["wer|wen|wie", *lines]))
    body = (f"{row},{ids[row]},{labels[row]}" for row in range(len(ids)))
    rows = "\n".join(["row,person,team", *body])
    (tmp_path / "t.csv").write_text(rows)
    table = ("-l", tmp_path / "t.csv", "--label-column", "team", "--id-column", "person")
    edges = ("--separator", "|", "--header", "--source", "wen", "--target", "wer")
    code, out, error = run(
        "compare", tmp_path / "e.txt", *edges, *table, "--methods", "sce", "--splits", 2, "--per-class", 5, "--json"
    )
    assert (code, error) == (0, "")
    assert json.loads(out)["notes"] == [
        f"Edges: {tmp_path}/e.txt, separated by '|', with a header; source in column 'wen', target in column 'wer', "
        "no weights.",
        "Columns left out: 'wie'.",
        f"Labels: {tmp_path}/t.csv, column 'team'.",
    ]
    code, out, error = run("evaluate", path, *table, "--graph", tmp_path / "e.txt", *edges, "--task", "cluster", "--json")
    assert (code, error) == (0, "")
    assert len(json.loads(out)["notes"]) == 3
    code, _, error = run("compare", tmp_path / "e.txt", *table, "--methods", "sce", "-q")
    assert code == 2
    assert "has one column: 'wer|wen|wie' holds no comma" in error
    (tmp_path / "few.csv").write_text("\n".join(rows.splitlines()[:-1]))
    few = ("-l", tmp_path / "few.csv", *table[2:], "--methods", "sce", "--splits", 2, "--per-class", 5, "-q")
    code, _, error = run("compare", tmp_path / "e.txt", *edges, *few)  # a node without a label is in no split
    assert (code, error) == (0, "")


def test_compare_says_why_nothing_could_be_fitted(run, edges, vectors, tmp_path):
    _, _, ids, labels = vectors
    file = write_labels(tmp_path / "l.csv", ids, labels)
    assert_refused(run("compare", edges, "--methods", "raw", "-q"), "brings no labels to compare by")
    result = run("compare", edges, "-l", file, "--methods", "raw", "--splits", 2, "-q")
    assert_refused(result, "raw failed: RawFeatures needs node features")
