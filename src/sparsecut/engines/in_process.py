"""Blocks of a graph that this process has, and passes over them: one block, unless its temporary arrays would be too large.

Blocks are views of the graph's own arrays or tensors. Pages of a memory map are handed back after each block.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from operator import add
from typing import Any, Protocol
from weakref import WeakValueDictionary

import numpy as np
import scipy.sparse as sp
from numpy.typing import DTypeLike, NDArray

from sparsecut.features.matrices import rows_at, rows_between
from sparsecut.graph import Graph
from sparsecut.kernels.block import Block, Column
from sparsecut.kernels.either import concatenate, is_tensor, on_device_of, on_host, positions
from sparsecut.kernels.entries import Entries
from sparsecut.kernels.streaming import blocks_of_entries, release

ENTRIES_AT_ONCE = 1 << 27  # of a block of tensors: its temporary numbers take a few gigabytes at most


class HeldBlock(Block, Protocol):
    """A block of this process."""

    def release(self) -> None:
        """Hand back the memory that the block has read of a file."""


class InProcess:
    """Passes over the rows of a graph in this process."""

    def __init__(self, graph: Graph | None) -> None:
        self.graph: Any = graph  # None until an engine without a job loads one
        self._columns: WeakValueDictionary[str, Any] = WeakValueDictionary()  # each is as long as the graph

    @cached_property
    def blocks(self) -> Sequence[HeldBlock]:
        """In the host's memory; an engine with a device of its own has them there."""
        return blocks_of(self.graph.to("cpu"))

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        found = []
        for block in self.blocks:
            found.append(function(block, *arguments))
            block.release()
        return found

    def placed(self, name: str, array: NDArray[Any]) -> Column:
        return array

    def total(self, function: Callable[..., Any], *arguments: Any) -> NDArray[Any]:
        return on_host(reduce(add, self.each(function, *arguments)))

    def column(
        self, name: str, dtype: DTypeLike, function: Callable[..., Any], *arguments: Any, width: int | None = None
    ) -> Column:
        column = self._columns.get(name)
        if column is None:
            values = concatenate(self.each(function, *arguments))
            if not is_tensor(values):
                values = on_device_of(self.blocks[0].starts(), values.astype(dtype, copy=False))
            column = self._columns[name] = values
        found: Column = column
        return found


def blocks_of(graph: Graph, entries_at_once: int = ENTRIES_AT_ONCE) -> list[HeldBlock]:
    """The rows of a graph in blocks, as arrays or tensors: as the graph holds its edges."""
    edges, features = graph.held_edges, graph.held_features
    named = None if graph.has_plain_ids else graph.node_ids
    if isinstance(edges, Entries):
        return [TensorBlock(rows, places, edges, features, named) for rows, places in edges.blocks(entries_at_once)]
    if sp.issparse(features):
        row_bytes = 8 * features.nnz // graph.n_nodes
    else:
        row_bytes = 0 if features is None else 4 * features.shape[1]
    return [ArrayBlock(rows, edges, features, named) for rows in blocks_of_entries(edges.indptr, row_bytes=row_bytes)]


@dataclass(frozen=True)
class ArrayBlock:
    """Rows of arrays in the host's memory, or in memory maps."""

    rows: slice
    edges: sp.csr_array
    held: Any  # the features
    named: NDArray[Any] | None  # the ids; None for the row numbers

    def ids(self) -> NDArray[Any]:
        return np.arange(self.rows.start, self.rows.stop) if self.named is None else self.named[self.rows]

    def features(self, places: NDArray[np.int64] | None = None) -> Any:
        return rows_between(self.held, self.rows) if places is None else rows_at(self.held, places + self.rows.start)

    def starts(self) -> NDArray[Any]:
        ends = self.edges.indptr[self.rows.start : self.rows.stop + 1]
        return np.asarray(ends - ends[0] if ends[0] else ends)

    def neighbours(self, places: NDArray[np.int64] | None = None) -> NDArray[Any]:
        indices = self.edges.indices[self._entries()]
        return np.asarray(indices if places is None else indices[places])

    def weights(self) -> NDArray[Any] | None:
        data = self.edges.data[self._entries()]
        is_one = len(data) and data.strides == (0,) and data[0] == 1  # one number for all
        return None if is_one else data

    def release(self) -> None:
        release(self.edges, self.rows)
        if self.held is not None:
            release(self.held, self.rows)

    def _entries(self) -> slice:
        return slice(int(self.edges.indptr[self.rows.start]), int(self.edges.indptr[self.rows.stop]))


@dataclass(frozen=True)
class TensorBlock:
    """Rows of tensors on a device."""

    rows: slice
    places: slice  # of its entries
    edges: Entries
    held: Any  # the features
    named: NDArray[Any] | None  # the ids; None for the row numbers

    def ids(self) -> Any:
        if self.named is None:
            return positions(self.rows, self.edges.offsets)
        ids = self.named[self.rows]
        return on_device_of(self.edges.offsets, ids.astype(np.int64, copy=False)) if ids.dtype.kind in "iu" else ids

    def features(self, places: Any = None) -> Any:
        return rows_between(self.held, self.rows) if places is None else rows_at(self.held, places + self.rows.start)

    def starts(self) -> Any:
        ends = self.edges.offsets[self.rows.start : self.rows.stop + 1]
        return ends - ends[0] if self.rows.start else ends

    def neighbours(self, places: Any = None) -> Any:
        indices = self.edges.indices[self.places]
        return indices if places is None else indices[places]

    def weights(self) -> Any:
        return None if self.edges.values is None else self.edges.values[self.places]

    def release(self) -> None:
        """Nothing to hand back: the device keeps the tensors."""
