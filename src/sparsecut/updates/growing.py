"""An array that grows by rows: it has room for twice as many when it is full, so that adding a row costs a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class GrowingArray:
    """`rows` are those in use; writing to them writes to the array. `extend` may move it: read `rows` again then."""

    __slots__ = ("_held", "rows")

    def __init__(self, rows: NDArray[Any]) -> None:
        self._held = self.rows = rows

    def __len__(self) -> int:
        return len(self.rows)

    def __getstate__(self) -> NDArray[Any]:
        """A copy has no room to spare."""
        return self.rows

    def __setstate__(self, rows: NDArray[Any]) -> None:
        self._held = self.rows = rows

    def extend(self, rows: NDArray[Any]) -> None:
        """Add rows at the end."""
        start, end = len(self.rows), len(self.rows) + len(rows)
        if end > len(self._held):
            held = np.empty((2 * end, *self._held.shape[1:]), dtype=self._held.dtype)
            held[:start] = self.rows
            self._held = held
        self._held[start:end] = rows
        self.rows = self._held[:end]
