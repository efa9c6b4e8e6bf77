"""The age of edges: an edge of time t weighs 2^(−(now − t)/half-life), and `now` is the latest edge unless it is given.

The weights of a graph at one moment are those at another times one factor. A model keeps the clock it was fitted by and
brings later graphs to its own moment, so that ageing alone changes nothing and a newer edge weighs more than 1: what each
node weighs in its own neighbourhood, 1, ages as an edge of the moment of the fit does.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.graph.times import say_duration, say_moment
from sparsecut.kernels import is_mapped, value_blocks
from sparsecut.kernels.mapped_matrices import mapped

LARGEST = 2.0**100  # of a weight
SMALLEST = 2.0**-126


@dataclass(frozen=True)
class Clock:
    """How edges age.

    Attributes
    ----------
    half_life : float
        Seconds after which an edge weighs half as much; infinite where edges do not age.
    now : float
        The moment at which an edge weighs 1, in seconds since 1970.
    is_calendar : bool
        Whether times are those of a calendar; else both are in the unit of the edges' times.
    """

    half_life: float
    now: float
    is_calendar: bool = True

    def factor_to(self, other: Clock) -> float:
        """What weights by this clock are multiplied with to be weights by another of the same half-life."""
        return float(2.0 ** ((self.now - other.now) / self.half_life))

    def weights_of(self, times: NDArray[np.float64]) -> NDArray[np.float64]:
        """The weights of edges by their times; 0 where float32 has no number as small, after 126 half-lives."""
        weights = np.asarray(times - self.now)
        weights /= self.half_life
        np.exp2(weights, out=weights)
        weights[weights < SMALLEST] = 0.0
        return weights

    def to_header(self) -> dict[str, Any]:
        header = asdict(self)
        return header if np.isfinite(self.half_life) else {**header, "half_life": None}  # JSON has no infinity

    @classmethod
    def read(cls, header: Mapping[str, Any] | None) -> Clock | None:
        """What `to_header` wrote."""
        if header is None:
            return None
        half_life = np.inf if header["half_life"] is None else header["half_life"]
        return cls(float(half_life), float(header["now"]), bool(header.get("is_calendar", True)))

    def __str__(self) -> str:
        moment = say_moment(self.now, is_calendar=self.is_calendar)
        if not np.isfinite(self.half_life):
            return f"do not age (moment {moment})"
        half_life = say_duration(self.half_life, is_calendar=self.is_calendar)
        return f"weigh half as much after {half_life}, and 1 at {moment}"


def rescaled(adjacency: sp.csr_array, factor: float) -> sp.csr_array:
    """An adjacency with its weights multiplied, none beyond 2¹⁰⁰; those that come out as zero are gone.

    Of one in memory maps the multiple is one too.
    """
    if not is_mapped(adjacency):
        largest = float(adjacency.data.max(initial=0.0)) or 1.0
        return _times(adjacency, factor, largest)
    largest = max((float(values.max(initial=0.0)) for values in value_blocks(adjacency)), default=0.0) or 1.0
    return mapped([adjacency], lambda parts: _times(parts[0], factor, largest))


def _times(adjacency: sp.csr_array, factor: float, largest: float) -> sp.csr_array:
    # Where the factor is limited a node weighs nothing beside its edges either way.
    data = (adjacency.data * min(factor, LARGEST / largest)).astype(np.float32)
    scaled = sp.csr_array((data, adjacency.indices, adjacency.indptr), shape=adjacency.shape)
    if not (data > 0).all():
        scaled = scaled.copy()
        scaled.eliminate_zeros()
    scaled.has_canonical_format = True
    return scaled
