"""What happened in a fit: the route that was taken, the time of each stage, the loss of each epoch."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from typing import Any

import torch
from torch import Tensor

from sparsecut.kernels.moments import scatter
from sparsecut.kernels.spectrum import rank_of_scatter

MOST_ROWS = 1 << 16  # that the effective rank is read off


@dataclass
class History:
    """What happened in `fit`: lists with one value per epoch, and what is known once."""

    route: str = "none"
    rows: str = "none"
    reason: str = ""
    alpha: float | None = None
    effective_rank: float | None = None  # of the embedding, once it is known
    loss: list[float] = field(default_factory=list)
    energy: list[float] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    stages: dict[str, float] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)  # what the user should know
    details: list[str] = field(default_factory=list)  # what the engine did, for `explain(details=True)`

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage of the fit; a stage that is entered again goes on."""
        started = time.perf_counter()
        yield
        self.stages[name] = self.stages.get(name, 0.0) + time.perf_counter() - started

    def to_dict(self) -> dict[str, Any]:
        return asdict(self)


def effective_rank(Z: Tensor) -> float:
    """exp of the entropy of the normalised spectrum of the centred embedding: 1 is a line, d an even ball, 0 a point.

    Of more than 65,536 rows a sample is taken, which gives it to a few parts in a thousand.
    """
    if len(Z) > MOST_ROWS:
        Z = Z[torch.randint(len(Z), (MOST_ROWS,), generator=torch.Generator().manual_seed(0)).to(Z.device)]
    return rank_of_scatter(scatter(Z))
