"""Errors a user can mend: what was wrong, the rule, what was got and the remedy, in one sentence.

The command line prints such an error as it is and exits with code 2, or 74 where an output could not be written; any other
exception is a defect of ours.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Sequence
from numbers import Integral, Real
from types import ModuleType
from typing import Any


class InputError(ValueError):
    """Something passed in breaks a rule; the message names the rule and the remedy."""


class WriteError(InputError):
    """What was computed could not be written, since the disk is full, say; nothing half-written is left."""


class MissingExtraError(InputError, ImportError):
    """A feature needs an optional dependency that is not installed."""


class DirectedGraphWarning(UserWarning):
    """A directed adjacency was made undirected."""


class DimensionWarning(UserWarning):
    """More columns were requested than the features of the graph fill."""


class ImbalanceWarning(UserWarning):
    """A partition is less balanced than it was asked to be, since nodes were fixed in parts."""


class MeaninglessEmbeddingWarning(UserWarning):
    """All nodes have the same vector, so the embedding is useless; the message says why and what to do."""


class StrangersWarning(UserWarning):
    """A model that knows places of nodes by their ids was given a graph of other nodes; the message says how many."""


class OverflowInputError(InputError):
    """Sums of squares overflowed; `sparsecut.kernels.magnitude` finds the number that is too large."""


class ReadingWarning(UserWarning):
    """Something that was given was understood in one of several ways, or left out; another way would give other results."""


class NewValuesWarning(UserWarning):
    """A table holds what was not there when the model's encoder was fitted; it was encoded as documented."""


class OtherWeightsWarning(UserWarning):
    """Edges have weights where those of the fitted graph had none, or none where they had some."""


class ScaleWarning(UserWarning):
    """One column of the features holds nearly all of their variance, and the embedding follows it alone."""


def parameter_error(caller: str, name: str, rule: str, got: object) -> InputError:
    return InputError(f"The {name} parameter of {caller} must be {rule}. Got {got!r} instead.")


def check_choice(caller: str, name: str, value: object, choices: Sequence[str]) -> str:
    if not (isinstance(value, str) and value in choices):
        error = parameter_error(caller, name, "one of " + ", ".join(repr(choice) for choice in choices), value)
        raise InputError(f"{error}{did_you_mean(value, choices)}")
    return value


def did_you_mean(value: object, words: Iterable[str]) -> str:
    """A sentence with the word that a misspelled one resembles, to end a message with; empty where it resembles none."""
    from difflib import get_close_matches

    close = get_close_matches(value.lower(), words, n=1) if isinstance(value, str) else []
    return f" Did you mean {close[0]!r}?" if close else ""


def check_integer(caller: str, name: str, value: object, minimum: int) -> int:
    if isinstance(value, bool) or not isinstance(value, Integral) or value < minimum:
        raise parameter_error(caller, name, f"an integer of at least {minimum}", value)
    return int(value)


def check_real(caller: str, name: str, value: object, *, above: float | None = None, minimum: float = 0) -> float:
    """A finite number, above a bound or at least a minimum."""
    rule = f"a finite number above {above:g}" if above is not None else f"a finite number of at least {minimum:g}"
    if type(value) is bool or not isinstance(value, Real):
        raise parameter_error(caller, name, rule, value)
    number = float(value)
    if not math.isfinite(number) or (above is not None and number <= above) or (above is None and number < minimum):
        raise parameter_error(caller, name, rule, value)
    return number


def import_extra(module: str, *, caller: str, extra: str) -> ModuleType:
    """Import an optional dependency, or say who needs it and which extra brings it."""
    try:
        return importlib.import_module(module)
    except ImportError as error:
        package = module.partition(".")[0]
        raise MissingExtraError(
            f"{caller} needs {package}, which is not installed. It comes with the extra {extra!r}: "
            f"pip install 'sparsecut[{extra}]'."
        ) from error


def first_few(values: Any, limit: int = 5) -> str:
    """The first values of a list for a message, words in quotes so that spaces are seen, and how many more there are."""
    shown = ", ".join(repr(str(value)) if isinstance(value, str) else str(value) for value in values[:limit])
    return shown if len(values) <= limit else f"{shown} and {len(values) - limit:,} more"
