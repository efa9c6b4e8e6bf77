"""What the pages say holds: links lead somewhere, commands have the options shown. Their examples run by `conftest.py`."""

from __future__ import annotations

import re
import runpy
import shlex
from fnmatch import fnmatch
from pathlib import Path
from typing import Any

import pytest
import typer

import sparsecut
from sparsecut.cli import app
from sparsecut.cli.command_files import command_names

ROOT = Path(__file__).parents[1]
PAGES = (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
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


def test_the_reference_lists_every_public_name_once() -> None:
    page = (ROOT / "docs/api.md").read_text("utf-8")
    blocks = re.findall(r"\.\. autosummary::\n   :toctree: api\n\n((?:   \w+\n)+)", page)
    listed = [name for block in blocks for name in block.split()]
    of_datasets = {"load_splits", "load_roles", "names"}
    assert sorted(set(listed) - of_datasets) == sorted(set(sparsecut.__all__) - {"__version__", "datasets"})
    assert sorted(name for name in set(listed) if listed.count(name) > 1) == ["load"]  # of models, and of datasets


def test_the_reference_has_the_choices_of_today() -> None:
    page = (ROOT / "docs/api.md").read_text("utf-8")
    assert runpy.run_path(str(ROOT / "docs/api_page.py"))["with_choices"](page) == page, "run python docs/api_page.py"


def test_every_page_is_on_the_site() -> None:
    index = (ROOT / "docs/index.md").read_text("utf-8")
    entries = [
        line
        for block in re.findall(r"^```\{toctree\}\n(.*?)^```", index, re.DOTALL | re.MULTILINE)
        for line in block.split()
    ]
    pages = {str(path.relative_to(ROOT / "docs").with_suffix("")) for path in (ROOT / "docs").rglob("*.md")} - {"index"}
    assert {page for page in pages if not any(fnmatch(page, entry) for entry in entries)} == set()


def test_a_broken_site_is_found(tmp_path: Path) -> None:
    check = runpy.run_path(str(ROOT / "docs/check_site.py"))
    (tmp_path / "a.html").write_text(
        '<h1 id="top">A</h1><a href="b.html#there">b</a><a href="https://elsewhere.example">e</a>'
    )
    (tmp_path / "b.html").write_text('<h1 id="there">B</h1><a href="a.html#top">a</a><img src="data:,">')
    assert list(check["problems_of"](tmp_path)) == []
    (tmp_path / "b.html").write_text(
        '<a href="c.html">c</a><a href="#no">n</a><script src="https://cdn.example/x.js"></script>'
    )
    assert list(check["problems_of"](tmp_path)) == [
        "a.html: b.html#there has no such anchor",
        "b.html loads https://cdn.example/x.js from the network",
        "b.html: c.html does not exist",
        "b.html: #no has no such anchor",
    ]


def test_the_pages_name_every_command_and_engines_that_are_there() -> None:
    from sparsecut.engines import EngineChoice

    commands = set(command_names())
    page = (ROOT / "docs" / "command_line.md").read_text("utf-8").partition("```sh")[0]
    listed = {name for row in re.findall(r"^\| (`.*?) \|", page, re.M) for name in re.findall(r"`(\w+)`", row)}
    assert listed == commands
    words = set(EngineChoice.words())
    row = re.search(r"^\| `engine` \| (.*?) \|", (ROOT / "docs" / "choices.md").read_text("utf-8"), re.M)
    assert row is not None
    assert set(re.findall(r"`(\w+)`", row[1])) <= words
    about = re.search(r"\n    engine : .*?(?=\n    \w+ :)", str(sparsecut.SCE.__doc__), re.S)
    assert about is not None
    assert {"memory", "disk", "dask"} <= words & set(re.findall(r'"(\w+)"', about[0]))
