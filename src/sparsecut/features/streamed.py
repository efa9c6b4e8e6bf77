"""The encoder of a table of numbers that is read in parts: the same encoder as of the whole table.

Means and variances of the parts are merged (Chan, Golub and LeVeque, 1983), so nothing is lost to large offsets. One pass is
enough unless a column may get a log scale: a second one then scans the logarithms, whose unit the first has found.

    scan = NumberScan(names)                  every block of rows: scan.update(block)
    logs = scan.of_logs(scale)                None, or a scan that takes the same blocks once more
    encoder = scan.encoder(scale=scale, logs=logs)
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features.columns import FittedColumn
from sparsecut.features.encoder import MIN_SPARSE_COLUMNS, MIN_ZEROS, TableEncoder
from sparsecut.features.numbers import NO_SQUARES, ONE_VALUE, LeftOut, NumberColumn
from sparsecut.features.scaling import Scale, furthest, has_tail, on_log_scale, scale_of, sum_of_exponents, unit_of


class NumberScan:
    """What `TableEncoder.fit` must know of each column of numbers without gaps, gathered block by block.

    With `units` it is the logarithms of the numbers that are scanned, of the columns at `places`.
    """

    places: list[int] | None = None
    units: NDArray[np.float64] | None = None

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names, self.n_rows = names, 0
        n_columns = len(names)
        self.mean, self.squares = np.zeros(n_columns), np.zeros(n_columns)
        self.low, self.high = np.full(n_columns, np.inf), np.full(n_columns, -np.inf)
        self.is_mark = np.ones(n_columns, dtype=bool)
        self.exponents, self.n_nonzero = np.zeros(n_columns, dtype=np.int64), np.zeros(n_columns, dtype=np.int64)

    def update(self, block: NDArray[Any]) -> None:
        """Take a block of rows into account."""
        values = block.astype(np.float64)
        if self.units is not None:
            values = on_log_scale(values[:, self.places], self.units)
        n_new = len(values)
        mean = values.mean(axis=0)
        step, n_rows = mean - self.mean, self.n_rows + n_new
        self.squares += ((values - mean) ** 2).sum(axis=0) + step**2 * (self.n_rows * n_new / n_rows)
        self.mean += step * (n_new / n_rows)
        self.n_rows = n_rows
        self.exponents += sum_of_exponents(values)
        self.n_nonzero += np.count_nonzero(values, axis=0)
        self.low, self.high = np.minimum(self.low, values.min(axis=0)), np.maximum(self.high, values.max(axis=0))
        self.is_mark &= ((values == 0) | (values == 1)).all(axis=0)

    def merge(self, other: NumberScan) -> None:
        """Take the rows of another scan of the same columns into account."""
        step, n_rows = other.mean - self.mean, self.n_rows + other.n_rows
        self.squares += other.squares + step**2 * (self.n_rows * other.n_rows / n_rows)
        self.mean += step * (other.n_rows / n_rows)
        self.n_rows = n_rows
        self.low, self.high = np.minimum(self.low, other.low), np.maximum(self.high, other.high)
        self.is_mark &= other.is_mark
        self.exponents, self.n_nonzero = self.exponents + other.exponents, self.n_nonzero + other.n_nonzero

    def of_logs(self, scale: Scale) -> NumberScan | None:
        """A scan of the logarithms of the columns that may get a log scale; None where there is none."""
        scales = self._scales(scale)
        ranked = next((name for name, word in zip(self.names, scales, strict=True) if word == "rank"), None)
        if ranked is not None:
            raise InputError(
                f"The rank scale of column {ranked!r} needs the table in memory. Use engine='memory', or scale='log', which "
                "can be fitted in parts."
            )
        places = [number for number in range(len(self.names)) if self._may_be_log(number, scales[number])]
        if not places:
            return None
        logs = NumberScan(tuple(self.names[number] for number in places))
        logs.places = places
        logs.units = np.array([unit_of(int(self.exponents[number]), int(self.n_nonzero[number])) for number in places])
        return logs

    def encoder(self, *, scale: Scale, logs: NumberScan | None = None) -> TableEncoder:
        """The encoder of the rows that were taken into account; `logs` is the second scan, where `of_logs` made one."""
        columns = [self._column(number, word) for number, word in enumerate(self._scales(scale))]
        if logs is not None:
            assert logs.places is not None
            assert logs.units is not None
            for place, number in enumerate(logs.places):
                on_log = (float(logs.low[place]), float(logs.high[place]), *logs._moments(place))
                is_requested = scale_of(scale, self.names[number]) == "log"
                distance = None if is_requested else self._distance(number)
                chosen = NumberColumn.on_log(self.names[number], float(logs.units[place]), on_log, distance)
                columns[number] = columns[number] if chosen is None else chosen
        return TableEncoder(tuple(columns))

    def _scales(self, scale: Scale) -> list[str]:
        """The scale of each column: those chosen by themselves are none where a zero means absence."""
        n_columns = len(self.names)
        is_mostly_zero = n_columns >= MIN_SPARSE_COLUMNS and self.low.min() >= 0
        is_mostly_zero = is_mostly_zero and int(self.n_nonzero.sum()) < (1 - MIN_ZEROS) * self.n_rows * n_columns
        words = [scale_of(scale, name) for name in self.names]
        return ["none" if word == "auto" and is_mostly_zero else word for word in words]

    def _may_be_log(self, number: int, scale: str) -> bool:
        if self.low[number] == self.high[number] or self.is_mark[number]:
            return False
        return scale == "log" or (scale == "auto" and has_tail(self._distance(number), self.n_rows))

    def _distance(self, number: int) -> float:
        return furthest(float(self.low[number]), float(self.high[number]), *self._moments(number))

    def _moments(self, number: int) -> tuple[float, float]:
        """(mean, deviation)."""
        return float(self.mean[number]), float(np.sqrt(self.squares[number] / self.n_rows))

    def _column(self, number: int, scale: str) -> FittedColumn:
        name = self.names[number]
        if self.low[number] == self.high[number]:
            return LeftOut(name, ONE_VALUE)
        if self.is_mark[number]:
            return NumberColumn(name)
        mean, deviation = self._moments(number)
        if scale == "none":
            return NumberColumn(name, fill=mean)
        if not deviation > 0:  # the squares of such small numbers are zero
            return LeftOut(name, NO_SQUARES)
        return NumberColumn(name, mean, deviation)
