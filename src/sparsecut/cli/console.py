"""What several commands share: options, tables, JSON, and the form of errors and notes."""

from __future__ import annotations

import json
import resource
import sys
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from sparsecut.progress import ProgressBar

AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object on standard output and nothing else.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only errors.")]
Device = Annotated[str, typer.Option(help="auto, cpu, cuda or cuda:N.")]
GraphName = Annotated[
    str,
    typer.Argument(
        metavar="GRAPH",
        help="A dataset's name or a file: an edge list (CSV, TSV, text, gzip, Parquet, Feather), Matrix Market, npz, .mat, "
        "GraphML, GML, node-link JSON, METIS, Planetoid, .h5ad; or a folder made by build_store.",
    ),
]
Features = Annotated[
    str | None,
    typer.Option(
        "--features",
        "-f",
        help="Features: .npy, .npz, .json, a table keyed by node id (CSV, Parquet), columns of the node table: age,country, "
        "or what the graph file holds: node attributes of GraphML, GML and JSON, X_pca of an .h5ad.",
    ),
]
OutputPath = Annotated[
    Path, typer.Option("--output", "-o", help="Where to write: .parquet, .npy, .npz, .csv, .w2v, .vec or .tsv (projector).")
]
Metric = Annotated[str, typer.Option(help="cosine, which ignores the lengths of vectors, or euclidean.")]
Probe = Annotated[str, typer.Option(help="paper (C = 1) or tuned (C chosen on validation nodes).")]
PerClass = Annotated[
    list[int] | None,
    typer.Option(help="Number of labels per class to train on; may be repeated. [default: 5 and 20]", show_default=False),
]
Splits = Annotated[int, typer.Option(help="Number of splits, at most as many as there are.")]
SplitKind = Annotated[
    str,
    typer.Option(
        help="How labelled nodes are split: random (so many per class), 10-10-80 (percent to train on, to validate on and "
        "to test on, of all of them), or what was made for a dataset: official (by its publishers), public (Planetoid's), "
        "published (the paper's 50)."
    ),
]
Force = Annotated[bool, typer.Option("--force", help="Replace files that exist.")]


LABELS_PER_CLASS = [5, 20]  # where --per-class is not given: the paper's two settings


def print_error(message: str) -> None:
    Console(stderr=True, soft_wrap=True, highlight=False).print(f"Error: {message}", style="red", markup=False)


class Output:
    """What a command prints: tables for people, one JSON object for programs (`--json`), or nothing (`--quiet`)."""

    def __init__(self, as_json: bool, quiet: bool) -> None:
        self.as_json = as_json
        self.is_talkative = not (as_json or quiet)
        self.notes: list[str] = []
        self._console = Console(soft_wrap=True, highlight=False)

    def note(self, message: str) -> None:
        """A remark about the result, once: on standard error so that it never mixes with it, and among the JSON's notes."""
        if message not in self.notes:
            self.notes.append(message)
            self.aside(message)

    def aside(self, message: str) -> None:
        """A remark about the work, for people only."""
        if self.is_talkative:
            Console(stderr=True, soft_wrap=True, highlight=False).print(message, style="dim", markup=False)

    def warn(self, message: str) -> None:
        """A remark that is shown in any case, each time, for it says what was left out."""
        Console(stderr=True, soft_wrap=True, highlight=False).print(message, style="yellow", markup=False)

    def say(self, message: str) -> None:
        if self.is_talkative:
            self._console.print(message, markup=False)

    def table(self, title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        if self.is_talkative:
            table = Table(title=title, title_justify="left")
            for position, column in enumerate(columns):
                table.add_column(column, justify="left" if position == 0 else "right")
            for row in rows:
                table.add_row(*row)
            self._console.print(table)

    def result(self, values: dict[str, Any], *, with_notes: bool = True) -> None:
        """Print the result as one JSON object, with all notes, where `--json` was given."""
        if self.as_json:
            print(json.dumps({**values, "notes": self.notes} if with_notes else values))

    def progress(self) -> ProgressBar:
        return ProgressBar(is_enabled=self.is_talkative and sys.stderr.isatty())

    @contextmanager
    def warnings_as_notes(self) -> Iterator[None]:
        """The library's warnings, as sentences instead of source lines."""
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", UserWarning)
            yield
        for warning in caught:
            self.note(str(warning.message))


def peak_memory() -> int:
    """The most memory the process has had, in bytes."""
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return int(peak) if sys.platform == "darwin" else int(peak) * 1024


def in_mebibytes(n_bytes: int) -> str:
    return f"{n_bytes / 2**20:,.0f} MiB"
