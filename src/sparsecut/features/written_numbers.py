"""Numbers as people write them: 1,234.50 or 1.234,50, 3,14, €12, 12 %.

The parser of CSV files takes such words for text. Where every word of a column is a number in one notation, the column is
one of numbers, and later tables are read in the notation that was fitted: "1.234" stays a thousand and more where the first
table said "1.234,50". Only signs of currencies, "%" and "‰" may stand beside a number, the same one throughout: a letter
makes words of numbers ("zone 12").
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features.arrow_values import ArrowColumn, spells_number, words_of

# What stands between thousands and before decimals. Words that two of them read, such as "1,234", are in the first one.
# A plain space is no separator: it would make one number of "555 123 456".
SEPARATORS = (
    (",", "."),
    (".", ","),
    ("\N{NO-BREAK SPACE}", ","),
    ("\N{NARROW NO-BREAK SPACE}", ","),
    ("'", "."),
    ("\N{RIGHT SINGLE QUOTATION MARK}", "."),
)
SHARES = "%‰"


@dataclass(frozen=True)
class Notation:
    """How the numbers of a column are written."""

    thousands: str
    decimal: str
    unit: str = ""

    @classmethod
    def of(cls, words: list[str]) -> Notation | None:
        """The notation in which each of some distinct words is a number; None where there is none."""
        units = {_unit(word) for word in words}
        if not words or len(units) > 1:
            return None
        (unit,) = units
        found = (cls(thousands, decimal, unit) for thousands, decimal in SEPARATORS)
        return next((notation for notation in found if all(notation.number(word) is not None for word in words)), None)

    @classmethod
    def from_example(cls, example: str) -> Notation:
        """The notation of a number as `example` writes it."""
        unit = _unit(example)
        digits = example.replace(unit, "").strip() if unit else example
        return cls(digits[1], digits[5], unit)

    @property
    def example(self) -> str:
        """A number in this notation."""
        number = f"1{self.thousands}234{self.decimal}5"
        return f"{number} {self.unit}" if self.unit in SHARES and self.unit else f"{self.unit}{number}"

    def number(self, word: str) -> float | None:
        """What a word is in this notation; None where it is no number."""
        bare = word.replace(self.unit, "", 1) if self.unit else word
        digits = "".join(bare.split(" ")) if self.unit else bare.strip(" ")
        if _unit(word) != self.unit or not self._pattern.fullmatch(digits):
            return None
        return float(digits.replace(self.thousands, "").replace(self.decimal, ".").replace("\N{MINUS SIGN}", "-"))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        thousands, decimal = re.escape(self.thousands), re.escape(self.decimal)
        return re.compile(rf"[+\-\N{{MINUS SIGN}}]?([1-9][0-9]{{0,2}}({thousands}[0-9]{{3}})+|[0-9]+)({decimal}[0-9]+)?")

    def read(self, column: ArrowColumn, name: str, what: str) -> ArrowColumn:
        """A column of text as the numbers that it writes; what the parser of CSV files takes for a gap is one."""
        import pyarrow as pa
        from pyarrow import csv

        words, codes, is_missing = words_of(column)
        gaps = set(csv.ConvertOptions().null_values)
        numbers = [None if word in gaps else self.number(word) for word in words]
        wrong = [number is None and word not in gaps for number, word in zip(numbers, words, strict=True)]
        bad = np.flatnonzero(np.array(wrong or [False], dtype=bool)[codes] & ~is_missing)
        if len(bad):
            raise InputError(
                f"{what} holds {words[codes[bad[0]]]!r} in column {name!r}, in row {int(bad[0]) + 1:,}. Numbers of this "
                f"column are written like {self.example!r}, as in the table that was fitted. Write it so, or leave the cell "
                "empty."
            )
        values = np.array([np.nan if number is None else number for number in numbers] or [np.nan])[codes]
        read: ArrowColumn = pa.chunked_array([pa.array(np.where(is_missing, np.nan, values), from_pandas=True)])
        return read


def notation_of(column: ArrowColumn) -> Notation | None:
    """How the numbers of a column of text are written; None where it holds anything else."""
    from pyarrow import csv

    words, _, _ = words_of(column)
    gaps = set(csv.ConvertOptions().null_values)
    present = [word for word in words if word not in gaps]
    return Notation.of(present) if not present or any(map(str.isdigit, present[0])) else None


def check_slips(name: str, words: list[str], codes: NDArray[Any], is_missing: NDArray[np.bool_], what: str) -> None:
    """A column nearly all of numbers is one of numbers with slips in it, not one of categories, unless they are codes."""
    is_word = np.array([not (spells_number(word) or Notation.of([word])) for word in words])
    if _are_codes([word for word, is_one in zip(words, is_word, strict=True) if not is_one], words):
        return
    wrong = np.flatnonzero(is_word[codes] & ~is_missing) if len(words) else np.empty(0, dtype=int)
    n_present = int((~is_missing).sum())
    if len(wrong) and 10 * len(wrong) <= n_present:
        found = {words[codes[row]]: row for row in reversed(wrong.tolist())}  # the first row of each
        shown = [f"{word!r} in row {row + 1:,}" for word, row in sorted(found.items(), key=lambda item: item[1])]
        listed = ", ".join(shown[:5]) + (", …" if len(shown) > 5 else "")
        raise InputError(
            f"{what} holds words among the numbers of column {name!r}: {listed}. "
            f"Correct {'them' if len(wrong) > 1 else 'it'}, or leave the cell{'s' if len(wrong) > 1 else ''} empty."
        )


def _are_codes(numbers: list[str], words: list[str]) -> bool:
    """Codes of places or products, which count nothing: 01002, or letters and digits of one length (94043, T8H1N)."""
    has_zero = any(len(number) > 1 and number.startswith("0") and number.isdigit() for number in numbers)
    is_mixed = all(word.isalnum() and any(map(str.isdigit, word)) for word in words)
    return has_zero or (is_mixed and len({len(word) for word in words}) == 1)


def _unit(word: str) -> str:
    """The signs beside a number: of a currency, "%" or "‰"."""
    return "".join(sign for sign in word if sign in SHARES or unicodedata.category(sign) == "Sc")
