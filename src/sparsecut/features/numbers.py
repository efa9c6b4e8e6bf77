"""What a column of numbers, truth values or times becomes, and what is said of a column that becomes nothing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features.arrow_values import (
    ArrowColumn,
    has_numbers,
    has_text,
    has_times,
    is_mark,
    mean_and_deviation,
    numbers_of,
)
from sparsecut.features.scaling import (
    Floats,
    Quantiles,
    furthest,
    has_tail,
    is_better,
    on_log_scale,
    sum_of_exponents,
    unit_of,
)
from sparsecut.features.written_numbers import Notation

ONE_VALUE = "it holds one value throughout"
NO_SQUARES = f"{ONE_VALUE}, as far as its numbers can be squared"


@dataclass(frozen=True)
class LeftOut:
    """A column that is no feature, and why."""

    kind: ClassVar[str] = "left out"
    name: str
    why: str

    @property
    def names(self) -> tuple[str, ...]:
        return ()

    @property
    def note(self) -> str:
        return f"{self.name!r} was left out: {self.why}"

    def encode(self, column: ArrowColumn, what: str) -> tuple[list[NDArray[Any]], str]:
        return [], ""


@dataclass(frozen=True)
class NumberColumn:
    """(t(x) − mean) / deviation; mean 0 and deviation 1 leave the numbers as they are. A gap becomes `fill`.

    t is x itself, or its place on the log or the rank scale (`scaling`); mean and deviation are those of t.
    """

    kind: ClassVar[str] = "number"
    name: str
    mean: float = 0.0
    deviation: float = 1.0
    fill: float = 0.0
    with_value: bool = True  # one value or a gap: then only the gaps are a feature
    with_missing: bool = False
    is_time: bool = False
    transform: str = ""  # "log" or "rank"
    unit: float = 1.0  # of the log scale
    values: tuple[float, ...] = ()  # quantiles of the rank scale,
    shares: tuple[float, ...] = ()  # and the share of the fitted values below each
    distance: float = 0.0  # of the furthest value from the mean before the log scale was chosen, in deviations
    written: str = ""  # how text writes the numbers, such as "1.234,5" (`written_numbers`)

    @classmethod
    def fit(cls, name: str, column: ArrowColumn, *, scale: str) -> NumberColumn | LeftOut:
        """`scale` is a word of `scaling.SCALES`, or "none"."""
        is_time, (is_missing, values) = has_times(column.type), numbers_of(column)
        present, with_missing = values[~is_missing], bool(is_missing.any())
        if not len(present):
            return LeftOut(name, "all its cells are empty")
        if (present == present[0]).all():
            if not with_missing:
                return LeftOut(name, ONE_VALUE)
            return cls(name, with_value=False, with_missing=True, is_time=is_time)
        if is_mark(present):
            return cls(name, with_missing=with_missing, is_time=is_time)
        mean, deviation = mean_and_deviation(present)
        if scale == "none":
            return cls(name, fill=mean, with_missing=with_missing, is_time=is_time)
        if is_time:
            return cls(name, mean, deviation, with_missing=with_missing, is_time=True)
        if scale == "rank":
            ranks = Quantiles.of(present)
            mean, deviation = mean_and_deviation(ranks.share_below(present))
            return cls(
                name, mean, deviation, with_missing=with_missing, transform="rank", values=ranks.values, shares=ranks.shares
            )
        distance = furthest(float(present.min()), float(present.max()), mean, deviation)
        if scale == "log" or (scale == "auto" and has_tail(distance, len(present))):
            unit = unit_of(int(sum_of_exponents(present)), int(np.count_nonzero(present)))
            logs = on_log_scale(present, unit)
            on_log = (float(logs.min()), float(logs.max()), *mean_and_deviation(logs))
            chosen = cls.on_log(name, unit, on_log, None if scale == "log" else distance)
            if chosen is not None:
                return chosen if not with_missing or isinstance(chosen, LeftOut) else replace(chosen, with_missing=True)
        return cls(name, mean, deviation, with_missing=with_missing)

    @classmethod
    def on_log(
        cls, name: str, unit: float, on_log: tuple[float, float, float, float], distance: float | None
    ) -> NumberColumn | LeftOut | None:
        """A column on the log scale, where it has (lowest, highest, mean, deviation).

        `distance` is that of its furthest value on the standard scale: None is returned where the log scale is not better.
        Without it the log scale was requested.
        """
        mean, deviation = on_log[2:]
        if distance is None:
            if not deviation > 0:
                return LeftOut(name, f"{ONE_VALUE}, on a log scale")
            return cls(name, mean, deviation, transform="log", unit=unit)
        if not is_better(distance, furthest(*on_log)):
            return None
        return cls(name, mean, deviation, transform="log", unit=unit, distance=distance)

    @property
    def is_standardised(self) -> bool:
        return (self.mean, self.deviation) != (0.0, 1.0)

    @property
    def is_one_number(self) -> bool:
        """Whether it is one feature made of numbers without gaps, so that a table can be encoded in parts."""
        return self.with_value and not self.with_missing and not self.is_time and not self.written

    @property
    def names(self) -> tuple[str, ...]:
        named = f"{self.transform}({self.name})" if self.transform else self.name
        return (named,) * self.with_value + (f"{self.name} is missing",) * self.with_missing

    @property
    def note(self) -> str:
        """What is worth saying of it; "" where it is one column of numbers like others."""
        said = [became(self.name, self.names)] if len(self.names) != 1 else []
        if self.written:
            said.append(f"{self.name!r} was read as numbers written like {self.written!r}")
        if self.transform:
            far = self.distance
            why = f", for its furthest value is {far:.0f} standard deviations from the mean" if far else ", as requested"
            said.append(f"{self.name!r} is on a {self.transform} scale{why}")
        return "; ".join(said)

    def transformed(self, values: Floats) -> Floats:
        """t(x)."""
        if self.transform == "log":
            return on_log_scale(values, self.unit)
        return Quantiles(self.values, self.shares).share_below(values) if self.transform == "rank" else values

    def encode(self, column: ArrowColumn, what: str) -> tuple[list[NDArray[Any]], str]:
        if self.written and has_text(column.type):
            column = Notation.from_example(self.written).read(column, self.name, what)
        is_empty = column.null_count == len(column)
        is_fit = has_times(column.type) if self.is_time else has_numbers(column.type)
        if not (is_fit or is_empty):
            raise other_type(self.name, column, what, "times" if self.is_time else "numbers")
        is_missing, values = numbers_of(column)
        parts = []
        if self.with_value:
            values = self.transformed(values)
            # Divided before the mean is taken off: numbers near the largest there are do not overflow.
            parts.append(np.where(is_missing, self.fill, values / self.deviation - self.mean / self.deviation))
        if self.with_missing:
            parts.append(is_missing)
        n_new = 0 if self.with_missing else int(is_missing.sum())
        return parts, f"{n_new:,} gaps in {self.name!r}, which had none when it was fitted, became its mean" if n_new else ""


def other_type(name: str, column: ArrowColumn, what: str, fitted: str) -> InputError:
    """The error for a column whose values are of another kind than those fitted."""
    return InputError(
        f"{what} holds values of type {column.type} in column {name!r}, which held {fitted} when the model was fitted. "
        "Give it the same kind of values."
    )


def became(name: str, names: tuple[str, ...]) -> str:
    """How many features a column became."""
    return f"{name!r} became {len(names)} feature{'s' * (len(names) > 1)}"
