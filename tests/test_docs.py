"""What the pages say holds: links lead somewhere, commands have the options shown. Their examples run by `conftest.py`."""

from __future__ import annotations

import re
import runpy
import shlex
from pathlib import Path
from typing import Any

import pytest
import typer

from sparsecut.cli import app

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md")))
FENCED = re.compile(r"^```sh\n(.*?)^```", re.DOTALL | re.MULTILINE)


def commands_in(text: str) -> list[list[str]]:
    """The words of every line in a shell block that calls `sparsecut`."""
    lines = [shlex.split(line, comments=True) for block in FENCED.findall(text) for line in block.splitlines()]
    return [words[1:] for words in lines if words and words[0] == "sparsecut"]


def parse(words: list[str]) -> None:
    """Parse a command line without running it; a command or an option that does not exist is an error."""
    program: Any = typer.main.get_command(app)
    if not words[0].startswith("-"):
        name, command, rest = program.resolve_command(typer.Context(program), list(words))
        command.make_context(name, rest)


def test_every_command_on_the_pages_can_be_parsed() -> None:
    found = [words for page in PAGES for words in commands_in(page.read_text("utf-8"))]
    assert len(found) > 25
    for words in found:
        parse(words)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("sparsecut embed cora --no-such -o z.npy", "No such option"),
        ("sparsecut embed cora", "Missing"),
        ("sparsecut embbed x", "No such command"),
    ],
)
def test_a_command_that_does_not_exist_is_found(line: str, message: str) -> None:
    (words,) = commands_in(f"```sh\n{line}  # a remark\n```\n")
    with pytest.raises(Exception, match=message):
        parse(words)


def test_contributing_lists_every_room() -> None:
    page = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    rooms = {path.parent.name for path in (ROOT / "src/sparsecut").glob("*/__init__.py")}
    assert set(re.findall(r"^\| `(\w+)/`", page, re.MULTILINE)) == rooms


def test_links_lead_somewhere_and_a_broken_one_is_found(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    check = runpy.run_path(str(ROOT / "docs/check_links.py"))
    assert check["main"]() == 0, capsys.readouterr().out
    page = ROOT / "docs" / "method.md"
    assert check["anchors_of"](page) >= {"the-method", "new-nodes"}
