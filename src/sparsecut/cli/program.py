"""The program `sparsecut`: its commands, and what becomes of an error."""

from __future__ import annotations

import atexit
import contextlib
import errno
import gc
import io
import os
import sys
import traceback
from pathlib import Path
from typing import Any, TextIO, cast

import typer

from sparsecut.base.errors import InputError, WriteError
from sparsecut.base.package_version import __version__
from sparsecut.cli.console import print_error
from sparsecut.cli.help_pages import Program

FAILED, WRONG_INPUT, DEFECT, NOT_WRITTEN, INTERRUPTED = 1, 2, 70, 74, 130  # exit codes; docs/command_line.md explains each

app = typer.Typer(
    name="sparsecut",
    cls=Program,
    help="Node embeddings from sparsest cuts: a graph with features in, one vector per node out, without labels.",
    epilog="Exit codes: 0 done, 1 part of it failed, 2 wrong input, 70 a defect of sparsecut, 74 the output could not be "
    "written, 130 interrupted.",
    invoke_without_command=True,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(is_asked: bool) -> None:
    if is_asked:
        print(f"sparsecut {__version__}")
        raise typer.Exit


@app.callback()
def options(
    context: typer.Context,
    is_version: bool = typer.Option(
        False, "--version", callback=_print_version, is_eager=True, help="Print the version and exit."
    ),
) -> None:
    """Shared by all commands; alone, where to start."""
    if context.invoked_subcommand is None:
        cast("Program", context.command).show_start()


def main() -> None:
    """What the `sparsecut` program runs."""
    atexit.register(
        gc.freeze
    )  # what is there at the end goes with the process: to look through it takes a fifth of a second
    try:
        _run_app()
    except WriteError as error:
        _tell(str(error), NOT_WRITTEN)
    except InputError as error:
        _tell(str(error), WRONG_INPUT)
    except KeyboardInterrupt:
        _tell("Interrupted.", INTERRUPTED)
    except MemoryError:
        _tell("There is not enough memory for this graph. --engine disk works under a limit of memory.", FAILED)
    except Exception as error:
        if isinstance(error, OSError) and error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
            where = f" {error.filename}" if error.filename else ", of the result or in the temporary folder,"
            _tell(f"A file{where} could not be written: {os.strerror(error.errno)}. Free some room.", NOT_WRITTEN)
        what = f"{type(error).__name__}: {error}".strip(": ").splitlines()[0]
        _tell(
            f"This is a defect of sparsecut: {what}. --verbose shows where; please report it with that and what "
            "sparsecut info prints.",
            DEFECT,
        )


def _run_app() -> None:
    """The program to the last byte that it prints."""
    with contextlib.redirect_stdout(_standard_output()) as out:
        try:
            try:
                app(prog_name="sparsecut")
            finally:
                out.flush()
        except (OSError, WriteError) as error:
            if _is_stuck(out):
                os.dup2(os.open(os.devnull, os.O_WRONLY), out.fileno())  # what is still to be printed goes nowhere
                out.flush()
            if isinstance(error, OSError) and error.errno == errno.EPIPE:  # a reader that has gone, as head, needs no words
                sys.exit(FAILED)
            raise


def _standard_output() -> TextIO:
    """Standard output, whose errors are distinguished from those of other files; unchanged where it has no file."""
    if sys.stdout is None:  # closed, as by >&-
        return Path(os.devnull).open("w")
    try:
        file = _File(sys.stdout.fileno(), "wb", closefd=False)
    except OSError:
        return sys.stdout
    return io.TextIOWrapper(
        io.BufferedWriter(file), sys.stdout.encoding, sys.stdout.errors, line_buffering=bool(sys.stdout.line_buffering)
    )


class _File(io.FileIO):
    def write(self, content: Any) -> int:
        try:
            return super().write(content)
        except OSError as error:
            if error.errno == errno.EPIPE:
                raise
            reason = os.strerror(error.errno or errno.EIO)
            raise WriteError(f"Standard output could not be written: {reason}.") from error


def _is_stuck(stream: TextIO) -> bool:
    try:
        stream.flush()
    except (OSError, WriteError):
        return True
    return False


def _tell(message: str, code: int) -> None:
    """One sentence, preceded by where it comes from with `--verbose`, and the exit code."""
    if {"--verbose", "-v"} & set(sys.argv[1:]):
        traceback.print_exc()
    print_error(message)
    sys.exit(code)
