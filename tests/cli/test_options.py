"""Options: every one in a group, its choices shown."""

from __future__ import annotations

import pytest
import typer

from sparsecut.cli import app
from sparsecut.cli.options import GROUPS, METHOD, option

PROGRAM = typer.main.get_command(app)


@pytest.mark.parametrize("name", sorted(PROGRAM.commands))
def test_every_option_has_a_group_and_says_what_it_takes(name: str) -> None:
    for param in PROGRAM.commands[name].params:
        if param.param_type_name == "option":
            assert param.rich_help_panel in GROUPS, param.name
            assert param.help, param.name
            assert param.is_flag or param.metavar, param.name


def test_short_choices_stand_for_the_type_and_long_ones_are_named() -> None:
    short = option(METHOD, "Where.", choices=("here", "there"))
    assert (short.metavar, short.help) == ("here|there", "Where.")
    long = option(METHOD, "Where.", choices=("somewhere", "elsewhere"))
    assert (long.metavar, long.help) == ("WORD", "Where. One of somewhere, elsewhere.")
