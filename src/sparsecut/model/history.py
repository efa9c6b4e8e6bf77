"""What happened in a fit: the route that was taken, the time of each stage, the loss of each epoch."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

from torch import Tensor

from sparsecut.kernels.moments import scatter
from sparsecut.kernels.spectrum import rank_of_scatter


@dataclass
class History:
    """What happened in `fit`: lists with one value per epoch, and what is known once."""

    route: str = "none"
    rows: str = "none"
    reason: str = ""
    alpha: float | None = None
    effective_rank: float = math.nan
    loss: list[float] = field(default_factory=list)
    energy: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    stages: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage of the fit; a stage that is entered again goes on."""
        started = time.perf_counter()
        yield
        self.stages[name] = self.stages.get(name, 0.0) + time.perf_counter() - started

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def effective_rank(Z: Tensor) -> float:
    """exp of the entropy of the normalised spectrum of the centred embedding: 1 is a line, d an even ball, 0 a point."""
    return rank_of_scatter(scatter(Z))
