"""The times of an update of a graph whose edges age: when its new edges came, and what moment the graph has come to.

    w = w₀·2^((t − t₀)/half-life)          the weight of a new edge of time t, as of the moment t₀ of the fit

All weights stay as of t₀, so that of a graph that only ages nothing changes, and a new edge weighs more than 1.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph.clock import Clock
from sparsecut.graph.times import as_moments, say_moment


def changed_moments(times: Any, n_edges: int, clock: Clock, caller: str) -> NDArray[np.float64] | None:
    """The times of added edges; None where none are given."""
    if times is None:
        return None
    what = f"The times parameter of {caller}"
    is_one = isinstance(times, str) or not hasattr(times, "__len__")
    found = as_moments([times] if is_one else times, what)
    if found.is_calendar != clock.is_calendar and n_edges:
        kind = "dates, times or epochs" if clock.is_calendar else "plain numbers"
        raise InputError(f"{what} must be {kind}, as the times of the fitted edges. Got others.")
    if not is_one and len(found.values) != n_edges:
        raise InputError(
            f"{what} must have one time for each of edges_added, or one for all. Got {len(found.values):,} for {n_edges:,}."
        )
    return np.broadcast_to(found.values, (n_edges,)) if is_one else found.values


def check_order(before: float, now: float, times: NDArray[np.float64] | None, clock: Clock, caller: str) -> None:
    """Refuse a moment before the last one, and edges that come after it."""

    def say(moment: float) -> str:
        return say_moment(moment, is_calendar=clock.is_calendar)

    if now < before:
        raise InputError(f"{caller} cannot go back in time: the graph has come to {say(before)}. Got now={say(now)}.")
    if times is not None and len(times) and times.max() > now:
        raise InputError(f"{caller} was given an edge of {say(float(times.max()))}, later than now={say(now)}.")
