"""Feature weighting: how much each column and each row counts before anything is smoothed.

    none      the features as they are
    l2        every row divided by its length
    tf-idf    every column times ln((1 + n)/(1 + n_j)) + 1, where n_j of the n nodes have it, then l2: a word that every page
              has says nothing

The column weights are learned from the graph that is fitted and kept for others.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.base.errors import OverflowInputError
from sparsecut.features import on_device, walked
from sparsecut.kernels.streaming import release, row_blocks
from sparsecut.kernels.walk import Walk

WeightingWord = Literal["auto", "none", "l2", "tf-idf"]
WEIGHTINGS = ("none", "l2", "tf-idf")


@dataclass(frozen=True)
class Weighting:
    name: str
    columns: NDArray[np.float32] | None = None  # of tf-idf

    def apply(self, features: Any) -> Any:
        """The weighted features, dense or sparse as they came, in float32; a tensor stays where it is."""
        if self.name == "none":
            return features
        if isinstance(features, Tensor):
            return on_device.apply(self.columns, features)
        if self.columns is not None:
            features = sp.csr_array(features * self.columns[None, :]) if sp.issparse(features) else features * self.columns
        lengths = row_lengths(features)
        if not np.isfinite(lengths).all():
            raise OverflowInputError("The weighted features overflow. Scale the features down.")
        scale = (1 / np.where(lengths > 0, lengths, 1)).astype(np.float32)
        return sp.csr_array(sp.diags_array(scale) @ features) if sp.issparse(features) else features * scale[:, None]


def learn_weighting(name: str, features: Any, walk: Walk | None = None) -> Weighting:
    """The weighting of that name, with the columns' weights from these features, by a walk over them where there is one."""
    if name != "tf-idf":
        return Weighting(name)
    n_nodes, n_columns = features.shape
    if isinstance(features, Tensor) or walk is not None:
        counts = on_device.column_counts(features) if walk is None else walked.column_counts(walk)
        return Weighting(name, (np.log((1 + n_nodes) / (1 + counts)) + 1).astype(np.float32))
    counts = np.zeros(n_columns, dtype=np.int64)
    for rows in row_blocks(n_nodes, 4 * n_columns):
        block = features[rows]
        if sp.issparse(block):
            counts += np.bincount(block.indices[block.data != 0], minlength=n_columns)
        else:
            counts += np.count_nonzero(block, axis=0)
        release(features, rows)
    return Weighting(name, (np.log((1 + n_nodes) / (1 + counts)) + 1).astype(np.float32))


def row_lengths(features: Any) -> NDArray[np.float64]:
    """The Euclidean length of every row."""
    if isinstance(features, Tensor):
        return on_device.row_lengths(features).cpu().numpy()
    lengths = np.empty(features.shape[0])
    for rows in row_blocks(features.shape[0], 4 * features.shape[1]):
        block = features[rows]
        if sp.issparse(block):
            squares = np.add.reduceat(np.append(block.data.astype(np.float64) ** 2, 0.0), block.indptr[:-1])
            lengths[rows] = np.sqrt(np.where(np.diff(block.indptr) > 0, squares, 0.0))
        else:
            lengths[rows] = np.sqrt(np.einsum("ij,ij->i", block, block, dtype=np.float64))
        release(features, rows)
    return lengths
