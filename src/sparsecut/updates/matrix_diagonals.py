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


class MatrixDiagonals:
    """`left`, `own`, and `right` where it is not 1, of every place."""

    def __init__(self, graph: ChangingGraph, filter: Filter) -> None:
        self._graph, self._filter = graph, filter
        self._kept = [GrowingArray(diagonal) for diagonal in self._of(graph.degrees)]
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
        found = self._filter.diagonals(torch.from_numpy(np.ascontiguousarray(degrees))).single()
        return [diagonal.numpy().copy() for diagonal in (found.left, found.own, found.right) if diagonal is not None]
