"""What one column of a table becomes. Each kind is fitted on the first table and applied to every later one.

    number      (x − mean) / standard deviation of the fitted table, or "log(…)" or "rank(…)", the same on another scale
                (`scaling` says which and when); a gap becomes 0, the mean, and 1 in the column "… is missing", which exists
                where the fitted table had gaps
    mark        a column of true and false, or of 0 and 1 alone: 0 and 1; gaps as above
    category    text: one column of 0 and 1 per category, in alphabetical order, for the 100 commonest (ties: the first in
                the alphabet), and "… = other" for the rest; a gap has 0 in all of them and 1 in "… is missing"
    time        dates, times and durations: seconds since 1970, midnight or zero, then as a number
    vector      a list of numbers: one column per element, all divided by one number, so that their mean variance is 1
    words       a list of words: one column of 0 and 1 per word, "… has WORD", in alphabetical order; a gap has none of them.
                A list may be spelt as text, "Action|Comedy" or "red, blue": `word_lists` says when
    left out    a column that has nothing to learn from: one value throughout, only gaps, text that is a name rather
                than a category (over 100 values, over half of the rows with a value of their own), or free text (over 10
                values of 5 words each on average, over half of the rows with a value of their own)

Text is what its words spell (`spelling`): numbers, truth values and dates given as text are those, and numbers as people
write them, such as "1.234,50" and "12 %", are numbers (`written_numbers`).

In a later table a category that was not fitted is "other", or 0 in all of the columns where there is no "other". A gap in a
column that had none becomes the mean. A word that was not fitted is left out. Notes count them. A column that was left out
stays out, whatever it holds then.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features.arrow_values import (
    ArrowColumn,
    has_lists,
    has_numbers,
    has_text,
    has_times,
    has_word_lists,
    vectors_of,
    words_of,
)
from sparsecut.features.numbers import LeftOut, NumberColumn, became, other_type
from sparsecut.features.spelling import respelt
from sparsecut.features.word_lists import WordsColumn, separator_of
from sparsecut.features.written_numbers import check_slips, notation_of

MAX_CATEGORIES = 100
MIN_TEXTS = 10  # fewer different values are categories, however long
MIN_WORDS = 5  # on average: fewer are names of something
FREE_TEXT = (
    "it is free text. To use it, give the vectors that a text encoder makes of it: as a column of lists of numbers, or as "
    "an array of features with one row per node"
)


@dataclass(frozen=True)
class CategoryColumn:
    """One column of 0 and 1 per category."""

    kind: ClassVar[str] = "category"
    name: str
    categories: tuple[str, ...] = ()
    with_other: bool = False
    with_missing: bool = False
    left_out: str = ""  # why there are no categories: then only the gaps are a feature

    @classmethod
    def fit(cls, name: str, column: ArrowColumn, what: str) -> CategoryColumn | LeftOut:
        words, codes, is_missing = words_of(column)
        check_slips(name, words, codes, is_missing, what)
        counts = np.bincount(codes[~is_missing], minlength=len(words))
        found = [code for code in range(len(words)) if counts[code]]
        with_missing = bool(is_missing.any() and not is_missing.all())
        if not found:
            return LeftOut(name, "all its cells are empty")
        why = _why_no_category([words[code] for code in found], len(codes), int((~is_missing).sum()))
        if why:
            return cls(name, with_missing=True, left_out=why) if with_missing else LeftOut(name, why)
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
        words = became(self.name, self.names)
        return f"{words}, and its text was left out: {self.left_out}" if self.left_out else words

    def encode(self, column: ArrowColumn, what: str) -> tuple[list[NDArray[Any]], str]:
        if has_numbers(column.type) or has_times(column.type):  # words that spell them, or numbers that stand for words
            column = respelt(column, self.categories, self.name, what)
        if not has_text(column.type):
            raise other_type(self.name, column, what, "text")
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
    def fit(cls, name: str, column: ArrowColumn, what: str, *, is_scaled: bool) -> VectorColumn | LeftOut:
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
        return became(self.name, self.names)

    def encode(self, column: ArrowColumn, what: str) -> tuple[list[NDArray[Any]], str]:
        if not has_lists(column.type):
            raise other_type(self.name, column, what, "lists of numbers")
        values = vectors_of(self.name, column, what)
        if values.shape[1] != self.n_elements:
            raise InputError(
                f"{what} must hold lists of {self.n_elements} numbers in column {self.name!r}, as the fitted ones. "
                f"Got lists of {values.shape[1]}."
            )
        return list((values / self.deviation).T), ""


FittedColumn: TypeAlias = "LeftOut | NumberColumn | CategoryColumn | VectorColumn | WordsColumn"
KINDS: dict[str, Any] = {kind.kind: kind for kind in (LeftOut, NumberColumn, CategoryColumn, VectorColumn, WordsColumn)}


def fit_column(name: str, column: ArrowColumn, what: str, *, scale: str, is_alone: bool) -> FittedColumn:
    """What a column becomes, by its type. Vectors that are the whole table are a matrix, and taken as they are."""
    if has_numbers(column.type) or has_times(column.type):
        return NumberColumn.fit(name, column, scale=scale)
    if has_word_lists(column.type):
        return WordsColumn.fit(name, column)
    if has_lists(column.type):
        return VectorColumn.fit(name, column, what, is_scaled=scale != "none" and not is_alone)
    if has_text(column.type):
        notation = notation_of(column)
        if notation is None:
            words, codes, is_missing = words_of(column)
            found = [words[code] for code in np.unique(codes[~is_missing])]
            separator = separator_of(found, int((~is_missing).sum()), max_categories=MAX_CATEGORIES)
            return WordsColumn.fit(name, column, separator) if separator else CategoryColumn.fit(name, column, what)
        numbers = NumberColumn.fit(name, notation.read(column, name, what), scale=scale)
        return replace(numbers, written=notation.example) if isinstance(numbers, NumberColumn) else numbers
    raise InputError(f"{what} has values of type {column.type} in column {name!r}, which cannot be features.")


def _why_no_category(values: list[str], n_rows: int, n_present: int) -> str:
    """Why the different values of a column of text are no categories; "" where they are."""
    n_words = sum(len(value.split()) for value in values)
    if len(values) > MIN_TEXTS and 2 * len(values) > n_present and n_words >= MIN_WORDS * len(values):
        return FREE_TEXT
    if len(values) > MAX_CATEGORIES and 2 * len(values) > n_rows:
        return "it has a value of its own nearly everywhere, as names have"
    return ""
