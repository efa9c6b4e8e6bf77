"""Neighbour lists that change: a sparse matrix by rows, in which a changed row costs its own length.

    start[i], count[i]      where the entries of row i stand in the pool, and how many there are
    pool                    columns (ascending in each row) and weights; a row that changed stands at its end

CSR has to move all entries behind a row that grows. Here the new row is appended and the old place left empty; when half of
the pool is empty it is packed again, which costs one pass over the entries and happens only after as many were appended.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.updates.growing import GrowingArray

Integers = NDArray[np.int64]
SPARE = 1024  # entries of a pool beyond what it holds, at least


class ListedRows(NamedTuple):
    """Some rows, one after the other, as in CSR."""

    offsets: Integers  # (n + 1,)
    columns: NDArray[np.int32]
    weights: NDArray[np.float32]


class EntryChanges(NamedTuple):
    """Entries with their new weights, 0 for those that go; sorted by row, then column, each once."""

    rows: Integers
    columns: Integers
    weights: NDArray[np.float32]


class NeighborLists:
    """Row i is `columns[start[i] : start[i] + count[i]]` of the pool. `loops`: the compiled ones, where they are used."""

    loops: Any = None

    def __init__(self, matrix: sp.csr_array) -> None:
        self._start = GrowingArray(matrix.indptr[:-1].astype(np.int64))
        self._count = GrowingArray(np.diff(matrix.indptr).astype(np.int64))
        self._columns = np.array(matrix.indices, dtype=np.int32)
        self._weights = np.array(matrix.data, dtype=np.float32)
        self._used = len(self._columns)
        self.n_entries = self._used
        self._is_packed = True  # rows one after the other, with no empty place between them

    def __getstate__(self) -> dict[str, Any]:
        return {name: value for name, value in self.__dict__.items() if name != "loops"}

    def __len__(self) -> int:
        return len(self._start)

    @property
    def start(self) -> Integers:
        return self._start.rows

    @property
    def count(self) -> Integers:
        """The number of entries of each row."""
        return self._count.rows

    @property
    def parts(self) -> tuple[Integers, Integers, NDArray[np.int32], NDArray[np.float32]]:
        """(start, count, columns, weights), as compiled loops read them."""
        return self.start, self.count, self._columns, self._weights

    def extend(self, n_rows: int) -> None:
        """Add empty rows at the end."""
        self._is_packed = False
        self._start.extend(np.zeros(n_rows, dtype=np.int64))
        self._count.extend(np.zeros(n_rows, dtype=np.int64))

    def take(self, rows: Integers) -> ListedRows:
        """Copies of some rows."""
        counts = self.count[rows]
        offsets = np.concatenate([[0], np.cumsum(counts)])
        places = np.arange(offsets[-1]) + np.repeat(self.start[rows] - offsets[:-1], counts)
        return ListedRows(offsets, self._columns[places], self._weights[places])

    def weights_of(self, rows: Integers, columns: Integers) -> NDArray[np.float32]:
        """The weights of some entries; 0 where there is none."""
        if self.loops is not None:
            found_there: NDArray[np.float32] = self.loops.weights_at(rows, columns, *self.parts)
            return found_there
        distinct, rank = np.unique(rows, return_inverse=True)
        found = self.take(distinct)
        keys = _keys(np.repeat(np.arange(len(distinct)), np.diff(found.offsets)), found.columns)
        wanted = _keys(rank, columns)
        places = np.searchsorted(keys, wanted)
        is_there = np.append(keys, -1)[places] == wanted
        return np.where(is_there, np.append(found.weights, np.float32(0))[places], np.float32(0)).astype(np.float32)

    def weight_of(self, row: int, column: int) -> float:
        """The weight of one entry; 0 where there is none."""
        start = self.start[row]
        end = start + self.count[row]
        place = start + np.searchsorted(self._columns[start:end], column)
        return float(self._weights[place]) if place < end and self._columns[place] == column else 0.0

    def change(self, changes: EntryChanges) -> tuple[Integers, NDArray[np.float64]]:
        """Write new weights; returns the rows that have changed, ascending, and the sums of their weights."""
        self._is_packed = False
        if self.loops is not None:
            return self._merge(changes)
        rows, rank = np.unique(changes.rows, return_inverse=True)
        offsets, columns, weights = self.take(rows)
        row_of = np.repeat(np.arange(len(rows)), np.diff(offsets))
        keys, changed = _keys(row_of, columns), _keys(rank, changes.columns)
        places = np.searchsorted(keys, changed)
        is_there = np.append(keys, -1)[places] == changed
        weights[places[is_there]] = changes.weights[is_there]
        is_new = ~is_there & (changes.weights > 0)
        columns = np.insert(columns, places[is_new], changes.columns[is_new].astype(np.int32))
        weights = np.insert(weights, places[is_new], changes.weights[is_new])
        row_of = np.insert(row_of, places[is_new], rank[is_new])
        kept = weights > 0
        if not kept.all():
            columns, weights, row_of = columns[kept], weights[kept], row_of[kept]
        self._append(rows, np.bincount(row_of, minlength=len(rows)), columns, weights)
        return rows, np.bincount(row_of, weights=weights, minlength=len(rows)).astype(np.float64)

    def csr(self) -> sp.csr_array:
        """All rows as CSR, in the pool from now on: nothing is copied, and nobody may write to it."""
        if not self._is_packed:
            self._pack()
            self._is_packed = True
        offsets = np.append(self.start, self._used)
        index_type = np.int32 if self._used < 2**31 else np.int64
        matrix = sp.csr_array((len(self), len(self)), dtype=np.float32)
        matrix.indptr, matrix.indices = (
            offsets.astype(index_type),
            self._columns[: self._used].astype(index_type, copy=False),
        )
        matrix.data = self._weights[: self._used]
        matrix.has_canonical_format = True
        return matrix

    def _merge(self, changes: EntryChanges) -> tuple[Integers, NDArray[np.float64]]:
        is_other = changes.rows[1:] != changes.rows[:-1]
        n_before = int(self.count[changes.rows[0]] + np.add.reduce(self.count[changes.rows[1:][is_other]]))
        self._make_room(n_before + len(changes.rows), self.n_entries + len(changes.rows))
        rows, sums, end = self.loops.merge(*changes, *self.parts, self._used)
        self.n_entries += end - self._used - n_before
        self._used = end
        return rows, sums

    def _append(self, rows: Integers, counts: Integers, columns: NDArray[np.int32], weights: NDArray[np.float32]) -> None:
        self.n_entries += len(columns) - int(self.count[rows].sum())
        self.count[rows] = 0  # their old places are empty
        self._make_room(len(columns), self.n_entries)
        end = self._used + len(columns)
        self._columns[self._used : end], self._weights[self._used : end] = columns, weights
        self.start[rows] = self._used + np.cumsum(counts) - counts
        self.count[rows] = counts
        self._used = end

    def _make_room(self, n_more: int, n_entries: int) -> None:
        """Places for more entries at the end of the pool, of which there will be so many."""
        if self._used + n_more > max(2 * n_entries, SPARE):
            self._pack()
        end = self._used + n_more
        if end > len(self._columns):
            capacity = max(2 * end, SPARE)
            self._columns = np.concatenate([self._columns, np.empty(capacity - len(self._columns), dtype=np.int32)])
            self._weights = np.concatenate([self._weights, np.empty(capacity - len(self._weights), dtype=np.float32)])

    def _pack(self) -> None:
        """Rows one after the other again, with no empty place between them."""
        offsets, self._columns, self._weights = self.take(np.arange(len(self)))
        self._start, self._used = GrowingArray(offsets[:-1]), int(offsets[-1])


def _keys(rows: Integers, columns: NDArray[np.int32] | Integers) -> Integers:
    """One number for an entry, in the order of rows and columns; both are below 2³¹."""
    return np.asarray((rows.astype(np.int64) << 32) | columns.astype(np.int64))
