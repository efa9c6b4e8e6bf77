"""The weighting of features, chosen by what their numbers are and by whether neighbours have rows of similar length."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.features.matrices import is_sparse, row_lengths, stored_blocks, stored_entries
from sparsecut.kernels.block import Block, Column, Passes, sums_over_neighbours
from sparsecut.kernels.either import log, on_host, positions, stack
from sparsecut.kernels.exact_sums import exact_parts
from sparsecut.kernels.streaming import row_blocks
from sparsecut.model.auto.constants import CONSTANTS, WeightingCost, WeightingRule
from sparsecut.operators.reason import Reason

ROUNDING = 1e-6  # a deviation of means over neighbours that is no more than that of rounded sums
SMALLEST = 1e-30  # where all rows are zero, they are divided by this


def choose_weighting(
    passes: Passes, rule: WeightingRule = CONSTANTS.weighting, cost: WeightingCost = CONSTANTS.weighting_cost
) -> Reason:
    """The weighting for a graph's features, and why."""
    looks = _looks(passes, cost.first_rows)
    if _have_signs(passes, looks):
        return Reason("weighting", "none", "signs")
    figures = {"correlation": length_agreement(passes, rule)}
    if figures["correlation"] >= rule.length_agreement:
        return Reason("weighting", "none", "lengths", figures)
    if all(all(passes.each(are_whole, n_rows)) for n_rows in looks):
        return Reason("weighting", "tf-idf", "counts", figures)
    return Reason("weighting", "l2", "amounts", figures)


def choose_weighting_by_type(
    passes: Passes, column_types: NDArray[np.int16], names: Sequence[str]
) -> tuple[list[str], Reason]:
    """The weighting of each type's own columns by what their numbers are, and why; a type without columns has "none".

    Lengths of rows are not compared with those of neighbours: these are of other types, and have other columns.
    """
    parts = passes.each(numbers_of_types, column_types, len(names))
    lowest, has_fractions = np.min([low for low, _ in parts], axis=0), np.any([found for _, found in parts], axis=0)
    words = [
        "none" if low < 0 or math.isinf(low) else "l2" if is_fraction else "tf-idf"
        for low, is_fraction in zip(lowest.tolist(), has_fractions.tolist(), strict=True)
    ]
    said = [f"{name}: {word}" for code, (name, word) in enumerate(zip(names, words, strict=True)) if code in column_types]
    return words, Reason("weighting", ", ".join(said), "types")


def numbers_of_types(block: Block, column_types: NDArray[np.int16], n_types: int) -> tuple[NDArray[Any], NDArray[np.bool_]]:
    """For each type the lowest number stored in its columns, infinite where none is, and whether one is a fraction."""
    lowest, has_fraction = np.full(n_types, np.inf), np.zeros(n_types, dtype=bool)
    features = block.features()
    if is_sparse(features):
        columns, values = (on_host(part) for part in stored_entries(features))
        np.minimum.at(lowest, column_types[columns], values)
        has_fraction[np.unique(column_types[columns[values % 1 != 0]])] = True
        return lowest, has_fraction
    for rows in row_blocks(features.shape[0], 8 * features.shape[1]):
        numbers = on_host(features[rows])
        np.minimum.at(lowest, column_types, numbers.min(axis=0))
        has_fraction[np.unique(column_types[(numbers % 1 != 0).any(axis=0)])] = True
    return lowest, has_fraction


def length_agreement(passes: Passes, rule: WeightingRule = CONSTANTS.weighting) -> float:
    """The correlation of the log of a row's length with its mean over the neighbours, at nodes that have some.

    Logs are those of the length's share of the longest row, so they are small, and the sums are exact: the answer does not
    depend on how the rows are cut into blocks.
    """
    lengths = passes.column("row-lengths", np.float64, lengths_of)
    longest = max(*passes.each(longest_of, lengths), SMALLEST)
    logs = passes.column("logs-of-lengths", np.float64, logs_of, lengths, longest, rule.least_length)
    bound = float(math.ceil(-math.log(rule.least_length)))  # of a log
    sums = passes.total(agreement_of, logs, passes.graph.n_nodes, bound).reshape(6, 2).sum(axis=1)
    n_nodes, own, around, own_squared, around_squared, both = sums.tolist()
    if n_nodes < rule.min_lengths:
        return 0.0
    variances = (own_squared / n_nodes - (own / n_nodes) ** 2, around_squared / n_nodes - (around / n_nodes) ** 2)
    deviations = [math.sqrt(max(variance, 0.0)) for variance in variances]
    # Lengths that differ by rounding alone say nothing, however they correlate.
    if deviations[0] < rule.min_deviation or deviations[1] < ROUNDING:
        return 0.0
    return float((both / n_nodes - own / n_nodes * around / n_nodes) / (deviations[0] * deviations[1]))


def lowest_of(block: Block, n_rows: int) -> float:
    """The lowest number stored in what the block has of the graph's first rows; infinite where none is."""
    lows = [float(values.min()) for values in _stored(block, n_rows) if 0 not in values.shape]
    return min(lows, default=math.inf)


def are_whole(block: Block, n_rows: int) -> bool:
    """Whether all numbers are whole in what the block has of the graph's first rows."""
    return all(bool((values % 1 == 0).all()) for values in _stored(block, n_rows))


def lengths_of(block: Block) -> Any:
    return row_lengths(block.features())


def longest_of(block: Block, lengths: Column) -> float:
    return float(lengths[block.rows].max())


def logs_of(block: Block, lengths: Column, longest: float, least: float) -> Any:
    return log((lengths[block.rows] / longest).clip(min=least))


def agreement_of(block: Block, logs: Column, n_nodes: int, bound: float) -> Any:
    """Exact sums at nodes x that have neighbours, y the mean of these: Σ1, Σx, Σy, Σx², Σy², Σxy, two parts each."""
    degrees, sums = sums_over_neighbours(block), sums_over_neighbours(block, logs[block.neighbours()])
    is_linked = degrees > 0
    x = logs[block.rows][is_linked]
    y = sums[is_linked] / degrees[is_linked]
    terms = (x * 0 + 1, x, y, x * x, y * y, x * y)
    return stack([part for term in terms for part in exact_parts(term, bound**2, n_nodes)])


def _have_signs(passes: Passes, looks: Sequence[int]) -> bool:
    """Whether a number is below zero, or none is stored at all."""
    for n_rows in looks:
        lowest = min(passes.each(lowest_of, n_rows))
        if lowest < 0:
            return True
    return bool(lowest == math.inf)


def _looks(passes: Passes, first_rows: int) -> tuple[int, ...]:
    """How many rows are read: first a few, since most features show by so many what they are not, then all."""
    n_nodes: int = passes.graph.n_nodes
    return (first_rows, n_nodes) if n_nodes > first_rows else (n_nodes,)


def _stored(block: Block, n_rows: int) -> Iterator[Any]:
    """The numbers stored in those of the graph's first rows that are in the block."""
    n_here = min(n_rows, block.rows.stop) - block.rows.start
    if n_here <= 0:
        return iter(())
    is_all = n_here == block.rows.stop - block.rows.start
    return stored_blocks(block.features(None if is_all else positions(slice(0, n_here), block.starts())))
