"""What the paper leaves open: every setting marked silent in a file is on the list, and what is on the list is a setting."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sparsecut
from sparsecut.lab.paper.experiments import EXPERIMENTS, read_experiment
from sparsecut.lab.paper.open_settings import open_table, setting_of, settings_by_dataset

PACKAGE = Path(sparsecut.__file__).parent


def silent_settings(name: str) -> set[tuple[str, str]]:
    """Method and setting of every line marked silent; of the lines that are marked alike for all four aggregators one."""
    found, method = set(), ""
    for path in [*PACKAGE.glob("model/*.toml"), *PACKAGE.glob("lab/baselines/**/*.toml")]:
        for line in path.read_text("utf-8").splitlines():
            if section := re.match(rf"\[{name}\.([\w-]+)\.\w+\]", line):
                method = section[1]
            elif line.startswith("["):
                method = ""
            elif method and (marked := re.match(r"([\w.]+) = .*# (?:silent|likewise)", line)):
                found.add((method, marked[1]))
    return found


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_is_marked_silent_is_listed(name: str) -> None:
    listed = {
        (choice["method"], s) for choice in read_experiment(name)["open"] if "method" in choice for s in choice["settings"]
    }
    assert silent_settings(name) <= listed
    if name == "table1":
        assert {("mosce", "aggregation"), ("deepwalk", "window")} <= silent_settings(name)  # the marks are found at all


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_what_is_listed_is_a_setting_or_says_what_was_chosen(name: str) -> None:
    content = read_experiment(name)
    assert content["open"]
    for choice in content["open"]:
        assert choice["how"]
        assert isinstance(choice["by_test_scores"], bool)
        assert ("method" in choice) != ("chosen" in choice)
        for setting in choice.get("settings", ()):
            values = [setting_of(given, setting) for given in settings_by_dataset(name, choice["method"]).values()]
            assert any(value is not None for value in values), (choice["method"], setting)


def test_the_table_reads_what_was_chosen_from_the_settings() -> None:
    rows = [(name, [shown.ours for shown in cells]) for name, cells in open_table().rows]
    chosen = [cells[0] for name, cells in rows if name == "table1: sce"]
    assert "filter.power.order 2" in chosen
    assert "solver.adam.depth 1 (cora, citeseer, cora_full), 2 (pubmed)" in chosen
    assert any(name == "table1: gcn-unsup" and cells[0] == "epochs 60" and cells[2] == "yes" for name, cells in rows)
    n_yes = sum(cells[2] == "yes" for _, cells in rows)
    assert open_table().remarks == [f"{n_yes} of these {len(rows)} choices were made in view of test scores."]
