"""What the engine has rows by: where they come from, and the hops that are still to be taken. Nothing is computed here."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from sparsecut.engines.dask.operator import Operator
from sparsecut.engines.dask.tasks import Held
from sparsecut.features.weighting import Weighting
from sparsecut.io.workfolder import fingerprint_of
from sparsecut.kernels.polynomials import Polynomial


@dataclass(frozen=True)
class Source:
    """Features where they lie, and the weighting that each block of them goes through."""

    name: str
    features: Held
    weighting: Weighting
    n_columns: int


@dataclass(frozen=True)
class Blocks:
    """A matrix of n rows as futures of its blocks."""

    name: str
    futures: list[Any]
    n_columns: int


@dataclass
class ClusterRows:
    """S = Σ c_k P^k F with nothing computed yet: F a source, blocks, or other rows that are smoothed on."""

    held: Source | Blocks | ClusterRows
    P: Operator
    pending: Polynomial = (1.0,)
    is_lazy: bool = False
    formed: list[Blocks] = field(default_factory=list)  # once it has been computed

    @property
    def n_columns(self) -> int:
        return self.held.n_columns

    @property
    def name(self) -> str:
        own = self.held.name
        return own if self.pending == (1.0,) else f"smoothed-{fingerprint_of(own, self.pending, self.P.name)}"
