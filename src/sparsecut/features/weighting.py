"""Feature weighting: how much each column and each row counts before anything is smoothed.

    none      the features as they are
    l2        every row divided by its length
    tf-idf    every column times ln((1 + n)/(1 + n_j)) + 1, where n_j of the n nodes have it, then l2: a word that every page
              has says nothing
    by type   of a graph whose types of nodes have columns of their own: each type's as above, by what its numbers are, and
              scaled so that its rows have the mean square length 1

The column weights are learned from the graph that is fitted and kept for others.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import OverflowInputError
from sparsecut.features.matrices import column_counts, is_sparse, row_lengths, stored_entries, times_columns, times_rows
from sparsecut.kernels.block import Block, Passes
from sparsecut.kernels.either import on_host
from sparsecut.kernels.streaming import row_blocks

WeightingWord = Literal["auto", "none", "l2", "tf-idf"]
WEIGHTINGS = ("none", "l2", "tf-idf")


@dataclass(frozen=True)
class Weighting:
    name: str
    columns: NDArray[np.float32] | None = None  # of tf-idf
    normalised: NDArray[np.float32] | None = None  # by type: 1 for columns whose rows are scaled to one length, else 0
    scale: NDArray[np.float32] | None = None  # by type: what columns are multiplied with in the end

    @property
    def arrays(self) -> dict[str, NDArray[np.float32]]:
        """What was learned, by its name."""
        learned = {"columns": self.columns, "normalised": self.normalised, "scale": self.scale}
        return {name: array for name, array in learned.items() if array is not None}

    def apply(self, features: Any) -> Any:
        """The weighted features, dense or sparse as they came, in float32; a tensor stays where it is."""
        if self.name == "none":
            return features
        if self.columns is not None:
            features = times_columns(features, self.columns)
        # A node has columns of its own type alone: a row is scaled where one of these is not zero.
        lengths = row_lengths(features if self.normalised is None else times_columns(features, self.normalised))
        if not math.isfinite(float(lengths.sum())):
            raise OverflowInputError("The weighted features overflow. Scale the features down.")
        weighted = times_rows(features, 1 / (lengths + (lengths == 0)))  # an empty row stays empty
        return weighted if self.scale is None else times_columns(weighted, self.scale)


def learn_weighting(name: str, passes: Passes) -> Weighting:
    """The weighting of that name, with the columns' weights from the features of a graph."""
    if name != "tf-idf":
        return Weighting(name)
    n_nodes, counts = passes.graph.n_nodes, passes.total(counts_of)
    return Weighting(name, (np.log((1 + n_nodes) / (1 + counts)) + 1).astype(np.float32))


def learn_weighting_by_type(words: Sequence[str], column_types: NDArray[np.int16], passes: Passes) -> Weighting:
    """The weighting of features whose columns belong to types: `words` has that of each type."""
    counts, squares, sums = passes.total(column_sums_of)
    n_nodes, n_types = _type_sizes(passes.graph, len(words)), len(words)
    columns, normalised, scale = (np.ones(len(column_types), dtype=np.float32) for _ in range(3))
    for code in range(n_types):
        here, word, n_rows = column_types == code, words[code], max(int(n_nodes[code]), 1)
        normalised[here] = word != "none"
        if word == "tf-idf":
            columns[here] = np.log((1 + n_rows) / (1 + counts[here])) + 1
        if word == "none":  # centred: a common value of all rows is no difference between them
            variance = float((squares[here] / n_rows - (sums[here] / n_rows) ** 2).clip(min=0).sum())
            scale[here] = _rounded(1 / math.sqrt(variance)) if variance > 0 else 1.0
    return Weighting("by type", columns, normalised, scale)


def counts_of(block: Block) -> Any:
    return column_counts(block.features())


def column_sums_of(block: Block) -> NDArray[np.float64]:
    """How many rows have something in each column, Σx² and Σx of the column, (3, f)."""
    features = block.features()
    if is_sparse(features):
        columns, values = (on_host(part) for part in stored_entries(features))
        numbers, n_columns = values.astype(np.float64), features.shape[1]
        sums = [np.bincount(columns, weights, n_columns) for weights in (numbers**2, numbers)]
        return np.stack([on_host(column_counts(features)).astype(np.float64), *sums])
    sums_of = np.zeros((2, features.shape[1]))
    for rows in row_blocks(features.shape[0], 8 * features.shape[1]):
        numbers = on_host(features[rows]).astype(np.float64)
        sums_of += [(numbers**2).sum(axis=0), numbers.sum(axis=0)]
    return np.vstack([on_host(column_counts(features)).astype(np.float64), sums_of])


def _type_sizes(graph: Any, n_types: int) -> NDArray[np.int64]:
    """The nodes of every type."""
    codes = graph.type_codes
    return np.bincount(codes[codes >= 0], minlength=n_types)


def _rounded(number: float) -> float:
    """A number to twelve bits: the rounding of sums, which differs with their order, does not show."""
    fraction, exponent = math.frexp(number)
    return math.ldexp(round(fraction * 4096) / 4096, exponent)
