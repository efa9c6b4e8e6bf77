"""Parameters of a method, declared once: name, type and default in the class, and the constructor follows.

    @declared
    class LINE(Baseline):
        dimension: int = 128
        epochs: int = 100
        random_state: int | None = 0

`declared` makes a keyword-only constructor that stores its arguments untouched, as `dataclasses.dataclass` does. It also
completes the docstring: a parameter or attribute that the class does not describe is described as in the nearest of its base
classes, with the default of this class. What `fit` learns is declared by `learned()` and is not a parameter.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Sequence
from dataclasses import MISSING, dataclass, field, fields
from typing import TYPE_CHECKING, Any, TypeVar

from sparsecut.base.estimator import with_aliases

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:  # in `typing` from Python 3.11 on; at run time it marks nothing that is used

    def dataclass_transform(**_options: Any) -> Any:
        return lambda function: function


Class = TypeVar("Class", bound=type)
Entry = tuple[str, list[str]]  # the type of a parameter, and the lines that describe it


def learned() -> Any:
    """An attribute that `fit` sets: it has no value before, and is no parameter."""
    return field(init=False)


@dataclass_transform(kw_only_default=True, eq_default=False, field_specifiers=(learned,))
def declared(kind: Class) -> Class:
    """Give a class the constructor and the documentation of the parameters it declares."""
    constructed: Any = dataclass(init=True, kw_only=True, eq=False, repr=False)(kind)
    names = [parameter.name for parameter in fields(constructed) if parameter.init]
    if "dimension" in names:
        constructed.__init__ = with_aliases(constructed.__init__)
    if kind.__doc__:
        constructed.__doc__ = _complete(constructed, names)
    return constructed  # type: ignore[no-any-return]


def _complete(kind: type, names: Sequence[str]) -> str:
    """The docstring of a class with an entry for every described parameter, its own first, and for every attribute."""
    described: dict[str, dict[str, Entry]] = {"Parameters": {}, "Attributes": {}}
    for base in reversed(kind.__mro__):
        for title in described:
            described[title] |= read_entries(base.__dict__.get("__doc__") or "", title)
    own = inspect.cleandoc(kind.__doc__ or "")
    own_entries = read_entries(own, "Parameters")
    for name in described["Parameters"].keys() - own_entries.keys():  # a base class does not know the default here
        type_words, lines = described["Parameters"][name]
        described["Parameters"][name] = (type_words.partition(", default=")[0] + _default_words(kind, name), lines)
    order = dict.fromkeys([*own_entries, *names])
    described["Parameters"] = {name: described["Parameters"][name] for name in order if name in described["Parameters"]}
    summary, _, examples = own.partition("\nExamples\n")
    summary = re.split(r"\n(?:Parameters|Attributes)\n-+\n", summary)[0].strip()
    sections = [_written(title, entries) for title, entries in described.items() if entries]
    written = "\n\n".join([summary, *sections, *([f"Examples\n{examples.strip()}"] if examples else [])])
    return "\n".join(f"    {line}".rstrip() for line in written.splitlines()).strip() + "\n    "


def read_entries(docstring: str, title: str) -> dict[str, Entry]:
    """The entries of a numpydoc section by name: the type, and the lines of the description."""
    text = inspect.cleandoc(docstring)
    section = re.search(rf"(?:^|\n){title}\n-+\n(.*?)(?=\n\n\w[\w ]*\n-+\n|\Z)", text, re.DOTALL)
    parts = re.split(r"^(\w+) : (.*)\n", f"{section.group(1)}\n" if section else "", flags=re.MULTILINE)[1:]
    return {
        name: (type_words, inspect.cleandoc(described).splitlines())
        for name, type_words, described in zip(parts[::3], parts[1::3], parts[2::3], strict=True)
    }


def _default_words(kind: Any, name: str) -> str:
    default = next((parameter.default for parameter in fields(kind) if parameter.name == name), MISSING)
    if default is MISSING:
        return ""
    return f", default={default!r}" if not isinstance(default, str) else f', default="{default}"'


def _written(title: str, entries: dict[str, Entry]) -> str:
    lines = [title, "-" * len(title)]
    for name, (type_words, described) in entries.items():
        lines += [f"{name} : {type_words}", *(f"    {line}" for line in described)]
    return "\n".join(lines)
