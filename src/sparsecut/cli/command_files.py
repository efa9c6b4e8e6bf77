"""The commands of the program, found in the files of this folder, each imported when it is called.

A module that defines a function of its own name is the command of that name: `embed.py`, with `def embed(…)`, is
`sparsecut embed`.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, MutableMapping
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

if TYPE_CHECKING:
    from typer.core import TyperCommand


@cache
def command_names() -> tuple[str, ...]:
    files = sorted(Path(__file__).parent.glob("*.py"))
    return tuple(path.stem for path in files if f"\ndef {path.stem}(" in path.read_text("utf-8"))


class Commands(MutableMapping[str, Any]):
    """The commands by name, as a group of commands looks them up."""

    def __init__(self, kind: type[TyperCommand]) -> None:
        self.kind = kind
        self.made: dict[str, Any] = {}

    def __getitem__(self, name: str) -> Any:
        if name not in self.made:
            if name not in command_names():
                raise KeyError(name)
            run = getattr(importlib.import_module(f"{__package__}.{name}"), name)
            alone = typer.Typer(add_completion=False)
            alone.command(name, cls=self.kind)(run)
            self.made[name] = typer.main.get_command(alone)
        return self.made[name]

    def __iter__(self) -> Iterator[str]:
        return iter(command_names())

    def __len__(self) -> int:
        return len(command_names())

    def __setitem__(self, name: str, command: Any) -> None:
        self.made[name] = command

    def __delitem__(self, name: str) -> None:
        del self.made[name]
