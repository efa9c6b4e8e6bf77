"""Help pages: they fit a screen of 80 columns, group the options, and show no type for a flag."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import typer
from rich.cells import cell_len

from sparsecut.cli import app, help_pages

COMMANDS = sorted(typer.main.get_command(app).commands)
SCREEN = 40  # lines


@pytest.fixture
def page(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return lambda *words: run(*words, "--help")[1]


@pytest.fixture
def whole_page(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return lambda *words: run(*words, "--help-all")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_fits_a_screen_and_the_whole_one_80_columns(page, whole_page, name: str) -> None:
    for text in (page(name), whole_page(name)):
        assert text.startswith(f"Usage: {Path('sparsecut').name} {name}")
        assert max(map(cell_len, text.splitlines())) <= 80
        assert "<bool>" not in text
        assert "<str>" not in text
    assert len(page(name).splitlines()) <= SCREEN


@pytest.mark.parametrize("name", COMMANDS)
def test_a_short_page_explains_or_names_every_option_once(page, name: str) -> None:
    command = typer.main.get_command(app).commands[name]
    explained, _, named = page(name).partition("More, explained by --help-all")
    for option in command.params:
        if option.param_type_name == "option":
            longest = re.escape(max(option.opts, key=len))
            places = [
                bool(re.search(rf"^ (-\w, )?{longest}\b(?!-)", explained, re.M)),
                bool(re.search(rf" {longest}(\s|$)", named)),
            ]
            assert sum(places) == 1, (longest, places)
            assert places[0] or not option.required


def test_the_first_options_have_no_word_that_no_command_has() -> None:
    taken = {
        word for name in COMMANDS for option in typer.main.get_command(app).commands[name].params for word in option.opts
    }
    assert {*help_pages.FIRST} - taken == {"--help"}  # which every page adds itself
    assert {name for members in help_pages.PURPOSES.values() for name in members} <= {*COMMANDS}


def test_the_program_alone_shows_three_commands_that_are_there(run, monkeypatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    code, text, error = run()
    assert (code, error) == (0, "")
    shown = re.findall(r"^ +sparsecut (\w+)", text, re.M)
    assert shown == ["demo", "embed", "report"]
    assert len(text.splitlines()) <= 24
    assert "sparsecut --help" in text


def test_options_are_in_groups_with_choices_and_defaults(whole_page) -> None:
    text = whole_page("embed")
    places = [text.index(f"─ {group} ─") for group in ("Arguments", "Reading", "Method", "Engine", "Output")]
    assert places == sorted(places)
    reading, method, engine, output = (text[start:end] for start, end in zip(places[1:], [*places[2:], None], strict=True))
    assert "--features FILE" in reading
    assert "--header, --no-header" in reading
    assert "--seed N" in method
    assert "[default: 0]" in method
    assert "--engine WORD" in engine
    assert "disk: rows on disk" in engine
    assert "[default: memory]" in " ".join(engine.replace("│", " ").split())
    assert "-o, --output FILE" in output
    assert "[required]" in output
    (force,) = (line for line in output.splitlines() if "--force" in line)
    assert force.split() == ["│", "--force", "Replace", "files", "that", "exist.", "│"]
    assert "-h, --help" in output


def test_the_program_lists_its_commands_and_exit_codes(page) -> None:
    text = page()
    for name in COMMANDS:
        assert len(re.findall(rf"^  {name}  +[A-Z].*\.", text, re.M)) == 1  # a line of its own, and a sentence
    assert len(text.splitlines()) <= SCREEN
    assert "Exit codes: 0 done" in text
    assert "--install-completion" in text
