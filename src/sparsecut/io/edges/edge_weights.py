"""The weights of edges: finite numbers, as float32, from a column of a table, a list, or dictionaries.

Only a signed graph has weights below zero: `weighing` refuses them elsewhere, where it is known what the graph is.

`networkx.write_edgelist` ends each line with the attributes of the edge, {'weight': 4}. Such a cell is read as what it is, a
Python literal, and never run. Most cells hold one number under one key: those are taken out by a regular expression, all at
once; the others are parsed one by one, each distinct cell once.
"""

from __future__ import annotations

import ast
import warnings
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features import Notation
from sparsecut.kernels import REMEDIES

MAX_CELL = 10_000  # characters: Python's own parser is recursive
SIGNED_REMEDY = "Weights below zero ask for distance, where a graph is read with signed=True (--signed)."
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


def edge_weights(values: Any, column: str, what: str) -> NDArray[np.float32]:
    """Finite weights; whether they may be below zero is for the caller to say."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_string(values.type) or pa.types.is_large_string(values.type):
        values = _numbers_of(values, column, what)
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type) or pa.types.is_boolean(values.type)):
        raise InputError(f"{what} must hold numbers in its weight column {column!r}. Got {values.type} values.")
    with np.errstate(over="ignore"):  # beyond float32: infinite, and refused below
        weights = np.asarray(pc.cast(values, pa.float64(), safe=False).to_numpy()).astype(
            np.float32
        )  # an empty cell becomes NaN
    bad = np.flatnonzero(~np.isfinite(weights))
    if len(bad):
        got = values[int(bad[0])].as_py()
        if got is not None and np.isfinite(float(got)):
            raise InputError(
                f"{what} has an edge weight that is too large for float32 in column {column!r}. Got {float(got):g} in row "
                f"{bad[0] + 1:,}. {REMEDIES['edge weight']}"
            )
        raise InputError(
            f"{what} must hold finite weights of zero or more in column {column!r}. "
            f"Got {'an empty cell' if got is None else got} in row {bad[0] + 1:,}."
        )
    return weights


def said_of_zeros(weights: NDArray[Any] | None) -> tuple[str, ...]:
    """A note where weights are 0, which is no edge."""
    n_zeros = 0 if weights is None else int(np.count_nonzero(weights == 0))
    rows = "1 row has" if n_zeros == 1 else f"{n_zeros:,} rows have"
    return (f"{rows} a weight of 0, which is no edge: left out; the nodes stay.",) * bool(n_zeros)


def check_not_negative(weights: NDArray[Any] | None, column: str | None, what: str) -> None:
    """Refuse weights below zero, in a graph that is not signed."""
    if weights is None or not (weights < 0).any():
        return
    row = int(np.argmax(weights < 0))
    raise InputError(
        f"{what} must hold finite weights of zero or more{'' if column is None else f' in column {column!r}'}. "
        f"Got {weights[row]!s} in row {row + 1:,}. {SIGNED_REMEDY}"
    )


def check_weights(values: Any, what: str, *, is_signed: bool = False) -> NDArray[np.float32]:
    """Finite weights of zero or more, as float32; any finite ones of a signed graph."""
    try:
        with np.errstate(over="ignore"):
            weights = np.asarray(values, dtype=np.float64).astype(np.float32)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must have numbers as edge weights. Got others.") from error
    if weights.ndim != 1 or not np.isfinite(weights).all():
        raise InputError(f"{what} must have finite edge weights of zero or more. Got others.")
    if not is_signed and (weights < 0).any():
        raise InputError(f"{what} must have finite edge weights of zero or more. Got others. {SIGNED_REMEDY}")
    return weights


def values_in_dictionaries(cells: Any, key: str, is_asked: bool, what: str) -> tuple[Any | None, tuple[str, ...]]:
    """(the numbers under a key, 1 where a cell has none, or None if no cell has it; notes about other keys)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    cells = cells.combine_chunks()
    cells = cells if isinstance(cells, pa.Array) else pa.concat_arrays(cells.chunks)
    numbers = pa.nulls(len(cells), pa.float64())
    if key.isidentifier():  # and needs no escape in a pattern
        simple = pc.extract_regex(cells, rf"^\{{'{key}': (?P<value>{NUMBER})\}}$")
        numbers = pc.cast(pc.struct_field(simple, "value"), pa.float64())
    left = pc.filter(cells, pc.is_null(numbers)).dictionary_encode()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", SyntaxWarning)  # about a backslash in a text
        parsed = [_parse_cell(cell, what) for cell in left.dictionary.to_pylist()]
    n_simple = len(cells) - len(left)
    has_key = n_simple > 0 or any(key in attributes for attributes in parsed)
    others = sorted({str(name) for attributes in parsed for name in attributes if name != key})
    if is_asked and not has_key:
        raise InputError(f"{what} has no {key!r} at any of its edges. It has: {first_few(others, 20) or 'none'}.")
    notes = (f"Edge attributes not used: {', '.join(others)}.",) if others else ()
    if not has_key:
        return None, notes
    values = pa.array([_number_in_cell(attributes.get(key, 1), key, what) for attributes in parsed], pa.float64())
    return pc.replace_with_mask(numbers, pc.is_null(numbers), values.take(left.indices)), notes


def _numbers_of(words: Any, column: str, what: str) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    words = pc.if_else(pc.equal(words, ""), pa.scalar(None, words.type), words)
    try:
        return pc.cast(words, pa.float64())
    except pa.ArrowInvalid:
        words = pc.utf8_trim_whitespace(words)
    is_number = pc.match_substring_regex(words, r"^[-+]?((\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|(?i:nan|inf|infinity))$")
    row = pc.index(is_number, False).as_py()
    if row >= 0:
        word = words[row].as_py()
        notation = Notation.of([word])
        remedy = "" if notation is None else f" Write such numbers as {notation.number(word):g}."
        raise InputError(
            f"{what} must hold numbers in its weight column {column!r}. Got {word!r} in row {row + 1:,}.{remedy}"
        )
    return pc.cast(words, pa.float64())


def _parse_cell(cell: str, what: str) -> dict[Any, Any]:
    try:
        if len(cell) > MAX_CELL:
            raise ValueError
        attributes = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        attributes = None
    if not isinstance(attributes, dict):
        raise InputError(f"{what} must end its lines with attributes like {{'weight': 4}}. Got {cell[:60]!r}.")
    return attributes


def _number_in_cell(value: Any, key: str, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{what} must hold numbers under {key!r}, the weights of its edges. Got {value!r}.")
    try:
        return float(value)
    except OverflowError:
        return float("inf")
