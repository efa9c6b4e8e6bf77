"""`sparsecut datasets`, as a person and as a program reads it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

from shell import sparsecut
from sparsecut.cli import main
from sparsecut.datasets import DATASETS


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Run the command where only Cora Full's graph is at hand."""
    folder = tmp_path / "data/CitationFull/cora/raw"
    folder.mkdir(parents=True)
    for name in ("cora_full_edges.tsv", "cora_full_labels.txt"):
        (folder / name).touch()
    monkeypatch.setenv("SPARSECUT_DATA", str(tmp_path / "data"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.setenv("NO_COLOR", "1")

    def run_command(*arguments: str) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sparsecut", "datasets", *arguments])
        with pytest.raises(SystemExit) as exited:
            main()
        return exited.value.code, *capsys.readouterr()

    return run_command


def test_the_table_has_a_row_for_each(run: Any, tmp_path: Path) -> None:
    code, out, err = run()
    assert (code, err) == (0, "")
    rows = {
        cells[0]: cells[1:]
        for line in out.splitlines()
        if len(cells := [c.strip() for c in line.strip("│").split("│")]) == 6
    }
    assert list(rows) == list(DATASETS)
    assert rows["digits"] == ["1,797", "12,339", "64", "10", "yes"]
    assert rows["cora"] == ["2,708", "5,278", "1,433", "7", "no"]
    assert rows["cora_full"] == ["19,793", "63,421", "8,710", "70", "part"]
    assert f"looked for in {tmp_path}/data, then {tmp_path}/home/sparsecut" in out


def test_one_in_full(run: Any, tmp_path: Path) -> None:
    code, out, _ = run("citeseer")
    assert code == 0
    lines = out.splitlines()
    assert lines[:3] == [
        "citeseer: computer science papers and their citations",
        "3,327 nodes, 4,552 edges, 3,703 features, 6 classes",
        "In the paper: 3,327 nodes, 4,732 edges, 3,703 features, 6 classes",
    ]
    assert lines[3] == ("Official splits: one, with 120 nodes to train on, 500 to validate on, 1,000 to test on")
    assert lines[4].startswith(
        "Note: The paper counts edges with their repeats in the raw files, and 124 self-loops. 15 nodes"
    )
    assert lines[5:9] == [
        "From: https://github.com/kimiyoung/planetoid, folder data",
        "Licence: MIT (the repository that publishes it)",
        f"Cite: {DATASETS['citeseer'].citation}",
        "Here: no",
    ]
    assert lines[9:12] == [
        "  Planetoid/CiteSeer/raw/ind.citeseer.x",
        "    from https://github.com/kimiyoung/planetoid/raw/master/data/ind.citeseer.x",
        "    SHA-256 d20de19150741e555de0ed037195630fc194114ebc7fd72ced62810148aa22f6",
    ]
    assert len(lines) == 9 + 3 * 8
    assert "Official splits: 10, the first with 409 nodes" in run("chameleon-filtered")[1]
    assert f"Here: yes, in {tmp_path}/data, without features" in run("cora_full")[1]
    assert "Here: built in" in run("digits")[1]


def test_what_is_not_known_is_said(run: Any) -> None:
    out = run("reddit")[1]
    assert "Licence: not stated by its publishers" in out
    assert "Roles: 153,431 nodes to train on, 23,831 to validate on, 55,703 to test on" in out
    assert "from https://data.dgl.ai/dataset/reddit.zip, in which reddit_data.npz" in out
    assert "SHA-256 not verified here, of the archive 9a16353c" in out
    assert "served by no host that is known" in run("blogcatalog")[1]


def test_as_json(run: Any, tmp_path: Path) -> None:
    code, out, err = run("--json")
    assert (code, err) == (0, "")
    told = json.loads(out)
    assert list(told) == list(DATASETS)
    assert {name: [d[key] for key in ("nodes", "edges", "features", "classes")] for name, d in told.items()} == {
        name: list(dataset.sizes) for name, dataset in DATASETS.items()
    }
    assert (told["cora"]["is_here"], told["cora"]["folder"], told["cora"]["with_features"]) == (False, None, None)
    full = json.loads(run("cora_full", "--json")[1])["cora_full"]
    assert (full["is_here"], full["folder"], full["with_features"]) == (True, str(tmp_path / "data"), False)
    assert full["paper"] == {"nodes": 19793, "edges": 65311, "features": 8710, "classes": 70}
    assert [file["path"].split("/")[-1] for file in full["files"]] == [
        "cora.npz",
        "cora_full_edges.tsv",
        "cora_full_labels.txt",
    ]
    flickr = told["flickr"]
    assert flickr["roles"] == {"train": 44625, "validation": 22312, "test": 22313}
    assert flickr["files"][0]["sha256"] is None
    assert (flickr["split_sizes"], told["cora"]["split_sizes"]) == ([], [[140, 500, 1000]])


def test_a_name_that_is_none(run: Any) -> None:
    code, out, err = run("imdb")
    assert (code, out) == (2, "")
    assert err.startswith("Error: There is no dataset 'imdb'. There are: digits, cora, ")


def test_datasets_lists_and_describes(tmp_path: Path) -> None:
    assert "cora" in sparsecut("datasets", folder=tmp_path).stdout
    assert "1,797 nodes, 12,339 edges, 64 features, 10 classes" in sparsecut("datasets", "digits", folder=tmp_path).stdout
    assert "There is no dataset 'imdb'" in sparsecut("datasets", "imdb", folder=tmp_path, expect=2).stderr
