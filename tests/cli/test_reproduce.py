"""`sparsecut reproduce` as a person runs it: where results go, what is run again, what is refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from conftest import load_or_skip
from shell import sparsecut

QUICK = ("table1", "--dataset", "cora", "--method", "sce", "--splits", "2", "--seeds", "1")


@pytest.mark.slow
def test_results_go_to_a_folder_and_what_is_done_is_skipped(tmp_path: Path) -> None:
    load_or_skip("cora")
    done = sparsecut("reproduce", *QUICK, folder=tmp_path)
    assert "table1: 2 cells run in" in done.stdout
    assert "(74.3 ± 2.7)" in done.stdout
    assert "table1: SCE, cora:" in done.stderr
    cells = json.loads((tmp_path / "sparsecut-results/table1.json").read_text("utf-8"))["cells"]
    assert [(cell["per_class"], cell["n_splits"]) for cell in cells] == [(5, 2), (20, 2)]
    assert (tmp_path / "sparsecut-results.html").exists()
    assert "2 were done" in sparsecut("reproduce", *QUICK, folder=tmp_path).stdout
    again = sparsecut("reproduce", *QUICK, "--force", "--json", folder=tmp_path)
    (experiment,) = json.loads(again.stdout)["experiments"]
    assert [cell["scores"] for cell in experiment["cells"]] == [cell["scores"] for cell in cells]


@pytest.mark.slow
def test_quick_runs_little_into_a_folder_of_its_own(tmp_path: Path) -> None:
    load_or_skip("cora")
    (tmp_path / "docs/results").mkdir(parents=True)
    done = sparsecut("reproduce", "table1", "--quick", "--method", "sce", folder=tmp_path)
    assert "table1: 2 cells run in" in done.stdout
    table = done.stdout[done.stdout.index("Table 1: accuracy (in brackets: the paper's)") :]
    assert "cora, 20" in table
    for absent in ("citeseer", "MoSCE", "DGI", "not run"):
        assert absent not in table
    cells = json.loads((tmp_path / "sparsecut-quick/table1.json").read_text("utf-8"))["cells"]
    assert {(cell["method"], cell["dataset"], cell["n_splits"], cell["seed"]) for cell in cells} == {("SCE", "cora", 2, 0)}
    assert not [*(tmp_path / "docs/results").iterdir()]


def test_the_projects_own_folder_is_taken_where_it_is(tmp_path: Path) -> None:
    (tmp_path / "docs/results").mkdir(parents=True)
    sparsecut("reproduce", "page", folder=tmp_path)
    assert sorted(path.name for path in (tmp_path / "docs").iterdir()) == ["results", "results.html", "results.md"]
    assert not (tmp_path / "sparsecut-results").exists()


def test_methods_to_come_and_features_that_are_absent_are_said(tmp_path: Path) -> None:
    load_or_skip("cora_full")
    from sparsecut import datasets

    if datasets.brings_features("cora_full"):
        pytest.skip("the features of cora_full are at hand")
    sparsecut("reproduce", "loss", "--dataset", "cora_full", "-o", "here", folder=tmp_path)
    assert "its features are not at hand" in (tmp_path / "here.md").read_text("utf-8")
    done = sparsecut("reproduce", "time", "--dataset", "cora_full", "-o", "here", folder=tmp_path)
    assert "0 cells run" in done.stdout


WRONG = {
    "a dataset of another table": (
        ["table1", "--dataset", "flickr"],
        "--dataset flickr is not part of table1. There are: cora",
    ),
    "a method of another table": (
        ["time", "--method", "GAT"],
        "--method GAT is not part of time. There are: G2G, DGI, SCE.",
    ),
    "no splits": (
        ["table1", "--splits", "0"],
        "The --splits parameter of sparsecut reproduce must be an integer of at least 1",
    ),
    "no seeds": (
        ["table1", "--seeds", "0"],
        "The --seeds parameter of sparsecut reproduce must be an integer of at least 1",
    ),
    "a seed below 0": (["table1", "--seed", "-1"], "The --seed parameter of sparsecut reproduce must be"),
    "a file as output": (["page", "-o", "file"], "The output file is a file. -o names the folder of the results."),
    "no folder to make it in": (["page", "-o", "no/where"], "The output folder no/where cannot be made"),
    "results that are none": (["page", "-o", "broken"], "does not hold the results of loss"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_sentence(tmp_path: Path, case: str) -> None:
    (tmp_path / "file").write_text("")
    (tmp_path / "broken").mkdir()
    (tmp_path / "broken/loss.json").write_text("{")
    arguments, message = WRONG[case]
    before = sorted(tmp_path.rglob("*"))
    done = sparsecut("reproduce", *arguments, folder=tmp_path, expect=2)
    assert message in done.stderr
    assert sorted(tmp_path.rglob("*")) == before
