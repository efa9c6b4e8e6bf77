"""What commands print: tables that fit the terminal, JSON, and the form of errors and notes."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rich.cells import cell_len
from rich.console import Console
from rich.table import Table
from rich.text import Text

from sparsecut.base.errors import InputError
from sparsecut.base.progress import ProgressBar
from sparsecut.cli.gathering import Command, gathers, option_named
from sparsecut.cli.options import AsJson, Quiet, Verbose
from sparsecut.cli.pipes import is_standard

LABELS_PER_CLASS = [5, 20]  # where --per-class is not given: the paper's two settings
N_SPLITS = 50
QUICK_LABELS, QUICK_SPLITS = [20], 5  # with --quick


def print_error(message: str) -> None:
    _console(stderr=True).print(f"Error: {message}", style="red", markup=False)


class Output:
    """What a command prints: tables for people, one JSON object for programs (`--json`), or nothing (`--quiet`).

    `path` is where the command writes its data: where that is `-`, standard output, words go to standard error.
    """

    def __init__(self, as_json: bool, quiet: bool, verbose: bool = False, path: Path | None = None) -> None:
        is_piped = path is not None and is_standard(path)
        if is_piped and as_json:
            raise InputError("--json and -o - would both write to standard output. Leave one of them out.")
        self.as_json = as_json
        self.is_talkative = not (as_json or quiet)
        self.is_verbose = verbose
        self.notes: list[str] = []
        self._console = _console(stderr=is_piped)

    def note(self, message: str) -> None:
        """A remark about the result, once: on standard error so that it never mixes with it, and among the JSON's notes."""
        if message not in self.notes:
            self.notes.append(message)
            self.aside(message)

    def aside(self, message: str) -> None:
        """A remark about the work, for people only."""
        if self.is_talkative:
            _console(stderr=True).print(message, style="dim", markup=False)

    def detail(self, message: str) -> None:
        """A remark printed with `--verbose` alone, on standard error."""
        if self.is_verbose:
            _console(stderr=True).print(message, style="dim", markup=False)

    def warn(self, message: str) -> None:
        """A remark that is shown in any case, each time, for it says what was left out."""
        Console(stderr=True, soft_wrap=True, highlight=False).print(message, style="yellow", markup=False)

    def say(self, message: str) -> None:
        if self.is_talkative:
            self._console.print(message, markup=False)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Print a table; one that is too wide is printed in parts, each with the first column."""
        if not self.is_talkative:
            return
        self._console.print(Text(title, style="italic"))
        for part in _parts(columns, rows, self._console.width):
            table = Table()
            for place in part:
                table.add_column(Text(columns[place]), justify="left" if place == 0 else "right")
            for row in rows:
                if len(part) == len(columns) or any(row[place] for place in part[1:]):
                    table.add_row(*(Text(row[place]) for place in part))
            self._console.print(table, soft_wrap=False)

    def facts(self, rows: Sequence[tuple[str, str]]) -> None:
        """Print names and their values, one below the other."""
        if self.is_talkative:
            grid = Table.grid(padding=(0, 2))
            for name, value in rows:
                grid.add_row(Text(name), Text(value))
            self._console.print(grid, soft_wrap=False)

    def result(self, values: dict[str, Any], *, with_notes: bool = True) -> None:
        """Print the result as one JSON object, with all notes, where `--json` was given."""
        if self.as_json:
            print(json.dumps({**values, "notes": self.notes} if with_notes else values))

    def progress(self) -> ProgressBar:
        return ProgressBar(is_enabled=self.is_talkative, on_end=self.detail if self.is_verbose else None)

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """The library's warnings, as sentences instead of source lines."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for warning in caught:
            self.note(str(warning.message))


def takes_output(command: Command) -> Command:
    """Make of a command with a parameter `output` one with `--json`, `--quiet` and `--verbose` in its place."""
    options = [option_named(*one, False) for one in (("as_json", AsJson), ("quiet", Quiet), ("verbose", Verbose))]
    return gathers(command, "output", options, lambda given, others: Output(**given, path=others.get("output_path")))


def _console(*, stderr: bool) -> Console:
    """A console that wraps lines between words on a terminal, and leaves them whole in a file or a pipe."""
    console = Console(stderr=stderr, highlight=False)
    console.soft_wrap = not console.is_terminal
    return console


def _parts(columns: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[list[int]]:
    """The columns of each part of a table: the first one, and as many others as fit beside it, at least one."""
    cells = [[name, *(row[place] for row in rows)] for place, name in enumerate(columns)]
    widths = [max(cell_len(line) for cell in column for line in cell.split("\n")) + 3 for column in cells]
    parts: list[list[int]] = [[0]]
    for place in range(1, len(columns)):
        taken = 1 + sum(widths[other] for other in parts[-1])
        if len(parts[-1]) > 1 and taken + widths[place] > width:
            parts.append([0])
        parts[-1].append(place)
    return parts


def in_mebibytes(n_bytes: int | None) -> str:
    """A size of memory in words; None where the system does not report it."""
    return "not known" if n_bytes is None else f"{n_bytes / 2**20:,.0f} MiB"
