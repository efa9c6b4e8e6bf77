"""New features of nodes, some columns or all of them: encoded as the model's, and laid over the rows that the nodes have.

Columns that are not given stay as they are. A value is what the fitted column holds: text that spells a number, a truth
value or a time is one where the column holds those, so that cells of CSV and strings of JSON serve as values of a frame do.
None is a gap.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features.columns import CategoryColumn, FittedColumn, VectorColumn
from sparsecut.features.encoder import NamedColumns, TableEncoder, check_names
from sparsecut.features.feature_tables import FeatureTable, WordLists, table_source
from sparsecut.features.numbers import NumberColumn
from sparsecut.features.type_encoders import Encoder
from sparsecut.features.word_lists import WordsColumn, items_of
from sparsecut.features.written_numbers import Notation
from sparsecut.graph import LABEL_NAMES, Graph
from sparsecut.graph.node_values import check_features

Records = Sequence[Mapping[str, Any]]
Present = Callable[[list[Any]], Any]  # the rows of nodes as they are, encoded
TRUTH = {"true": True, "false": False}


def encode_rows(values: Any, encoder: Encoder | None) -> Any:
    """Whole rows (a matrix, or an Arrow table) as the model's encoder makes them."""
    n_rows = values.shape[0] if hasattr(values, "shape") else len(values)
    if encoder is None and (isinstance(values, np.ndarray) or sp.issparse(values)):
        return check_features(values, n_rows)
    if hasattr(values, "column_names"):  # its ids are known already
        values = without_labels(values, encoder)
        # A column of lists by itself may be one of several that were fitted, and not their vocabulary.
        is_table = isinstance(encoder, TableEncoder)
        values = (FeatureTable if is_table else table_source)(values, "The table of changes")
    return Graph(sp.csr_array((n_rows, n_rows), dtype=np.float32), features=values).encoded_by(encoder).features


def without_labels(table: Any, encoder: Encoder | None) -> Any:
    """A table without a column of labels that was not fitted: it was taken for labels when the graph was read."""
    fitted = () if encoder is None else encoder.names_in or ()
    return table.drop_columns([name for name in table.column_names if name.lower() in LABEL_NAMES and name not in fitted])


def table_of(records: Records, name: str, encoder: Encoder | None) -> Any:
    """Records with the same columns as an Arrow table, each column as the fitted one holds it."""
    import pyarrow as pa

    names = list(records[0])
    other = next((record for record in records if set(record) != set(names)), None)
    if other is not None:
        raise InputError(
            f"The rows of {name} must have the same columns. Got {first_few(names)} and {first_few(list(other))}."
        )
    fitted = {column.name: column for column in encoder.columns} if isinstance(encoder, TableEncoder) else {}
    is_matrix = isinstance(encoder, NamedColumns)
    columns = {}
    for column in names:
        kind = NumberColumn(column) if is_matrix else fitted.get(column)
        columns[str(column)] = _as_fitted([record[column] for record in records], str(column), kind, name)
    return pa.table(columns)


def word_lists(lists: Sequence[Any], name: str) -> WordLists:
    """Lists of words, or of feature numbers, one per row."""
    flat = [word for words in lists if isinstance(words, list | tuple) for word in words]
    kinds = {type(word) for word in flat}
    if len(kinds) > 1 or not kinds <= {str, int} or not all(isinstance(words, list | tuple) for words in lists):
        raise InputError(f"The rows of {name} must be lists of words or of feature numbers, as those that were fitted.")
    words: tuple[str, ...] | int = max(flat, default=-1) + 1 if kinds == {int} else tuple(dict.fromkeys(flat))
    number = {word: word for word in flat} if isinstance(words, int) else {word: at for at, word in enumerate(words)}
    if isinstance(words, int) and min(flat) < 0:
        raise InputError(f"The rows of {name} must hold feature numbers of zero or more. Got {min(flat)}.")
    matrix = sp.lil_array((len(lists), words if isinstance(words, int) else len(words)), dtype=np.float32)
    for row, listed in enumerate(lists):
        for word in listed:
            matrix[row, number[word]] = 1
    return WordLists(sp.csr_array(matrix), words, f"A row of {name}")


def overlaid(values: Any, ids: list[Any], name: str, encoder: Encoder, present: Present) -> Any:
    """Rows of some columns (an Arrow table, or records that may each have others) over those that the nodes have."""
    parts = [(np.arange(len(ids)), values)] if hasattr(values, "column_names") else _by_columns(values, name, encoder)
    encoded = [(rows, *_encoded_part(table, name, encoder)) for rows, table in parts]
    if len(encoded) == 1 and len(encoded[0][1]) == _n_columns(encoder):
        return encoded[0][2]
    whole = present(ids)
    is_sparse = sp.issparse(whole)
    whole = sp.lil_array(whole) if is_sparse else np.array(whole)
    for rows, places, matrix in encoded:
        if len(places):
            whole[np.ix_(rows, places)] = matrix.toarray() if sp.issparse(matrix) else matrix
    return sp.csr_array(whole) if is_sparse else whole


def _by_columns(records: Records, name: str, encoder: Encoder) -> list[tuple[NDArray[np.int64], Any]]:
    """Records that have the same columns together: (where they stand, their table)."""
    groups: dict[frozenset[Any], list[int]] = {}
    for row, record in enumerate(records):
        groups.setdefault(frozenset(record), []).append(row)
    return [(np.array(rows), table_of([records[row] for row in rows], name, encoder)) for rows in groups.values()]


def _encoded_part(table: Any, name: str, encoder: Encoder) -> tuple[NDArray[np.int64], Any]:
    """(the places of a table's columns among the encoded ones, their numbers)."""
    given, what = set(table.column_names), f"A row of {name}"
    assert isinstance(encoder, TableEncoder | NamedColumns)
    table = without_labels(table, encoder)
    check_names(tuple(column for column in encoder.names_in if column in given), tuple(table.column_names), what)
    if isinstance(encoder, NamedColumns):
        part: Encoder = NamedColumns(tuple(column for column in encoder.names_in if column in given))
        places = np.flatnonzero([column in given for column in encoder.names_in])
        return places, encode_rows(table, part)
    widths = [len(column.names) for column in encoder.columns]
    is_given = np.repeat([column.name in given for column in encoder.columns], widths)
    if not is_given.any():  # columns that were left out of the fit are left out now too
        return np.empty(0, dtype=np.int64), None
    part = TableEncoder(tuple(column for column in encoder.columns if column.name in given))
    return np.flatnonzero(is_given), encode_rows(table, part)


def _n_columns(encoder: Encoder) -> int:
    return len(encoder.names_out if isinstance(encoder, TableEncoder) else encoder.names_in or ())


def _as_fitted(values: list[Any], column: str, fitted: FittedColumn | None, name: str) -> Any:
    """Values as an Arrow column of the kind that the fitted one is."""
    import pyarrow as pa

    try:
        if all(value is None for value in values):
            return pa.nulls(len(values), pa.large_string() if isinstance(fitted, CategoryColumn) else pa.float64())
        if isinstance(fitted, NumberColumn) and fitted.is_time:
            return _times(values)
        if isinstance(fitted, NumberColumn):
            values = [_number(value, fitted) if isinstance(value, str) else value for value in values]
        if isinstance(fitted, WordsColumn) and fitted.separator:
            values = [items_of(value, fitted.separator) if isinstance(value, str) else value for value in values]
        elif isinstance(fitted, VectorColumn | WordsColumn):
            values = [json.loads(value) if isinstance(value, str) else value for value in values]
        return pa.array(values)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, ValueError):
        kind = "" if fitted is None else f", {_described(fitted)} when the model was fitted"
        raise InputError(
            f"The rows of {name} must hold values of one type in column {column!r}{kind}. Got {first_few(values)}."
        ) from None


def _number(text: str, fitted: NumberColumn) -> float | bool | None:
    if not text.strip():
        return None
    if fitted.written:
        written = Notation.from_example(fitted.written).number(text)
        if written is None:
            raise ValueError
        return written
    return TRUTH[text.strip().lower()] if text.strip().lower() in TRUTH else float(text)


def _times(values: list[Any]) -> Any:
    """Times as they are, or spelt as ISO 8601 has them: a date, a date and a time with or without a zone, a time of day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    if not any(isinstance(value, str) for value in values):
        return pa.array(values)
    spelt = pa.array([value or None for value in values], pa.string())
    for kind in (pa.timestamp("us"), pa.timestamp("us", "UTC")):
        with suppress(pa.ArrowInvalid):
            return pc.cast(spelt, kind)
    return pa.array([None if value is None else datetime.time.fromisoformat(value) for value in spelt.to_pylist()])


def _described(fitted: FittedColumn) -> str:
    if isinstance(fitted, NumberColumn):
        return "which held times" if fitted.is_time else "which held numbers"
    if isinstance(fitted, VectorColumn | WordsColumn):
        return f"which held lists of {'numbers' if isinstance(fitted, VectorColumn) else 'words'}"
    return "which held text"
