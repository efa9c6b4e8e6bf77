"""networkx's own edge lists: `networkx.write_edgelist` ends each line with the attributes of the edge, {'weight': 4}.

Such a cell is read as what it is, a Python literal, and never run. Most cells hold one number under one key: those are taken
out by a regular expression, all at once; the others are parsed one by one, each distinct cell once.
"""

from __future__ import annotations

import ast
import warnings
from typing import Any

from sparsecut.base.errors import InputError, first_few

MAX_CELL = 10_000  # characters: Python's own parser is recursive
NUMBER = r"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?"


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
        parsed = [_parse(cell, what) for cell in left.dictionary.to_pylist()]
    n_simple = len(cells) - len(left)
    has_key = n_simple > 0 or any(key in attributes for attributes in parsed)
    others = sorted({str(name) for attributes in parsed for name in attributes if name != key})
    if is_asked and not has_key:
        raise InputError(f"{what} has no {key!r} at any of its edges. It has: {first_few(others, 20) or 'none'}.")
    notes = (f"Edge attributes not used: {', '.join(others)}.",) if others else ()
    if not has_key:
        return None, notes
    values = pa.array([_number(attributes.get(key, 1), key, what) for attributes in parsed], pa.float64())
    return pc.replace_with_mask(numbers, pc.is_null(numbers), values.take(left.indices)), notes


def _parse(cell: str, what: str) -> dict[Any, Any]:
    try:
        if len(cell) > MAX_CELL:
            raise ValueError
        attributes = ast.literal_eval(cell)
    except (ValueError, SyntaxError, MemoryError, RecursionError, TypeError):
        attributes = None
    if not isinstance(attributes, dict):
        raise InputError(f"{what} must end its lines with attributes like {{'weight': 4}}. Got {cell[:60]!r}.")
    return attributes


def _number(value: Any, key: str, what: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise InputError(f"{what} must hold numbers under {key!r}, the weights of its edges. Got {value!r}.")
    try:
        return float(value)
    except OverflowError:
        return float("inf")
