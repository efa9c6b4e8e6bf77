"""Help pages: they fit 80 columns, group the options, and show no type for a flag."""

from __future__ import annotations

from pathlib import Path

import pytest
import typer
from rich.cells import cell_len

from sparsecut.cli import app

COMMANDS = sorted(typer.main.get_command(app).commands)


@pytest.fixture
def page(run, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("NO_COLOR", "1")
    return lambda *words: run(*words, "--help")[1]


@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_fits_80_columns(page, name: str) -> None:
    text = page(name)
    assert text.startswith(f"Usage: {Path('sparsecut').name} {name}")
    assert max(map(cell_len, text.splitlines())) <= 80
    assert "<bool>" not in text
    assert "<str>" not in text


def test_options_are_in_groups_with_choices_and_defaults(page) -> None:
    text = page("embed")
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
        assert f"│ {name} " in text
    assert "Exit codes: 0 done" in text
    assert "--install-completion" in text
