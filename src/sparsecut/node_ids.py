"""Node ids as they are passed in: all integers or all words. Mixed ones and gaps are refused, never turned into text.

numpy would make the words "a" and "0" of ["a", 0]: a node 0 that its owner then looks for in vain.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.errors import InputError

RULE = "must be all integers or all words, none of them missing."


def as_id_array(values: ArrayLike, what: str = "The node ids") -> NDArray[Any]:
    """Ids as an array that has kept the type of each, or an error that names the first one that does not fit."""
    column = values if isinstance(values, np.ndarray) else None
    if column is None or column.dtype == object:
        items = np.asarray(values, dtype=object) if hasattr(values, "dtype") else values
        if isinstance(items, list | tuple) or (isinstance(items, np.ndarray) and items.ndim == 1):
            check_one_type(items, what)
        try:
            column = np.asarray(values)
        except ValueError as error:  # lists of different lengths
            raise InputError(f"{what} {RULE} Got lists.") from error
    if column.dtype.kind == "f" and np.isnan(column).any():
        raise InputError(f"{what} {RULE} Got nan at position {int(np.argmax(np.isnan(column))):,}.")
    return column


def check_one_type(values: Iterable[Any], what: str) -> None:
    """Refuse a list of ids in which one is missing, or of which some are words and others are not."""
    values = list(values)
    types = set(map(type, values))
    if any(kind.__name__ in ("NoneType", "NAType", "NaTType", "float", "float64", "float32") for kind in types):
        gap = next((position for position, value in enumerate(values) if _is_missing(value)), None)
        if gap is not None:
            raise InputError(f"{what} {RULE} Got {values[gap]!r} at position {gap:,}.")
    kinds = {_kind(kind) for kind in types}
    if len(kinds) > 1:
        first: dict[str, Any] = {}
        for value in values:
            first.setdefault(_kind(type(value)), value)
        shown = " and ".join(_shown(value) for value in list(first.values())[:2])
        raise InputError(f"{what} {RULE} Got {shown}. Give all of them one type: [str(id) for id in ids], for example.")


def _kind(kind: type) -> str:
    if issubclass(kind, str):
        return "word"
    if issubclass(kind, bool | np.bool_):
        return "truth"
    return "number" if issubclass(kind, int | float | np.number) else kind.__name__


def _is_missing(value: Any) -> bool:
    return value is None or type(value).__name__ in ("NAType", "NaTType") or (isinstance(value, float) and value != value)


def _shown(value: Any) -> str:
    return repr(value.item() if isinstance(value, np.generic) else value)
