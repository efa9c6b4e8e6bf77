"""The features of a graph that changes: the matrix it had, never copied, and the rows that came later or replaced others."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.updates.growing import GrowingArray

Integers = NDArray[np.int64]


class FeatureRows:
    """Row `place` is row `number[place]` of the first matrix and the later rows, one after the other."""

    def __init__(self, matrix: Any) -> None:
        self._first = matrix
        self._number = GrowingArray(np.arange(matrix.shape[0]))
        self._is_sparse = sp.issparse(matrix)
        self._later: list[sp.csr_array] = []
        self._later_dense = GrowingArray(np.empty((0, matrix.shape[1]), dtype=np.float32))
        self._n_later = 0

    @property
    def n_columns(self) -> int:
        return int(self._first.shape[1])

    def as_held(self, rows: Any) -> Any:
        """Rows as they are kept: dense where the first matrix was, sparse where it was sparse."""
        if self._is_sparse:
            return sp.csr_array(rows, dtype=np.float32)
        return rows.toarray() if sp.issparse(rows) else np.asarray(rows, dtype=np.float32)

    def extend(self, rows: Any) -> None:
        """Rows of new places at the end."""
        self._number.extend(self._append(self.as_held(rows)))

    def replace(self, places: Integers, rows: Any) -> None:
        """New rows for some places, each named once."""
        rows, number = self.as_held(rows), self._number.rows
        n_first = self._first.shape[0]
        is_later = number[places] >= n_first
        spots = number[places[is_later]] - n_first
        if self._is_sparse:
            for spot, row in zip(spots.tolist(), np.flatnonzero(is_later), strict=True):
                self._later[spot] = rows[[row]]
        else:
            self._later_dense.rows[spots] = rows[is_later]
        number[places[~is_later]] = self._append(rows[np.flatnonzero(~is_later)])

    def take(self, places: Integers) -> Any:
        """The matrix of some places, in their order; the first matrix itself where that is all of it."""
        number, n_first = self._number.rows[places], int(self._first.shape[0])
        if len(number) == n_first and (number == np.arange(n_first)).all():
            return self._first
        if self._is_sparse:
            is_first = number < n_first
            later = [self._later[spot] for spot in (number[~is_first] - n_first).tolist()]
            parts = sp.vstack([self._first[number[is_first]], *later], format="csr") if later else self._first[number]
            order = np.argsort(np.concatenate([np.flatnonzero(is_first), np.flatnonzero(~is_first)])) if later else None
            return sp.csr_array(parts if order is None else parts[order])
        rows = np.empty((len(places), self.n_columns), dtype=np.float32)
        is_first = number < n_first
        rows[is_first] = self._first[number[is_first]]
        rows[~is_first] = self._later_dense.rows[number[~is_first] - n_first]
        return rows

    def _append(self, rows: Any) -> Integers:
        n_first, n_rows = int(self._first.shape[0]), int(rows.shape[0])
        numbers = np.arange(n_first + self._n_later, n_first + self._n_later + n_rows)
        if self._is_sparse:
            self._later += [rows[[row]] for row in range(n_rows)]
        else:
            self._later_dense.extend(rows)
        self._n_later += n_rows
        return numbers
