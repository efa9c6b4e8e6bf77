"""A walk over a graph in memory, cut anywhere: what the workers of a cluster do, in this process."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from sparsecut.graph import Graph


@dataclass(frozen=True)
class MemoryPart:
    graph: Graph
    rows: slice

    def ids(self) -> np.ndarray:
        return self.graph.node_ids[self.rows]

    def features(self) -> Any:
        return self.graph.features[self.rows]

    def starts(self) -> np.ndarray:
        ends = self.graph.adjacency.indptr[self.rows.start : self.rows.stop + 1].astype(np.int64)
        return ends - ends[0]

    def neighbours(self) -> np.ndarray:
        return self.graph.adjacency.indices[self._entries()]

    def weights(self) -> np.ndarray | None:
        return self.graph.adjacency.data[self._entries()] if self.graph.is_weighted else None

    def _entries(self) -> slice:
        indptr = self.graph.adjacency.indptr
        return slice(int(indptr[self.rows.start]), int(indptr[self.rows.stop]))


@dataclass(frozen=True)
class MemoryColumn:
    values: np.ndarray

    def read(self, nodes: Any = None) -> np.ndarray:
        return np.array(self.values if nodes is None else self.values[nodes])


class MemoryWalk:
    def __init__(self, graph: Graph, cuts: Sequence[int] = ()) -> None:
        inner = sorted({cut for cut in cuts if 0 < cut < graph.n_nodes})
        self.parts = [MemoryPart(graph, slice(*ends)) for ends in pairwise([0, *inner, graph.n_nodes])]
        self.columns: dict[str, MemoryColumn] = {}

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        return [function(part, *arguments) for part in self.parts]

    def total(self, function: Callable[..., Any], *arguments: Any) -> np.ndarray:
        return np.sum(self.each(function, *arguments), axis=0)

    def column(self, name: str, dtype: Any, function: Callable[..., Any], *arguments: Any) -> MemoryColumn:
        if name not in self.columns:
            self.columns[name] = MemoryColumn(np.concatenate(self.each(function, *arguments)).astype(dtype))
        return self.columns[name]


def walked(graph: Graph, cuts: Sequence[int] = ()) -> Graph:
    """The same graph, gone through in parts."""
    return graph._walked(MemoryWalk(graph, cuts))
