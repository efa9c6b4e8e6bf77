"""How a help page looks: examples as they are typed, options in groups with their choices and defaults, for 80 columns.

An option is one line of two columns, its names with what they take, and what it does. typer's own pages have a column each
for long names, short names, opposites and types, which leaves a third of the terminal for the text.
"""

from __future__ import annotations

import inspect
from typing import Any

from rich.box import ROUNDED
from rich.console import Console, Group
from rich.padding import Padding
from rich.panel import Panel
from rich.table import Table
from rich.text import Text
from typer.core import TyperCommand, TyperGroup

from sparsecut.cli.command_files import Commands
from sparsecut.cli.options import GROUPS, OUTPUT

MAX_WIDTH = 100


class Command(TyperCommand):
    """A command whose options are shown by group."""

    def format_help(self, ctx: Any, formatter: Any) -> None:
        params = self.get_params(ctx)
        arguments = [param for param in params if param.param_type_name == "argument"]
        options = [param for param in params if param.param_type_name == "option"]
        groups = {"Arguments": arguments}
        for group in GROUPS:  # --help has none of its own
            groups[group] = [param for param in options if (getattr(param, "rich_help_panel", None) or OUTPUT) == group]
        _print(
            Text.assemble((f"Usage: {ctx.command_path} [OPTIONS]", "bold"), *(f" {_argument(one)}" for one in arguments)),
            *_paragraphs(self.help or ""),
            *(_panel(name, [_row(param) for param in members]) for name, members in groups.items() if members),
        )


class Program(TyperGroup):
    """The program itself: the commands of this folder, which its page lists."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Commands(Command)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        commands = [self.get_command(ctx, name) for name in self.list_commands(ctx)]
        rows = [(Text(command.name or "", "cyan"), Text(_first_sentence(command))) for command in commands if command]
        _print(
            Text.assemble((f"Usage: {ctx.command_path} ", "bold"), "COMMAND …"),
            *_paragraphs(self.help or ""),
            _panel("Commands", rows),
            _panel("Options", [_row(param) for param in self.get_params(ctx)]),
            *_paragraphs(self.epilog or ""),
        )


def _print(*parts: Any) -> None:
    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH)
    console.print(Group(*parts))


def _paragraphs(text: str) -> list[Any]:
    """Sentences wrap; a paragraph that is a command is shown as it is typed, to be copied."""
    found = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        is_command = paragraph.startswith("sparsecut ") or "| sparsecut " in paragraph
        words = Text(" ".join(paragraph.split()), style="cyan" if is_command else "", overflow="fold")
        found.append(Padding(words, (0 if is_command else 1, 2, 0, 4 if is_command else 1)))
    return [*found, Text("")]


def _panel(name: str, rows: list[tuple[Text, Text]]) -> Panel:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(max_width=26)
    table.add_column(ratio=1)
    for row in rows:
        table.add_row(*row)
    return Panel(table, title=name, title_align="left", border_style="dim", box=ROUNDED)


def _row(param: Any) -> tuple[Text, Text]:
    if param.param_type_name == "argument":
        names = _argument(param)
    else:
        by_length = sorted(param.opts, key=len)  # -o, --output
        names = ", ".join(by_length) + "".join(f", {name}" for name in param.secondary_opts)
    takes = "" if getattr(param, "is_flag", False) or param.param_type_name == "argument" else f" {param.metavar or 'TEXT'}"
    about = Text((getattr(param, "help", None) or "").strip())
    default = _default(param)
    if default:
        about.append(f" [{default}]", "dim")
    return Text.assemble((names, "cyan"), (takes, "yellow")), about


def _argument(param: Any) -> str:
    name = str(param.metavar or param.name.upper())
    return name if param.required or name.startswith("[") else f"[{name}]"


def _default(param: Any) -> str:
    if param.required:
        return "required"
    shown = getattr(param, "show_default", False)
    if isinstance(shown, str):
        return f"default: {shown}"
    if not shown or param.default in (None, "", ()) or callable(param.default):
        return ""
    if getattr(param, "is_flag", False):
        return f"default: {param.opts[0]}" if param.default and param.secondary_opts else ""
    return f"default: {param.default}"


def _first_sentence(command: Any) -> str:
    return " ".join(inspect.cleandoc(command.help or "").split("\n\n")[0].split())
