"""Feature weighting: how much each column and each row counts before anything is smoothed.

    none      the features as they are
    l2        every row divided by its length
    tf-idf    every column times ln((1 + n)/(1 + n_j)) + 1, where n_j of the n nodes have it, then l2: a word that every page
              has says nothing

The column weights are learned from the graph that is fitted and kept for others.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import OverflowInputError
from sparsecut.features.matrices import column_counts, row_lengths, times_columns, times_rows
from sparsecut.kernels.block import Block, Passes

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
        if self.columns is not None:
            features = times_columns(features, self.columns)
        lengths = row_lengths(features)
        if not math.isfinite(float(lengths.sum())):
            raise OverflowInputError("The weighted features overflow. Scale the features down.")
        return times_rows(features, 1 / (lengths + (lengths == 0)))  # an empty row stays empty


def learn_weighting(name: str, passes: Passes) -> Weighting:
    """The weighting of that name, with the columns' weights from the features of a graph."""
    if name != "tf-idf":
        return Weighting(name)
    n_nodes, counts = passes.graph.n_nodes, passes.total(counts_of)
    return Weighting(name, (np.log((1 + n_nodes) / (1 + counts)) + 1).astype(np.float32))


def counts_of(block: Block) -> Any:
    return column_counts(block.features())
