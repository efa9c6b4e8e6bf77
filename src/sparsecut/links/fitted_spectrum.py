"""The spectrum of the links that were fitted, with the ids of its nodes: what later graphs have their columns from."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.graph import Ids
from sparsecut.graph.node_ids import pack_ids, unpack_ids
from sparsecut.io.edges.ids import positions_of
from sparsecut.links.link_spectrum import LinkSpectrum
from sparsecut.links.link_sums import Incidence

NAMES = ("ids", "sources", "targets", "values", "degrees")


@dataclass(frozen=True)
class FittedSpectrum:
    """A spectrum and the ids of its rows."""

    ids: Ids
    spectrum: LinkSpectrum

    @classmethod
    def of(cls, ids: Ids, spectrum: LinkSpectrum | None) -> FittedSpectrum | None:
        return None if spectrum is None else cls(ids, spectrum)

    def on(self, ids: Ids, incidence: Incidence) -> LinkSpectrum:
        """The columns of a graph's nodes: fitted ones as they were, new ones by their links to them."""
        is_same = len(ids) == len(self.ids) and ids.dtype.kind == self.ids.dtype.kind and bool((ids == self.ids).all())
        return self.spectrum if is_same else self.spectrum.on(positions_of(ids, self.ids), incidence)

    def to_arrays(self) -> dict[str, NDArray[Any]]:
        """For a file. The vectors of an undirected graph without sides are the same at both ends, and are there once."""
        own = self.spectrum
        arrays = {"ids": pack_ids(self.ids), "sources": own.sources, "values": own.values, "degrees": np.array(own.degrees)}
        if own.targets is not own.sources and not np.array_equal(own.targets, own.sources):
            arrays["targets"] = own.targets
        return arrays

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> FittedSpectrum:
        """What `to_arrays` wrote; ValueError where the arrays do not fit together."""
        ids, sources = unpack_ids(arrays["ids"]), arrays["sources"]
        targets, values, degrees = arrays.get("targets", sources), arrays["values"], arrays["degrees"]
        if sources.ndim != 2 or len(ids) != len(sources) or targets.shape != sources.shape or degrees.shape != (2,):
            raise ValueError("the spectrum is damaged")
        if values.shape != (2, sources.shape[1]) or not (np.isfinite(sources).all() and np.isfinite(targets).all()):
            raise ValueError("the spectrum is damaged")
        return cls(ids, LinkSpectrum(sources, targets, values, (float(degrees[0]), float(degrees[1]))))
