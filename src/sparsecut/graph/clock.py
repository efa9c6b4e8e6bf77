"""The age of edges: an edge of time t weighs 2^(−(now − t)/half-life), and `now` is the latest edge unless it is given.

The weights of a graph at one moment are those at another times one factor. A model keeps the clock it was fitted by and
brings later graphs to its own moment, so that ageing alone changes nothing and a newer edge weighs more than 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True)
class Clock:
    """How edges age.

    Attributes
    ----------
    half_life : float
        Seconds after which an edge weighs half as much.
    now : float
        The moment at which an edge weighs 1, in seconds since 1970.
    """

    half_life: float
    now: float

    def factor_to(self, other: Clock) -> float:
        """What weights by this clock are multiplied with to be weights by another of the same half-life."""
        return float(2.0 ** ((self.now - other.now) / self.half_life))

    def to_header(self) -> dict[str, float]:
        return asdict(self)

    @classmethod
    def read(cls, header: Mapping[str, Any] | None) -> Clock | None:
        """What `to_header` wrote."""
        return None if header is None else cls(float(header["half_life"]), float(header["now"]))
