"""Times and durations of every kind that users hold, as numbers."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsecut.base.errors import InputError
from sparsecut.graph.times import as_duration, as_moment, as_moments, say_duration, say_moment

NOON = 1_767_268_800  # 2026-01-01 12:00 in UTC
DAYS = ["2026-01-01", "2026-01-03"]
MOMENTS = [dt.datetime(2026, 1, 1, 12), dt.datetime(2026, 1, 3, 12, 0, 0, 500_000)]


@pytest.mark.parametrize(
    "times",
    [
        MOMENTS,
        [moment.replace(tzinfo=dt.UTC) for moment in MOMENTS],
        np.array(MOMENTS, dtype="datetime64[ms]"),
        pd.Series(MOMENTS),
        pd.Series(MOMENTS).dt.tz_localize("UTC").dt.tz_convert("Europe/Oslo"),
        pd.Series(MOMENTS).astype("datetime64[ns]"),
        pl.Series(MOMENTS),
        pa.chunked_array([MOMENTS[:1], MOMENTS[1:]]),
        ["2026-01-01 12:00:00", "2026-01-03T12:00:00.5"],
        ["2026/01/01 12:00", " 2026/01/03 12:00:00.500 "],
        ["2026-01-01T12:00:00Z", "2026-01-03T14:00:00.5+02:00"],
        [NOON, NOON + 2 * 86400 + 0.5],
        [NOON * 1000, (NOON + 2 * 86400) * 1000 + 500],
        [NOON * 10**6, (NOON + 2 * 86400) * 10**6 + 500_000],
        np.array([NOON, NOON + 2 * 86400]) * 10**9 + np.array([0, 5 * 10**8]),
        [str(NOON), f"{NOON + 2 * 86400}.5"],
    ],
    ids=str,
)
def test_moments_of_every_kind(times: Any) -> None:
    values, is_calendar = as_moments(times, "The times")
    assert is_calendar
    assert values.tolist() == [NOON, NOON + 2 * 86400 + 0.5]


@pytest.mark.parametrize("days", [DAYS, [dt.date(2026, 1, 1), dt.date(2026, 1, 3)], pd.to_datetime(DAYS)], ids=str)
def test_dates_are_their_midnights(days: Any) -> None:
    assert as_moments(days, "The times").values.tolist() == [NOON - 43200, NOON - 43200 + 2 * 86400]


def test_other_numbers_have_a_unit_of_their_own() -> None:
    values, is_calendar = as_moments([1987, 2026.5, -3], "The times")
    assert not is_calendar
    assert values.tolist() == [1987, 2026.5, -3]


@pytest.mark.parametrize(
    ("times", "match"),
    [
        ([1.0, None], "no time in row 2"),
        ([1.0, float("nan")], "no time in row 2"),
        (["2026-01-01", ""], "no time in row 2"),
        (pd.Series([pd.Timestamp("2026-01-01"), pd.NaT]), "no time in row 2"),
        (["2026-01-01", "01/02/2026"], "'01/02/2026' in row 2. Write it with the year first, then the month, then the day."),
        (["31.12.2026"], "'31.12.2026' in row 1. Write it with the year first: 2026-12-31."),
        (["12/31/2026 10:00"], "in row 1. Write it with the year first: 2026-12-31."),
        (["31/31/2026"], "in row 1. Write it with the year first, then the month, then the day."),
        ([float("inf")], "inf in row 1"),
        ([True], "Got bool"),
        ([dt.date(2026, 1, 1), "soon"], "all of one kind"),
    ],
    ids=str,
)
def test_what_is_no_time_is_refused(times: Any, match: str) -> None:
    with pytest.raises(InputError, match=match):
        as_moments(times, "The times")


def test_one_moment_is_of_the_kind_of_the_others() -> None:
    assert as_moment(dt.date(1970, 1, 2), "now", is_calendar=True) == 86400
    assert as_moment("7", "now", is_calendar=False) == 7
    for wrong, is_calendar in (("7", True), ("2026-01-01", False), ([1, 2], False)):
        with pytest.raises(InputError, match="now must be"):
            as_moment(wrong, "now", is_calendar=is_calendar)


@pytest.mark.parametrize(
    ("duration", "seconds"),
    [
        *(("30d", 30 * 86400), ("1.5 hours", 5400), ("2W", 14 * 86400), (dt.timedelta(minutes=1), 60), (90, 90)),
        *(("90", 90), (np.timedelta64(2, "D"), 2 * 86400), (pd.Timedelta("1h"), 3600)),
    ],
    ids=str,
)
def test_durations(duration: Any, seconds: float) -> None:
    assert as_duration(duration, "half_life", is_calendar=True) == seconds


@pytest.mark.parametrize("wrong", ["30 moons", "-3d", 0, -1, True, None, float("nan"), "d"])
def test_what_is_no_duration_is_refused(wrong: Any) -> None:
    with pytest.raises(InputError, match="half_life must be a duration such as '30d'"):
        as_duration(wrong, "half_life", is_calendar=True)


def test_steps_have_no_days() -> None:
    assert as_duration("4", "half_life", is_calendar=False) == 4
    for wrong in ("4d", dt.timedelta(days=4)):
        with pytest.raises(InputError, match="must be a number where the times of the edges are plain numbers"):
            as_duration(wrong, "half_life", is_calendar=False)


def test_in_words() -> None:
    assert [say_duration(value, is_calendar=True) for value in (30 * 86400, 5400, 90, np.inf)] == [
        "30 days",
        "90 minutes",
        "90 seconds",
        "no ageing",
    ]
    assert say_moment(NOON, is_calendar=True) == "2026-01-01 12:00:00"
    assert say_moment(2.5, is_calendar=False) == "2.5"
