"""What a weighting is chosen by, for features that workers go through (`graph.walk`): a part at a time, a few numbers each.

The correlation of two columns comes from the parts' counts, means and products about these, merged (Chan, Golub and LeVeque,
1983): nothing is lost to large means.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.kernels.streaming import value_blocks
from sparsecut.kernels.walk import Column, Part, Walk, degrees, sums_over_neighbours

LEAST_SHARE, LEAST_LENGTH = 1e-3, 1e-30  # of the longest row: shorter ones count as so long


def look_at_values(walk: Walk) -> tuple[bool, bool]:
    """Whether a number is below zero, or none is stored; and whether all are whole."""
    lowest, are_whole = zip(*walk.each(values_of), strict=True)
    return not 0 <= min(lowest) < np.inf, all(are_whole)


def length_agreement(walk: Walk) -> tuple[int, float, float]:
    """How the log of a row's length goes with its mean over the neighbours, at nodes that have some.

    The number of these nodes, the deviation of the first, and the correlation, 0 where there is none.
    """
    lengths = walk.column("lengths", np.float64, lengths_of)
    longest = max(walk.each(longest_of, lengths))
    floor = LEAST_SHARE * max(longest, LEAST_LENGTH)
    total = np.zeros(6)
    for found in walk.each(agreement_of, lengths, degrees(walk), floor):
        total = _merged(total, found)
    n_nodes, _, _, own, around, both = total.tolist()
    product = own * around
    return int(n_nodes), float(np.sqrt(own / max(n_nodes, 1))), both / float(np.sqrt(product)) if product > 0 else 0.0


def column_counts(walk: Walk) -> NDArray[np.int64]:
    """How many rows have something in each column."""
    return walk.total(counts_of)


def values_of(part: Part) -> tuple[float, bool]:
    """The lowest number, infinite where none is stored, and whether all are whole."""
    lowest, are_whole = np.inf, True
    for values in value_blocks(part.features()):
        if values.size:
            lowest = min(lowest, float(values.min()))
            are_whole = are_whole and bool((values % 1 == 0).all())
    return lowest, are_whole


def lengths_of(part: Part) -> NDArray[np.float64]:
    from sparsecut.features.weighting import row_lengths  # which learns its columns here

    return row_lengths(part.features())


def longest_of(part: Part, lengths: Column) -> float:
    return float(lengths.read(part.rows).max(initial=0))


def agreement_of(part: Part, lengths: Column, of_nodes: Column, floor: float) -> NDArray[np.float64]:
    """How many nodes have neighbours, the means of both columns there, and their products about these."""
    others = _logs(lengths.read(part.neighbours().astype(np.int64)), floor)
    own_degrees = of_nodes.read(part.rows)
    is_linked = own_degrees > 0
    own = _logs(lengths.read(part.rows), floor)[is_linked]
    around = sums_over_neighbours(part, others)[is_linked] / own_degrees[is_linked]
    if not len(own):
        return np.zeros(6)
    means = own.mean(), around.mean()
    first, second = own - means[0], around - means[1]
    return np.array([len(own), *means, first @ first, second @ second, first @ second])


def counts_of(part: Part) -> NDArray[np.int64]:
    features: Any = part.features()
    if sp.issparse(features):
        return np.bincount(features.indices[features.data != 0], minlength=features.shape[1]).astype(np.int64)
    return np.asarray(np.count_nonzero(features, axis=0), dtype=np.int64)


def _logs(lengths: NDArray[Any], floor: float) -> NDArray[np.float64]:
    logs: NDArray[np.float64] = np.log(np.maximum(lengths, floor))
    return logs


def _merged(first: NDArray[np.float64], second: NDArray[np.float64]) -> NDArray[np.float64]:
    n_nodes = first[0] + second[0]
    if n_nodes == 0:
        return first
    step, share = second[1:3] - first[1:3], second[0] / n_nodes
    apart = np.array([step[0] ** 2, step[1] ** 2, step[0] * step[1]]) * (first[0] * share)
    return np.concatenate([[n_nodes], first[1:3] + step * share, first[3:] + second[3:] + apart])
