"""The columns of a row that move: most of what it lacks is in the leading ones, for variance orders the columns.

Columns of an embedding fall off: of 69, the first 32 may have 99 % of the squares. A row that lacks too much moves in its
leading columns, as few as leave it within half of what it may lack; the rest stays, to move later. What moves is added to
every row that averages over it, and most of these sums then touch a part of the row.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LINE = 16  # columns, of a line of memory: so many move together
LEFT_SHARE = 0.25  # of the square of what a row may lack: last columns that lack no more than this stay

Integers = NDArray[np.int64]
Rows = NDArray[np.float32]


def leading(missing: Rows, most: Any) -> tuple[Integers, Rows]:
    """For each row where the columns end that move, and the length of what stays of what it lacks, `most` being too much."""
    squares, n_columns = np.square(missing.astype(np.float64)), missing.shape[1]
    enough = np.broadcast_to(LEFT_SHARE * np.square(np.float64(np.float32(most))), len(missing))
    stops, rests, is_open = np.full(len(missing), n_columns), np.zeros(len(missing)), np.ones(len(missing), dtype=bool)
    for start in range((n_columns - 1) // LINE * LINE, 0, -LINE):
        totals = rests + squares[:, start : start + LINE].sum(axis=1)
        is_open &= totals <= enough
        stops[is_open], rests[is_open] = start, totals[is_open]
    return stops, np.sqrt(rests).astype(np.float32)
