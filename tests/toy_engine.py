"""An engine written from the contract alone: rows are lists of numbers, and every product is a loop."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines import EngineChoice, Job, Moments
from sparsecut.engines.in_process import InProcess
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.kernels.magnitude import check_finite
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.aggregation import Projection, aggregate
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import NegativeGraph

Lists = list[list[float]]
Neighbors = list[dict[int, float]]


@dataclass
class ListRows:
    values: Lists
    graph: Neighbors
    filter: Filter
    is_directed: bool


class Toy(EngineChoice):
    @contextmanager
    def open(self, job: Job) -> Iterator[ToyEngine]:
        self.refuse_unsupported(job)
        yield ToyEngine(job.graph)


class ToyEngine(InProcess):  # which has the passes over a graph of this process
    device = torch.device("cpu")
    supports: frozenset[str] = frozenset()

    def __init__(self, graph: Graph) -> None:
        super().__init__(graph)
        self.notes, self.details = list[str](), list[str]()

    def load(self, graph: Graph, weighting: Weighting, filter: Filter, features: Any = None) -> ListRows:
        weighted = weighting.apply(graph.features if features is None else np.asarray(features))
        A = graph.adjacency
        neighbors = [
            dict(zip(A.indices[start:stop].tolist(), A.data[start:stop].tolist(), strict=True))
            for start, stop in zip(A.indptr, A.indptr[1:], strict=False)
        ]
        values = (weighted if isinstance(weighted, np.ndarray) else weighted.toarray()).tolist()
        return ListRows(values, neighbors, filter, graph.is_directed)

    def smooth(self, rows: ListRows, polynomial: Polynomial, *, lazily: bool = False) -> ListRows:
        degrees = torch.tensor([1 + sum(around.values()) for around in rows.graph], dtype=torch.float64)
        left, right, own = (None if part is None else part.tolist() for part in rows.filter.diagonals(degrees))
        right = [1.0] * len(left) if right is None else right

        def hop(values: Lists) -> Lists:
            sums = [[own[i] * value for value in row] for i, row in enumerate(values)]
            for i, around in enumerate(rows.graph):
                for j, weight in around.items():
                    for column, value in enumerate(values[j]):
                        sums[i][column] += left[i] * weight * right[j] * value
            return sums

        result = [[polynomial[-1] * value for value in row] for row in rows.values]
        for coefficient in reversed(polynomial[:-1]):
            result = hop(result)
            for total, start in zip(result, rows.values, strict=True):
                for column, value in enumerate(start):
                    total[column] += coefficient * value
        return ListRows(result, rows.graph, rows.filter, rows.is_directed)

    def moments(self, levels: Sequence[ListRows], negatives: NegativeGraph) -> Moments:
        rows = self._side_by_side(levels)
        M = self.transpose_multiply(levels, ListRows(rows, [], levels[0].filter, False), negatives).double()
        n_rows, n_columns = len(rows), len(rows[0])
        mean = [sum(row[column] for row in rows) / n_rows for column in range(n_columns)]
        centred = [[value - mean[column] for column, value in enumerate(row)] for row in rows]
        return Moments(M, torch.tensor(mean, dtype=torch.float64), _product(centred, centred), n_rows)

    def multiply(self, levels: Sequence[ListRows], W: Tensor) -> ListRows:
        matrix = W.tolist()
        product = [
            [sum(value * matrix[k][column] for k, value in enumerate(row)) for column in range(W.shape[1])]
            for row in self._side_by_side(levels)
        ]
        return ListRows(product, levels[0].graph, levels[0].filter, levels[0].is_directed)

    def map(self, levels: Sequence[ListRows], function: Callable[..., Tensor], n_columns: int, *arguments: Any) -> ListRows:
        mapped = function(*(torch.tensor(level.values).float() for level in levels), *arguments).tolist()
        return ListRows(mapped, levels[0].graph, levels[0].filter, levels[0].is_directed)

    def transpose_multiply(self, levels: Sequence[ListRows], others: ListRows, negatives: NegativeGraph) -> Tensor:
        rows, G = self._side_by_side(levels), others.values
        image = [[0.0] * len(G[0]) for _ in G]  # L·G
        for pairs in negatives.all_pairs:
            weights = [1.0] * len(G) if pairs.row_weights is None else pairs.row_weights.tolist()
            sums = [sum(a * row[column] for a, row in zip(weights, G, strict=True)) for column in range(len(G[0]))]
            for i, a in enumerate(weights):
                for column, total in enumerate(sums):
                    image[i][column] += pairs.scale * a * (pairs.volume * G[i][column] - total)
        for listed in negatives.listed:
            for (i, j), weight in zip(listed.pairs.tolist(), listed.weights.tolist(), strict=True):
                for column in range(len(G[0])):
                    difference = weight * (G[i][column] - G[j][column])
                    image[i][column] += difference
                    image[j][column] -= difference
        return _product(rows, image)

    def project(
        self, levels: Sequence[ListRows], projection: Projection, output: Path | None = None, *, is_last_use: bool = False
    ) -> NDArray[Any]:
        parts = [torch.tensor(self.multiply([level], W).values) for level, W in zip(levels, projection.weights, strict=True)]
        Z = aggregate(parts, projection.aggregation)
        return check_finite((Z if projection.offset is None else Z - projection.offset).float().numpy(), self.graph)

    def take(self, rows: ListRows, nodes: NDArray[np.int64]) -> Tensor:
        return torch.tensor([rows.values[node] for node in nodes])

    def without(self, rows: ListRows, edges: NDArray[np.int64]) -> ListRows:
        kept = [dict(around) for around in rows.graph]
        for i, j in edges.T.tolist():
            for first, second in ((i, j),) if rows.is_directed else ((i, j), (j, i)):
                del kept[first][second]
        return ListRows(rows.values, kept, rows.filter, rows.is_directed)

    def checkpoint(self, key: str, compute: Callable[[], Any]) -> Any:
        return compute()

    def _side_by_side(self, levels: Sequence[ListRows]) -> Lists:
        return [list(chain(*parts)) for parts in zip(*(level.values for level in levels), strict=True)]


def _product(first: Lists, second: Lists) -> Tensor:
    """firstᵀ·second."""
    total = [[0.0] * len(second[0]) for _ in first[0]]
    for a, b in zip(first, second, strict=True):
        for row, value in zip(total, a, strict=True):
            for column, other in enumerate(b):
                row[column] += value * other
    return torch.tensor(total, dtype=torch.float64)
