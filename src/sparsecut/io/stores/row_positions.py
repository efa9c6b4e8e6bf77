"""Where the ids of edges stand among the rows of a file of features, a batch of edges at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.io.edges.ids import id_remedy, positions_of
from sparsecut.io.stores.edge_batches import EdgeFile
from sparsecut.io.stores.record_batches import FeatureFile


class IdPlaces:
    """Where ids stand among others: row numbers as they are, others looked up; −1 where they do not."""

    def __init__(self, ids: NDArray[Any] | None, n_rows: int) -> None:
        self.n_rows = n_rows
        self.ids = None if ids is None or is_range(ids) else ids
        self._order: NDArray[np.int64] | None = None
        if self.ids is not None and self.ids.dtype.kind in "iu":
            self._order = np.argsort(self.ids, kind="stable")
            self._sorted = self.ids[self._order]

    def find(self, ids: Any) -> NDArray[np.int64]:
        is_integer = isinstance(ids, np.ndarray)
        if self.ids is None and is_integer:
            is_known = (ids >= 0) & (ids < self.n_rows)
            return np.where(is_known, ids, -1)
        if self._order is not None and is_integer:
            place = np.minimum(np.searchsorted(self._sorted, ids), self.n_rows - 1)
            return np.where(self._sorted[place] == ids, self._order[place], -1)
        return positions_of(ids, np.arange(self.n_rows) if self.ids is None else self.ids)


class RowPositions:
    """Where the ends of edges stand among the rows of the features."""

    def __init__(self, features: FeatureFile, edges: EdgeFile) -> None:
        self.n_nodes, self.what, self.features = features.shape[0], edges.what, features
        self.places = IdPlaces(features.ids, self.n_nodes)

    def __call__(self, ids: Any) -> NDArray[np.int64]:
        positions = self.places.find(ids)
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


class TypePositions:
    """Where the ends of a type of edges stand: the nodes of their type begin at a row."""

    def __init__(self, name: str, ids: NDArray[Any] | None, n_nodes: int, first: int, what: str) -> None:
        self.name, self.first, self.what = name, first, what
        self.places = IdPlaces(ids, n_nodes)

    def __call__(self, ids: Any) -> NDArray[np.int64]:
        positions = self.places.find(ids)
        if (positions < 0).any():
            unknown = list(dict.fromkeys(np.asarray(ids)[np.flatnonzero(positions < 0)].tolist()))
            raise InputError(f"{self.what} names nodes of type {self.name!r} that have no row: {first_few(unknown)}.")
        return positions + self.first
