"""Lists of words, one list per row: a column of 0 and 1 per word, sparse, for a node has few of all words.

A table that is nothing but such a column is `WordLists` (`sources`), as lists of words in a JSON file are; beside other
columns it is a `WordsColumn`. Both make their matrix here.

Tables often spell such a list as text: "Action|Comedy", "red, blue". A column of text is one where its values are made of
few items that recur, at most half as many as there are different values. As categories these would have nothing in common.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.features.arrow_values import ArrowColumn, has_numbers, has_text, has_word_lists
from sparsecut.features.numbers import LeftOut, became, other_type
from sparsecut.features.spelling import respelt

SEPARATORS = ("|", ";", ",", " ")
LABEL_SEPARATORS = "|;,"  # of several labels in one cell
MOST_ITEMS = 1_000  # of a list spelt as text: more is a language
LEAST_APART = 0.1  # of the values with another number of items than most: "Smith, John" and "Paris, France" have none


@dataclass(frozen=True)
class WordsColumn:
    """One column of 0 and 1 per word."""

    kind: ClassVar[str] = "words"
    name: str
    words: tuple[str, ...]
    separator: str = ""  # of lists spelt as text

    @classmethod
    def fit(cls, name: str, column: ArrowColumn, separator: str = "") -> WordsColumn | LeftOut:
        _, words = words_in(split_lists(column, separator) if separator else column)
        return cls(name, words, separator) if words else LeftOut(name, "all its cells are empty")

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(f"{self.name} has {word}" for word in self.words)

    @property
    def note(self) -> str:
        between = {" ": "spaces"}.get(self.separator, repr(self.separator))
        return became(self.name, self.names) + (f", one per item between {between}" if self.separator else "")

    def encode(self, column: ArrowColumn, what: str) -> tuple[list[sp.csr_array], str]:
        if self.separator and not has_word_lists(column.type):
            column = respelt(column, self.words, self.name, what) if has_numbers(column.type) else column
            column = split_lists(column, self.separator) if has_text(column.type) else column
        if not has_word_lists(column.type) and column.null_count < len(column):
            raise other_type(self.name, column, what, "lists of words")
        matrix, words = words_in(column)
        known, n_lost, n_unknown = in_vocabulary(matrix, words, self.words)
        note = f"{n_lost:,} entries of {self.name!r} are of {n_unknown:,} words that were not fitted, and were left out"
        return [known], note if n_lost else ""


def separator_of(values: list[str], n_present: int, *, max_categories: int) -> str:
    """What separates the items of lists that are spelt as text, by the different values of a column; "" where they are none.

    Words are items only where the values are too many to be categories, and are not names: one of its own nearly everywhere.
    """
    for separator in SEPARATORS:
        if separator == " " and not max_categories < len(values) <= n_present / 2:
            continue
        lists = [items_of(value, separator) for value in values]
        n_items = len(set().union(*lists))
        if not 0 < 2 * n_items <= len(values) or n_items > MOST_ITEMS:
            continue
        lengths = np.bincount([len(items) for items in lists])
        if separator in "|;" or len(values) - lengths.max() >= LEAST_APART * len(values):
            return separator
    return ""


def shared_separator(values: Iterable[str], separators: str) -> str:
    """What separates the items of labels where at least one is in two of them: "a;b" and "b"; "" where nothing does."""
    values = set(values)
    for separator in separators:
        lists = [set(items_of(value, separator)) for value in values if separator in value]
        whole = {value.strip() for value in values if separator not in value}
        items: set[str] = set().union(*lists)
        if any(len(one) > 1 for one in lists) and len(items | whole) < sum(map(len, lists)) + len(whole):
            return separator
    return ""


def items_of(text: str, separator: str) -> list[str]:
    """The items of one list; brackets around the whole, as of "{red,blue}", belong to none of them."""
    text = text.strip()
    text = text[1:-1] if text[:1] + text[-1:] in ("[]", "{}", "()") else text
    return [item.strip() for item in text.split(separator) if item.strip()]


def split_lists(column: ArrowColumn, separator: str) -> ArrowColumn:
    """A column of text as one of lists of words; a gap stays one."""
    import pyarrow as pa

    lists = [None if text is None else items_of(text, separator) for text in column.to_pylist()]
    split: ArrowColumn = pa.chunked_array([pa.array(lists, pa.list_(pa.large_string()))])
    return split


def words_in(column: ArrowColumn) -> tuple[sp.csr_array, tuple[str, ...]]:
    """(matrix of 0 and 1, the words of its columns in alphabetical order) of an Arrow column of lists of words."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not has_word_lists(column.type):  # nothing but gaps
        return sp.csr_array((len(column), 0), dtype=np.float32), ()
    lengths = np.asarray(pc.fill_null(pc.list_value_length(column), 0), dtype=np.int64)
    flat = pc.cast(pc.list_flatten(column), pa.large_string())
    flat = flat.combine_chunks() if isinstance(flat, pa.ChunkedArray) else flat
    is_word = np.asarray(pc.is_valid(flat), dtype=bool)
    rows = np.repeat(np.arange(len(column)), lengths)[is_word]
    vocabulary, codes = np.unique(np.array(flat.drop_null().to_pylist(), dtype=object), return_inverse=True)
    return mark_words(rows, codes, (len(column), len(vocabulary))), tuple(vocabulary.tolist())


def mark_words(rows: NDArray[Any], columns: NDArray[Any], shape: tuple[int, int]) -> sp.csr_array:
    """1 at each pair of a row and a column, however often it is named."""
    matrix = sp.coo_array((np.ones(len(rows), dtype=np.float32), (rows, columns)), shape=shape).tocsr()
    matrix.data[:] = 1
    return matrix


def in_vocabulary(matrix: sp.csr_array, words: tuple[str, ...], fitted: tuple[str, ...]) -> tuple[sp.csr_array, int, int]:
    """(the matrix in the columns of the fitted words, how many entries are of other words, how many other words)."""
    place = {word: number for number, word in enumerate(words)}
    found = [(place[word], number) for number, word in enumerate(fitted) if word in place]
    old, new = np.array(found, dtype=np.int64).reshape(-1, 2).T
    pick = sp.csr_array((np.ones(len(old), dtype=np.float32), (old, new)), shape=(len(words), len(fitted)))
    known = sp.csr_array(matrix @ pick)
    known.sort_indices()
    return known, matrix.nnz - known.nnz, len(words) - len(old)
