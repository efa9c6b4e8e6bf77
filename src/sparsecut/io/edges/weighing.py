"""From numbered edges with times and signs to matrices: what weighs how much, and what asks for distance.

    time      an edge weighs w·2^(−(now − t)/half-life); repeats add up, and without directions so do both ways
    sign      edges of positive weight are the adjacency, those of negative weight demands (`operators.negatives`)

Edges older than 126 half-lives weigh nothing in float32: they are gone, and their nodes stay. Of several types of edges all
that have times age by one clock; those of the others weigh what they weigh.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_real
from sparsecut.graph.clock import Clock
from sparsecut.graph.timeline import DatedEdges, Timeline
from sparsecut.graph.times import EdgeTimes, as_duration, as_moment, say_moment
from sparsecut.io.edges.adjacency import build_adjacency
from sparsecut.io.edges.edge_weights import check_not_negative, said_of_zeros
from sparsecut.io.edges.half_life import choose_half_life


@dataclass(frozen=True)
class Weighing:
    """What readers take for times and signs. `time` is a column or the times; None for edges without age."""

    caller: str
    time: Any = None
    half_life: Any = None
    decay: Any = None
    now: Any = None
    is_signed: bool = False

    def __post_init__(self) -> None:
        for name, value in (("half_life", self.half_life), ("decay", self.decay), ("now", self.now)):
            if value is not None and self.time is None:
                raise InputError(
                    f"{self.caller} was given {name}={value!r} and no times of edges. Name their column: time=… (--time)."
                )
        if self.half_life is not None and self.decay is not None:
            raise InputError(f"{self.caller} takes half_life or decay, not both: half_life is log 2 / decay.")
        if self.decay is not None:
            check_real(self.caller, "decay", self.decay, above=0)

    @property
    def is_chosen(self) -> bool:
        """Whether the half-life is chosen by the edges."""
        is_auto = self.half_life is None or (isinstance(self.half_life, str) and self.half_life == "auto")
        return self.decay is None and is_auto

    def clock(self, parts: Sequence[DatedEdges], whats: Sequence[str], is_calendar: bool) -> tuple[Clock, tuple[str, ...]]:
        """(how the edges age, notes): `now` is the latest edge where it is not given, and "auto" is chosen by the edges.

        `parts` are the edges of every type that has times, and `whats` names their tables.
        """
        latest = [Latest.of(part.times, what) for part, what in zip(parts, whats, strict=True) if part.times is not None]
        return self.clock_of(latest, lambda: parts, is_calendar)

    def clock_of(
        self, latest: Sequence[Latest], parts: Callable[[], Sequence[DatedEdges]], is_calendar: bool
    ) -> tuple[Clock, tuple[str, ...]]:
        """The clock of edges of which the latest of every type are known; `parts` are called for "auto" alone."""
        now = max(one.time for one in latest)
        if self.now is not None:
            now = as_moment(self.now, f"The now parameter of {self.caller}", is_calendar=is_calendar)
        for one in latest:
            if one.time > now:
                raise InputError(
                    f"{one.what} has edges later than now: row {one.row + 1:,} is of "
                    f"{say_moment(one.time, is_calendar=is_calendar)}, and now is "
                    f"{say_moment(now, is_calendar=is_calendar)}. Leave these edges out, or give a later now."
                )
        notes: tuple[str, ...] = ()
        if self.decay is not None:
            half_life = math.log(2) / float(self.decay)
        elif self.is_chosen:
            half_life, notes = chosen_half_life(parts(), is_calendar)
        else:
            half_life = as_duration(self.half_life, f"The half_life parameter of {self.caller}", is_calendar=is_calendar)
        clock = Clock(half_life, now, is_calendar)
        return clock, (*notes, *_said_of_gone(min(one.earliest for one in latest), clock))


@dataclass(frozen=True)
class Latest:
    """The latest edge of a table, and the time of the earliest."""

    time: float
    row: int
    what: str
    earliest: float

    @classmethod
    def of(cls, times: NDArray[np.float64], what: str, first_row: int = 0) -> Latest:
        row = int(times.argmax())
        return cls(float(times[row]), row + first_row, what, float(times.min()))


def _said_of_gone(earliest: float, clock: Clock) -> tuple[str, ...]:
    """What is to be said where the earliest edges are too old to weigh anything."""
    if clock.weights_of(np.array(earliest)) > 0:
        return ()
    since = say_moment(clock.now - 126 * clock.half_life, is_calendar=clock.is_calendar)
    return (f"Edges before {since}, 126 half-lives ago, weigh nothing and are left out; their nodes stay.",)


def chosen_half_life(parts: Sequence[DatedEdges], is_calendar: bool) -> tuple[float, tuple[str, ...]]:
    """(the half-life that edges choose, infinite for none; what to say of it)."""
    dated = [part.where(part.is_friendly) for part in parts if part.times is not None]
    i, j, times = (np.concatenate([getattr(part, name) for part in dated]) for name in ("i", "j", "times"))
    return choose_half_life(i, j, times, is_calendar=is_calendar)


@dataclass(frozen=True)
class Matrices:
    """The edges of a graph as `Graph.from_canonical` takes them."""

    adjacency: sp.csr_array
    clock: Clock | None
    demands: sp.csr_array | None
    n_loops: int
    notes: tuple[str, ...]
    timeline: Timeline | None = None

    @property
    def parts(self) -> dict[str, Any]:
        return {"clock": self.clock, "demands": self.demands, "timeline": self.timeline}


def matrices(
    i: NDArray[Any],
    j: NDArray[Any],
    weights: NDArray[Any] | None,
    moments: EdgeTimes | None,
    n_nodes: int,
    directed: str,
    weighing: Weighing,
    what: str,
    column: str | None = None,
) -> Matrices:
    """The matrices of numbered edges; `column` names that of the weights in messages."""
    if not weighing.is_signed:
        check_not_negative(weights, column, what)
    edges = dated_edges(i, j, weights, moments, directed)
    clock: Clock | None = None
    notes: tuple[str, ...] = ()
    timeline: Timeline | None = None
    if moments is not None:
        clock, notes = weighing.clock([edges], [what], moments.is_calendar)
        timeline = Timeline((edges,), moments.is_calendar, weighing.is_chosen)
        notes = (*notes, f"Edges {clock}.")
    notes = (*said_of_zeros(weights), *notes)
    adjacency, demands, n_loops = weighed(edges, clock, n_nodes, is_directed=directed != "symmetrize")
    if weighing.is_signed:
        notes = (*notes, said_of_demands(demands.nnz, is_directed=directed != "symmetrize"))
    return Matrices(adjacency, clock, demands if weighing.is_signed else None, n_loops, notes, timeline)


def dated_edges(
    i: NDArray[Any], j: NDArray[Any], weights: NDArray[Any] | None, moments: EdgeTimes | None, directed: str
) -> DatedEdges:
    """Numbered edges, from the node whose row of the adjacency has the entry."""
    i, j = (j, i) if directed == "in" else (i, j)
    return DatedEdges(i, j, weights, None if moments is None else moments.values)


def weighed(
    edges: DatedEdges, clock: Clock | None, n_nodes: int, *, is_directed: bool
) -> tuple[sp.csr_array, sp.csr_array, int]:
    """(adjacency, what asks for distance, how many nodes had an edge to themselves) of edges of one type."""
    i, j, way = edges.i, edges.j, "out" if is_directed else "symmetrize"
    weights: NDArray[Any] | None = edges.weights
    if edges.times is not None:
        assert clock is not None
        i, j, weights = aged(i, j, weights, edges.times, clock, is_directed=is_directed)
    if edges.weights is None or not (edges.weights < 0).any():
        adjacency, n_loops = build_adjacency(i, j, weights, n_nodes, way)
        return adjacency, sp.csr_array((n_nodes, n_nodes), dtype=np.float32), n_loops
    assert weights is not None
    parts = ((where := edges.weights >= 0, weights), (~where, -weights))
    (adjacency, n_loops), (demands, n_others) = (
        build_adjacency(i[where], j[where], values[where], n_nodes, way) for where, values in parts
    )
    return adjacency, demands, n_loops + n_others


def aged(
    i: NDArray[Any], j: NDArray[Any], weights: NDArray[Any] | None, times: NDArray[np.float64], clock: Clock, *,
    is_directed: bool,
) -> tuple[NDArray[Any], NDArray[Any], NDArray[np.float64]]:  # fmt: skip
    """Edges with the weights of their age. Without directions an edge is the same either way, and its repeats add up."""
    of_age = clock.weights_of(times)
    weights = of_age if weights is None else np.multiply(of_age, weights, out=of_age)
    return (i, j, weights) if is_directed else (np.minimum(i, j), np.maximum(i, j), weights)


def said_of_demands(n_entries: int, *, is_directed: bool) -> str:
    """What a signed graph notes."""
    return f"{n_entries // (1 if is_directed else 2):,} edges ask for distance."
