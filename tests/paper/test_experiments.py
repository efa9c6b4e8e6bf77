"""The experiments' files: every published row complete, equal to what the others say, every setting accepted."""

from __future__ import annotations

import math
from importlib import resources
from typing import Any

import pytest

from sparsecut import SCE, datasets
from sparsecut.model.published import read_experiment
from sparsecut.paper import figure, inductive, loss, table1, timing
from sparsecut.paper.plan import Absent, Job, Request
from sparsecut.paper.runner import EXPERIMENTS

FILES = sorted(
    path.name.removesuffix(".toml")
    for path in (resources.files("sparsecut") / "paper").iterdir()
    if path.name.endswith(".toml")
)


def test_there_is_one_file_an_experiment() -> None:
    assert sorted(EXPERIMENTS) == FILES


def test_every_row_of_table1_is_complete() -> None:
    assert table1.ROWS == ("GCN", "SGC", "GAT", "MixHop", "DeepWalk", "GCN-unsup", "G2G", "DGI", "SCE", "MoSCE")
    for method in table1.ROWS:
        for dataset in table1.COLUMNS:
            for count in table1.LABEL_COUNTS:
                mean, std = table1.published_figure(method, dataset, count)
                assert 0 < std < mean < 100
        rows = next(rows for rows in read_experiment("table1")["published"].values() if method in rows)
        assert len(rows[method]) == 8


def test_every_row_of_the_loss_is_complete_and_its_last_is_table1s() -> None:
    assert loss.ROWS == ("none", "negative", "inverse")
    for method in loss.ROWS:
        assert len(read_experiment("loss")["published"][method]) == len(loss.COLUMNS)
    for dataset in loss.COLUMNS:
        assert loss.published_figure("inverse", dataset) == table1.published_figure("SCE", dataset, 20)
    assert loss.published_figure("negative", "pubmed") == (65.4, 3.3)
    assert set(read_experiment("loss")["settings"]) == set(loss.ROWS)


def test_every_row_of_the_times_is_complete() -> None:
    assert timing.ROWS == ("G2G", "DGI", "SCE")
    assert [timing.published_seconds("SCE", dataset) for dataset in timing.COLUMNS] == [0.1, 1.4, 2.3, 0.9]
    assert timing.published_seconds("DGI", "cora_full") == 548.2
    assert all(len(row) == len(timing.COLUMNS) for row in read_experiment("time")["published"].values())
    assert read_experiment("time")["n_runs"] == 10


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


def test_stand_ins_have_the_sizes_of_the_papers_table() -> None:
    for name, about in read_experiment("inductive")["standins"].items():
        paper = datasets.find_dataset(about["settings"]).paper
        assert paper is not None
        assert name == f"{about['settings']} stand-in"
        assert tuple(about[key] for key in ("nodes", "edges", "features", "classes")) == paper


def test_graphs_are_known_and_their_settings_are_the_papers() -> None:
    for name, about in read_experiment("inductive")["graphs"].items():
        for graph in [about["train_on"], about["meet"]] if "train_on" in about else [name]:
            datasets.find_dataset(graph)
        SCE.paper(about["settings"])
        if "fractions" in about:
            assert 0 < sum(about["fractions"]) < 1


def test_the_figure_has_the_papers_panels() -> None:
    assert figure.COLUMNS == table1.COLUMNS
    assert figure.ROWS == ("SCE", "DGI")


@pytest.mark.parametrize("name", [name for name in EXPERIMENTS if name != "leave_out"])  # which has no method but one
def test_every_planned_setting_is_accepted_by_the_estimator(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cells, also of graphs whose files are not here."""
    made: list[Any] = []
    module = EXPERIMENTS[name]
    make = module.make_model

    def remember(*args: Any, **options: Any) -> Any:
        made.append(make(*args, **options))
        return made[-1]

    monkeypatch.setattr(module, "make_model", remember)
    monkeypatch.setattr(module, "missing", lambda *_, **__: None)
    jobs = module.plan(Request())
    cells = [cell for job in jobs for cell in (job.cells if isinstance(job, Job) else [job.cell])]
    assert {cell["dataset"] for cell in cells} == set(module.COLUMNS)
    assert {cell["method"] for cell in cells} == set(module.ROWS)
    assert len(made) >= len(module.COLUMNS) - 2  # SCE, in every column
    for model in made:
        if isinstance(model, SCE):
            model._check()
    assert not any(isinstance(job, Absent) and job.cell["method"] in ("SCE", "inverse") for job in jobs)


def test_settings_of_the_time_table_by_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    """128 dimensions on Pubmed and Cora Full, and 20, 200, 100, 20 epochs."""
    monkeypatch.setattr(timing, "missing", lambda *_: None)
    settings = {cell["dataset"]: cell["settings"] for job in timing.plan(Request(methods=["SCE"])) for cell in job.cells}
    assert [settings[dataset]["epochs"] for dataset in timing.COLUMNS] == [20, 200, 100, 20]
    assert [settings[dataset]["dimension"] for dataset in timing.COLUMNS] == [512, 512, 128, 128]


def test_the_losses_differ_in_the_loss_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(loss, "missing", lambda *_: None)
    for dataset in loss.COLUMNS:
        cells = {job.cells[0]["method"]: job.cells[0] for job in loss.plan(Request(datasets=[dataset]))}
        common = [{k: v for k, v in cell["settings"].items() if k not in ("loss", "alpha")} for cell in cells.values()]
        assert common[0] == common[1] == common[2]
        assert len({cell["seed"] for cell in cells.values()}) == 1
        assert [cell["settings"]["loss"] for cell in cells.values()] == list(cells)
        assert cells["inverse"]["settings"]["alpha"] == SCE.paper(dataset).alpha
