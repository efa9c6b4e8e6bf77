"""The program `sparsecut`: its commands, and what becomes of an error."""

from __future__ import annotations

import sys

import typer

from sparsecut.cli import (
    compare,
    datasets,
    demo,
    embed,
    estimate,
    evaluate,
    neighbors,
    partition,
    report,
    reproduce,
    transform,
)
from sparsecut.cli.console import print_error
from sparsecut.errors import InputError
from sparsecut.version import __version__

app = typer.Typer(
    name="sparsecut",
    help="Node embeddings from sparsest cuts: a graph with features in, one vector per node out, without labels.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        print(f"sparsecut {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Shared by all commands."""


app.command("demo")(demo.demo)
app.command("embed")(embed.embed)
app.command("transform")(transform.transform)
app.command("estimate")(estimate.estimate)
app.command("evaluate")(evaluate.evaluate)
app.command("partition")(partition.partition)
app.command("neighbors")(neighbors.neighbors)
app.command("report")(report.report)
app.command("compare")(compare.compare)
app.command("reproduce")(reproduce.reproduce)
app.command("datasets")(datasets.datasets)


def main() -> None:
    """What the `sparsecut` program runs."""
    try:
        app()
    except InputError as error:
        print_error(str(error))
        sys.exit(2)
    except KeyboardInterrupt:
        print_error("Interrupted.")
        sys.exit(130)
    except MemoryError:
        print_error("There is not enough memory for this graph.")
        sys.exit(1)
