"""What one column of a table becomes. Each kind is fitted on the first table and applied to every later one.

    number      (x − mean) / standard deviation of the fitted table; a gap becomes 0, the mean, and 1 in the column
                "… is missing", which exists where the fitted table had gaps
    mark        a column of true and false, or of 0 and 1 alone: 0 and 1; gaps as above
    category    text: one column of 0 and 1 per category, in alphabetical order, for the 100 commonest (ties: the first in
                the alphabet), and "… = other" for the rest; a gap has 0 in all of them and 1 in "… is missing"
    time        dates, times and durations: seconds since 1970, midnight or zero, then as a number
    vector      a list of numbers: one column per element, all divided by one number, so that their mean variance is 1
    left out    a column that tells nothing that carries over: one value throughout, only gaps, or text that is a name
                rather than a category (over 100 values, over half of the rows with a value of their own)

In a later table a category that was not fitted is "other", or 0 in all of the columns where there is no "other". A gap in a
column that had none becomes the mean. Notes count both. A column that was left out stays out, whatever it holds then.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsecut.encoding.arrow_values import (
    check_slips,
    has_lists,
    has_numbers,
    has_text,
    has_times,
    is_mark,
    mean_and_deviation,
    numbers_of,
    vectors_of,
    words_of,
)
from sparsecut.errors import InputError

MAX_CATEGORIES = 100


@dataclass(frozen=True)
class LeftOut:
    """A column that is no feature, and why."""

    kind: ClassVar[str] = "left out"
    name: str
    why: str

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    @property
    def note(self) -> str:
        return f"{self.name!r} was left out: {self.why}"

    def encode(self, column: Any, what: str) -> tuple[list[NDArray[Any]], str]:
        return [], ""


@dataclass(frozen=True)
class NumberColumn:
    """(x − mean) / deviation; mean 0 and deviation 1 leave the numbers as they are. A gap becomes `fill`."""

    kind: ClassVar[str] = "number"
    name: str
    mean: float = 0.0
    deviation: float = 1.0
    fill: float = 0.0
    with_value: bool = True  # one value or a gap: then the gap alone tells something
    with_missing: bool = False
    is_time: bool = False

    @classmethod
    def fit(cls, name: str, column: Any, *, is_scaled: bool) -> NumberColumn | LeftOut:
        is_time, (is_missing, values) = has_times(column.type), numbers_of(column)
        present, with_missing = values[~is_missing], bool(is_missing.any())
        if not len(present):
            return LeftOut(name, "it holds nothing but gaps")
        if (present == present[0]).all():
            if not with_missing:
                return LeftOut(name, "it holds one value throughout")
            return cls(name, with_value=False, with_missing=True, is_time=is_time)
        if is_mark(present):
            return cls(name, with_missing=with_missing, is_time=is_time)
        mean, deviation = mean_and_deviation(present)
        if not is_scaled:
            return cls(name, fill=mean, with_missing=with_missing, is_time=is_time)
        return cls(name, mean, deviation, 0.0, True, with_missing, is_time)

    @property
    def names(self) -> tuple[str, ...]:
        return (self.name,) * self.with_value + (f"{self.name} is missing",) * self.with_missing

    @property
    def note(self) -> str:
        return _became(self.name, self.names)

    def encode(self, column: Any, what: str) -> tuple[list[NDArray[Any]], str]:
        if not (has_numbers(column.type) or (self.is_time and has_times(column.type))):
            raise _other_type(self.name, column, what, "times" if self.is_time else "numbers")
        is_missing, values = numbers_of(column)
        parts = []
        if self.with_value:
            # Divided before the mean is taken off: numbers near the largest there are do not overflow.
            parts.append(np.where(is_missing, self.fill, values / self.deviation - self.mean / self.deviation))
        if self.with_missing:
            parts.append(is_missing)
        n_new = 0 if self.with_missing else int(is_missing.sum())
        return parts, f"{n_new:,} gaps in {self.name!r}, which had none when it was fitted, became its mean" if n_new else ""


@dataclass(frozen=True)
class CategoryColumn:
    """One column of 0 and 1 per category."""

    kind: ClassVar[str] = "category"
    name: str
    categories: tuple[str, ...] = ()
    with_other: bool = False
    with_missing: bool = False

    @classmethod
    def fit(cls, name: str, column: Any, what: str) -> CategoryColumn | LeftOut:
        words, codes, is_missing = words_of(column)
        check_slips(name, words, codes, is_missing, what)
        counts = np.bincount(codes[~is_missing], minlength=len(words))
        found = [code for code in range(len(words)) if counts[code]]
        with_missing = bool(is_missing.any() and not is_missing.all())
        if not found:
            return LeftOut(name, "it holds nothing but gaps")
        if len(found) > MAX_CATEGORIES and 2 * len(found) > len(codes):
            if with_missing:
                return cls(name, with_missing=True)
            return LeftOut(name, "it has a value of its own nearly everywhere, as names have")
        if len(found) == 1 and not with_missing:
            return LeftOut(name, "it holds one value throughout")
        kept = sorted(found, key=lambda code: (-counts[code], words[code]))[:MAX_CATEGORIES]
        return cls(name, tuple(sorted(words[code] for code in kept)), len(found) > len(kept), with_missing)

    @property
    def names(self) -> tuple[str, ...]:
        return (
            *(f"{self.name} = {category}" for category in self.categories),
            *((f"{self.name} = other",) * self.with_other),
            *((f"{self.name} is missing",) * self.with_missing),
        )

    @property
    def note(self) -> str:
        return _became(self.name, self.names)

    def encode(self, column: Any, what: str) -> tuple[list[NDArray[Any]], str]:
        if not (has_text(column.type) or has_numbers(column.type)):  # numbers are categories spelt like numbers
            raise _other_type(self.name, column, what, "text")
        words, codes, is_missing = words_of(column)
        place = {word: number for number, word in enumerate(words)}
        parts: list[NDArray[Any]] = [(codes == place.get(category, -1)) & ~is_missing for category in self.categories]
        is_known = np.isin(codes, [place[category] for category in self.categories if category in place]) | is_missing
        if self.with_other:
            parts.append(~is_known)
        if self.with_missing:
            parts.append(is_missing)
        unseen = list(dict.fromkeys(codes[~is_known].tolist())) if self.categories else []
        notes = []
        if unseen:
            shown = ", ".join(repr(words[code]) for code in unseen[:5]) + (", …" if len(unseen) > 5 else "")
            notes.append(
                f"{int((~is_known).sum()):,} rows of {self.name!r} hold categories that were not fitted ({shown}) and are "
                + ("'other'" if self.with_other else "in no category")
            )
        n_new = 0 if self.with_missing else int(is_missing.sum())
        if n_new:
            notes.append(f"{n_new:,} gaps in {self.name!r}, which had none when it was fitted, are in no category")
        return parts, "; ".join(notes)


@dataclass(frozen=True)
class VectorColumn:
    """Lists of numbers, all of one length, divided by one number."""

    kind: ClassVar[str] = "vector"
    name: str
    n_elements: int = 0
    deviation: float = 1.0

    @classmethod
    def fit(cls, name: str, column: Any, what: str, *, is_scaled: bool) -> VectorColumn | LeftOut:
        values = vectors_of(name, column, what)
        deviation = float(np.sqrt(values.var(axis=0).mean())) if is_scaled else 1.0
        if is_scaled and not deviation > 0:
            return LeftOut(name, "it holds one value throughout")
        return cls(name, values.shape[1], deviation)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name}[{position}]" for position in range(self.n_elements))

    @property
    def note(self) -> str:
        return _became(self.name, self.names)

    def encode(self, column: Any, what: str) -> tuple[list[NDArray[Any]], str]:
        if not has_lists(column.type):
            raise _other_type(self.name, column, what, "lists of numbers")
        values = vectors_of(self.name, column, what)
        if values.shape[1] != self.n_elements:
            raise InputError(
                f"{what} must hold lists of {self.n_elements} numbers in column {self.name!r}, as the fitted ones. "
                f"Got lists of {values.shape[1]}."
            )
        return list((values / self.deviation).T), ""


FittedColumn: TypeAlias = "LeftOut | NumberColumn | CategoryColumn | VectorColumn"
KINDS: dict[str, Any] = {kind.kind: kind for kind in (LeftOut, NumberColumn, CategoryColumn, VectorColumn)}


def fit_column(name: str, column: Any, what: str, *, is_scaled: bool, is_alone: bool) -> FittedColumn:
    """What a column becomes, by its type. Vectors that are the whole table are a matrix, and taken as they are."""
    if has_numbers(column.type) or has_times(column.type):
        return NumberColumn.fit(name, column, is_scaled=is_scaled)
    if has_lists(column.type):
        return VectorColumn.fit(name, column, what, is_scaled=is_scaled and not is_alone)
    if has_text(column.type):
        return CategoryColumn.fit(name, column, what)
    raise InputError(f"{what} has values of type {column.type} in column {name!r}, which cannot be features.")


def _other_type(name: str, column: Any, what: str, fitted: str) -> InputError:
    return InputError(
        f"{what} holds values of type {column.type} in column {name!r}, which held {fitted} when the model was fitted. "
        "Give it the same kind of values."
    )


def _became(name: str, names: tuple[str, ...]) -> str:
    return f"{name!r} became {len(names)} feature{'s' * (len(names) > 1)}"
