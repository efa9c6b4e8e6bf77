"""Whether one column of the features drowns all others: nothing is scaled where the features are an array."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.features.matrices import is_sparse, stacked, stored_entries
from sparsecut.kernels.block import Block, Passes
from sparsecut.kernels.either import doubles, on_device_of, on_host

MAX_SHARE = 0.99  # of the variance: above it, a linear embedding has one dimension worth the name
N_SAMPLED = 4096  # rows, spread evenly: enough to see a factor of a hundred


def dominant_column(passes: Passes, n_sampled: int = N_SAMPLED) -> tuple[int, float] | None:
    """The column with nearly all of the variance and its share; None where there is no such column, or only one."""
    n_rows, n_columns = passes.graph.n_nodes, passes.graph.n_features
    if n_columns < 2 or n_rows < 2:
        return None
    variances = _variances(stacked(passes.each(every_row, -(-n_rows // n_sampled))))
    total, column = float(variances.sum()), int(variances.argmax())
    share = float(variances[column]) / total if total > 0 else 0.0
    return (column, share) if share > MAX_SHARE else None


def every_row(block: Block, step: int) -> Any:
    """The features of the rows 0, step, 2·step, … of the graph that are in the block."""
    n_rows = block.rows.stop - block.rows.start
    return block.features(on_device_of(block.starts(), np.arange(-block.rows.start % step, n_rows, step)))


def _variances(sampled: Any) -> NDArray[np.float64]:
    """The variance of each column, up to a common factor."""
    n_rows, n_columns = sampled.shape
    if is_sparse(sampled):
        columns, values = (on_host(part) for part in stored_entries(sampled))
        values = values.astype(np.float64)
        sums, squares = (np.bincount(columns, weights, minlength=n_columns) for weights in (values, values**2))
        return np.asarray(squares / n_rows - (sums / n_rows) ** 2)
    # In units of the largest number: squares must not overflow.
    scaled = doubles(sampled) / (float(abs(sampled).max()) or 1.0)
    centred = scaled - scaled.mean(0)
    return on_host((centred * centred).mean(0))
