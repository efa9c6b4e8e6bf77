"""The smoothed matrices that a model's vectors are made of, each with the mean row that its rows are held against.

    Z = [S₁·W⁽¹⁾ … S_k·W⁽ᵏ⁾] − offset,     S = Σ c_k P^k F,     m·W·Σ c_k = offset

Features have for m the mean of the smoothed rows, over the whole graph, which one walk of P backwards gives; where the graph
is another than the fitted one, with the shortest change that makes it agree with the offset. Columns that the graph brings
have the shortest m that does. Where nothing is taken off the vectors m is zero.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsecut.links.channel_rows import ChannelRows
from sparsecut.links.source_walks import StepMatrix
from sparsecut.operators.filters import Filter, is_served_by

ROUNDING = 1e-6  # of the offset
NOTHING = 1e-9

Array = NDArray[np.float64]


@dataclass(frozen=True)
class SmoothedLevel:
    """One smoothed matrix of a model: a channel of `SCE`, a level of `MoSCE`."""

    channel: str
    source: str
    coefficients: tuple[float, ...]
    matrix: int  # the number of its P
    columns: slice  # of the embedding
    W: Array  # (f, columns), as it is aggregated
    centre: Array  # m, (f,)


class Levels:
    """The levels of a model on a graph, and their distinct matrices P."""

    def __init__(self, rows: ChannelRows, weights: Sequence[Array], offset: Array) -> None:
        self._rows, self._offset, graph = rows, offset, rows.graph
        recipe = rows.recipe
        filters = [filter.on(is_directed=graph.is_directed) for filter in recipe.filters]
        self.matrices = self._distinct(filters)
        self.n_hops = [0] * len(self.matrices)
        self.listed: list[SmoothedLevel] = []
        self._means: dict[tuple[int, tuple[float, ...]], Array] = {}
        names = list(recipe.channels) or ["features"]
        n_shared = 1 if recipe.aggregation == "concat" else len(weights) // len(names)  # levels of the same columns
        is_mean = recipe.aggregation != "concat" and len(weights) > 1
        first = 0
        for number, (filter, source) in enumerate(zip(filters, recipe.sources, strict=True)):
            W = weights[number] / len(weights) if is_mean else weights[number]
            columns = slice(0, W.shape[1]) if is_mean else slice(first, first + W.shape[1])
            first += W.shape[1]
            coefficients = tuple(filter.coefficients())
            matrix = next(place for place, one in enumerate(self.matrices) if is_served_by(filter, one.filter))
            self.n_hops[matrix] = max(self.n_hops[matrix], len(coefficients) - 1)
            if source == "features":
                centre = self._mean_row(matrix, coefficients)
                if not is_mean and centre.any() and self.matrices[matrix].right is None:
                    centre = centre + self._shortest(W, columns, sum(coefficients), 1, centre)
            else:
                centre = self._shortest(W, columns, sum(coefficients), n_shared)
            name = names[number * len(names) // len(weights)]
            self.listed.append(SmoothedLevel(name, source, coefficients, matrix, columns, W, centre))

    def _distinct(self, filters: Sequence[Filter]) -> list[StepMatrix]:
        found: list[StepMatrix] = []
        for filter in sorted(filters, key=lambda filter: -len(filter.coefficients())):  # those without hops serve any
            if not any(is_served_by(filter, one.filter) for one in found):
                found.append(StepMatrix(self._rows.graph.adjacency, filter))
        return found

    def _mean_row(self, matrix: int, coefficients: tuple[float, ...]) -> Array:
        """The mean of the smoothed features, over the share of the mean that walks keep."""
        if not self._offset.any():
            return np.zeros(self._rows.graph.n_features)
        if (matrix, coefficients) not in self._means:
            n_nodes = self._rows.graph.n_nodes
            step = np.full(n_nodes, 1 / n_nodes)
            importance = coefficients[0] * step
            for coefficient in coefficients[1:]:
                step = self.matrices[matrix].transposed(step)
                importance = importance + coefficient * step
            kept = float(importance.sum())
            is_kept = abs(kept) > NOTHING
            mean = self._rows.mean(importance) / kept if is_kept else np.zeros(self._rows.graph.n_features)
            self._means[matrix, coefficients] = mean
        return self._means[matrix, coefficients]

    def _shortest(self, W: Array, columns: slice, kept: float, n_shared: int, known: Array | None = None) -> Array:
        """The shortest m with (known + m)·W = offset/Σ c_k, in the columns that W fills."""
        is_filled = np.abs(W).max(axis=0, initial=0) > 0
        if abs(kept) < NOTHING or not is_filled.any():
            return np.zeros(len(W))
        wanted = self._offset[columns][is_filled] / (kept * n_shared)
        if known is not None:
            wanted = wanted - known @ W[:, is_filled]
            if np.abs(wanted).max() < ROUNDING * np.abs(self._offset).max():
                return np.zeros(len(W))
        return np.asarray(np.linalg.lstsq(W[:, is_filled].T, wanted, rcond=None)[0])
