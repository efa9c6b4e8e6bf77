"""A few clusters of rows: Lloyd's iterations from far-apart rows.

scikit-learn has this too, but importing it takes longer than a whole search for a cut.
"""

from __future__ import annotations

import numpy as np

from sparsecut.cuts.coarsen import Groups
from sparsecut.cuts.objective import Real

N_ITERATIONS = 15


def kmeans(rows: Real, count: int, random: np.random.Generator) -> Groups:
    """A cluster for every row."""
    centres = rows[_far_apart(rows, count, random)]
    for _ in range(N_ITERATIONS):
        nearest = np.argmin((centres**2).sum(axis=1) - 2 * rows @ centres.T, axis=1)
        sizes = np.bincount(nearest, minlength=len(centres))
        sums = np.column_stack([np.bincount(nearest, column, len(centres)) for column in rows.T])
        moved = np.where(sizes[:, None] > 0, sums / np.maximum(sizes, 1)[:, None], centres)
        if np.allclose(moved, centres):
            break
        centres = moved
    return np.unique(nearest, return_inverse=True)[1].astype(np.int64)


def _far_apart(rows: Real, count: int, random: np.random.Generator) -> list[int]:
    """Each next row drawn with a chance that grows with its squared distance from those chosen (k-means++)."""
    chosen = [int(random.integers(len(rows)))]
    distance = ((rows - rows[chosen[0]]) ** 2).sum(axis=1)
    while len(chosen) < count and distance.sum() > 0:
        chosen.append(int(random.choice(len(rows), p=distance / distance.sum())))
        distance = np.minimum(distance, ((rows - rows[chosen[-1]]) ** 2).sum(axis=1))
    return chosen
