"""Where nodes stand while they come and go: every id has a place, which stays its own until the places are packed.

An id is an integer or a word and is compared as what it is (`sparsecut.graph.node_ids`). A node that is removed leaves its
place empty; a node that is added, also under an id that was removed, gets a new one at the end. The order of the places is
the order of the nodes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.graph import Ids
from sparsecut.kernels.hashing import hash_ids
from sparsecut.updates.growing import GrowingArray

Integers = NDArray[np.int64]


class NodeIndex:
    """`find` has the place of an id, −1 where there is none; `ids` those of places."""

    def __init__(self, node_ids: Ids) -> None:
        self._is_integer = node_ids.dtype.kind in "iu"
        ids = np.array(node_ids, dtype=np.int64 if self._is_integer else object)
        self._ids, self._is_present = GrowingArray(ids), GrowingArray(np.ones(len(ids), dtype=bool))
        self.n_present = self._n_sorted = len(ids)
        self._is_numbered = self._is_integer and bool((ids == np.arange(len(ids))).all())
        # Integers are looked up by bisection, which needs no table of Python objects of the graph's size.
        self._order = np.argsort(ids, kind="stable") if self._is_integer and not self._is_numbered else None
        listed = () if self._is_integer else ids.tolist()
        self._derived: dict[Any, GrowingArray] = {}
        self._later: dict[Any, int] = {identity: place for place, identity in enumerate(listed)}

    def __len__(self) -> int:
        """Places, empty ones counted."""
        return len(self._ids)

    @property
    def ids(self) -> NDArray[Any]:
        """The ids of all places, integers or objects."""
        return self._ids.rows

    @property
    def is_present(self) -> NDArray[np.bool_]:
        """Whether the node of a place is there."""
        return self._is_present.rows

    def places(self) -> Integers:
        """The places of the nodes that are there, in their order."""
        return np.flatnonzero(self.is_present)

    @property
    def is_full(self) -> bool:
        """Whether there is a node at every place."""
        return self.n_present == len(self)

    def hashes(self) -> Integers:
        """The hash of the id of each place."""
        return self.derived("hash", lambda ids: hash_ids(ids).view(np.int64))

    def derived(self, name: Any, compute: Callable[[NDArray[Any]], Integers]) -> Integers:
        """A number for each place that its id alone says, computed once; `compute` has those of some ids."""
        known = self._derived.setdefault(name, GrowingArray(np.empty(0, dtype=np.int64)))
        if len(known) < len(self):
            ids = self.ids[len(known) :]
            known.extend(compute(ids if self._is_integer else np.array(ids.tolist())))
        return known.rows

    def find(self, wanted: Sequence[Any] | NDArray[Any]) -> Integers:
        """The place of each id; −1 where it is not there."""
        is_array = isinstance(wanted, np.ndarray) and wanted.dtype == np.int64
        values: Any = wanted if is_array else list(wanted)
        if self._is_integer and (is_array or all(type(value) is int and abs(value) < 2**63 for value in values)):
            array = np.asarray(values, dtype=np.int64)
            places = self._bisect(array)
            if self._later:
                later = np.array([self._later.get(value, -1) for value in array.tolist()], dtype=np.int64)
                places = np.where(later >= 0, later, places)
        else:
            places = np.array([self._find_one(value) for value in values], dtype=np.int64)
        return np.where((places >= 0) & self.is_present[places], places, -1) if len(places) else places

    def find_one(self, value: Any) -> int:
        """The place of one id; −1 where it is not there."""
        place = self._find_one(value)
        return place if place >= 0 and self.is_present[place] else -1

    def add(self, ids: Sequence[Any]) -> Integers:
        """New nodes at the end; returns their places."""
        first = len(self.ids)
        places = np.arange(first, first + len(ids))
        self._later.update(zip(ids, places.tolist(), strict=True))
        self._ids.extend(np.array(ids, dtype=self.ids.dtype))
        self._is_present.extend(np.ones(len(ids), dtype=bool))
        self.n_present += len(ids)
        return places

    def remove(self, places: Integers) -> None:
        self.is_present[places] = False
        self.n_present -= len(places)

    @property
    def takes(self) -> type:
        """What an id is: int or str."""
        return int if self._is_integer else str

    def _bisect(self, values: Integers) -> Integers:
        if self._n_sorted == 0:
            return np.full(len(values), -1, dtype=np.int64)
        if self._is_numbered:
            return np.where((values >= 0) & (values < self._n_sorted), values, -1)
        assert self._order is not None
        sorted_ids = self.ids[: self._n_sorted]
        spots = np.searchsorted(sorted_ids, values, sorter=self._order).clip(max=self._n_sorted - 1)
        found = self._order[spots]
        return np.where(sorted_ids[found] == values, found, -1).astype(np.int64)

    def _find_one(self, value: Any) -> int:
        if isinstance(value, bool) or not isinstance(value, int | str):
            return -1
        if value in self._later:
            return self._later[value]
        if not self._is_integer or not isinstance(value, int) or abs(value) >= 2**63:
            return -1
        if self._is_numbered:
            return value if 0 <= value < self._n_sorted else -1
        return int(self._bisect(np.array([value], dtype=np.int64))[0])
