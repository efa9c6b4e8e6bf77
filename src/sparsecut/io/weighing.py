"""From numbered edges with times and signs to matrices: what weighs how much, and what asks for distance.

    time      an edge weighs w·2^(−(now − t)/half-life); repeats add up, and without directions so do both ways
    sign      edges of positive weight are the adjacency, those of negative weight demands (`operators.negatives`)

Edges older than 126 half-lives weigh nothing in float32: they are gone, and their nodes stay.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_real
from sparsecut.graph.clock import Clock
from sparsecut.graph.times import EdgeTimes, as_duration, as_moment, say_moment
from sparsecut.io.adjacency import build_adjacency
from sparsecut.io.edge_weights import check_not_negative
from sparsecut.io.half_life import choose_half_life


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

    def clock(
        self, i: NDArray[Any], j: NDArray[Any], moments: EdgeTimes, what: str, is_friendly: Any = slice(None)
    ) -> tuple[Clock, tuple[str, ...]]:
        """(how the edges age, notes): `now` is the latest edge where it is not given, and "auto" is chosen by the edges."""
        times, is_calendar = moments
        latest = float(times.max())
        now = latest
        if self.now is not None:
            now = as_moment(self.now, f"The now parameter of {self.caller}", is_calendar=is_calendar)
        if latest > now:
            row = int(times.argmax())
            raise InputError(
                f"{what} has edges later than now: row {row + 1:,} is of {say_moment(latest, is_calendar=is_calendar)}, and "
                f"now is {say_moment(now, is_calendar=is_calendar)}. Leave these edges out, or give a later now."
            )
        notes: tuple[str, ...] = ()
        if self.decay is not None:
            half_life = math.log(2) / float(self.decay)
        elif self.half_life is None or (isinstance(self.half_life, str) and self.half_life == "auto"):
            half_life, notes = choose_half_life(i[is_friendly], j[is_friendly], times[is_friendly], is_calendar=is_calendar)
        else:
            name = f"The half_life parameter of {self.caller}"
            half_life = as_duration(self.half_life, name, is_calendar=is_calendar)
        return Clock(half_life, now, is_calendar), notes


@dataclass(frozen=True)
class Matrices:
    """The edges of a graph as `Graph.from_canonical` takes them."""

    adjacency: sp.csr_array
    clock: Clock | None
    demands: sp.csr_array | None
    n_loops: int
    notes: tuple[str, ...]

    @property
    def parts(self) -> dict[str, Any]:
        return {"clock": self.clock, "demands": self.demands}


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
    is_negative = None if weights is None else weights < 0
    if is_negative is not None and not is_negative.any():
        is_negative = None
    if not weighing.is_signed:
        check_not_negative(weights, column, what)
    clock: Clock | None = None
    notes: tuple[str, ...] = ()
    if moments is not None:
        friendly: Any = slice(None) if is_negative is None else ~is_negative
        clock, notes = weighing.clock(i, j, moments, what, friendly)
        aged = clock.weights_of(moments.values)
        weights = aged if weights is None else aged * weights
        if directed == "symmetrize":  # either way an edge is the same, and its repeats add up
            i, j = np.minimum(i, j), np.maximum(i, j)
    if is_negative is None:
        adjacency, n_loops = build_adjacency(i, j, weights, n_nodes, directed)
        demands = sp.csr_array((n_nodes, n_nodes), dtype=np.float32) if weighing.is_signed else None
    else:
        assert weights is not None
        adjacency, n_loops = build_adjacency(i[~is_negative], j[~is_negative], weights[~is_negative], n_nodes, directed)
        demands, n_others = build_adjacency(i[is_negative], j[is_negative], -weights[is_negative], n_nodes, directed)
        n_loops += n_others
    if clock is not None:
        notes = (*notes, f"Edges {clock}.")
    if demands is not None:
        n_demands = demands.nnz // (2 if directed == "symmetrize" else 1)
        notes = (*notes, f"{n_demands:,} edges ask for distance.")
    return Matrices(adjacency, clock, demands, n_loops, notes)
