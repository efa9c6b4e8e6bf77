"""Public docstrings are complete: an entry for every parameter, what is returned, an example that runs (`conftest.py`)."""

from __future__ import annotations

import ast
import inspect
import re
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import sparsecut
from sparsecut.base.choice import Choice

# Rooms whose public names are documented so.
DOCUMENTED = ("graph", "io", "datasets", "operators", "engines", "model", "cuts", "evaluation", "explore")

PUBLIC = [name for name in sparsecut.__all__ if getattr(getattr(sparsecut, name), "__module__", "").split(".")[1:2]]


def callables() -> dict[str, Any]:
    """The public functions, classes and methods of the documented rooms, by name."""
    found: dict[str, Any] = {}
    for name in PUBLIC:
        value = getattr(sparsecut, name)
        if value.__module__.split(".")[1] not in DOCUMENTED:
            continue
        found[name] = value
        # The methods of a choice are for those who write one of their own: docs/choices.md and the contract explain them.
        if inspect.isclass(value) and not issubclass(value, Choice):
            methods = inspect.getmembers(value, lambda member: inspect.isfunction(member) or inspect.ismethod(member))
            found |= {f"{name}.{method}": function for method, function in methods if not method.startswith("_")}
    return found


def entries_of(docstring: str) -> dict[str, str]:
    """The entries of a docstring's section Parameters: the text of each by its name."""
    section = re.search(r"^Parameters\n-+\n(.*?)(?=^\w[\w ]*\n-+$|\Z)", docstring, re.DOTALL | re.MULTILINE)
    if section is None:
        return {}
    parts = re.split(r"^\**(\w+(?:, \w+)*)(?: : (.+))?$", section.group(1), flags=re.MULTILINE)
    entries = zip(parts[1::3], parts[3::3], strict=True)
    return {name: text.strip() for names, text in entries for name in names.split(", ")}


@pytest.mark.parametrize("name", callables())
def test_every_parameter_has_an_entry_that_says_something(name: str) -> None:
    value = callables()[name]
    parameters = [parameter for parameter in inspect.signature(value).parameters if parameter != "self"]
    entries = entries_of(inspect.getdoc(value) or "")
    assert sorted(entries) == sorted(parameters)
    assert all(entries.values())


@pytest.mark.parametrize("name", callables())
def test_what_is_returned_is_said_and_shown(name: str) -> None:
    value = callables()[name]
    docstring = inspect.getdoc(value) or ""
    returns = inspect.signature(value).return_annotation
    if not inspect.isclass(value) and returns not in (None, "None"):
        assert "\nReturns\n-------\n" in docstring
    if "." not in name:  # an example of a method may stand in its class
        assert ">>> " in docstring.partition("\nExamples\n--------\n")[2]


def test_sections_are_read_as_numpydoc_has_them() -> None:
    parameters = "Parameters\n----------\na : int\n    First.\nb : str, default='x'\n    Second.\n"
    docstring = f"One line.\n\n{parameters}\nReturns\n-------\nint\n    c : not a parameter.\n"
    assert entries_of(docstring) == {"a": "First.", "b": "Second."}
    assert entries_of("Nothing.") == {}


SOURCE = Path(sparsecut.__file__).parent

# Phrases that readers had to guess at, and what to say instead (CONTRIBUTING has the rule: the words of the field).
RIDDLES = {
    r"^The same\b": "say what the function returns",
    r"^(Of|Those|That of)\b": "begin with the thing itself: 'The seeds of …'",
    r"\btold\b": "predicted (R²), ranked (AUC), reported, named or identified",
    r"\basked for\b": "requested, or needed",
    r"\blooked at\b": "read, checked or visited",
    r"\b(row|rows|label|labels|number|numbers|line|vector|vectors) an? (node|class|row|entry|edge)\b": "one row per node",
    r"\bby what \w+ moved\b": "the change of Z",
    r"\bwhat is too little is refused\b": "raises an error naming the smallest one that works",
}


@cache
def docstrings() -> list[tuple[str, str]]:
    """Every docstring of the source, with its place."""
    found = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef):
                words = ast.get_docstring(node)
                if words:
                    found.append((f"{path.relative_to(SOURCE)}: {getattr(node, 'name', 'the module')}", words))
    return found


@pytest.mark.parametrize("riddle", RIDDLES)
def test_docstrings_say_the_thing_itself(riddle: str) -> None:
    every = docstrings()
    assert len(every) > 500  # they are found
    found = [place for place, words in every if re.search(riddle, words, re.IGNORECASE if riddle[0] != "^" else 0)]
    assert not found, f"say {RIDDLES[riddle]!r} in place of {riddle!r}: {found}"
