"""The diagonals of P as degrees change, in float32, as products read them; filters of one matrix share them."""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from sparsecut.operators.filters import Filter
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.growing import GrowingArray

Integers = NDArray[np.int64]
Rows = NDArray[np.float32]
FEW = 32  # degrees: so few are looked up
MOST_KNOWN = 4096  # of the numbers that are kept


class MatrixDiagonals:
    """`left`, `own`, and `right` where it is not 1, of every place."""

    def __init__(self, graph: ChangingGraph, filter: Filter) -> None:
        self._graph, self._filter = graph, filter
        self._known: dict[float, tuple[np.float32, ...]] = {}  # the numbers of degrees that came up: most come again
        found = self._computed(graph.degrees)
        self._kept, self._n_parts = [GrowingArray(diagonal) for diagonal in found], len(found)
        self._followed: Integers | None = None
        self._before: Rows | None = None

    @property
    def left(self) -> Rows:
        return self._kept[0].rows

    @property
    def own(self) -> Rows:
        return self._kept[1].rows

    @property
    def right(self) -> Rows | None:
        return self._kept[2].rows if len(self._kept) == 3 else None

    def follow(self, relinked: Integers) -> Rows | None:
        """Follow the degrees of some nodes; returns their `right` of before. Levels that share it ask for the same array."""
        if relinked is self._followed:
            return self._before
        n_new = len(self._graph) - len(self._kept[0])
        if n_new:
            for diagonal, rows in zip(self._kept, self._of(np.ones(n_new)), strict=True):
                diagonal.extend(rows)
        self._followed, self._before = relinked, None if self.right is None else self.right[relinked]
        if len(relinked):
            for diagonal, rows in zip(self._kept, self._of(self._graph.degrees[relinked]), strict=True):
                diagonal.rows[relinked] = rows
        return self._before

    def _of(self, degrees: NDArray[np.float64]) -> list[Rows]:
        if len(degrees) > FEW:
            return self._computed(degrees)
        listed = degrees.tolist()
        new = [degree for degree in dict.fromkeys(listed) if degree not in self._known]
        if len(self._known) + len(new) > MOST_KNOWN:
            self._known.clear()
            new = list(dict.fromkeys(listed))
        if new:
            self._known.update(zip(new, zip(*self._computed(np.array(new)), strict=True), strict=True))
        found = [self._known[degree] for degree in listed]
        return [np.array([known[part] for known in found], dtype=np.float32) for part in range(self._n_parts)]

    def _computed(self, degrees: NDArray[np.float64]) -> list[Rows]:
        found = self._filter.diagonals(torch.from_numpy(np.ascontiguousarray(degrees))).single()
        return [diagonal.numpy().copy() for diagonal in (found.left, found.own, found.right) if diagonal is not None]
