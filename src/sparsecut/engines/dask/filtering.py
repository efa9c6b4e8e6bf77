"""The matrices P of filters over a graph in files: the graph's own files between diagonals in others, 12 bytes per node.

Where workers go through the graph they make the diagonals too, a part at a time; where this process has the graph it does.
"""

from __future__ import annotations

import numpy as np
import torch
from numpy.typing import NDArray

from sparsecut.engines.dask.operator import Operator
from sparsecut.engines.dask.shared import FileArray, SparseFile, carried, share
from sparsecut.engines.dask.worker_passes import ClusterPasses, diagonal_of
from sparsecut.graph import Graph
from sparsecut.io.stores.workfolder import WorkFolder, fingerprint_of
from sparsecut.kernels.block import degrees
from sparsecut.kernels.sparse import entries_of
from sparsecut.kernels.streaming import neighbour_sums
from sparsecut.operators.filters import Filter

Less = tuple[NDArray[np.int64], NDArray[np.float64]]  # nodes that an edge is taken from, and its weight


class Filtering:
    def __init__(self, graph: Graph, matrix: SparseFile, work: WorkFolder, walk: ClusterPasses | None) -> None:
        self.graph, self.matrix, self.work, self.walk = graph, matrix, work, walk
        self._filters: dict[str, Filter] = {}  # by the names of their operators
        self._degrees: NDArray[np.float64] | None = None  # where this process has the graph

    def operator(self, filter: Filter, removed: NDArray[np.int64] | None = None, less: Less | None = None) -> Operator:
        """P of a filter. `removed` are positions of entries that are taken out, `less` what that takes from degrees."""
        name = f"P-{self.work.path.name}-{fingerprint_of(repr(filter), removed)}"
        self._filters[name] = filter
        made = self._made_here(name, filter, less) if self.walk is None else self._made_by(self.walk, name, filter, less)
        gone = None if removed is None else share(removed, self.work, f"{name}-removed")
        return Operator(name, self.matrix, made["left"], made.get("right"), made["own"], gone)

    def without(self, P: Operator, edges: NDArray[np.int64]) -> Operator:
        """P of the same filter on the graph less some edges, (2, m)."""
        A, is_directed = self.graph.adjacency, self.graph.is_directed
        entries = entries_of(A, edges, is_directed=is_directed)
        ends = edges[0] if is_directed else np.concatenate(edges)
        less = ends, np.asarray(A.data[entries], dtype=np.float64)
        return self.operator(self._filters[P.name], np.sort(entries), less)

    def _made_here(self, name: str, filter: Filter, less: Less | None) -> dict[str, FileArray]:
        if self._degrees is None:
            self._degrees = neighbour_sums(self.graph.adjacency)
        left = self._degrees.copy()
        if less is not None:
            np.subtract.at(left, *less)
        diagonals = filter.diagonals(torch.from_numpy(1 + left)).single()._asdict()
        return {
            which: share(values.numpy(), self.work, f"{name}-{which}")
            for which, values in diagonals.items()
            if values is not None
        }

    def _made_by(self, walk: ClusterPasses, name: str, filter: Filter, less: Less | None) -> dict[str, FileArray]:
        few = filter.diagonals(torch.ones(1, dtype=torch.float64))._asdict()  # which of them there are
        taken = () if less is None else tuple(carried(array, self.work) for array in less)
        return {
            which: walk.column(f"{name}-{which}", np.float32, diagonal_of, degrees(walk), filter, which, taken)
            for which, values in few.items()
            if values is not None
        }
