"""Where the ids of edges stand among the rows of a file of features, a batch of edges at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.io.ids import id_remedy, positions_of
from sparsecut.io.record_batches import EdgeFile, FeatureFile


class RowPositions:
    """Where ids stand among the rows of the features: row numbers as they are, others looked up."""

    def __init__(self, features: FeatureFile, edges: EdgeFile) -> None:
        self.n_nodes, self.what, self.features = features.shape[0], edges.what, features
        self.ids = None if features.ids is None or is_range(features.ids) else features.ids
        self._order: NDArray[np.int64] | None = None
        if self.ids is not None and self.ids.dtype.kind in "iu":
            self._order = np.argsort(self.ids, kind="stable")
            self._sorted = self.ids[self._order]

    def __call__(self, ids: Any) -> NDArray[np.int64]:
        is_integer = isinstance(ids, np.ndarray)
        if self.ids is None and is_integer:
            is_known = (ids >= 0) & (ids < self.n_nodes)
            positions = np.where(is_known, ids, -1)
        elif self._order is not None and is_integer:
            place = np.minimum(np.searchsorted(self._sorted, ids), self.n_nodes - 1)
            positions = np.where(self._sorted[place] == ids, self._order[place], -1)
        else:
            positions = positions_of(ids, np.arange(self.n_nodes) if self.ids is None else self.ids)
        if (positions < 0).any():
            self._refuse(ids, positions)
        return positions

    def _refuse(self, ids: Any, positions: NDArray[np.int64]) -> None:
        unknown = list(dict.fromkeys(np.asarray(ids)[np.flatnonzero(positions < 0)].tolist()))
        if self.features.ids is None:
            raise InputError(
                f"{self.features.what} has {self.n_nodes:,} rows without ids, so the ids in {self.what[0].lower()}"
                f"{self.what[1:]} must be integers from 0 to {self.n_nodes - 1:,}. Got {first_few(unknown)}. "
                "Give the features an id column (Parquet or Arrow)."
            )
        raise InputError(
            f"{self.what} names nodes that {self.features.what[0].lower()}{self.features.what[1:]} does not: "
            f"{first_few(unknown)}.{id_remedy(self.features.id_name)}"
        )


def is_range(ids: NDArray[Any]) -> bool:
    """Whether ids are the row numbers 0..n−1."""
    return ids.dtype.kind in "iu" and bool((ids == np.arange(len(ids))).all())
