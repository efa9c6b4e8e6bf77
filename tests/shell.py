"""The command `sparsecut`, run as a person runs it."""

from __future__ import annotations

import contextlib
import io
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from sparsecut.cli import main


@dataclass(frozen=True)
class Done:
    returncode: int
    stdout: str
    stderr: str


def sparsecut(*arguments: object, folder: Path, expect: int | None = 0) -> Done:
    """Run a command in a folder, in this process: importing torch anew for each would take most of the time.

    The command must end with the exit code `expect`; None takes any.
    """
    stdout, stderr = io.StringIO(), io.StringIO()
    environment = {"COLUMNS": "200", "NO_COLOR": "1"}
    with (
        contextlib.redirect_stdout(stdout),
        contextlib.redirect_stderr(stderr),
        pytest.MonkeyPatch.context() as patch,
    ):
        patch.chdir(folder)
        patch.setattr(sys, "argv", ["sparsecut", *map(str, arguments)])
        for name, value in environment.items():
            patch.setenv(name, value)
        try:
            main()
            code = 0
        except SystemExit as exit_:
            code = int(exit_.code or 0)
    done = Done(code, stdout.getvalue(), stderr.getvalue())
    assert expect is None or code == expect, f"exit {code}\n{done.stdout}\n{done.stderr}"
    return done
