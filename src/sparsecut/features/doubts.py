"""Columns of a table whose reading is hardly what was meant: a sentence for each, and nothing is changed.

codes       whole numbers that name something, "zip" or "branch_id", and are taken for quantities
stand-ins   −999, 9999, −1 or 0 that is far from all other numbers of its column and stands for a gap
variants    categories that differ in capitals or spaces alone: "Rome", "ROME" and "rome "
lost text   dates, durations, numbers with units, pairs of numbers and lists that are no categories, and are left out
"""

from __future__ import annotations

import re
import unicodedata
from collections import defaultdict
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.features.arrow_values import ArrowColumn, has_numbers, has_text, numbers_of, words_of
from sparsecut.features.columns import CategoryColumn, FittedColumn
from sparsecut.features.feature_tables import FeatureTable
from sparsecut.features.numbers import LeftOut, NumberColumn
from sparsecut.features.typed_features import TypedFeatures
from sparsecut.features.word_lists import WordsColumn

_CODES = """
id ids code codes zip zipcode postcode postalcode plz phone telephone tel fax isbn ean sku iban ssn
"""
_NUMBERINGS = "number no nr num index unnamed"  # codes where no two rows have the same one
CODES, NUMBERINGS = frozenset(_CODES.split()), frozenset(_NUMBERINGS.split())
STAND_INS = (-1, -9, -99, -999, -9999, -99999, -999999, 99, 999, 9999, 99999, 999999)
MIN_DIFFERENT = 10  # values of a column whose spelling says what they are
ZERO_APART = 10  # times the width of all other values: years are 2,000 away from 0 and 100 wide
_MONTH = r"[^\W\d]{3,9}"
_NUMBER = r"[-+]?\d+\.\d+"
_PATTERNS = {
    "dates": re.compile(
        r"\d{4}([-/. ]?Q[1-4]|[-/.]\d{1,2})|"  # 2024-05, 2024Q2
        r"\d{1,4}([./-])\d{1,2}\2\d{1,4}([ T].*)?"  # 31.5.2024, 5/31/24 10:00
        rf"|\d{{1,2}}[. -]+{_MONTH}[., -]+\d{{2,4}}|{_MONTH}\.? \d{{1,2}},? \d{{4}}"  # 31-May-2024, May 31, 2024
    ),
    "durations or times": re.compile(r"\d+:\d{2}(:\d{2})?(\.\d+)?( ?[AaPp]\.?[Mm]\.?)?"),
    "several numbers": re.compile(rf"[(\[]?\s*{_NUMBER}(\s*[,; ]\s*{_NUMBER})+\s*[)\]]?|POINT ?\(.*\)"),
    "lists or objects": re.compile(r"[\[{].*[\]}]", re.DOTALL),
}
_REMEDIES = {
    "dates": "Write them as 2024-05-31, or parse them first (pandas.to_datetime)",
    "durations or times": "Write them as 01:02:03, or give seconds",
    "several numbers": "Give each its own column, or lists of numbers",
    "lists or objects": "Give lists of words or of numbers, all of one form",
    "numbers with units": "Give the numbers alone, all in one unit",
}
_WITH_UNIT = re.compile(r"[-+]?\d[\d.,]*\s?([^\W\d_/%]+\S{0,4})")


def doubts_of(source: Any) -> tuple[str, ...]:
    """Sentences on the columns of a graph's features (`Graph.source`); none of an array or of lists of words."""
    if isinstance(source, TypedFeatures):
        return tuple(f"{name}: {said}" for name, part in source.sources.items() for said in doubts_of(part))
    if not isinstance(source, FeatureTable):
        return ()
    said = (_doubt(fitted, source.columns[fitted.name], source.texts.get(fitted.name)) for fitted in source.encoder.columns)
    return tuple(sentence for sentence in said if sentence)


def _doubt(fitted: FittedColumn, column: ArrowColumn, text: ArrowColumn | None) -> str:
    name = fitted.name
    if isinstance(fitted, NumberColumn) and has_numbers(column.type) and fitted.is_standardised:
        return _of_code(name, column, text) or _of_stand_in(name, column)
    if isinstance(fitted, WordsColumn):
        return _of_variants(name, list(fitted.words))
    if isinstance(fitted, CategoryColumn | LeftOut) and has_text(column.type) and column.null_count < len(column):
        words, codes, is_missing = words_of(column)
        present = [words[code] for code in np.unique(codes[~is_missing])]
        is_lost = isinstance(fitted, LeftOut) or bool(fitted.left_out) or fitted.with_other
        return _of_spelling(name, present, is_lost) or ("" if isinstance(fitted, LeftOut) else _of_variants(name, present))
    return ""


def _of_code(name: str, column: ArrowColumn, text: ArrowColumn | None) -> str:
    present = _present(column)
    if not (_are_whole(present[:1000]) and _are_whole(present)):  # the first rows of most columns tell
        return ""
    different = np.unique(present)
    if len(different) < 3:
        return ""
    named = _words_of_name(name)
    numbers_rows = len(different) == len(present) > MIN_DIFFERENT
    zeros = text is not None and any(word and re.fullmatch("0[0-9]+", word) for word in text.to_pylist())
    if not (zeros or named & CODES or (numbers_rows and named & NUMBERINGS)):
        return ""
    looks = "a numbering" if numbers_rows else "a code"
    return (
        f"Column {name!r} of the features looks like {looks}, and its numbers are taken as quantities: {different[-1]:.0f} "
        f"is more than {different[0]:.0f}. Drop the column, or make categories of its values by a letter ('c' + code)."
    )


def _words_of_name(name: str) -> set[str]:
    """The last word of a column's name, and the last two as one: postal_code, zipCode, ID."""
    words = re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", name)
    return {"".join(words[-n:]).lower() for n in (1, 2)} if name else {"index"}  # what pandas' index is called in a file


def _of_stand_in(name: str, column: ArrowColumn) -> str:
    present = _present(column)
    for value in (float(present.min()), float(present.max())):
        n_rows = int(np.count_nonzero(present == value))
        if n_rows < 2:
            continue
        others = present[present != value]
        if _stands_in(value, others):
            return (
                f"Column {name!r} of the features holds {value:.0f} in {n_rows:,} rows, far from all its other numbers "
                f"({others.min():g} to {others.max():g}). If it stands for a gap, leave these cells empty."
            )
    return ""


def _present(column: ArrowColumn) -> NDArray[np.float64]:
    """The numbers of the rows that have one."""
    is_missing, values = numbers_of(column)
    return values[~is_missing] if column.null_count else values


def _are_whole(values: NDArray[np.float64]) -> bool:
    return bool((values == np.round(values)).all())


def _stands_in(value: float, others: NDArray[np.float64]) -> bool:
    low, high = float(others.min()), float(others.max())
    if len(np.unique(others[:1000])) < 3:
        return False
    gap, width = max(low - value, value - high), high - low
    if value == 0:
        return gap > ZERO_APART * width
    return value in STAND_INS and (gap > width or (value == -1 and low > 1))


def _of_variants(name: str, words: list[str]) -> str:
    alike: dict[str, list[str]] = defaultdict(list)
    for word in words:
        alike[" ".join(unicodedata.normalize("NFKC", word).casefold().split())].append(word)
    groups = [sorted(group) for group in alike.values() if len(group) > 1]
    if not groups:
        return ""
    shown = "; ".join(", ".join(map(repr, group[:4])) for group in groups[:3]) + ("; …" if len(groups) > 3 else "")
    return (
        f"Column {name!r} of the features holds words that differ in capitals or spaces alone, each with a feature of its "
        f"own: {shown}. Write them alike (in pandas: .str.strip().str.lower())."
    )


def _of_spelling(name: str, words: list[str], is_lost: bool) -> str:
    kinds = [kind for kind, pattern in _PATTERNS.items() if all(map(pattern.fullmatch, (word.strip() for word in words)))]
    if not kinds and is_lost:
        units = [_WITH_UNIT.fullmatch(word.strip()) for word in words]
        kinds = ["numbers with units"] * (all(units) and len({unit[1] for unit in units if unit}) == 1)
    if not kinds or len(words) < MIN_DIFFERENT:
        return ""
    became = "its text was left out or has a place for few of them" if is_lost else "they are categories without an order"
    return (
        f"Column {name!r} of the features holds {kinds[0]} such as {words[0]!r}, which are not read: {became}. "
        f"{_REMEDIES[kinds[0]]}."
    )
