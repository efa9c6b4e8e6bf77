"""Passes over a graph that lies in files (`sparsecut.kernels.block`): a task per block, results here or in a file.

Blocks are consecutive rows, each as large as one task reads at a time, whatever blocks the engine has cut the smoothed rows
into. Columns lie in the work folder, whole or absent, so a driver that was killed finds them again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import torch
from numpy.typing import DTypeLike, NDArray

from sparsecut.engines.dask.plan import BLOCK_BYTES, even_starts
from sparsecut.engines.dask.running import Runner
from sparsecut.engines.dask.shared import FileArray, SparseFile, Target, in_file, share
from sparsecut.engines.dask.tasks import opened
from sparsecut.graph import Graph
from sparsecut.io.stores.workfolder import WorkFolder
from sparsecut.kernels.block import Column
from sparsecut.kernels.streaming import is_mapped
from sparsecut.operators.filters import Filter

ENTRIES_PER_PART = 1 << 22  # whose ends a task looks up at a time, about
STAGE = "looking through rows"


@dataclass(frozen=True)
class FileBlock:
    """Rows `first` to `last` of a graph, by the names of its files."""

    first: int
    last: int
    matrix: SparseFile
    held: FileArray | None  # the features
    names: FileArray | None  # the ids; None for the row numbers

    @property
    def rows(self) -> slice:
        return slice(self.first, self.last)

    def ids(self) -> NDArray[Any]:
        return np.arange(self.first, self.last) if self.names is None else self.names.read(self.rows)

    def features(self, places: NDArray[np.int64] | None = None) -> NDArray[Any]:
        assert self.held is not None
        return self.held.read(self.rows if places is None else places + self.first)

    def starts(self) -> NDArray[np.int64]:
        ends = self._ends()
        ends -= ends[0]
        return ends

    def neighbours(self, places: NDArray[np.int64] | None = None) -> NDArray[Any]:
        here = self._entries()
        return self.matrix.indices.read(here if places is None else places + here.start)

    def weights(self) -> NDArray[Any] | None:
        return None if self.matrix.values is None else self.matrix.values.read(self._entries())

    def _ends(self) -> NDArray[np.int64]:
        return self.matrix.indptr.read(slice(self.first, self.last + 1)).astype(np.int64)

    def _entries(self) -> slice:
        ends = self._ends()
        return slice(int(ends[0]), int(ends[-1]))


class ClusterPasses:
    """`Passes` whose functions run on the workers."""

    def __init__(self, graph: Graph, runner: Runner, work: WorkFolder, parts: Sequence[FileBlock]) -> None:
        self.graph, self.runner, self.work, self.parts = graph, runner, work, parts
        self._placed: dict[str, int] = {}  # how often an array was placed under a name

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        return self.runner.collect([self.runner.submit(function, part, *arguments) for part in self.parts], STAGE)

    def total(self, function: Callable[..., Any], *arguments: Any) -> NDArray[Any]:
        found = [self.runner.submit(function, part, *arguments) for part in self.parts]
        return np.asarray(self.runner.total(found, STAGE))

    def column(
        self, name: str, dtype: DTypeLike, function: Callable[..., Any], *arguments: Any, width: int | None = None
    ) -> FileArray:
        path = self.work / f"column-{name}.npy"
        if not path.exists():
            unfinished = path.with_name(f"{path.name}.part")
            target = Target.make(
                unfinished, dtype, (self.parts[-1].last,) if width is None else (self.parts[-1].last, width)
            )
            written = [self.runner.submit(write_column, function, part, target, arguments) for part in self.parts]
            self.runner.collect(written, STAGE)
            unfinished.replace(path)
        found = in_file(path)
        assert found is not None  # a graph has a node
        return found

    def placed(self, name: str, array: NDArray[Any]) -> Column:
        number = self._placed.get(name, 0)
        self._placed[name] = number + 1
        self.work.remove(f"placed-{name}-{number - 1}.npy")
        file = f"placed-{name}-{number}"
        self.work.remove(f"{file}.npy")  # of a driver that was killed: whatever it was
        return share(array, self.work, file)


def walk_over(graph: Graph, matrix: SparseFile, work: WorkFolder, runner: Runner, n_workers: int) -> ClusterPasses | None:
    """Passes over a graph whose edges and features lie in files already; None for any other: this process has it."""
    is_in_files = graph.features is None or (is_mapped(graph.features) and not graph.has_sparse_features)
    if not is_in_files or not is_mapped(graph.adjacency):
        return None
    held = None if graph.features is None else share(graph.features, work, "features")
    names = None if graph.has_plain_ids else share(graph.node_ids, work, "ids")
    by_rows = math.ceil(4 * graph.n_nodes * graph.n_features / BLOCK_BYTES)
    by_entries = math.ceil(int(graph.adjacency.nnz) / ENTRIES_PER_PART)
    starts = even_starts(graph.n_nodes, min(graph.n_nodes, max(n_workers, by_rows, by_entries)))
    return ClusterPasses(graph, runner, work, [FileBlock(*ends, matrix, held, names) for ends in pairwise(starts)])


def write_column(function: Callable[..., Any], part: FileBlock, target: Target, arguments: Sequence[Any]) -> int:
    """What a function makes of a part, to its place in a file."""
    values = function(part, *arguments)
    target.write(part.first, values)
    return len(values)


def diagonal_of(part: FileBlock, degrees: FileArray, filter: Filter, which: str, less: Sequence[Any]) -> NDArray[Any]:
    """A diagonal of a filter's matrix for the degrees less those of some edges: nodes, and a weight for each."""
    own = degrees.read(part.rows)
    if less:
        nodes, weights = (opened(array) for array in less)
        here = (nodes >= part.first) & (nodes < part.last)
        np.subtract.at(own, nodes[here] - part.first, weights[here])
    diagonal: torch.Tensor = getattr(filter.diagonals(torch.from_numpy(1 + own)).single(), which)
    return diagonal.numpy()
