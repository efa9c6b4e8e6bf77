"""How a help page looks: examples as they are typed, options with what they take and do, for 80 columns.

`--help` fits a screen: three examples, the options that people use first, and the names of the others by group. `--help-all`
explains every option, with its choices and its default, and has the other examples. `sparsecut` alone shows where to start.

An option is one line of two columns, its names with what they take, and what it does. typer's own pages have a column each
for long names, short names, opposites and types, which leaves a third of the terminal for the text.
"""

from __future__ import annotations

import inspect
import textwrap
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

HELP_ALL = "--help-all"
MAX_WIDTH = 100
N_EXAMPLES = 3  # on a short page
MAX_BRIEF = 90  # letters of what a short page says of an option: two lines
FEW = 12  # options that a short page has room to explain all

# Explained on a short page. The others are named there, by group.
FIRST = (
    *("--features", "--labels", "--graph", "--batch", "--model", "--follow"),
    *("--method", "--methods", "--dimension", "--type", "-k", "--parts", "--tree", "--cut", "--objective", "--layout"),
    *("--engine", "--device", "--task", "--per-class", "--metrics", "--quick", "--dataset"),
    *("--output", "--save-model", "--with-state", "--explain", "--draw", "--force", "--json", "--help"),
)
START = {
    "sparsecut demo": "The built-in graph: vectors, a score, a map to open in a browser.",
    "sparsecut embed edges.csv -o vectors.parquet": "Your own graph: a file with two columns, source and target.",
    "sparsecut report vectors.parquet --graph edges.csv -o map.html": "Your own map: search, click, lasso.",
}
PURPOSES = {  # a command that is in none stands under "More"
    "Start": ("demo", "embed", "report"),
    "Ask the vectors": ("neighbors", "recommend", "why", "evaluate", "plot"),
    "Cut the graph": ("partition",),
    "Keep it current": ("transform", "update", "forget"),
    "Look things up": ("compare", "estimate", "datasets", "reproduce", "info", "version"),
}


class Command(TyperCommand):
    """A command whose options are shown by group."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.help_option_names = ["-h", "--help", HELP_ALL]
        ctx.meta[HELP_ALL] = HELP_ALL in args
        return super().parse_args(ctx, args)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        (self._show_all if ctx.meta.get(HELP_ALL) else self._show_brief)(ctx)

    def _show_brief(self, ctx: Any) -> None:
        arguments, groups = self._shown(ctx)
        options = [option for members in groups.values() for option in members]
        first = (
            options
            if len(options) <= FEW
            else [option for option in options if option.required or {*FIRST} & {*option.opts}]
        )
        rest = {name: [one for one in members if one not in first] for name, members in groups.items()}
        about, *others = inspect.cleandoc(self.help or "").split("\n\n")
        examples = [paragraph for paragraph in others if _is_command(paragraph)][:N_EXAMPLES]
        _print(
            self._usage(ctx, arguments),
            *_paragraphs("\n\n".join([about, *examples])),
            _columns([_brief_row(param) for param in (*arguments, *first)]),
            *([Text("\nMore, explained by --help-all:")] if any(rest.values()) else []),
            _columns([(Text(name), Text(_names(members), "cyan")) for name, members in rest.items() if members]),
        )

    def _show_all(self, ctx: Any) -> None:
        arguments, groups = self._shown(ctx)
        panels = {"Arguments": arguments, **groups}
        _print(
            self._usage(ctx, arguments),
            *_paragraphs(self.help or ""),
            *(_panel(name, [_row(param) for param in members]) for name, members in panels.items() if members),
        )

    def _usage(self, ctx: Any, arguments: list[Any]) -> Text:
        return Text.assemble((f"Usage: {ctx.command_path} [OPTIONS]", "bold"), *(f" {_argument(one)}" for one in arguments))

    def _shown(self, ctx: Any) -> tuple[list[Any], dict[str, list[Any]]]:
        """The arguments, and the options by group."""
        params = self.get_params(ctx)
        options = [param for param in params if param.param_type_name == "option"]
        groups = {
            group: [param for param in options if (getattr(param, "rich_help_panel", None) or OUTPUT) == group]
            for group in GROUPS  # --help has none of its own
        }
        return [param for param in params if param.param_type_name == "argument"], groups


class Program(TyperGroup):
    """The program itself: the commands of this folder, which its page lists."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(**settings)
        self.commands = Commands(Command)

    def list_commands(self, ctx: Any) -> list[str]:
        return list(self.commands)

    def format_help(self, ctx: Any, formatter: Any) -> None:
        names = self.list_commands(ctx)
        rest = [name for name in names if not any(name in members for members in PURPOSES.values())]
        listed: list[Any] = []
        for purpose, members in {**PURPOSES, "More": rest}.items():
            rows = [(Text(name, "cyan"), Text(self._title(ctx, name))) for name in members if name in names]
            if rows:
                listed += [Text(purpose, "bold"), Padding(_columns(rows, names_wide=10), (0, 0, 0, 1))]
        _print(
            Text.assemble(
                (f"Usage: {ctx.command_path} ", "bold"),
                "COMMAND …     ",
                ("sparsecut COMMAND --help", "cyan"),
                " explains one",
            ),
            *_paragraphs(self.help or ""),
            *listed,
            Text("Options", "bold"),
            Padding(Text(_names(self.get_params(ctx)), "cyan"), (0, 0, 0, 2)),
            *_paragraphs(self.epilog or ""),
        )

    def show_start(self) -> None:
        """What `sparsecut` alone prints."""
        _print(
            *_paragraphs(self.help or ""),
            *(
                Padding(Text.assemble((command, "cyan"), f"\n    {about}\n"), (0, 0, 0, 4))
                for command, about in START.items()
            ),
            *_paragraphs("All commands: sparsecut --help. One of them: sparsecut embed --help."),
        )

    def _title(self, ctx: Any, name: str) -> str:
        """The first sentence of what a command says of itself."""
        command = self.get_command(ctx, name)
        return _first_sentence((command.help if command else None) or "")


def _print(*parts: Any) -> None:
    console = Console(highlight=False)
    console.width = min(console.width, MAX_WIDTH)
    console.print(Group(*parts))


def _is_command(paragraph: str) -> bool:
    return paragraph.startswith("sparsecut ") or "| sparsecut " in paragraph


def _paragraphs(text: str) -> list[Any]:
    """Sentences wrap; a paragraph that is a command is shown as it is typed, to be copied."""
    found = []
    for paragraph in inspect.cleandoc(text).split("\n\n"):
        is_command = _is_command(paragraph)
        words = Text(" ".join(paragraph.split()), style="cyan" if is_command else "", overflow="fold")
        found.append(Padding(words, (0 if is_command else 1, 2, 0, 4 if is_command else 1)))
    return [*found, Text("")]


def _columns(rows: list[tuple[Text, Text]], *, names_wide: int | None = None) -> Padding:
    """Names and what they do, without a frame."""
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(max_width=26, min_width=names_wide)
    table.add_column(ratio=1)
    for row in rows:
        table.add_row(*row)
    return Padding(table, (0, 0, 0, 1))


def _names(options: list[Any]) -> str:
    return "  ".join(max(option.opts, key=len) for option in options)


def _panel(name: str, rows: list[tuple[Text, Text]]) -> Panel:
    table = Table.grid(padding=(0, 2), expand=True)
    table.add_column(max_width=26)
    table.add_column(ratio=1)
    for row in rows:
        table.add_row(*row)
    return Panel(table, title=name, title_align="left", border_style="dim", box=ROUNDED)


def _brief_row(param: Any) -> tuple[Text, Text]:
    """A row with the first sentence of what an option does, and its choices."""
    names, _ = _row(param)
    text = _about(param)
    brief = textwrap.shorten(_first_sentence(text), MAX_BRIEF, placeholder=" …")
    choices = text.partition(" One of ")[2]
    words = brief + (f" One of {choices}" if choices else "") + (" [required]" if param.required else "")
    return names, Text(words)


def _row(param: Any) -> tuple[Text, Text]:
    if param.param_type_name == "argument":
        names = _argument(param)
    else:
        by_length = sorted(param.opts, key=len)  # -o, --output
        names = ", ".join(by_length) + "".join(f", {name}" for name in param.secondary_opts)
    takes = "" if getattr(param, "is_flag", False) or param.param_type_name == "argument" else f" {param.metavar or 'TEXT'}"
    about = Text(_about(param))
    default = _default(param)
    if default:
        about.append(f" [{default}]", "dim")
    return Text.assemble((names, "cyan"), (takes, "yellow")), about


def _about(param: Any) -> str:
    if HELP_ALL in param.opts:
        return f"This page; {HELP_ALL} every option."
    return (getattr(param, "help", None) or "").strip()


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


def _first_sentence(text: str) -> str:
    first = " ".join(inspect.cleandoc(text).split("\n\n")[0].split())
    end = first.find(". ")
    return first if end < 0 else first[: end + 1]
