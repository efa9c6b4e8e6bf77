"""Features without some of their rows, encoded as if these had never been there.

A table and lists of words that are at hand are encoded anew. Of a model that was saved, or that has followed updates, only
the encoded numbers are there. They are decoded column by column and the encoding is learned again from what is left: means,
deviations, units of log scales, quantiles, categories, words, and which columns have gaps. What a column is (numbers on a
standard, log or rank scale, categories, lists) stays. Two things are not in encoded numbers, and cannot be learned from them
again: which categories the group "other" of a text column with over 100 has, and the text of a column that was left out.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features.columns import CategoryColumn, FittedColumn, VectorColumn
from sparsecut.features.encoder import NamedColumns, TableEncoder, Vocabulary, with_words
from sparsecut.features.feature_tables import FeatureMatrix, FeatureTable, WordLists
from sparsecut.features.numbers import ONE_VALUE, LeftOut, NumberColumn
from sparsecut.features.typed_features import Source, TypedFeatures
from sparsecut.features.word_lists import WordsColumn
from sparsecut.kernels import in_single

NO_VALUES = "all its cells are empty"
ROUNDED = 2.0**-22  # of the numbers that were added up: what single precision may have rounded

Floats = NDArray[np.float64]
Marks = NDArray[np.bool_]


def fitted_again(source: Source, rows: NDArray[np.int64]) -> Source:
    """The features of the nodes at positions `rows`, with an encoder that has seen these rows alone."""
    if isinstance(source, TypedFeatures):
        return source.of_each_type(rows, fitted_again)
    if isinstance(source, FeatureTable):
        return table_of_rows(source, rows)
    if isinstance(source, WordLists):
        lists = source.take(rows)
        matrix, vocabulary = _words_left(lists.matrix(lists.encoder)[0], lists.encoder)
        return WordLists(matrix, vocabulary.words, lists.what)
    taken = source.take(rows)
    if isinstance(taken.encoder, Vocabulary):
        return FeatureMatrix(*_words_left(sp.csr_array(taken.own), taken.encoder))
    if isinstance(taken.encoder, TableEncoder):
        return FeatureMatrix(*_encoded_again(taken.own, taken.encoder))
    if not (taken.encoder is None or isinstance(taken.encoder, NamedColumns)):
        raise InputError(
            f"The features were encoded by {type(taken.encoder).__name__}, which cannot be learned again from encoded rows. "
            "Fit a model on the graph without these nodes."
        )
    return taken


def table_of_rows(table: FeatureTable, rows: NDArray[np.int64]) -> FeatureTable:
    """A table of the rows that some nodes have, and of no others: it is encoded by itself."""
    numbers = table.rows[rows]
    used = np.unique(numbers[numbers >= 0])
    kept = object.__new__(FeatureTable)
    kept.what, kept.scale = table.what, table.scale
    kept.columns, kept.texts = (
        {name: column.take(used) for name, column in columns.items()} for columns in (table.columns, table.texts)
    )
    kept.rows = np.where(numbers >= 0, np.searchsorted(used, numbers), -1)
    return kept


def _words_left(matrix: sp.csr_array, vocabulary: Vocabulary) -> tuple[sp.csr_array, Vocabulary]:
    """Lists without the words that no row has."""
    counts = np.bincount(matrix.indices, minlength=matrix.shape[1])
    if isinstance(vocabulary.words, int):
        n_words = int(np.flatnonzero(counts).max(initial=-1)) + 1
        return sp.csr_array(matrix[:, :n_words]), Vocabulary(n_words)
    found = np.flatnonzero(counts)
    return sp.csr_array(matrix[:, found]), Vocabulary(tuple(vocabulary.words[place] for place in found))


def _encoded_again(matrix: Any, encoder: TableEncoder) -> tuple[Any, TableEncoder]:
    """The matrix of an encoder that is learned again from the rows of the matrix."""
    is_row = _are_rows(matrix, encoder)
    columns: list[FittedColumn] = []
    dense: list[NDArray[np.float32]] = []
    words: list[tuple[int, sp.csr_array]] = []
    for column, part in _parts(matrix, encoder):
        again: FittedColumn
        if isinstance(column, WordsColumn):
            again, found = _words_again(column, part)
            words.append((len(dense), found))
        elif isinstance(column, LeftOut):
            again = column
        else:
            again, values = _LEARN[type(column)](column, _dense(part), is_row)
            dense += [in_single(np.where(is_row, column_values, 0), column.name, "The features") for column_values in values]
        columns.append(again)
    joined = np.column_stack(dense) if dense else np.zeros((matrix.shape[0], 0), dtype=np.float32)
    joined = np.ascontiguousarray(joined, dtype=np.float32)
    again_encoder = TableEncoder(tuple(columns))
    if not again_encoder.names_out:
        raise InputError(
            "The nodes that are left have no column that could be a feature: each holds one value throughout. Fit a model "
            "with features='structure' on the graph without the others."
        )
    is_sparse = any(isinstance(column, WordsColumn) for column in columns)
    return with_words(joined, words) if is_sparse else joined, again_encoder


def _parts(matrix: Any, encoder: TableEncoder) -> Iterator[tuple[FittedColumn, Any]]:
    """Each column of the table with its columns of the matrix."""
    matrix = sp.csc_array(matrix) if sp.issparse(matrix) else matrix
    first = 0
    for column in encoder.columns:
        yield column, matrix[:, first : first + len(column.names)]
        first += len(column.names)


def _are_rows(matrix: Any, encoder: TableEncoder) -> Marks:
    """Which nodes have a row of the table: those without one have zeros, which no numbers on a scale all are."""
    if not any(isinstance(column, NumberColumn) and column.is_standardised for column in encoder.columns):
        return np.ones(matrix.shape[0], dtype=bool)
    counts = np.diff(sp.csr_array(matrix).indptr) if sp.issparse(matrix) else (matrix != 0).sum(axis=1)
    return np.asarray(counts > 0)


def _numbers_again(column: NumberColumn, part: Floats, is_row: Marks) -> tuple[FittedColumn, list[Any]]:
    is_missing = (part[:, -1] > 0.5) if column.with_missing else np.zeros(len(part), dtype=bool)
    is_present = is_row & ~is_missing
    if not column.with_value:  # one value or a gap: the value is not known, and need not be
        if not (is_missing & is_row).any():
            return LeftOut(column.name, ONE_VALUE), []
        return (column, [is_missing]) if is_present.any() else (LeftOut(column.name, NO_VALUES), [])
    values = _decoded(column, part[:, 0])
    again = _fitted_numbers(column, values[is_present], with_missing=bool((is_missing & is_row).any()))
    if isinstance(again, LeftOut):
        return again, []
    encoded = again.transformed(values) / again.deviation - again.mean / again.deviation
    filled = np.where(is_missing, again.fill, encoded)
    return again, [filled] * again.with_value + [is_missing] * again.with_missing


def _fitted_numbers(column: NumberColumn, present: Floats, *, with_missing: bool) -> NumberColumn | LeftOut:
    """The column as it is fitted to the numbers that are there, on the scale that it has."""
    import pyarrow as pa

    if not len(present):
        return LeftOut(column.name, NO_VALUES)
    scale = column.transform or ("standard" if column.is_standardised else "none")
    again = NumberColumn.fit(column.name, pa.chunked_array([present]), scale=scale)
    if isinstance(again, LeftOut):
        if with_missing and again.why == ONE_VALUE:
            return NumberColumn(column.name, with_value=False, with_missing=True, is_time=column.is_time)
        return again
    return replace(
        again,
        with_missing=with_missing,
        is_time=column.is_time,
        distance=column.distance if again.transform else 0.0,
        written=column.written,
    )


def _decoded(column: NumberColumn, encoded: Floats) -> Floats:
    """x, from (t(x) − mean) / deviation in single precision; whole numbers and powers of two are these again.

    A column of 0 and 1 alone is a mark, and the unit of a log scale counts whole exponents: there rounding would show.
    """
    if not column.is_standardised:
        return encoded
    values = encoded * column.deviation + column.mean
    if column.transform == "rank":
        return np.asarray(np.interp(values, column.shares, column.values))
    error = ROUNDED * (np.abs(values) + abs(column.mean) + column.deviation)
    if column.transform == "log":
        sizes = np.expm1(np.abs(values)) * column.unit
        error = error * (sizes + column.unit)
        values = np.copysign(sizes, values)
    whole = np.round(values)
    values = np.where(np.abs(values - whole) <= error, whole, values)
    powers = np.exp2(np.round(np.log2(np.maximum(np.abs(values), 1e-300))))
    is_power = (values != 0) & (np.abs(np.abs(values) - powers) <= error)
    return np.where(is_power, np.copysign(powers, values), values)


def _categories_again(column: CategoryColumn, part: Floats, is_row: Marks) -> tuple[FittedColumn, list[Any]]:
    marks = part > 0.5
    counts = (marks & is_row[:, None]).sum(axis=0)
    n_rows, n_named = int(is_row.sum()), len(column.categories)
    with_other = column.with_other and bool(counts[n_named])
    with_missing = column.with_missing and 0 < int(counts[-1]) < n_rows
    if column.left_out:
        return (column, [marks[:, -1]]) if with_missing else (LeftOut(column.name, column.left_out), [])
    found = np.flatnonzero(counts[:n_named])
    if not len(found) and not with_other:
        return LeftOut(column.name, NO_VALUES), []
    if len(found) + with_other == 1 and not with_missing:
        return LeftOut(column.name, ONE_VALUE), []
    again = replace(
        column,
        categories=tuple(column.categories[place] for place in found),
        with_other=with_other,
        with_missing=with_missing,
    )
    beside = [n_named] * with_other + [len(column.names) - 1] * with_missing
    return again, [marks[:, place] for place in [*found, *beside]]


def _vectors_again(column: VectorColumn, part: Floats, is_row: Marks) -> tuple[FittedColumn, list[Any]]:
    if column.deviation == 1.0:  # taken as they are
        return column, list(part.T)
    values = part * column.deviation
    deviation = float(np.sqrt(values[is_row].var(axis=0).mean())) if is_row.any() else 0.0
    if not deviation > 0:
        return LeftOut(column.name, ONE_VALUE), []
    return replace(column, deviation=deviation), list((values / deviation).T)


def _words_again(column: WordsColumn, part: Any) -> tuple[FittedColumn, sp.csr_array]:
    matrix = sp.csr_array(part)
    found = np.flatnonzero(np.bincount(matrix.indices, minlength=matrix.shape[1]))
    if not len(found):
        return LeftOut(column.name, NO_VALUES), sp.csr_array((matrix.shape[0], 0), dtype=np.float32)
    return replace(column, words=tuple(column.words[place] for place in found)), sp.csr_array(matrix[:, found])


_LEARN: dict[type, Any] = {
    NumberColumn: _numbers_again,
    CategoryColumn: _categories_again,
    VectorColumn: _vectors_again,
}


def _dense(part: Any) -> Floats:
    return np.asarray(part.toarray() if sp.issparse(part) else part, dtype=np.float64)
