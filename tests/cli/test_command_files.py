"""Commands are found in their files, and a command that is called imports no other."""

from __future__ import annotations

import subprocess
import sys

import pytest

from sparsecut.cli.command_files import Commands, command_names
from sparsecut.cli.help_pages import Command


def test_every_command_is_a_file_and_helpers_are_none() -> None:
    assert {"embed", "transform", "datasets", "info"} < set(command_names())
    assert not {"console", "options", "program", "engine_options", "command_files"} & set(command_names())


def test_a_command_is_looked_up_by_its_name() -> None:
    commands = Commands(Command)
    assert commands["info"].name == "info"
    assert list(commands) == list(command_names())
    with pytest.raises(KeyError):
        _ = commands["console"]
    assert commands.get("nothing") is None


def test_a_command_imports_no_other() -> None:
    code = (
        "import sys; from sparsecut.cli import main; sys.argv = ['sparsecut', 'version']\n"
        "try:\n    main()\nexcept SystemExit:\n    pass\n"
        "assert 'sparsecut.cli.version' in sys.modules\n"
        "assert not {'sparsecut.cli.embed', 'sparsecut.cli.reproduce'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
