"""Times of edges as numbers, and durations: dates, times of any library, epochs, text, or numbers of a unit of their own.

    calendar      seconds since 1970, from dates, times (those without a zone are in UTC), ISO text, and epochs
    steps         any other numbers: years, rounds, positions in a log; durations are then numbers of the same unit

Numbers of 10⁸ and more are epochs, in seconds below 10¹¹, milliseconds below 10¹⁴, microseconds below 10¹⁷, else
nanoseconds: by the largest of a column.
"""

from __future__ import annotations

import contextlib
import re
from datetime import timedelta
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError

EPOCHS = ((1e17, 1e-9), (1e14, 1e-6), (1e11, 1e-3), (1e8, 1.0))  # from which number on, and seconds in a unit
UNITS = {
    **dict.fromkeys(("ms",), 1e-3),
    **dict.fromkeys(("s", "sec", "second", "seconds"), 1.0),
    **dict.fromkeys(("min", "minute", "minutes"), 60.0),
    **dict.fromkeys(("h", "hour", "hours"), 3600.0),
    **dict.fromkeys(("d", "day", "days"), 86400.0),
    **dict.fromkeys(("w", "week", "weeks"), 7 * 86400.0),
    **dict.fromkeys(("y", "year", "years"), 365.25 * 86400.0),
}
NEVER = ("none", "inf")  # in place of a duration: no ageing
DURATION = "a duration such as '30d', '12h' or '1y', a timedelta, a number above 0, or 'none' for no ageing"


class EdgeTimes(NamedTuple):
    """Times as numbers."""

    values: NDArray[np.float64]
    is_calendar: bool  # seconds since 1970; else of a unit of their own


class RawTimes(NamedTuple):
    """Times of a column, or of a part of one: which unit numbers have, only the whole column tells."""

    values: NDArray[np.float64]  # seconds of dates, else numbers as they were given
    form: str  # "dates", "dates with a zone" or "numbers"


def as_moments(times: Any, what: str) -> EdgeTimes:
    """The times of a column, a list or an array; `what` names it in messages."""
    raw = raw_moments(times, what)
    largest = float(np.abs(raw.values).max(initial=0.0)) if raw.form == "numbers" else 0.0
    return in_unit(raw, largest)


def in_unit(raw: RawTimes, largest: float) -> EdgeTimes:
    """Times of a column whose largest number is `largest`."""
    if raw.form != "numbers":
        return EdgeTimes(raw.values, True)
    seconds = next((unit for least, unit in EPOCHS if largest >= least), None)
    return EdgeTimes(raw.values, False) if seconds is None else EdgeTimes(raw.values * seconds, True)


def raw_moments(times: Any, what: str, first_row: int = 0) -> RawTimes:
    """The times of a part of a column that begins with a row."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _as_column(times, what)
    if pa.types.is_floating(column.type):
        column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
    if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
        column = _of_text(column, what, first_row)
    if column.null_count:
        row = int(pc.index(pc.is_null(column), True).as_py()) + first_row
        raise InputError(
            f"{what} has no time in row {row + 1:,}: the age of that edge is not known. Fill it in, or leave the row out."
        )
    if pa.types.is_date(column.type) or pa.types.is_timestamp(column.type):
        zone = getattr(column.type, "tz", None)
        nanoseconds = column.type == pa.timestamp("ns", zone)
        unit = "ns" if nanoseconds else "us"
        whole = pc.cast(pc.cast(column, pa.timestamp(unit, zone)), pa.int64())
        seconds = np.asarray(whole.to_numpy(zero_copy_only=False)) / (1e9 if nanoseconds else 1e6)
        return RawTimes(seconds, "dates" if zone is None else "dates with a zone")
    if not (pa.types.is_integer(column.type) or pa.types.is_floating(column.type)):
        raise InputError(f"{what} must hold dates, times or numbers. Got {column.type} values.")
    values = np.asarray(pc.cast(column, pa.float64(), safe=False).to_numpy(zero_copy_only=False))
    if not np.isfinite(values).all():
        row = int(np.argmin(np.isfinite(values)))
        raise InputError(f"{what} must hold finite times. Got {values[row]} in row {row + first_row + 1:,}.")
    return RawTimes(values, "numbers")


def as_moment(time: Any, what: str, *, is_calendar: bool) -> float:
    """One time, of the kind that others are."""
    if isinstance(time, str | int | float | np.generic) or not hasattr(time, "__len__"):
        found = as_moments([time], what)
        if found.is_calendar == is_calendar:
            return float(found.values[0])
    kind = "a date, a time or an epoch, as the times of the edges" if is_calendar else "a number, as the times of the edges"
    raise InputError(f"{what} must be {kind}. Got {time!r}.")


def as_duration(duration: Any, what: str, *, is_calendar: bool) -> float:
    """A duration in seconds, or in the unit of the times where these are no calendar's."""
    value: float | None = None
    if isinstance(duration, str) and duration.strip().lower() in NEVER:
        return float("inf")
    if isinstance(duration, np.timedelta64):
        duration = duration.astype("timedelta64[us]").item()
    if isinstance(duration, timedelta):
        value = duration.total_seconds()
    elif isinstance(duration, str):
        match = re.fullmatch(r"\s*(\d+\.?\d*|\.\d+)\s*([A-Za-z]*)\s*", duration)
        if match is not None and (not match[2] or match[2].lower() in UNITS):
            value = float(match[1]) * UNITS.get(match[2].lower(), 1.0)
            if match[2] and not is_calendar:
                raise InputError(
                    f"{what} must be a number where the times of the edges are plain numbers: how long one of them is, is "
                    f"not known. Got {duration!r}."
                )
    elif isinstance(duration, int | float | np.number) and not isinstance(duration, bool):
        value = float(duration)
    if value is None or not value > 0:
        raise InputError(f"{what} must be {DURATION}. Got {duration!r}.")
    if isinstance(duration, timedelta) and not is_calendar:
        raise InputError(f"{what} must be a number where the times of the edges are plain numbers. Got {duration!r}.")
    return value


def say_duration(duration: float, *, is_calendar: bool) -> str:
    """A duration in words."""
    if duration == float("inf"):
        return "no ageing"
    if not is_calendar:
        return f"{duration:g}"
    for seconds, name in ((86400.0, "days"), (3600.0, "hours"), (60.0, "minutes")):
        if duration >= 2 * seconds:
            return f"{duration / seconds:.3g} {name}"
    return f"{duration:.3g} seconds"


def say_moment(moment: float, *, is_calendar: bool) -> str:
    """A time in words."""
    if not is_calendar:
        return f"{moment:g}"
    return str(np.datetime64(round(moment), "s")).replace("T", " ")


def _as_column(times: Any, what: str) -> Any:
    import pyarrow as pa

    try:
        if isinstance(times, pa.ChunkedArray):
            return times.combine_chunks() if times.num_chunks != 1 else times.chunk(0)
        if isinstance(times, pa.Array):
            return times
        if hasattr(times, "to_arrow"):  # polars
            return _as_column(times.to_arrow(), what)
        return pa.array(times if hasattr(times, "dtype") else list(times), from_pandas=True)
    except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, OverflowError) as error:
        raise InputError(
            f"{what} must hold dates, times or numbers, all of one kind. {str(error).splitlines()[0]}."
        ) from error


def _of_text(column: Any, what: str, first_row: int = 0) -> Any:
    """Numbers, or dates and times in the order year, month, day."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = pc.utf8_trim_whitespace(column)
    column = pc.if_else(pc.equal(column, ""), pa.scalar(None, column.type), column)
    try:
        return pc.cast(column, pa.float64())
    except pa.ArrowInvalid:
        plain = pc.replace_substring_regex(column, r"^(\d{4})/(\d{1,2})/(\d{1,2})", r"\1-\2-\3")
    for unit in ("us", "ns"):
        for zone in (None, "UTC"):
            with contextlib.suppress(pa.ArrowInvalid):
                return pc.cast(plain, pa.timestamp(unit, zone))
    row = _first_unread(plain)
    raise InputError(
        f"{what} must hold dates as 2026-11-18 or times as 2026-11-18 20:30:00, all with a zone or none. "
        f"Got {column[row].as_py()!r} in row {row + first_row + 1:,}.{_with_year_first(column[row].as_py())}"
    )


def _with_year_first(text: str) -> str:
    """How to write a date whose year is last, where day and month cannot be taken for each other."""
    found = re.match(r"(\d{1,2})([./-])(\d{1,2})\2(\d{4})(?!\d)", text)
    if found is None:
        return ""
    first, second, year = int(found[1]), int(found[3]), found[4]
    if first > 12 >= second:
        return f" Write it with the year first: {year}-{second:02d}-{first:02d}."
    if second > 12 >= first:
        return f" Write it with the year first: {year}-{first:02d}-{second:02d}."
    return " Write it with the year first, then the month, then the day."


def _first_unread(column: Any) -> int:
    """The first row that is no time, or the first one with a zone where others have none."""
    import pyarrow as pa
    import pyarrow.compute as pc

    is_dated = pc.match_substring_regex(column, r"^\d{4}-\d\d-\d\d([ T]\d\d:\d\d(:\d\d(\.\d+)?)?)?$")
    row = int(pc.index(is_dated, pa.scalar(False)).as_py())
    return max(row, 0)
