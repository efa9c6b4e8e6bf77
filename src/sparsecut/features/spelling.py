"""Text that spells numbers, truth values or dates, as those: a column of text becomes what the same column of a CSV is.

The cells of a CSV file have no type. pyarrow's parser gives a column the narrowest that each of its cells fits: whole
numbers, true and false, dates, times of day, points in time, fractions, and text where nothing else fits; "", "NA", "null"
and the like are gaps in all but text. Text in a frame, a Parquet file or a dict goes through the same parser, so that one
table is encoded alike whatever holds it.
"""

from __future__ import annotations

from datetime import date, time
from decimal import Decimal
from numbers import Number
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.features.arrow_values import ArrowColumn, ArrowDictionary, ArrowType, has_text
from sparsecut.features.spelt_lists import spelt_lists

N_FIRST = 8  # words that are looked at before all are: most columns of text are text from their first words on


def typed(column: ArrowColumn) -> ArrowColumn:
    """A column of text in the type that its words spell, lists included (`spelt_lists`); itself where that is text."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not has_text(column.type) or column.null_count == len(column):
        return column
    if has_text(_parse(_distinct(column.slice(0, N_FIRST)).dictionary).type):
        return spelt_lists(column)
    encoded = _distinct(column)
    values = _parse(encoded.dictionary)
    if has_text(values.type):
        return column
    if pa.types.is_null(values.type):
        values = pa.nulls(len(values), pa.float64())
    spelt: ArrowColumn = pa.chunked_array([pc.take(values, encoded.indices)])
    return spelt


def respelt(column: ArrowColumn, words: tuple[str, ...], name: str, what: str) -> ArrowColumn:
    """A column of numbers, truth values or times as text, each value spelt as the one of `words` that spells it.

    A later table may hold just those words of a column that spell numbers: "01" and "02" of "01", "02" and "unknown".
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    text = pa.large_string()
    values = [_value(word, column.type) for word in words]
    spelt = [word for word, value in zip(words, values, strict=True) if value is not None]
    as_text: ArrowColumn = pc.cast(column, text)
    if not spelt:
        return as_text
    known = pa.concat_arrays([value for value in values if value is not None])
    if len(known.unique()) < len(known):
        value = next(value for value in known.to_pylist() if known.to_pylist().count(value) > 1)
        same = [word for word, other in zip(spelt, known.to_pylist(), strict=True) if other == value]
        if pc.any(pc.is_in(column, value_set=pa.array([value], column.type))).as_py():
            raise InputError(
                f"{what} holds {value} in column {name!r}, and the model was fitted with {' and '.join(map(repr, same))}, "
                "which both spell it. Give the column as text in a frame or a Parquet file."
            )
    found = pc.index_in(column, value_set=known)
    as_fitted: ArrowColumn = pc.if_else(pc.is_valid(found), pc.take(pa.array(spelt, text), found), as_text)
    return as_fitted


def _value(word: str, kind: ArrowType) -> ArrowColumn | None:
    """What a word spells in a type, as an array of one; None where it spells nothing."""
    import pyarrow as pa

    try:
        return _parse(pa.array([word], pa.large_string()), kind)
    except pa.ArrowInvalid:
        return None


def _distinct(column: ArrowColumn) -> ArrowDictionary:
    import pyarrow as pa
    import pyarrow.compute as pc

    encoded = pc.dictionary_encode(column)
    whole: ArrowDictionary = encoded.combine_chunks() if isinstance(encoded, pa.ChunkedArray) else encoded
    return whole


def _parse(words: ArrowColumn, kind: ArrowType | None = None) -> ArrowColumn:
    """Distinct words as the parser of CSV files reads them, in a type or in the one that they all fit."""
    import pyarrow as pa
    from pyarrow import csv

    nothing: ArrowColumn = pa.nulls(0)
    if not len(words):  # gaps alone, so far
        return nothing
    buffer = pa.BufferOutputStream()
    csv.write_csv(pa.table({"x": words}), buffer, csv.WriteOptions(include_header=False))
    content = buffer.getvalue()
    parsed = csv.read_csv(
        pa.BufferReader(content),
        csv.ReadOptions(column_names=["x"], block_size=content.size + 1),  # one block: types are guessed from the first
        csv.ParseOptions(newlines_in_values=True),
        csv.ConvertOptions(column_types={} if kind is None else {"x": kind}),
    ).column("x")
    values: ArrowColumn = parsed.combine_chunks() if parsed.num_chunks != 1 else parsed.chunk(0)
    return values


def column_of(values: Any, name: str, what: str) -> ArrowColumn:
    """An Arrow array of a list or a series of Python's values. Values of several types are their text, as in a CSV file."""
    import pyarrow as pa

    try:
        column: ArrowColumn = pa.array(values, from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        cells = [None if value is None or value != value else value for value in values]
        if not all(cell is None or isinstance(cell, str | Number | Decimal | date | time) for cell in cells):
            raise InputError(
                f"{what} must hold values of one type in each column. Column {name!r} does not: "
                f"{str(error).splitlines()[0]}."
            ) from error
        column = pa.array([None if cell is None else str(cell) for cell in cells], pa.large_string())
    return column
