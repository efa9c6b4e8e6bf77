"""Features that are not a matrix yet: a table of columns, or lists of words. A graph turns them into numbers when it must.

A graph that is fitted on encodes its own source, and the model keeps the encoder. A graph that comes later is encoded by the
model's, so its own encoding is never made.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features.arrow_values import ArrowTable, check_infinite, check_type, has_word_lists, is_number, plain
from sparsecut.features.columns import CategoryColumn
from sparsecut.features.encoder import NamedColumns, TableEncoder, Vocabulary
from sparsecut.features.numbers import NumberColumn
from sparsecut.features.scaling import Scale, check_scale
from sparsecut.features.spelling import typed
from sparsecut.features.type_encoders import Encoder, TypeEncoders
from sparsecut.features.word_lists import words_in
from sparsecut.kernels import in_single

TABLES_BY_TYPE = "a table for each type of nodes: give all of them (from_tables, or --nodes for each type at the shell)"


def table_source(table: ArrowTable, what: str, *, scale: Scale = "auto") -> FeatureTable | WordLists:
    """The features of an Arrow table: its columns, or the lists of words that are its only column."""
    if table.num_columns == 1 and table.column(0).null_count < table.num_rows:
        only = typed(plain(table.column(0)))
        if has_word_lists(only.type):
            check_scale(scale, tuple(table.column_names), what)
            return WordLists(*words_in(only), what)
    return FeatureTable(table, what, scale=scale)


class FeatureTable:
    """Columns of any type, and which of their rows each node has; a node without a row (−1) has zeros for features.

    Parameters
    ----------
    table : pyarrow table
        One row per node, or as `rows` says.
    what : str
        What the table is called in messages, for example "The features file nodes.csv".
    scale : bool, str or dict, default="auto"
        The scale of the numbers (`sparsecut.features.scaling`), for all columns or by name.
    rows : int array, optional
        The row of each node.

    Attributes
    ----------
    columns : dict of str to Arrow column
        In the types that the values have, or that text spells.
    texts : dict of str to Arrow column
        The text of the columns that spell something else.
    """

    def __init__(
        self, table: ArrowTable, what: str, *, scale: Scale = "auto", rows: NDArray[np.int64] | None = None
    ) -> None:
        self.what, self.scale = what, scale
        self.columns: dict[str, Any] = {}
        self.texts: dict[str, Any] = {}
        for name in map(str, table.column_names):
            if name in self.columns:
                raise InputError(f"{what} has two columns of the same name. Rename one.")
            given = plain(table.column(len(self.columns)))
            check_type(name, given, what)
            self.columns[name] = column = typed(given)
            if column.type != given.type:
                self.texts[name] = given
            check_infinite(name, column, what)
        check_scale(scale, self.names, what)
        self.rows = np.arange(table.num_rows) if rows is None else rows

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.columns)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self.columns)

    @property
    def is_numbers(self) -> bool:
        """Whether every column holds numbers without gaps."""
        return all(is_number(column) for column in self.columns.values())

    @cached_property
    def encoder(self) -> TableEncoder:
        """Fitted on all the rows that nodes have."""
        return TableEncoder.fit(self.columns, self.what, scale=self.scale)

    def take(self, rows: NDArray[np.int64]) -> FeatureTable:
        """The table of the nodes at positions `rows`, encoded as the whole table is."""
        taken = object.__new__(FeatureTable)
        taken.what, taken.scale, taken.columns, taken.texts = self.what, self.scale, self.columns, self.texts
        taken.rows = self.rows[rows]
        taken.__dict__["encoder"] = self.encoder
        return taken

    def placed(self, rows: NDArray[np.int64]) -> FeatureTable:
        """The table for the nodes of a graph, before anything is fitted: rows of no node do not count."""
        used = np.flatnonzero(np.bincount(rows[rows >= 0], minlength=len(self.rows)))
        number = np.full(len(self.rows) + 1, -1)
        number[used] = np.arange(len(used))
        placed = object.__new__(FeatureTable)
        placed.what, placed.scale, placed.rows = self.what, self.scale, number[rows]
        is_all = len(used) == len(self.rows)
        placed.columns, placed.texts = (
            columns if is_all else {name: column.take(used) for name, column in columns.items()}
            for columns in (self.columns, self.texts)
        )
        return placed

    def matrix(self, encoder: Encoder | None) -> tuple[Any, tuple[str, ...]]:
        """(features as a fitted encoder makes them, notes). None: the numbers as they are, in the table's order."""
        if isinstance(encoder, Vocabulary):
            raise InputError(f"{self.what} is a table, and the model was fitted with lists of words.")
        if isinstance(encoder, TypeEncoders):
            raise InputError(f"{self.what} is one table, and the model was fitted with {TABLES_BY_TYPE}.")
        if isinstance(encoder, TableEncoder):
            as_text = {
                column.name
                for column in encoder.columns
                if isinstance(column, CategoryColumn) or (isinstance(column, NumberColumn) and column.written)
            }
            texts = {name: text for name, text in self.texts.items() if name in as_text}
            encoded, notes = encoder.encode(self.columns | texts, self.what)
        else:
            encoded, notes = self._numbers(), ()
            if encoder is not None:
                encoded = encoded[:, encoder.order(self.names, self.what)]
        if len(self.rows) == encoded.shape[0] and (self.rows == np.arange(len(self.rows))).all():
            return encoded, notes
        if sp.issparse(encoded):
            return place_sparse_rows(encoded, self.rows), notes
        placed = np.zeros((len(self.rows), encoded.shape[1]), dtype=np.float32)
        found = self.rows >= 0
        placed[found] = encoded[self.rows[found]]
        return placed, notes

    def _numbers(self) -> NDArray[np.float32]:
        import pyarrow.compute as pc

        wrong = [name for name, column in self.columns.items() if not is_number(column)]
        if wrong:
            raise InputError(
                f"{self.what} must hold numbers without gaps: the model was fitted with a matrix. Column {wrong[0]!r} "
                "holds others."
            )
        matrix = np.empty((len(next(iter(self.columns.values()))), len(self.columns)), dtype=np.float32)
        for place, (name, column) in enumerate(self.columns.items()):
            matrix[:, place] = in_single(pc.cast(column, "float64", safe=False).to_numpy(), name, self.what)
        return matrix


class WordLists:
    """A list of words, or of feature numbers, per node, as a sparse matrix of 0 and 1 with a column per word."""

    def __init__(self, matrix: sp.csr_array, words: tuple[str, ...] | int, what: str) -> None:
        self._lists, self.words, self.what = matrix, words, what
        self.encoder = Vocabulary(words)

    @property
    def shape(self) -> tuple[int, int]:
        return (int(self._lists.shape[0]), int(self._lists.shape[1]))

    @property
    def names(self) -> tuple[str, ...] | None:
        return None if isinstance(self.words, int) else self.words

    def take(self, rows: NDArray[np.int64]) -> WordLists:
        return WordLists(self._lists[rows], self.words, self.what)

    def placed(self, rows: NDArray[np.int64]) -> WordLists:
        """The lists of the nodes of a graph; a node without any (−1) has none of the words."""
        return WordLists(place_sparse_rows(self._lists, rows), self.words, self.what)

    def matrix(self, encoder: Encoder | None) -> tuple[Any, tuple[str, ...]]:
        if encoder is None:
            if not isinstance(self.words, int):
                raise InputError(f"{self.what} holds lists of words, and the model was fitted on an array of numbers.")
            return self._lists, ()
        if isinstance(encoder, NamedColumns | TableEncoder):
            raise InputError(f"{self.what} holds lists of words, and the model was fitted with a table of columns.")
        if isinstance(encoder, TypeEncoders):
            raise InputError(f"{self.what} holds lists of words, and the model was fitted with {TABLES_BY_TYPE}.")
        return encoder.encode(self._lists, self.words, self.what)


class FeatureMatrix:
    """Numbers already: an array as it was given, or what an encoder made of a table (`encoder` then says how)."""

    def __init__(self, matrix: Any, encoder: Encoder | None = None) -> None:
        self.own, self.encoder = matrix, encoder

    @property
    def shape(self) -> tuple[int, int]:
        return (int(self.own.shape[0]), int(self.own.shape[1]))

    @property
    def names(self) -> tuple[str, ...] | None:
        return None if self.encoder is None else self.encoder.names_in

    def take(self, rows: NDArray[np.int64]) -> FeatureMatrix:
        is_array = isinstance(self.own, np.ndarray)  # of which numpy takes rows faster by this name
        return FeatureMatrix(np.take(self.own, rows, axis=0) if is_array else self.own[rows], self.encoder)

    def matrix(self, encoder: Encoder | None) -> tuple[Any, tuple[str, ...]]:
        if self.encoder == encoder:
            return self.own, ()
        if isinstance(self.encoder, NamedColumns):
            return self._by_name(self.encoder.names_in, encoder)
        if self.encoder is None and isinstance(encoder, NamedColumns):
            return self.own, ("The features have no names, and are taken to be in the order that was fitted.",)
        if encoder is None:
            raise InputError("The model was fitted on an array, and the features were encoded from a table. Pass numbers.")
        named = "" if encoder.names_in is None else f" with the columns {first_few(list(encoder.names_in))}"
        raise InputError(
            f"The model was fitted on a table{named}, and encodes later tables as that one. Got features that are numbers "
            "already. Pass a frame or a file with these columns, or build the store with build_store(..., encoder=model)."
        )

    def _by_name(self, names: tuple[str, ...], encoder: Encoder | None) -> tuple[Any, tuple[str, ...]]:
        """Columns that have names as a model wants them: in its order, or encoded as a table of numbers."""
        import pyarrow as pa

        if encoder is None:
            return self.own, ("The features have names, and those fitted had none: they are taken to be in the same order.",)
        if isinstance(encoder, NamedColumns):
            return self.own[:, encoder.order(names, "The graph")], ()
        dense = self.own.toarray() if sp.issparse(self.own) else self.own
        table = pa.table({name: dense[:, place] for place, name in enumerate(names)})
        return FeatureTable(table, "The array of features").matrix(encoder)


def place_sparse_rows(matrix: sp.csr_array, rows: NDArray[np.int64]) -> sp.csr_array:
    """The rows of a sparse matrix at the given positions; zeros for −1."""
    found = np.flatnonzero(rows >= 0)
    ones = np.ones(len(found), dtype=np.float32)
    pick = sp.csr_array((ones, (found, rows[found])), shape=(len(rows), matrix.shape[0]))
    return sp.csr_array(pick @ matrix)
