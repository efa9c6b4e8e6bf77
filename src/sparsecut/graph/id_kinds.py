"""What may be a node id: an integer of 64 bits, or a word. Anything else is refused with the way to make a word of it.

An id comes out of a graph, a file or a model as it went in. What numpy, Arrow or a file would round, cut short or print as
something else is therefore no id: integers beyond 64 bits, large integers that have become floats, bytes, dates, UUIDs.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError

# 64-bit integers or words, never both.
Ids: TypeAlias = NDArray[np.int64 | np.str_]

RULE = "integers or words as node ids"
EXACT = 2.0**53  # the first whole float that may stand for another integer
AS_WORDS = "Pass them as words: [str(value) for value in ids], in pandas column.astype(str)."
REMEDIES = {
    "floats of 2**53 and more": (
        "Such floats round to neighbouring integers. Read the ids as integers or words, in pandas with dtype='Int64' or str."
    ),
    "bytes": "Decode them: [value.decode() for value in ids], in pandas column.str.decode('utf-8').",
}
NUMPY_KINDS = {"S": "bytes", "M": "datetimes", "m": "durations", "b": "truth values", "c": "complex numbers"}


def id_error(what: str, got: str, example: Any = None, as_words: str = "") -> InputError:
    """The error for ids of a kind that is none, with the remedy; `as_words` is how to make words of ids of this library."""
    shown = "" if example is None else f", as in {_shown(example)}"
    return InputError(f"{what} must have {RULE}. Got {got}{shown}. {REMEDIES.get(got, as_words.strip() or AS_WORDS)}")


def as_id_array(values: ArrayLike, what: str = "The list of node_ids") -> Ids:
    """Ids as an array in which each is what it was: numpy would make words of ["a", 0], and floats of [2**63, -1]."""
    if hasattr(values, "dtype"):
        values = np.asarray(values)
    if isinstance(values, np.ndarray) and values.dtype != object:
        return _checked(values, what)
    is_flat = isinstance(values, list | tuple) or (isinstance(values, np.ndarray) and values.ndim == 1)
    items: list[Any] = list(values) if is_flat else []  # type: ignore[arg-type]
    if any(isinstance(item, list | np.ndarray) for item in items):
        raise InputError(f"{what} must hold one id per node. Got lists.")
    kind = check_one_kind(items, what)
    if kind == "integers":
        return as_integers(items, what)
    if kind not in ("words", None):
        raise id_error(what, kind, items[0])
    return np.asarray(values)


def as_integers(values: Iterable[Any], what: str) -> NDArray[np.int64]:
    """Integers and whole floats as 64-bit integers, exactly."""
    items = list(values)
    rounded = next((item for item in items if _is_float(item) and abs(item) >= EXACT), None)
    if rounded is not None:
        raise id_error(what, "floats of 2**53 and more", rounded)
    try:
        return np.array([int(item) for item in items], dtype=np.int64)
    except OverflowError as error:
        large = next(item for item in items if not -(2**63) <= int(item) < 2**63)
        raise id_error(what, "integers beyond 64 bits", large) from error


def check_one_kind(values: Iterable[Any], what: str, remedy: str = "", entries_per_row: int = 1) -> str | None:
    """The kind that node ids are of: "integers", "words" or another type's name. None and mixtures are refused."""
    first: dict[str, Any] = {}
    for position, value in enumerate(values):
        if value is None or _is_nan(value):
            row = position // entries_per_row + 1
            raise InputError(f"{what} has {value!r} as a node id, in row {row:,}. An id is an integer or a word.")
        first.setdefault(_kind(value), value)
    if len(first) > 1:
        (kind, one), (other_kind, other) = list(first.items())[:2]
        raise InputError(
            f"{what} mixes {kind} and {other_kind} as node ids: {_shown(one)} and {_shown(other)}. "
            f"Make them one kind first.{remedy}"
        )
    return next(iter(first), None)


def _checked(values: NDArray[Any], what: str) -> NDArray[Any]:
    kind = values.dtype.kind
    if kind in NUMPY_KINDS:
        raise id_error(what, NUMPY_KINDS[kind], values.flat[0] if values.size else None)
    if kind == "u" and values.size and int(values.max()) >= 2**63:
        raise id_error(what, "integers beyond 64 bits", int(values.max()))
    if kind != "f" or values.ndim != 1:
        return values
    if not np.isfinite(values).all() or (values != np.floor(values)).any():
        check_one_kind(values.tolist(), what)
        raise id_error(what, "fractions", float(values[~(values == np.floor(values)) | ~np.isfinite(values)][0]))
    return as_integers(values.tolist(), what)


def _is_float(value: Any) -> bool:
    return isinstance(value, float | np.floating)


def _is_nan(value: Any) -> bool:
    return _is_float(value) and bool(value != value)


def _kind(value: Any) -> str:
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return "integers"
    if _is_float(value):
        return "integers" if float(value).is_integer() else "fractions"
    if isinstance(value, str):
        return "words"
    return "bytes" if isinstance(value, bytes) else f"values of type {type(value).__name__}"


def _shown(value: Any) -> str:
    if isinstance(value, np.datetime64 | np.timedelta64):  # whose item may be a bare number
        return str(value)
    return repr(value.item() if isinstance(value, np.generic) else value)
