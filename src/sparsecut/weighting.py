"""Feature weighting: how much each column and each row counts before anything is smoothed.

    none      the features as they are
    l2        every row divided by its length
    tf-idf    every column times ln((1 + n)/(1 + n_j)) + 1, where n_j of the n nodes have it, then l2: a word that every page
              has tells nothing

The column weights are learned from the graph that is fitted and kept for others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

WEIGHTINGS = ("none", "l2", "tf-idf")


@dataclass(frozen=True)
class Weighting:
    name: str
    columns: NDArray[np.float32] | None = None  # of tf-idf

    def apply(self, features: Any) -> Any:
        """The weighted features, dense or sparse as they came, in float32."""
        if self.name == "none":
            return features
        if self.columns is not None:
            features = sp.csr_array(features * self.columns[None, :]) if sp.issparse(features) else features * self.columns
        lengths = row_lengths(features)
        scale = (1 / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return sp.csr_array(sp.diags_array(scale) @ features) if sp.issparse(features) else features * scale[:, None]


def learn_weighting(name: str, features: Any) -> Weighting:
    """The weighting of that name, with the columns' weights from these features."""
    if name != "tf-idf":
        return Weighting(name)
    n_nodes, n_columns = features.shape
    if sp.issparse(features):
        counts = np.bincount(features.indices[features.data != 0], minlength=n_columns)
    else:
        counts = np.count_nonzero(features, axis=0)
    return Weighting(name, (np.log((1 + n_nodes) / (1 + counts)) + 1).astype(np.float32))


def row_lengths(features: Any) -> NDArray[np.float64]:
    """The Euclidean length of every row."""
    if sp.issparse(features):
        squares = np.add.reduceat(np.append(features.data.astype(np.float64) ** 2, 0.0), features.indptr[:-1])
        return np.sqrt(np.where(np.diff(features.indptr) > 0, squares, 0.0))
    return np.asarray(np.sqrt(np.einsum("ij,ij->i", features, features, dtype=np.float64)))
