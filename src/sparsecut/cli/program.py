"""The program `sparsecut`: its commands, and what becomes of an error."""

from __future__ import annotations

import sys
import traceback

import typer

from sparsecut.cli import (
    compare,
    datasets,
    demo,
    embed,
    estimate,
    evaluate,
    info,
    neighbors,
    partition,
    plot,
    report,
    reproduce,
    transform,
    update,
    version,
)
from sparsecut.cli.console import print_error
from sparsecut.cli.help_pages import Command, Program
from sparsecut.errors import InputError
from sparsecut.version import __version__

FAILED, WRONG_INPUT, DEFECT, INTERRUPTED = 1, 2, 70, 130  # exit codes; docs/command_line.md says what each means

app = typer.Typer(
    name="sparsecut",
    cls=Program,
    help="Node embeddings from sparsest cuts: a graph with features in, one vector per node out, without labels.",
    epilog="Exit codes: 0 done, 1 part of it failed, 2 wrong input, 70 a defect of sparsecut, 130 interrupted.",
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
    is_version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Shared by all commands."""


for _name, _run in (
    ("demo", demo.demo),
    ("embed", embed.embed),
    ("transform", transform.transform),
    ("update", update.update),
    ("estimate", estimate.estimate),
    ("evaluate", evaluate.evaluate),
    ("partition", partition.partition),
    ("neighbors", neighbors.neighbors),
    ("plot", plot.plot),
    ("report", report.report),
    ("compare", compare.compare),
    ("reproduce", reproduce.reproduce),
    ("datasets", datasets.datasets),
    ("info", info.info),
    ("version", version.version),
):
    app.command(_name, cls=Command)(_run)


def main() -> None:
    """What the `sparsecut` program runs."""
    try:
        app()
    except InputError as error:
        _tell(str(error), WRONG_INPUT)
    except KeyboardInterrupt:
        _tell("Interrupted.", INTERRUPTED)
    except MemoryError:
        _tell("There is not enough memory for this graph. --engine disk works under a limit of memory.", FAILED)
    except Exception as error:
        what = f"{type(error).__name__}: {error}".strip(": ").splitlines()[0]
        _tell(
            f"This is a defect of sparsecut: {what}. --verbose shows where; please report it with that and what "
            "sparsecut info prints.",
            DEFECT,
        )


def _tell(message: str, code: int) -> None:
    """One sentence, preceded by where it comes from with `--verbose`, and the exit code."""
    if {"--verbose", "-v"} & set(sys.argv[1:]):
        traceback.print_exc()
    print_error(message)
    sys.exit(code)
