"""The scale of a column of numbers, and which one suits a column.

    none        x as it is
    standard    (x − mean) / deviation
    log         t = sign(x)·ln(1 + |x| / unit), then (t − mean) / deviation of t: zeros stay zero, debts mirror balances;
                unit = 2^⌊mean of ⌊log2 |x|⌋ over all x ≠ 0⌋, about the geometric mean of |x|
    rank        t = the share of the fitted values below x and half of those equal to it, read between 257 quantiles, then
                (t − mean) / deviation of t
    auto        standard, or log where the tail asks for it

**The tail asks for it** where the value furthest from the mean is over 10 standard deviations away, or, in a table of 30 to
200 rows, has over half of the column's variance (√(n/2) deviations), and the log scale at least halves that distance. Then a
few rows are nearly all that the standard scale shows: balances, incomes, counts of visits. Normal and uniform columns stay
below 10 however many rows there are; rare small counts, and one slip among numbers of a size, are not helped by a logarithm.
The rule needs means, deviations and extremes alone, which parts of a table can be merged from, and the unit sums of whole
numbers, so that a table gets the same scale in memory, on disk and on a cluster, in blocks of any size.

Columns of 0 and 1, dates and categories are never put on a log or rank scale.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few

SCALES = ("auto", "standard", "log", "rank")
MAX_DEVIATIONS = 10.0
MIN_ROWS = 30
MIN_GAIN = 2.0
SLACK = 1 + 1e-9  # what is equal to a limit up to rounding is below it, whatever the order of a sum
N_QUANTILES = 257

Scale: TypeAlias = "bool | str | Mapping[str, bool | str]"
Floats = NDArray[np.float64]


def check_scale(scale: Any, names: tuple[str, ...], what: str) -> None:
    """Refuse a scale that is none, or one for a column that is not there."""
    if isinstance(scale, Mapping):
        unknown = [str(name) for name in scale if str(name) not in names]
        if unknown:
            raise InputError(
                f"The scale names columns that {what[0].lower()}{what[1:]} does not have: {first_few(unknown)}. It has: "
                f"{first_few(names, 20)}."
            )
    for word in scale.values() if isinstance(scale, Mapping) else (scale,):
        if not (isinstance(word, bool | np.bool_) or (isinstance(word, str) and word in SCALES)):
            raise InputError(
                "The scale of a table must be 'auto', 'standard', 'log', 'rank', True (auto) or False (numbers as they "
                f"are), or a dict of column → one of these. Got {word!r}."
            )


def scale_of(scale: Any, name: str) -> str:
    """The scale of one column: a word of `SCALES`, or "none". A column that a dict does not name is "auto"."""
    word = scale.get(name, "auto") if isinstance(scale, Mapping) else scale
    if isinstance(word, str):
        return word
    return "auto" if word else "none"


def on_log_scale(values: Floats, unit: float | Floats) -> Floats:
    """sign(x)·ln(1 + |x| / unit)."""
    return np.asarray(np.copysign(np.log1p(np.abs(values) / unit), values))


def sum_of_exponents(values: Floats) -> NDArray[np.int64]:
    """Σ ⌊log2 |x|⌋ over the x of each column that are not 0, exactly."""
    exponents = np.frexp(values)[1]  # of |x| = m·2^e with ½ ≤ m < 1; 0 for 0
    return np.asarray(exponents.sum(axis=0, dtype=np.int64) - np.count_nonzero(values, axis=0))


def unit_of(exponents: int, n_nonzero: int) -> float:
    """The unit of a log scale, from `sum_of_exponents` and the number of values that are not 0."""
    return float(np.ldexp(1.0, exponents // n_nonzero))


def furthest(low: float, high: float, mean: float, deviation: float) -> float:
    """How many deviations the value furthest from the mean is away from it."""
    return max(high - mean, mean - low) / deviation if deviation > 0 else 0.0


def has_tail(distance: float, n_values: int) -> bool:
    """Whether the furthest value is so far away that a log scale is worth a try."""
    limit = min(MAX_DEVIATIONS, np.sqrt(n_values / 2))
    return n_values >= MIN_ROWS and distance > limit * SLACK


def is_better(distance: float, on_log: float) -> bool:
    """Whether a log scale brings the furthest value near enough to be taken."""
    return 0 < on_log * MIN_GAIN <= distance * SLACK


@dataclass(frozen=True)
class Quantiles:
    """Values that rise, and the share of the fitted values below each, those equal to it counted half."""

    values: tuple[float, ...]
    shares: tuple[float, ...]

    @classmethod
    def of(cls, values: Floats) -> Quantiles:
        ordered = np.sort(values)
        places = np.round(np.linspace(0, len(ordered) - 1, min(N_QUANTILES, len(ordered)))).astype(np.int64)
        knots = np.unique(ordered[places])
        below, to = (np.searchsorted(ordered, knots, side) for side in ("left", "right"))
        return cls(tuple(knots.tolist()), tuple(((below + to) / (2 * len(ordered))).tolist()))

    def share_below(self, values: Floats) -> Floats:
        return np.asarray(np.interp(values, self.values, self.shares))
