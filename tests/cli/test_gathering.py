"""A parameter of a command, in whose place typer sees options."""

from __future__ import annotations

import inspect
from typing import Any

import pytest

from sparsecut.cli.gathering import gathers, option_named


def test_options_stand_in_place_of_the_parameter_and_reach_the_command_as_one_object() -> None:
    got: dict[str, Any] = {}

    def command(name: str, point: tuple[int, int], size: float = 1.5) -> None:
        got.update(name=name, point=point, size=size)

    options = [option_named("x", int, 0), option_named("y", int, 7)]
    run = gathers(command, "point", options, lambda given, others: (given["x"], given["y"], others["size"]))
    seen = inspect.signature(run).parameters
    assert list(seen) == ["name", "x", "y", "size"]
    assert [one.annotation for one in seen.values()] == [str, int, int, float]
    assert [one.default for one in list(seen.values())[1:]] == [0, 7, 1.5]
    run(name="a", x=3, y=7, size=2.5)
    assert got == {"name": "a", "point": (3, 7, 2.5), "size": 2.5}


def test_several_parameters_of_one_command_are_gathered_each() -> None:
    def command(first: int, second: int) -> None:
        assert (first, second) == (6, 20)

    inner = gathers(
        command, "first", [option_named("a", int, 1), option_named("b", int, 1)], lambda given, _: sum(given.values())
    )
    run = gathers(inner, "second", [option_named("c", int, 1)], lambda given, _: 10 * given["c"])
    assert list(inspect.signature(run).parameters) == ["a", "b", "c"]
    run(a=2, b=4, c=2)
    with pytest.raises(KeyError):
        run(a=2, b=4)
