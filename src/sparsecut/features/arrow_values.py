"""The values of an Arrow column as numpy: numbers, times, words and vectors, each with the rows where nothing is."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError


class ArrowType(Protocol):
    """What `pyarrow.DataType` is to this library, which has no types of its own."""

    @property
    def value_type(self) -> ArrowType: ...
    @property
    def bit_width(self) -> int: ...
    @property
    def unit(self) -> str: ...


class ArrowColumn(Protocol):
    """What `pyarrow.Array` and `pyarrow.ChunkedArray` share."""

    @property
    def type(self) -> ArrowType: ...
    @property
    def null_count(self) -> int: ...
    def __len__(self) -> int: ...
    def __getitem__(self, row: int, /) -> Any: ...
    def to_numpy(self, zero_copy_only: bool = True) -> NDArray[Any]: ...
    def to_pylist(self) -> list[Any]: ...
    def cast(self, kind: ArrowType | str, /) -> ArrowColumn: ...
    def take(self, rows: ArrowColumn, /) -> ArrowColumn: ...
    def slice(self, offset: int, length: int, /) -> ArrowColumn: ...


class ArrowDictionary(ArrowColumn, Protocol):
    """Rows as numbers of distinct values: `pyarrow.DictionaryArray`."""

    @property
    def dictionary(self) -> ArrowColumn: ...
    @property
    def indices(self) -> ArrowColumn: ...


class ArrowTable(Protocol):
    """What `pyarrow.Table` is to this library."""

    @property
    def column_names(self) -> list[str]: ...
    @property
    def num_rows(self) -> int: ...
    @property
    def num_columns(self) -> int: ...
    @property
    def schema(self) -> Any: ...
    @property
    def columns(self) -> list[ArrowColumn]: ...
    def column(self, name: str | int, /) -> ArrowColumn: ...
    def select(self, names: list[str], /) -> ArrowTable: ...
    def drop_columns(self, names: list[str], /) -> ArrowTable: ...


def check_type(name: str, column: ArrowColumn, what: str) -> None:
    """Refuse what can be no feature, before anything is fitted."""
    if not any(is_kind(column.type) for is_kind in (has_numbers, has_times, has_lists, has_text)):
        raise InputError(f"{what} has values of type {column.type} in column {name!r}, which cannot be features.")


def check_infinite(name: str, column: ArrowColumn, what: str) -> None:
    """Refuse infinite numbers, which have no place on any scale."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not pa.types.is_floating(column.type):
        return
    extremes = pc.min_max(column).as_py()
    if not any(value is not None and np.isinf(value) for value in extremes.values()):
        return
    is_infinite = pc.is_inf(column)
    row, n_rows = pc.index(is_infinite, True).as_py(), pc.sum(is_infinite).as_py()
    others = f", and in {n_rows - 1:,} more row{'s' * (n_rows > 2)}" if n_rows > 1 else ""
    raise InputError(
        f"{what} must hold finite numbers. Got {column[row].as_py():g} in row {row + 1:,} of column {name!r}{others}. Leave "
        "the cell empty (NaN in a frame), which becomes the column's mean, or give a number."
    )


def decoded(column: ArrowColumn) -> ArrowColumn:
    """A column with the values that a dictionary numbers in place of their numbers; itself where it has no dictionary."""
    import pyarrow as pa

    if not pa.types.is_dictionary(column.type):
        return column
    is_view = pa.types.is_string_view(column.type.value_type)  # polars' text, of which Arrow cannot take values
    kind = pa.large_string() if is_view else column.type.value_type
    whole = column if isinstance(column, pa.ChunkedArray) else pa.chunked_array([column])
    parts: list[ArrowDictionary] = whole.chunks
    values: ArrowColumn = pa.chunked_array([part.dictionary.cast(kind).take(part.indices) for part in parts], kind)
    return values


def plain(column: ArrowColumn) -> ArrowColumn:
    """A column in one type: dictionaries decoded, NaN a gap, decimals and halves floats, the many kinds of text one."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = decoded(column)
    if pa.types.is_floating(column.type) and pc.any(is_nan := pc.is_nan(column)).as_py():
        column = pc.if_else(is_nan, pa.scalar(None, column.type), column)
    if pa.types.is_decimal(column.type) or pa.types.is_float16(column.type):
        column = _as_float(column)
    if pa.types.is_null(column.type):
        column = pc.cast(column, pa.float64())
    if pa.types.is_string(column.type) or pa.types.is_string_view(column.type):
        column = pc.cast(column, pa.large_string())
    return column


def is_number(column: ArrowColumn) -> bool:
    """Whether a plain column holds numbers without gaps."""
    return has_numbers(column.type) and not column.null_count


def is_mark(values: NDArray[Any]) -> bool:
    """Whether numbers are 0 and 1 alone."""
    return bool(((values == 0) | (values == 1)).all())


def mean_and_deviation(values: NDArray[np.float64]) -> tuple[float, float]:
    scale = float(np.abs(values).max())  # first to at most 1, so that squares do not overflow
    return float((values / scale).mean() * scale), float((values / scale).std() * scale)


def numbers_of(column: ArrowColumn) -> tuple[NDArray[np.bool_], NDArray[np.float64]]:
    """(where the gaps are, the numbers), of numbers, truth values and times."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_boolean(column.type):
        column = pc.cast(column, pa.int8())
    elif has_times(column.type):
        column = _seconds(column)
    return pc.is_null(column).to_numpy(), _as_float(column).to_numpy()


def words_of(column: ArrowColumn) -> tuple[list[str], NDArray[Any], NDArray[np.bool_]]:
    """(the distinct words, the number of each row's word, where the gaps are)."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.cast(column, pa.large_string())
    is_missing = pc.or_kleene(pc.is_null(column), pc.equal(column, "")).to_numpy()
    encoded = pc.dictionary_encode(column).combine_chunks()
    return encoded.dictionary.to_pylist(), np.asarray(pc.fill_null(encoded.indices, 0)), is_missing


def vectors_of(name: str, column: ArrowColumn, what: str) -> NDArray[np.float64]:
    import pyarrow.compute as pc

    lengths = pc.unique(pc.list_value_length(column)).to_pylist()
    if len(lengths) != 1 or not lengths[0] or not has_numbers(column.type.value_type):
        raise InputError(f"{what} must hold lists of numbers, all of one length, in column {name!r}.")
    flat: NDArray[np.float64] = _as_float(pc.list_flatten(column)).to_numpy().reshape(len(column), -1)
    if not np.isfinite(flat).all():
        raise InputError(f"{what} has an empty or infinite number in a list of column {name!r}.")
    return flat


def _as_float(column: ArrowColumn) -> ArrowColumn:
    """A column as float64. Integers beyond 2⁵³ round: features are float32 in the end."""
    import pyarrow as pa
    import pyarrow.compute as pc

    numbers: ArrowColumn = pc.cast(column, pa.float64(), safe=False)
    return numbers


def _seconds(column: ArrowColumn) -> ArrowColumn:
    import pyarrow as pa
    import pyarrow.compute as pc

    if pa.types.is_time(column.type) or pa.types.is_duration(column.type):
        ticks = _as_float(pc.cast(column, pa.int64() if column.type.bit_width == 64 else pa.int32()))
        per_second = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}[column.type.unit]
    else:
        ticks = _as_float(pc.cast(pc.cast(column, pa.timestamp("ms"), safe=False), pa.int64()))
        per_second = 1e3
    seconds: ArrowColumn = pc.divide(ticks, per_second)
    return seconds


def spells_number(word: str) -> bool:
    """Whether a word is a number as Python reads one."""
    try:
        float(word)
    except ValueError:
        return False
    return True


def has_numbers(kind: ArrowType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind))


def has_times(kind: ArrowType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_temporal(kind))


def has_lists(kind: ArrowType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind))


def has_text(kind: ArrowType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind))


def has_word_lists(kind: ArrowType) -> bool:
    import pyarrow as pa

    return has_lists(kind) and bool(
        pa.types.is_string(kind.value_type)
        or pa.types.is_large_string(kind.value_type)
        or pa.types.is_string_view(kind.value_type)
        or pa.types.is_null(kind.value_type)
    )
