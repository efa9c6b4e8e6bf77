"""A node table of any columns as a matrix of features: the same table gives the same matrix, always.

A table of numbers without gaps is taken as it is. Otherwise, column by column, in the order of the table:

    number      (x − mean) / standard deviation; a gap becomes 0, the mean, with a column "… is missing" of 0 and 1
    boolean     0 and 1; gaps as above
    text        one column of 0 and 1 a category, in alphabetical order, for the 100 commonest (ties: the first in the
                alphabet), and "… = other" for the rest; a gap has 0 in all of them and 1 in "… is missing"
    date, time  seconds since 1970, then as a number
    list        one column an element

Text that is a name rather than a category (over 100 values, over half of them different) tells nothing that carries over to
another node, and is left out. So is a column that holds one value throughout.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.errors import InputError

MAX_CATEGORIES = 100


def encode_columns(table: Any, names: list[str], what: str) -> tuple[NDArray[np.float32], tuple[str, ...], tuple[str, ...]]:
    """(matrix, name of each of its columns, notes on what became of the columns)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts: list[tuple[str, Any]] = []
    columns = {name: _plain(table.column(name)) for name in names}
    if all(_is_number(column.type) and not pc.any(pc.is_null(column)).as_py() for column in columns.values()):
        matrix = np.empty((table.num_rows, len(names)), dtype=np.float32)
        with np.errstate(over="ignore"):
            for position, column in enumerate(columns.values()):
                matrix[:, position] = column.to_numpy()
        return matrix, tuple(names), ()

    notes = []
    for name, column in columns.items():
        if pa.types.is_temporal(column.type):
            column = _seconds(column)
        if pa.types.is_boolean(column.type):
            encoded = _encode_numbers(name, pc.cast(column, pa.int8()), is_scaled=False)
        elif _is_number(column.type):
            encoded = _encode_numbers(name, column, is_scaled=True)
        elif pa.types.is_fixed_size_list(column.type) or pa.types.is_list(column.type):
            encoded = _encode_lists(name, column, what)
        elif pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            encoded = _encode_words(name, column, what)
        else:
            raise InputError(f"{what} has values of type {column.type} in column {name!r}, which cannot be features.")
        if encoded:
            notes.append(f"{name!r} became {len(encoded)} feature{'s' * (len(encoded) > 1)}")
        else:
            notes.append(f"{name!r} was left out: one value throughout, or a different one nearly everywhere")
        parts += encoded
    if not parts:
        raise InputError(f"{what} has no column that could be a feature: {'; '.join(notes)}.")
    matrix = np.column_stack([values for _, values in parts]).astype(np.float32)
    return matrix, tuple(name for name, _ in parts), (f"Features: {'; '.join(notes)}.",)


def _plain(column: Any) -> Any:
    """A column in one type: dictionaries decoded, NaN a gap, the many kinds of text one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_dictionary(column.type):
        column = pc.cast(column, column.type.value_type)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if pa.types.is_decimal(column.type):
        column = _as_float(column)
    if pa.types.is_null(column.type):
        column = pc.cast(column, pa.float64())
    return column


def _as_float(column: Any) -> Any:
    """A column as float64. Integers beyond 2⁵³ round: features are float32 in the end."""
    import pyarrow as pa
    import pyarrow.compute as pc

    return pc.cast(column, pa.float64(), safe=False)


def _is_number(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind))


def _seconds(column: Any) -> Any:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_time(column.type) or pa.types.is_duration(column.type):
        return _as_float(pc.cast(column, pa.int64() if column.type.bit_width == 64 else pa.int32()))
    return pc.divide(_as_float(pc.cast(pc.cast(column, pa.timestamp("ms"), safe=False), pa.int64())), 1000.0)


def _encode_numbers(name: str, column: Any, is_scaled: bool) -> list[tuple[str, Any]]:
    import pyarrow.compute as pc

    is_missing = pc.is_null(column).to_numpy()
    values = _as_float(column).to_numpy()
    present = values[~is_missing]
    encoded: list[tuple[str, Any]] = []
    if len(present) and not (present == present[0]).all():
        if is_scaled:
            scale = np.abs(present).max()  # first to at most 1, so that squares do not overflow
            present = present / scale
            values = (values / scale - present.mean()) / present.std()
        encoded.append((name, np.where(is_missing, 0, values)))
    return encoded + _missing_column(name, is_missing)


def _encode_lists(name: str, column: Any, what: str) -> list[tuple[str, Any]]:
    import pyarrow.compute as pc

    lengths = pc.unique(pc.list_value_length(column)).to_pylist()
    if len(lengths) != 1 or lengths[0] is None or not _is_number(column.type.value_type):
        raise InputError(f"{what} must hold lists of numbers, all of one length, in column {name!r}.")
    flat = _as_float(pc.list_flatten(column)).to_numpy().reshape(len(column), -1)
    if not np.isfinite(flat).all():
        raise InputError(f"{what} has an empty or infinite number in a list of column {name!r}.")
    return [(f"{name}[{position}]", flat[:, position]) for position in range(flat.shape[1])]


def _encode_words(name: str, column: Any, what: str) -> list[tuple[str, Any]]:
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.cast(column, pa.large_string())
    is_missing = pc.or_kleene(pc.is_null(column), pc.equal(column, "")).to_numpy()
    encoded = pc.dictionary_encode(column).combine_chunks()
    codes = np.asarray(pc.fill_null(encoded.indices, 0))
    words = encoded.dictionary.to_pylist()
    _check_words(name, words, codes, is_missing, what)
    counts = np.bincount(codes[~is_missing], minlength=len(words))
    found = [code for code in range(len(words)) if counts[code]]
    if len(found) > MAX_CATEGORIES and 2 * len(found) > len(codes):
        return _missing_column(name, is_missing)
    kept = sorted(found, key=lambda code: (-counts[code], words[code]))[:MAX_CATEGORIES]
    parts = []
    if len(found) > 1 or is_missing.any():
        in_order = sorted(kept, key=lambda code: words[code])
        parts += [(f"{name} = {words[code]}", (codes == code) & ~is_missing) for code in in_order]
    if len(found) > len(kept):
        parts.append((f"{name} = other", ~np.isin(codes, kept) & ~is_missing))
    return parts + _missing_column(name, is_missing)


def _check_words(name: str, words: list[str], codes: NDArray[Any], is_missing: NDArray[np.bool_], what: str) -> None:
    """A column nearly all of numbers is a column of numbers with a slip in it, not one of categories."""
    is_word = np.array([not _spells_number(word) for word in words])
    wrong = np.flatnonzero(is_word[codes] & ~is_missing) if len(words) else np.empty(0, dtype=int)
    n_present = int((~is_missing).sum())
    if len(wrong) and 10 * len(wrong) <= n_present:
        row = int(wrong[0])
        raise InputError(
            f"{what} holds {words[codes[row]]!r} among the numbers of column {name!r}, in row {row + 1:,}. "
            "Mend it, or leave the cell empty."
        )


def _spells_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _missing_column(name: str, is_missing: NDArray[np.bool_]) -> list[tuple[str, Any]]:
    return [(f"{name} is missing", is_missing)] if is_missing.any() and not is_missing.all() else []
