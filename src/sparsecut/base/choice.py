"""Choices as objects: a filter, a negative graph, a solver or an engine, with its own parameters, rules and mathematics.

A kind of choice is a direct subclass of `Choice`; each choice is a class of that kind. A word is short for the object with
its defaults: `filter="pagerank"` is `filter=PageRank()`. The words of the library are read from the source of the classes
that `model/choices.py` lists, and a class is imported when its word is used: a fit in memory does not load the cluster. A
class of one's own takes part as those of the library do, saving and loading included: a file names the class, and `read`
looks among the library's and those that have been defined. Nothing else is imported because a file says so.
"""

from __future__ import annotations

import importlib
import json
from pathlib import Path
from typing import Any, ClassVar, TypeVar, cast

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, did_you_mean, parameter_error
from sparsecut.base.parameters import call_of, get_params, set_params
from sparsecut.base.source_names import listed_words

Kind = TypeVar("Kind", bound="Choice")


class Choice:
    """Stores its parameters untouched; `check` holds them to their rules."""

    word: ClassVar[str | None] = None  # short for the object with its defaults, where it has defaults
    name: ClassVar[str]  # in files
    _members: ClassVar[dict[str, type[Choice]]]

    def __init_subclass__(cls, word: str | None = None, name: str | None = None, **options: Any) -> None:
        super().__init_subclass__(**options)
        if Choice in cls.__bases__:
            cls._members = {}
        else:
            cls.word = word
            cls.name = name or word or f"{cls.__module__}.{cls.__qualname__}"
            cls._members[cls.name] = cls

    @classmethod
    def words(cls) -> tuple[str, ...]:
        """The words that are short for a choice of this kind."""
        defined = {member.word for member in cls._members.values() if member.word is not None}
        return tuple(sorted({*defined, *listed_words(cls.__name__)}))

    @classmethod
    def is_word(cls, value: Any) -> bool:
        """Whether a value is a word for a choice of this kind."""
        member = cls._find(value) if isinstance(value, str) else None
        return member is not None and member.word == value

    @classmethod
    def of(cls: type[Kind], value: Any, caller: str, name: str, *, besides: tuple[str, ...] = ()) -> Kind:
        """The choice itself, or the one that a word is short for, checked.

        `besides` are the words that the caller takes itself, for the message.
        """
        if cls.is_word(value):
            return cast("Kind", cls._members[value]())
        if not isinstance(value, cls):
            words = (*besides, *cls.words())
            article = "an" if cls.__name__[0] in "AEIOU" else "a"
            rule = f"one of {', '.join(map(repr, words))}, or {article} {cls.__name__} object"
            raise InputError(f"{parameter_error(caller, name, rule, value)}{did_you_mean(value, words)}")
        value.check()
        return value

    @classmethod
    def _find(cls, name: str) -> type[Choice] | None:
        """The class of a name; one of the library is imported if it is not there yet."""
        if name not in cls._members and name in listed_words(cls.__name__):
            importlib.import_module(listed_words(cls.__name__)[name][0])
        return cls._members.get(name)

    def check(self) -> None:
        """Raise where a parameter breaks its rule."""

    def to_header(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What a file holds of it: JSON, and the arrays among its parameters."""
        values, arrays = {}, {}
        for name, value in self.get_params(deep=False).items():
            if isinstance(value, np.ndarray) and value.ndim:
                arrays[name] = value
            else:
                values[name] = _plain(value, f"the parameter {name} of {type(self).__name__}")
        return {"choice": self.name, "parameters": values}, arrays

    @classmethod
    def read(cls: type[Kind], header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Kind:
        """The choice that `to_header` described."""
        name = header["choice"]
        member = cls._find(name)
        if member is None:
            raise InputError(
                f"The model was made with the {cls.__name__.lower()} {name}, which is not defined here. "
                "Import the module that defines it, then load the model."
            )
        return cast("Kind", member.from_header(header["parameters"], arrays))

    @classmethod
    def from_header(cls: type[Kind], values: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Kind:
        return cls(**values, **arrays)

    get_params = get_params
    set_params = set_params
    __repr__ = call_of

    def _held(self, name: str) -> Any:
        return getattr(self, name)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return False
        assert isinstance(other, Choice)
        others = other.get_params(deep=False)
        return all(_are_same(value, others[name]) for name, value in self.get_params(deep=False).items())

    def __hash__(self) -> int:
        return hash(repr(self))


def _are_same(value: Any, other: Any) -> bool:
    if isinstance(value, np.ndarray) or isinstance(other, np.ndarray):
        return np.array_equal(value, other)
    return value is other or bool(np.all(value == other))


def _plain(value: Any, what: str) -> Any:
    """The value as JSON gives it back."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, Path):
        return str(value)
    try:
        return json.loads(json.dumps(value))
    except (TypeError, ValueError):
        raise InputError(f"A model is saved as JSON and arrays, which cannot hold {what}. Got {value!r}.") from None
