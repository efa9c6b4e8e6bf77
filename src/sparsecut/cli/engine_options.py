"""`--engine` and the options of engines, which each engine's class declares itself (`EngineChoice.options`).

They are read from the source of the classes, so that a help page does not wait for the libraries that engines need.
`takes_engine` gives them to a command, which gets them together as one `Requested`.
"""

from __future__ import annotations

import ast
import functools
import inspect
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast

from sparsecut.base.errors import InputError, check_choice
from sparsecut.base.parameters import Option
from sparsecut.base.source_names import listed_words
from sparsecut.cli.completion import ENGINES, completing
from sparsecut.cli.gathering import Command, gathers, option_named
from sparsecut.cli.options import ENGINE, option

if TYPE_CHECKING:
    from sparsecut.engines import EngineChoice

DEFAULT = "memory"
TYPES = {"text": str, "integer": int, "number": float, "path": Path}


@dataclass(frozen=True)
class Requested:
    """The engine that a command was requested: its word, and the options that were given, by the names of its parameters."""

    word: str
    given: dict[str, Any]

    @property
    def is_default(self) -> bool:
        return self.word == DEFAULT

    def make(self, **offered: Any) -> EngineChoice:
        """The engine, its parameters checked; of `offered` those that it has."""
        from sparsecut.engines import EngineChoice

        kind = type(EngineChoice.of(self.word, "sparsecut", "--engine"))
        known = inspect.signature(kind).parameters
        if "," in (device := offered.get("device", "")):
            if "devices" not in known:
                raise InputError(f"--device takes one device with --engine {self.word}. Got {device}.")
            offered = {**offered, "device": "auto", "devices": [name.strip() for name in device.split(",")]}
        engine = kind(**{name: value for name, value in offered.items() if name in known}, **self.given)
        try:
            engine.check()
        except InputError as error:
            raise InputError(_as_options(str(error), kind.__name__, self.given)) from None
        return engine


def takes_engine(command: Command) -> Command:
    """Make of a command with a parameter `engine` one with `--engine` and the options of all engines in its place."""
    own = [option_named(one, annotation, None) for one, annotation in _annotations().items()]

    def gather(given: dict[str, Any], _others: Any) -> Requested:
        return _requested(given.pop("engine"), given)

    return gathers(command, "engine", [option_named("engine", _engine_word(), DEFAULT), *own], gather)


def _engine_word() -> Any:
    """`--engine`, with the first sentence of each engine's documentation."""
    about = []
    for word, (_, definition) in listed_words("EngineChoice").items():
        sentence = (ast.get_docstring(definition) or "").split("\n\n")[0].split(". ")[0].rstrip(".")
        about.append(f"{word}: {sentence[:1].lower()}{sentence[1:]}")
    text = f"Where to work: {', '.join(ENGINES[:-1])} or {ENGINES[-1]}. {'; '.join(about)}."
    return Annotated[str, option(ENGINE, text, metavar="WORD", completion=completing(ENGINES))]


@functools.cache
def declared() -> dict[str, dict[str, Option]]:
    """The options of each engine, by its word and by the parameters that they set."""
    found: dict[str, dict[str, Option]] = {}
    for word, (_, definition) in listed_words("EngineChoice").items():
        calls = [
            call
            for node in definition.body
            if isinstance(node, ast.Assign) and any(getattr(target, "id", "") == "options" for target in node.targets)
            for call in cast("ast.Tuple", node.value).elts
        ]
        options = [_evaluated(cast("ast.Call", call)) for call in calls]
        found[word] = {one.parameter: one for one in options}
    return found


def _evaluated(call: ast.Call) -> Option:
    """The option that a call `Option("scratch", "…", metavar="FOLDER")` would make; its arguments are written out."""
    words = [ast.literal_eval(argument) for argument in call.args]
    return Option(*words, **{str(word.arg): ast.literal_eval(word.value) for word in call.keywords})


def _annotations() -> dict[str, Any]:
    """Every option of an engine as typer takes it; one that several engines have says what it means to each."""
    by_parameter: dict[str, dict[str, Option]] = {}
    for word, options in declared().items():
        for parameter, one in options.items():
            by_parameter.setdefault(parameter, {})[word] = one
    return {parameter: _annotation(of_words) for parameter, of_words in by_parameter.items()}


def _annotation(of_words: dict[str, Option]) -> Any:
    first = next(iter(of_words.values()))
    text = "; ".join(f"with --engine {' or '.join(words)}: {one}" for one, words in _alike(of_words, "text"))
    defaults = _alike(of_words, "default")
    shown = ", ".join(one if len(defaults) == 1 else f"{one} with {' or '.join(words)}" for one, words in defaults)
    return Annotated[
        TYPES[first.type] | None,
        option(ENGINE, f"{text[0].upper()}{text[1:]}.", metavar=first.metavar, choices=first.choices, show_default=shown),
    ]


def _alike(of_words: dict[str, Option], name: str) -> list[tuple[str, list[str]]]:
    """What options say, each with the engines that say it."""
    found: dict[str, list[str]] = {}
    for word, one in of_words.items():
        found.setdefault(getattr(one, name), []).append(word)
    return list(found.items())


def _requested(word: str, values: dict[str, Any]) -> Requested:
    check_choice("sparsecut", "--engine", word, ENGINES)
    given = {name: value for name, value in values.items() if value is not None}
    for name in given:
        if name not in declared()[word]:
            *others, last = (other for other, options in declared().items() if name in options)
            engines = f"{', '.join(others)} or {last}" if others else last
            flag = _flag(name)
            raise InputError(f"{flag} is for --engine {engines}. Add that, or leave {flag} out.")
    return Requested(word, given)


def _as_options(message: str, kind: str, given: dict[str, Any]) -> str:
    """A sentence about parameters of an engine's class, in the words of the command line."""
    for name in given:
        message = message.replace(f"The {name} parameter of {kind} ", f"The {_flag(name)} parameter of sparsecut ")
    return message


def _flag(parameter: str) -> str:
    return f"--{parameter.replace('_', '-')}"
