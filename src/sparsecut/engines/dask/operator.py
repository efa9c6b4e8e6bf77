"""A sparse matrix between diagonals as tasks hold it: diag(left)·A·diag(right) + diag(own), whole or a block of rows.

It is the matrix P of a filter, or, without diagonals, the Laplacian of listed pairs. A is named by its files, less the
entries at some positions; the diagonals are files too, 12 bytes per node.

A block of rows needs its own and the rows X_j of its neighbours j alone. `BlockLists` numbers those: its columns are
positions among the block's own rows and then those that it wants of others, sorted by the block that has them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.dask.shared import FileArray, Nodes, SparseFile, keeping, positions_of_entries
from sparsecut.kernels.entries import Entries
from sparsecut.kernels.transfer import as_tensor

CPU = torch.device("cpu")
ENTRIES_AT_ONCE = 1 << 22  # that are read, numbered or multiplied at a time, where not all of them are held
MARKS_PER_ENTRY = 2  # nodes of the graph beside a block's entries, up to which marks for all nodes take less than its lists


@dataclass(frozen=True)
class Operator:
    """`name` identifies it; without diagonals the matrix is A itself."""

    name: str
    matrix: SparseFile
    left: FileArray | None = None
    right: FileArray | None = None
    own: FileArray | None = None
    removed: FileArray | None = None  # positions of entries, ascending

    def entries(self, nodes: Nodes) -> tuple[NDArray[Any], NDArray[np.int64], NDArray[Any] | None]:
        """The entries of some rows: columns, where each row starts, and values unless all are 1."""
        starts, stops = self.matrix.bounds(nodes)
        indices, values = self.matrix.entries(nodes, starts, stops)
        offsets = np.concatenate([[0], np.cumsum(stops - starts)])
        if self.removed is not None and len(starts):
            removed = self.removed.read()
            if isinstance(nodes, slice):
                first, last = np.searchsorted(removed, (starts[0], stops[-1]))
                is_gone = np.zeros(len(indices), dtype=bool)
                is_gone[removed[first:last] - starts[0]] = True
            else:
                is_gone = np.isin(positions_of_entries(starts, stops), removed, assume_unique=True)
            if is_gone.any():
                gone_before = np.concatenate([[0], np.cumsum(is_gone)])
                offsets = offsets - gone_before[offsets]
                indices, values = indices[~is_gone], None if values is None else values[~is_gone]
        return indices, offsets, values

    def parts(self, nodes: Nodes, entries_at_once: int) -> Iterator[tuple[slice, Nodes]]:
        """Some rows, a few at a time with about so many entries: their places among these rows, and their nodes."""
        if isinstance(nodes, slice):
            indptr = self.matrix.indptr.map()[nodes.start : nodes.stop + 1]
            ends, before = indptr[1:], int(indptr[0])
        else:
            starts, stops = self.matrix.bounds(nodes)
            ends, before = np.cumsum(stops - starts), 0
        last = int(ends[-1]) if len(ends) else before
        goals = np.arange(before + entries_at_once, last, entries_at_once).astype(ends.dtype)  # or numpy copies the ends
        for start, stop in pairwise(sorted({0, *np.searchsorted(ends, goals).tolist(), len(ends)})):
            part = slice(nodes.start + start, nodes.start + stop) if isinstance(nodes, slice) else nodes[start:stop]
            yield slice(start, stop), part

    def scales(self, nodes: Nodes, n_rows: int) -> tuple[Tensor, Tensor]:
        """left and own of some rows, (n, 1)."""
        if self.left is None or self.own is None:
            return torch.ones(n_rows, 1), torch.zeros(n_rows, 1)
        return _column(self.left.read(nodes)), _column(self.own.read(nodes))


@dataclass(frozen=True)
class Layout:
    """Which rows are in which block: `starts` cut the nodes, or the nodes in the order of a partition."""

    starts: tuple[int, ...]  # the first of every block, and the number of nodes
    order: FileArray | None = None  # the node at every place
    place: FileArray | None = None  # the place of every node

    @property
    def n_blocks(self) -> int:
        return len(self.starts) - 1

    def grouped(self, n_groups: int) -> Layout:
        """These rows in fewer blocks: groups of blocks that follow one another."""
        firsts = [self.n_blocks * group // n_groups for group in range(n_groups + 1)]
        return Layout(tuple(self.starts[first] for first in firsts), self.order, self.place)

    def size(self, block: int) -> int:
        return self.starts[block + 1] - self.starts[block]

    def nodes(self, block: int) -> Nodes:
        """The nodes of a block, in the order of its rows."""
        return self.nodes_at(block, slice(0, self.size(block)))

    def nodes_at(self, block: int, places: Nodes) -> Nodes:
        """The nodes of some rows of a block."""
        first = self.starts[block]
        if isinstance(places, slice):
            span = slice(first + places.start, first + places.stop)
            return span if self.order is None else self.order.read(span)
        return places + first if self.order is None else self.order.read(places + first)

    def locate(self, nodes: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The block of each node, and its row there."""
        places = nodes if self.place is None else self.place.read(nodes)
        blocks = np.searchsorted(self.starts, places, side="right") - 1
        return blocks, places - np.asarray(self.starts)[blocks]


class BlockLists:
    """The neighbour lists of one block of rows, numbered among the rows that they want.

    They are made some entries at a time, so that nothing else of their size is held. Where a file is named the numbers go
    there, and hops read them some rows at a time.
    """

    def __init__(
        self,
        operator: Operator,
        layout: Layout,
        block: int,
        path: Path | None = None,
        *,
        marks_per_entry: int = MARKS_PER_ENTRY,
        entries_at_once: int = ENTRIES_AT_ONCE,
    ) -> None:
        nodes, n_nodes, size = layout.nodes(block), layout.starts[-1], layout.size(block)
        starts, stops = operator.matrix.bounds(nodes)
        n_entries = int((stops - starts).sum())
        del starts, stops
        by_marks = n_nodes <= marks_per_entry * n_entries
        parts = list(operator.parts(nodes, entries_at_once))
        columns = _distinct((operator.entries(part)[0] for _, part in parts), n_nodes, by_marks=by_marks)
        owners, rows = layout.locate(columns)
        halo = np.flatnonzero(owners != block)
        halo = halo[np.argsort(owners[halo], kind="stable")]
        self.block, self.ends = block, np.searchsorted(owners[halo], np.arange(layout.n_blocks + 1)).tolist()
        self.rows = rows[halo].astype(np.int32)  # in the block that has them
        numbers = rows.astype(np.int32)  # those of the block itself come first
        numbers[halo] = np.arange(size, size + len(halo), dtype=np.int32)
        left, own = operator.scales(nodes, size)
        self.left, self.own = left.numpy(), own.numpy()
        self.right = None
        if operator.right is not None:
            self.right = np.concatenate([operator.right.read(nodes), operator.right.read(columns[halo])])[:, None]
        del owners, rows, halo
        numbering = _numbering(columns, numbers, n_nodes, by_marks=by_marks)
        self.offsets = np.zeros(size + 1, dtype=np.int32 if n_entries < 2**31 else np.int64)

        def numbered() -> Iterator[tuple[NDArray[np.int32], NDArray[Any] | None]]:
            for places, part in parts:
                indices, offsets, values = operator.entries(part)
                self.offsets[places.start + 1 : places.stop + 1] = self.offsets[places.start] + offsets[1:]
                yield numbering(indices), values

        self.indices: NDArray[np.int32] | FileArray
        self.values: NDArray[Any] | FileArray | None
        values = operator.matrix.values
        kept = _in_memory if path is None else partial(_in_files, path)
        self.indices, self.values = kept(numbered(), n_entries, None if values is None else np.dtype(values.dtype))

    def __sizeof__(self) -> int:
        held = (self.rows, self.indices, self.offsets, self.values, self.left, self.own, self.right)
        return 200 + sum(array.nbytes for array in held if isinstance(array, np.ndarray))

    def wanted(self, block: int) -> NDArray[np.int32]:
        """The rows of another block that this one needs."""
        return self.rows[self.ends[block] : self.ends[block + 1]]

    def entries(self, entries_at_once: int) -> Iterator[tuple[slice, Entries]]:
        """Some rows of the block at a time, and their entries."""
        goals = np.arange(entries_at_once, int(self.offsets[-1]), entries_at_once).astype(self.offsets.dtype)
        cuts = np.searchsorted(self.offsets[1:], goals)
        for start, stop in pairwise(sorted({0, *cuts.tolist(), len(self.offsets) - 1})):
            first, last = int(self.offsets[start]), int(self.offsets[stop])
            values = None if self.values is None else self.values[first:last]
            yield slice(start, stop), _entries(self.indices[first:last], self.offsets[start : stop + 1] - first, values)

    def hop(self, X: Tensor, halo: Sequence[Tensor], first: Tensor | None, coefficient: float) -> Tensor:
        """The block's rows of P·X + coefficient·first; `halo` are the rows that it wants of others, block after block."""
        table = torch.cat([X, *halo]) if halo else X
        if self.right is not None:
            right = torch.from_numpy(self.right)
            table = table.mul_(right) if halo else table * right
        sums = _entries(self.indices[:], self.offsets, None if self.values is None else self.values[:]) @ table
        sums.mul_(as_tensor(self.left, CPU)).addcmul_(X, as_tensor(self.own, CPU))
        if first is not None and coefficient:
            sums.add_(first, alpha=coefficient)
        return sums


@dataclass(frozen=True)
class WholeLists:
    """All of an operator, as `kernels.hops` takes it."""

    entries: Entries
    diagonals: tuple[Tensor, Tensor | None, Tensor]


_held: dict[str, WholeLists] = {}  # in a worker: those of the last operator that was used
_holding = Lock()


def whole_lists(operator: Operator) -> WholeLists:
    """All of an operator, read once by a worker and kept until another is requested."""
    with _holding:
        if operator.name not in _held:
            _held.clear()
            n_nodes = operator.matrix.shape[0]
            neighbors = _entries(*operator.entries(slice(0, n_nodes)), n_nodes)
            left, own = operator.scales(slice(0, n_nodes), n_nodes)
            right = None if operator.right is None else _column(operator.right.read())[:, 0]
            _held[operator.name] = WholeLists(neighbors, (left[:, 0], right, own[:, 0]))
        return _held[operator.name]


def release_lists() -> None:
    """Let a worker forget the operator that it holds."""
    with _holding:
        _held.clear()


def lists_in_passing(operator: Operator, entries_at_once: int) -> Iterator[tuple[slice, Entries]]:
    """Some rows of an operator at a time and their entries, read when they are needed and not held."""
    n_nodes = operator.matrix.shape[0]
    for rows, part in operator.parts(slice(0, n_nodes), entries_at_once):
        yield rows, _entries(*operator.entries(part), n_nodes)


def _entries(indices: NDArray[Any], offsets: NDArray[Any], values: NDArray[Any] | None, n_columns: int = 0) -> Entries:
    """Entries as kernels take them: columns and offsets of one type, of 64 bits only where they need them."""
    index_type = np.int32 if max(int(offsets[-1]), n_columns) < 2**31 else np.int64
    return Entries(
        as_tensor(indices.astype(index_type, copy=False), CPU),
        as_tensor(offsets.astype(index_type, copy=False), CPU),
        None if values is None else as_tensor(values, CPU),
    )


Numbered = Iterator[tuple[NDArray[np.int32], NDArray[Any] | None]]


def _in_memory(parts: Numbered, n_entries: int, kind: np.dtype[Any] | None) -> tuple[NDArray[Any], NDArray[Any] | None]:
    """The numbers and values of all parts, each in one array."""
    indices, values, end = np.empty(n_entries, dtype=np.int32), None if kind is None else np.empty(n_entries, kind), 0
    for numbers, weights in parts:
        here = slice(end, end + len(numbers))
        indices[here] = numbers
        if values is not None:
            values[here] = weights
        end = here.stop
    return indices[:end], None if values is None else values[:end]


def _in_files(path: Path, parts: Numbered, n_entries: int, kind: np.dtype[Any] | None) -> tuple[FileArray, FileArray | None]:
    """The numbers and values of all parts, each in one file."""
    of_values, end = path.with_name(f"{path.name}-values"), 0
    with keeping(path) as out, keeping(of_values) as other:
        for numbers, weights in parts:
            out.write(numbers.data)
            other.write(b"" if weights is None else np.ascontiguousarray(weights).data)
            end += len(numbers)
    indices = FileArray(str(path), np.dtype(np.int32).str, (end,), 0)
    return indices, None if kind is None else FileArray(str(of_values), kind.str, (end,), 0)


def _distinct(parts: Iterable[NDArray[Any]], n_nodes: int, *, by_marks: bool) -> NDArray[np.int64]:
    """The nodes that are named, ascending. Marks take a fraction of the time of a sort, and a byte of every node."""
    if not by_marks:
        return np.unique(np.concatenate([np.empty(0, dtype=np.int64), *map(np.unique, parts)])).astype(np.int64)
    is_named = np.zeros(n_nodes, dtype=bool)
    for part in parts:
        is_named[part] = True
    return np.flatnonzero(is_named)


def _numbering(
    columns: NDArray[np.int64], numbers: NDArray[np.int32], n_nodes: int, *, by_marks: bool
) -> Callable[[NDArray[Any]], NDArray[np.int32]]:
    """What gives entries the numbers of their nodes, which are those of the nodes in `columns`."""
    if not by_marks:
        return lambda indices: np.asarray(numbers[np.searchsorted(columns, indices)])
    of_node = np.empty(n_nodes, dtype=np.int32)
    of_node[columns] = numbers
    return lambda indices: np.asarray(of_node[indices])


def _column(values: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))[:, None]
