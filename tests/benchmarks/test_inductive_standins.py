"""Inductive learning on stand-ins: the paper's sizes, trained on as many nodes as the real graph's roles have."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import inductive_standins
from sparsecut import datasets
from sparsecut.lab.baselines import methods
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Request
from sparsecut.lab.paper.results import Results
from sparsecut.lab.paper.runner import run_jobs
from stamps import TODAY


def silent(*_: object) -> None:
    """No progress."""


def test_stand_ins_have_the_sizes_of_the_papers_table() -> None:
    for name, about in inductive_standins.SIZES.items():
        paper = datasets.find_dataset(about["settings"]).paper
        assert paper is not None
        assert name == f"{about['settings']} stand-in"
        assert tuple(about[key] for key in ("nodes", "edges", "features", "classes")) == paper


def test_a_cell_is_timed_on_as_many_nodes_as_the_roles_have(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    small = {"settings": "flickr", "nodes": 300, "edges": 900, "features": 20, "classes": 3}
    monkeypatch.setitem(inductive_standins.SIZES, "flickr stand-in", small)
    roles = type("Roles", (), {"role_sizes": (150, 75, 60)})
    monkeypatch.setattr(inductive_standins.datasets, "find_dataset", lambda _: roles)
    jobs = inductive_standins.plan(Request(["flickr stand-in"], ["SCE"]))
    results, _ = run_jobs("inductive_standins", jobs, tmp_path, silent, silent)
    (cell,) = results.cells
    sizes = {name: cell[name] for name in ("seen_nodes", "met_nodes", "met_edges", "test_nodes", "n_runs")}
    assert sizes == {"seen_nodes": 150, "met_nodes": 300, "met_edges": 900, "test_nodes": 60, "n_runs": 1}
    assert 150 < cell["seen_edges"] < 300  # about a quarter of the edges have both ends among half of the nodes
    assert cell["seconds"] > 0
    assert "mean" not in cell  # a stand-in's scores would say nothing


def test_what_learns_nothing_is_no_row_and_what_is_not_registered_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    assert not {"raw-features", "smoothed-features"} & set(inductive_standins.ROWS)
    monkeypatch.delitem(methods.METHODS, "graphsage-pool")
    (job,) = inductive_standins.plan(Request(["reddit stand-in"], ["GraphSAGE-pool"]))
    assert isinstance(job, Absent)
    assert job.reason == "not in this version"
    (job,) = inductive_standins.plan(Request(["reddit stand-in"], ["SCE"]))
    assert isinstance(job, CellJob)


def test_seconds_stand_beside_the_papers_and_are_not_judged(tmp_path: Path) -> None:
    results = Results(tmp_path, "inductive_standins")
    timed: dict[str, Any] = {"seconds": 2.0, "transform_seconds": 0.1, "seen_nodes": 5000, "seen_edges": 7}
    results.add([{"method": "SCE", "dataset": "flickr stand-in", **timed, "code": TODAY}])
    table = inductive_standins.table(results)
    shown = dict(table.rows)["SCE"][table.columns.index("flickr stand-in")]
    assert (shown.ours, shown.paper, shown.verdict) == ("2.00 s", "16 s on the real one", "alone")
    assert shown.remark == "5,000 nodes, 7 edges; transform 0.10 s"
    assert dict(table.rows)["DGI"][table.columns.index("reddit stand-in")].ours == "not run"
