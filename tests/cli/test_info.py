"""`sparsecut info`: what the report of a defect needs."""

from __future__ import annotations

import json
from importlib import metadata

import pytest
import torch

from sparsecut import __version__, datasets
from sparsecut.base import environment


def test_facts_are_those_of_this_machine(run):
    code, out, error = run("info", "--json")
    assert (code, error) == (0, "")
    facts = json.loads(out)
    assert facts["sparsecut"] == __version__
    assert facts["libraries"]["numpy"] == metadata.version("numpy")
    assert facts["extras"]["explore"]["matplotlib"] == metadata.version("matplotlib")
    assert facts["threads"] == torch.get_num_threads()
    assert len(facts["gpus"]) == torch.cuda.device_count()
    assert facts["data_folders"] == [str(root) for root in datasets.roots()]


def test_all_libraries_of_the_project_are_told():
    import re
    from pathlib import Path

    tomllib = pytest.importorskip("tomllib")
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]

    def names(requirements):
        return tuple(re.match(r"[\w-]+", line).group() for line in requirements)

    assert set(environment.CORE) == set(names(project["dependencies"])) - {"tomli"}
    extras = {name: names(lines) for name, lines in project["optional-dependencies"].items()}
    assert {name: extras[name] for name in environment.EXTRAS} == environment.EXTRAS
    assert set(extras) - set(environment.EXTRAS) <= {"dev", "docs", "release"}  # of the project's own making


def test_they_are_printed_for_people(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    code, out, _ = run("info")
    assert code == 0
    assert f"torch {torch.__version__}" in " ".join(out.split())
    assert max(map(len, out.splitlines())) <= 80
