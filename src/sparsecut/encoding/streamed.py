"""The encoder of a table of numbers that is read in parts: one pass, the same encoder as of the whole table.

Means and variances of the parts are merged (Chan, Golub and LeVeque, 1983), so nothing is lost to large offsets.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.encoding.columns import FittedColumn, LeftOut, NumberColumn
from sparsecut.encoding.encoder import MIN_SPARSE_COLUMNS, MIN_ZEROS, TableEncoder


class NumberScan:
    """What `TableEncoder.fit` must know of each column of numbers without gaps, gathered block by block."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names, self.n_rows, self.n_zeros = names, 0, 0
        n_columns = len(names)
        self.mean, self.squares = np.zeros(n_columns), np.zeros(n_columns)
        self.low, self.high = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)
        self.is_mark = np.ones(n_columns, dtype=bool)

    def update(self, block: NDArray[Any]) -> None:
        """Take a block of rows into account."""
        values = block.astype(np.float64)
        n_new = len(values)
        mean = values.mean(axis=0)
        step, n_rows = mean - self.mean, self.n_rows + n_new
        self.squares += ((values - mean) ** 2).sum(axis=0) + step**2 * (self.n_rows * n_new / n_rows)
        self.mean += step * (n_new / n_rows)
        self.n_rows = n_rows
        self.n_zeros += int(values.size - np.count_nonzero(values))
        self.low, self.high = np.minimum(self.low, values.min(axis=0)), np.maximum(self.high, values.max(axis=0))
        self.is_mark &= ((values == 0) | (values == 1)).all(axis=0)

    def merge(self, other: NumberScan) -> None:
        """Take the rows of another scan of the same columns into account."""
        step, n_rows = other.mean - self.mean, self.n_rows + other.n_rows
        self.squares += other.squares + step**2 * (self.n_rows * other.n_rows / n_rows)
        self.mean += step * (other.n_rows / n_rows)
        self.n_rows, self.n_zeros = n_rows, self.n_zeros + other.n_zeros
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        self.is_mark &= other.is_mark

    def encoder(self, *, scale: bool) -> TableEncoder:
        n_columns = len(self.names)
        is_mostly_zero = n_columns >= MIN_SPARSE_COLUMNS and self.low.min() >= 0
        is_mostly_zero = is_mostly_zero and self.n_zeros > MIN_ZEROS * self.n_rows * n_columns
        is_scaled = scale and not is_mostly_zero
        return TableEncoder(tuple(self._column(number, is_scaled) for number in range(n_columns)))

    def _column(self, number: int, is_scaled: bool) -> FittedColumn:
        name = self.names[number]
        if self.low[number] == self.high[number]:
            return LeftOut(name, "it holds one value throughout")
        if self.is_mark[number]:
            return NumberColumn(name)
        mean, deviation = float(self.mean[number]), float(np.sqrt(self.squares[number] / self.n_rows))
        if not is_scaled:
            return NumberColumn(name, fill=mean)
        if not deviation > 0:  # the squares of such small numbers are zero
            return LeftOut(name, "it holds one value throughout, as far as its numbers can be squared")
        return NumberColumn(name, mean, deviation)
