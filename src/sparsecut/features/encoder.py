"""The fitted encoding of a graph's features: what a model keeps of them, and how a later graph's become the same columns.

    TableEncoder    a table of named columns: each becomes what `columns` says, fitted once
    Vocabulary      lists of words or of feature numbers, one per node: a column per word, 1 where the node has it
    NamedColumns    a matrix whose columns have names: taken as they are, in the fitted order

`type_encoders` has one of these for each type of nodes.

**One rule of scale.** Numbers that come from a table with named columns are standardised, unless the table was read with
`scale=False`: an age and an income then weigh the same. Where the tail of a column asks for it a logarithm is taken first
(`scaling` has the rule; `scale="standard"`, "log" or "rank" chooses for all columns or, in a dict, for some). Exceptions
are columns of 0 and 1 alone, and, unless a scale is named, a table of at least 32 columns of numbers, none negative and over
half of them zero: there a zero means absence (words of a page, genes of a cell), and the numbers are taken as they are.
Arrays without names are always taken as they are.

The matrix of a table with lists of words is sparse, that of any other dense.

All are plain data: they are saved as JSON in the header of a model's file.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features.arrow_values import is_number
from sparsecut.features.columns import FREE_TEXT, KINDS, FittedColumn, fit_column
from sparsecut.features.numbers import NumberColumn
from sparsecut.features.scaling import Scale, scale_of
from sparsecut.features.word_lists import WordsColumn, in_vocabulary
from sparsecut.kernels import in_single

MIN_SPARSE_COLUMNS = 32
MIN_ZEROS = 0.5


@dataclass(frozen=True)
class TableEncoder:
    """What each column of a table becomes, in the order of the fitted table."""

    kind: ClassVar[str] = "table"
    columns: tuple[FittedColumn, ...]

    @classmethod
    def fit(cls, table: dict[str, Any], what: str, *, scale: Scale = "auto") -> TableEncoder:
        """`table` has plain Arrow columns by name (`arrow_values.plain`)."""
        scales = {name: scale_of(scale, name) for name in table}
        if "auto" in scales.values() and _is_mostly_zero(table):
            scales = {name: "none" if word == "auto" else word for name, word in scales.items()}
        fitted = tuple(
            fit_column(name, column, what, scale=scales[name], is_alone=len(table) == 1) for name, column in table.items()
        )
        return cls(fitted)

    @property
    def names_in(self) -> tuple[str, ...]:
        return tuple(column.name for column in self.columns)

    @property
    def names_out(self) -> tuple[str, ...]:
        return tuple(name for column in self.columns for name in column.names)

    @property
    def notes(self) -> tuple[str, ...]:
        """What became of the columns."""
        numbers = [column for column in self.columns if isinstance(column, NumberColumn)]
        n_scaled = sum(column.is_standardised for column in numbers)
        n_plain = len(numbers) - n_scaled
        notes = []
        if n_scaled:
            notes.append(f"{n_scaled:,} column{'s' * (n_scaled > 1)} of numbers standardised")
        if n_plain:
            notes.append(f"{n_plain:,} column{'s' * (n_plain > 1)} of numbers taken as they are")
        words = [column.note for column in self.columns if column.note]
        return (f"Features: {'; '.join([*notes, *words[:20], *(['…'] if len(words) > 20 else [])])}.",)

    @property
    def free_text(self) -> tuple[str, ...]:
        """A sentence for each column of free text, which is left out."""
        why = [(column.name, getattr(column, "why", getattr(column, "left_out", ""))) for column in self.columns]
        return tuple(f"Column {name!r} of the features was left out: {said}." for name, said in why if said == FREE_TEXT)

    def encode(self, table: dict[str, Any], what: str) -> tuple[Any, tuple[str, ...]]:
        """(matrix, notes on what was not there when the encoder was fitted)."""
        check_names(self.names_in, tuple(table), what)
        if not self.names_out:
            why = "; ".join(column.note for column in self.columns)
            raise InputError(f"{what} has no column that could be a feature: {why}.")
        n_rows = len(next(iter(table.values())))
        n_dense = sum(len(column.names) for column in self.columns if not isinstance(column, WordsColumn))
        dense = np.empty((n_rows, n_dense), dtype=np.float32)
        place = 0
        notes: list[str] = []
        words: list[tuple[int, sp.csr_array]] = []
        for column in self.columns:
            parts, note = column.encode(table[column.name], what)
            if isinstance(column, WordsColumn):
                words.append((place, parts[0]))
            else:
                for values in parts:
                    dense[:, place] = in_single(values, column.name, what)
                    place += 1
            if note:
                notes.append(f"{what}: {note}.")
        return with_words(dense, words) if words else dense, tuple(notes)

    def scale_numbers(self, block: NDArray[Any]) -> NDArray[np.float64]:
        """Rows of a table of numbers alone, one column each, encoded: for tables that are read in parts."""
        numbers = [(place, column) for place, column in enumerate(self.columns) if isinstance(column, NumberColumn)]
        values = block[:, [place for place, _ in numbers]].astype(np.float64)
        means, deviations = (np.array([getattr(column, key) for _, column in numbers]) for key in ("mean", "deviation"))
        for place, (_, column) in enumerate(numbers):
            if column.transform:
                values[:, place] = column.transformed(values[:, place])
        return np.asarray(values / deviations - means / deviations)

    def to_header(self) -> dict[str, Any]:
        return {"kind": self.kind, "columns": [{"kind": column.kind, **asdict(column)} for column in self.columns]}

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> TableEncoder:
        columns = []
        for described in header["columns"]:
            values = {key: tuple(value) if isinstance(value, list) else value for key, value in described.items()}
            columns.append(KINDS[str(values.pop("kind"))](**values))
        return cls(tuple(columns))


@dataclass(frozen=True)
class Vocabulary:
    """A column per word. Words that were not fitted are left out of later lists, and counted in a note."""

    kind: ClassVar[str] = "words"
    words: tuple[str, ...] | int  # so many feature numbers, from 0 on

    @property
    def names_in(self) -> tuple[str, ...] | None:
        return None if isinstance(self.words, int) else self.words

    @property
    def notes(self) -> tuple[str, ...]:
        n_words = self.words if isinstance(self.words, int) else len(self.words)
        return (f"Features: lists over {n_words:,} {'feature numbers' if isinstance(self.words, int) else 'words'}.",)

    def encode(self, matrix: sp.csr_array, words: tuple[str, ...] | int, what: str) -> tuple[Any, tuple[str, ...]]:
        """The matrix of other lists in the columns of this vocabulary."""
        if words == self.words:
            return matrix, ()
        if isinstance(words, int) != isinstance(self.words, int):
            ours, theirs = ("feature numbers" if isinstance(found, int) else "words" for found in (self.words, words))
            raise InputError(f"{what} holds lists of {theirs}, and the model was fitted with lists of {ours}.")
        if isinstance(self.words, int) or isinstance(words, int):
            assert isinstance(words, int)
            assert isinstance(self.words, int)
            pick = sp.eye_array(words, self.words, dtype=np.float32, format="csr")
            encoded = sp.csr_array(matrix @ pick)
            n_lost, n_unknown = matrix.nnz - encoded.nnz, max(0, words - self.words)
        else:
            encoded, n_lost, n_unknown = in_vocabulary(matrix, words, self.words)
        if not n_lost:
            return encoded, ()
        return encoded, (f"{what}: {n_lost:,} entries are of {n_unknown:,} words that were not fitted, and were left out.",)

    def to_header(self) -> dict[str, Any]:
        return {"kind": self.kind, "words": self.words if isinstance(self.words, int) else list(self.words)}

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> Vocabulary:
        words = header["words"]
        return cls(words if isinstance(words, int) else tuple(words))


@dataclass(frozen=True)
class NamedColumns:
    """The columns of a matrix, by name, as they are."""

    kind: ClassVar[str] = "names"
    names_in: tuple[str, ...]

    @property
    def notes(self) -> tuple[str, ...]:
        return ()

    def order(self, names: Sequence[str], what: str) -> NDArray[np.int64]:
        """Where the fitted columns stand among others of the same names."""
        check_names(self.names_in, tuple(names), what)
        place = {name: number for number, name in enumerate(names)}
        return np.array([place[name] for name in self.names_in], dtype=np.int64)

    def to_header(self) -> dict[str, Any]:
        return {"kind": self.kind, "names": list(self.names_in)}

    @classmethod
    def from_header(cls, header: dict[str, Any]) -> NamedColumns:
        return cls(tuple(header["names"]))


def check_names(fitted: tuple[str, ...], got: tuple[str, ...], what: str) -> None:
    """Columns are matched by name: another order is no matter, another set is an error that names the difference."""
    missing = [name for name in fitted if name not in set(got)]
    extra = [name for name in got if name not in set(fitted)]
    if missing or extra:
        said = [
            f"it lacks {first_few(missing)}" if missing else "",
            f"it has {first_few(extra)}, which the model does not know" if extra else "",
        ]
        raise InputError(
            f"{what} does not have the columns that the model was fitted with: {' and '.join(filter(None, said))}. "
            "Columns are matched by name."
        )


def with_words(dense: NDArray[np.float32], words: list[tuple[int, sp.csr_array]]) -> sp.csr_array:
    """Dense columns with sparse ones set in before the places given."""
    parts, first = [], 0
    for place, matrix in words:
        parts += [sp.csr_array(dense[:, first:place]), matrix]
        first = place
    return sp.csr_array(sp.hstack([*parts, sp.csr_array(dense[:, first:])], format="csr", dtype=np.float32))


def _is_mostly_zero(table: dict[str, Any]) -> bool:
    """Whether a table is a matrix of amounts in which a zero means absence."""
    import pyarrow.compute as pc

    if len(table) < MIN_SPARSE_COLUMNS or not all(is_number(column) for column in table.values()):
        return False
    n_zeros = n_cells = 0
    for column in table.values():
        values = pc.cast(column, "float64", safe=False).to_numpy()
        if values.size and values.min() < 0:
            return False
        n_zeros += values.size - np.count_nonzero(values)
        n_cells += values.size
    return n_zeros > MIN_ZEROS * n_cells
