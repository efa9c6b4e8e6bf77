"""The experiments: one list, one file each, every planned setting accepted, every file parsed once."""

from __future__ import annotations

from importlib import resources
from pathlib import Path
from typing import Any

import pytest

from sparsecut import SCE
from sparsecut.lab.paper.experiment_plan import Absent, CellJob, Request
from sparsecut.lab.paper.experiments import EXPERIMENTS
from sparsecut.lab.paper.results_page import read_results, tables_of
from sparsecut.model import published

FILES = sorted(
    path.name.removesuffix(".toml")
    for path in (resources.files("sparsecut") / "lab" / "paper").iterdir()
    if path.name.endswith(".toml")
)


def test_there_is_one_file_per_experiment() -> None:
    assert sorted(EXPERIMENTS) == FILES


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_is_quick_is_part_of_the_experiment(name: str) -> None:
    datasets, methods = EXPERIMENTS[name].quick
    module = EXPERIMENTS[name].module()
    assert set(datasets) <= set(module.COLUMNS)
    assert set(methods) <= set(module.ROWS)


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_every_planned_setting_is_accepted_by_the_estimator(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """All cells, also of graphs whose files are not here."""
    made: list[Any] = []
    module = EXPERIMENTS[name].module()
    make = module.make_model

    def remember(*args: Any, **options: Any) -> Any:
        made.append(make(*args, **options))
        return made[-1]

    monkeypatch.setattr(module, "make_model", remember)
    monkeypatch.setattr(module, "missing", lambda *_, **__: None)
    jobs = module.plan(Request())
    cells = [cell for job in jobs for cell in (job.cells if isinstance(job, CellJob) else [job.cell])]
    assert {cell["dataset"] for cell in cells} == set(module.COLUMNS)
    assert {cell["method"] for cell in cells} == set(module.ROWS)
    assert len(made) >= len(module.COLUMNS) - 2  # SCE, in every column
    for model in made:
        if isinstance(model, SCE):
            model._settings()
    assert not any(isinstance(job, Absent) and job.cell["method"] in ("SCE", "inverse") for job in jobs)


def test_a_file_is_parsed_once_however_many_cells_ask_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []
    parse = published.tomllib.loads

    def count(text: str) -> Any:
        parsed.append(text)
        return parse(text)

    monkeypatch.setattr(published.tomllib, "loads", count)
    published.read_toml.cache_clear()
    jobs = [job for experiment in EXPERIMENTS.values() for job in experiment.module().plan(Request())]
    tables_of(read_results(tmp_path))
    assert len(jobs) > 100
    assert len(parsed) > len(EXPERIMENTS)  # theirs, and those beside the methods
    assert len(parsed) == len(set(parsed))


def test_what_is_read_is_the_files_and_no_override_changes_it() -> None:
    before = published.paper_settings(SCE, "cora")
    published.paper_settings(SCE, "cora")["dimension"] = 1
    SCE.paper("cora", dimension=3)
    assert published.paper_settings(SCE, "cora") == before
    assert before["dimension"] == 512
