"""Several options that a command gets together, as one object, in place of one of its parameters."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, get_type_hints

Command = Callable[..., None]


def option_named(name: str, annotation: Any, default: Any) -> inspect.Parameter:
    """An option as typer takes it from a signature."""
    return inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=annotation)


def gathers(
    command: Command, name: str, options: list[inspect.Parameter], gather: Callable[[dict[str, Any], Mapping[str, Any]], Any]
) -> Command:
    """Make of a command with a parameter `name` one with `options` in its place.

    `gather(given, others)` makes what the command gets from the values of these options; it may look at those of the others.
    """
    hints = get_type_hints(command, include_extras=True)
    parameters = []
    for own in inspect.signature(command).parameters.values():
        annotation = hints.get(own.name, own.annotation)
        keyword = own.replace(annotation=annotation, kind=inspect.Parameter.KEYWORD_ONLY)
        parameters += options if own.name == name else [keyword]

    @functools.wraps(command)
    def run(**values: Any) -> None:
        given = {option.name: values.pop(option.name) for option in options}
        command(**values, **{name: gather(given, values)})

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run
