"""Text that spells lists as programs do: "['red', 'big']", '["red"]', "[0.1, 0.2]", "(0.1, 0.2)", "[0.1 0.2]".

This is what a CSV file holds of a column of lists of pandas, of numpy's vectors or of JSON. A column is one of lists where
each of its values is one, of words alone or of numbers alone. Whole numbers in lists of several lengths count nothing: they
are words.
"""

from __future__ import annotations

import ast
import json
from typing import Any

from sparsecut.features.arrow_values import ArrowColumn

N_FIRST = 8  # rows that are looked at before all are


def spelt_lists(column: ArrowColumn) -> ArrowColumn:
    """A column of text as the lists that its values spell; itself where they spell anything else."""
    import pyarrow as pa

    if not all(map(_has_brackets, filter(None, column.slice(0, N_FIRST).to_pylist()))):
        return column
    words = column.to_pylist()
    if not any(words) or not all(map(_has_brackets, filter(None, words))):
        return column
    lists = [_list_of(word) if word else None for word in words]
    if any(items is None for items, word in zip(lists, words, strict=True) if word):
        return column
    flat = [item for items in lists if items for item in items]
    if flat and all(isinstance(item, str) for item in flat):
        return _as_arrow(lists, pa.large_string())
    if not flat or not all(type(item) in (int, float) for item in flat):
        return column
    if len({len(items) for items in lists if items is not None}) == 1:
        return _as_arrow(lists, pa.float64())
    if all(type(item) is int for item in flat):
        return _as_arrow([items and [str(item) for item in items] for items in lists], pa.large_string())
    return column


def _has_brackets(word: str) -> bool:
    word = word.strip()
    return word[:1] + word[-1:] in ("[]", "()")


def _list_of(word: str) -> list[Any] | None:
    """The list that one word spells in JSON, in Python or as numpy prints vectors; None where it spells none."""
    for read in (json.loads, ast.literal_eval, _printed_vector):
        try:
            found = read(f"[{word.strip()[1:-1]}]")
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            continue
        if isinstance(found, list):
            return found
    return None


def _printed_vector(word: str) -> list[float]:
    return [float(number) for number in word[1:-1].split()]


def _as_arrow(lists: list[Any], kind: Any) -> ArrowColumn:
    import pyarrow as pa

    column: ArrowColumn = pa.chunked_array([pa.array(lists, pa.list_(kind))])
    return column
