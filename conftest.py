"""Every example in a docstring or on a page is a test.

- A docstring's `>>>` lines are one test, in a namespace of their own: an example shows its imports.
- The ```python and ```sh blocks of a page share one namespace and one temporary folder, in the order of the page. Of a ```sh
  block the lines that begin with `sparsecut` are run. What a page needs and does not show is made in a comment,
  `<!-- invisible-code-block: python … -->`; a block that cannot run here is preceded by `<!-- skip: next "why" -->`.
"""

from __future__ import annotations

import doctest
import os
import shlex
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from sybil import Document, Example, Region, Sybil
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser, SkipParser

os.environ.setdefault("MPLBACKEND", "Agg")  # no window opens during the tests


def parse_docstring(docstring: Document) -> Iterable[Region]:
    """All examples of one docstring as one region."""
    examples = doctest.DocTestParser().get_examples(docstring.text, docstring.path)
    if examples:
        start = docstring.text.index(">>>")
        yield Region(start, len(docstring.text), examples, run_docstring)


def run_docstring(example: Example) -> str:
    test = doctest.DocTest(example.parsed, {"__name__": "__main__"}, "example", example.path, example.line - 1, None)
    output: list[str] = []
    doctest.DocTestRunner(verbose=False, optionflags=doctest.ELLIPSIS).run(test, out=output.append)
    return "".join(output)


def run_commands(example: Example) -> None:
    """The lines of a shell block that call `sparsecut`, run in this process."""
    from shell import sparsecut

    for line in example.parsed.splitlines():
        words = shlex.split(line, comments=True)
        if words and words[0] == "sparsecut":
            sparsecut(*words[1:], folder=Path.cwd())


def enter_folder(namespace: dict[str, Any]) -> None:
    namespace["_folder"] = tempfile.TemporaryDirectory()
    namespace["_before"] = Path.cwd()
    os.chdir(namespace["_folder"].name)


def leave_folder(namespace: dict[str, Any]) -> None:
    import sys

    os.chdir(namespace["_before"])
    namespace["_folder"].cleanup()
    if "matplotlib.pyplot" in sys.modules:
        sys.modules["matplotlib.pyplot"].close("all")


_of_pages = Sybil(
    parsers=[PythonCodeBlockParser(), CodeBlockParser("sh", run_commands), SkipParser()],
    patterns=["README.md", "docs/*.md"],
    setup=enter_folder,
    teardown=leave_folder,
)
_of_docstrings = Sybil(parsers=[parse_docstring], path="src", pattern="*.py", setup=enter_folder, teardown=leave_folder)
_collect = (_of_pages + _of_docstrings).pytest()


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix not in (".py", ".md") or (file_path.suffix == ".py" and b">>>" not in file_path.read_bytes()):
        return None
    return _collect(file_path, parent)
