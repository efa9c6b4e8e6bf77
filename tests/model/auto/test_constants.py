"""Constants of the choices: the page about the method lists every one that changes the answer, with its value."""

from __future__ import annotations

import re
from dataclasses import FrozenInstanceError, asdict
from pathlib import Path

import pytest

from conftest import random_graph
from sparsecut import SCE
from sparsecut.model.auto.constants import CONSTANTS, Constants, FilterRule, SpectrumRule

PAGE = Path(__file__).parents[3] / "docs" / "method.md"


def test_the_page_lists_what_changes_the_answer() -> None:
    listed = dict(re.findall(r"^\| `(\w+\.\w+)` \| ([\d., ]+) \|", PAGE.read_text("utf-8"), re.MULTILINE))
    rules = {group: values for group, values in asdict(CONSTANTS).items() if not group.endswith("_cost")}
    shipped = {f"{group}.{name}": value for group, values in rules.items() for name, value in values.items()}
    values = {name: tuple(map(float, value.split(", "))) for name, value in listed.items()}
    assert {name: value if len(value) > 1 else value[0] for name, value in values.items()} == shipped


def test_constants_are_passed_in_and_never_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        CONSTANTS.filter.tie = 1.0  # type: ignore[misc]

    class Few(SCE):
        constants = Constants(spectrum=SpectrumRule(n_directions=3), filter=FilterRule(min_edges=10))

    graph = random_graph(60, 12)
    model = Few(channels="smoothed").fit(graph)
    assert model.embedding_.shape[1] == 3
    assert "held-out edges" in model.explain()
    assert SCE(channels="smoothed").fit(graph).embedding_.shape[1] > 3
