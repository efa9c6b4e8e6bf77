"""The command line of the benchmarks that keep cells: resumed, forced, refused in a sentence."""

from __future__ import annotations

import json
import runpy
import sys
from pathlib import Path

import pytest

import beyond
from cells import run_benchmark
from standins import stand_in

BENCHMARKS = Path(__file__).parents[2] / "benchmarks"


def run(capsys: pytest.CaptureFixture[str], folder: Path, *arguments: str) -> str:
    asked = [*arguments, "-o", str(folder)]
    run_benchmark("beyond", beyond.plan, columns=beyond.COLUMNS, rows=beyond.ROWS, arguments=asked)
    return capsys.readouterr().out


def test_a_benchmark_is_resumed_where_it_ended(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    graph = stand_in(n_nodes=160, n_edges=800, n_features=30, n_classes=2, random_state=0)
    monkeypatch.setattr(beyond, "load_graph", lambda _: graph)
    monkeypatch.setattr(beyond, "missing", lambda _: None)
    quick = ("--dataset", "DBLP", "--splits", "1")
    assert "1 cells run, 0 were done" in run(capsys, tmp_path, *quick, "--method", "PCA")
    assert "1 cells run, 1 were done" in run(capsys, tmp_path, *quick, "--method", "pca", "--method", "raw")
    assert "1 cells run, 0 were done" in run(capsys, tmp_path, *quick, "--method", "raw", "--force")
    kept = json.loads((tmp_path / "beyond.json").read_text("utf-8"))["cells"]
    assert [(cell["method"], cell["dataset"], cell["n_splits"]) for cell in kept] == [("PCA", "dblp", 1), ("raw", "dblp", 1)]
    assert all({"date", "cpu", "cores", "python"} <= set(cell["environment"]) for cell in kept)


def test_a_name_that_is_not_in_the_table_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match=r"--method GAT is not part of beyond\. There are: default, MoSCE-default, SCE,"):
        run(capsys, tmp_path, "--method", "GAT")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("name", ["beyond", "leave_out", "usual_splits", "inductive_standins"])
def test_each_of_them_is_a_command(name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", [f"{name}.py", "--help"])
    with pytest.raises(SystemExit) as ended:
        runpy.run_path(str(BENCHMARKS / f"{name}.py"), run_name="__main__")
    assert ended.value.code == 0
    assert f"{name}.json" in capsys.readouterr().out
