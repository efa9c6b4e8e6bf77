"""An array that grows by rows: it has room for twice as many when it is full, so that adding a row costs a row."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray


class GrowingArray:
    """`rows` are those in use; writing to them writes to the array. `extend` may move it: read `rows` again then."""

    def __init__(self, rows: NDArray[Any]) -> None:
        self._held = rows
        self._n_rows = len(rows)

    def __len__(self) -> int:
        return self._n_rows

    @property
    def rows(self) -> NDArray[Any]:
        return self._held[: self._n_rows]

    def extend(self, rows: NDArray[Any]) -> None:
        """Add rows at the end."""
        end = self._n_rows + len(rows)
        if end > len(self._held):
            held = np.empty((2 * end, *self._held.shape[1:]), dtype=self._held.dtype)
            held[: self._n_rows] = self.rows
            self._held = held
        self._held[self._n_rows : end] = rows
        self._n_rows = end
