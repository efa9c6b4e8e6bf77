"""Whether one column of the features drowns all others: nothing is scaled where the features are an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

MAX_SHARE = 0.99  # of the variance: above it, a linear embedding has one dimension worth the name
N_SAMPLED = 4096  # rows, spread evenly: enough to see a factor of a hundred


def dominant_column(features: Any) -> tuple[int, float] | None:
    """The column with nearly all of the variance and its share; None where there is no such column, or only one."""
    n_rows, n_columns = features.shape
    if n_columns < 2 or n_rows < 2:
        return None
    if hasattr(features, "is_cuda"):
        return _dominant(_variances(features).cpu().numpy())
    sampled = features[:: -(-n_rows // N_SAMPLED)]
    if sp.issparse(sampled):
        sampled = sp.csr_array(sampled)
        values = sampled.data.astype(np.float64)
        sums, squares = (np.bincount(sampled.indices, weights, minlength=n_columns) for weights in (values, values**2))
        variances = squares / sampled.shape[0] - (sums / sampled.shape[0]) ** 2
    else:
        # In units of the largest number: squares must not overflow.
        largest = float(np.abs(sampled).max())
        variances = (np.asarray(sampled, dtype=np.float64) / (largest or 1.0)).var(axis=0)
    return _dominant(variances)


def _variances(features: Any) -> Any:
    """The variances of a tensor's columns, on its device: from a sample of dense rows, or from all stored numbers."""
    if str(features.layout) == "torch.strided":
        sampled = features[:: -(-len(features) // N_SAMPLED)].double()
        return (sampled / sampled.abs().max().clamp(min=1e-300)).var(dim=0, correction=0)
    values, columns = features.values().double(), features.col_indices()
    values = values / values.abs().max().clamp(min=1e-300) if len(values) else values
    sums, squares = (columns.bincount(weights=weights, minlength=features.shape[1]) for weights in (values, values**2))
    return squares / features.shape[0] - (sums / features.shape[0]) ** 2


def _dominant(variances: NDArray[np.float64]) -> tuple[int, float] | None:
    total, column = float(variances.sum()), int(variances.argmax())
    share = float(variances[column]) / total if total > 0 else 0.0
    return (column, share) if share > MAX_SHARE else None
