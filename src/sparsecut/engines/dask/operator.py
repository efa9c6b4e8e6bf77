"""A sparse matrix between diagonals as tasks hold it: diag(left)·A·diag(right) + diag(own), whole or a block of rows.

It is the matrix P of a filter, or, without diagonals, the Laplacian of listed pairs. A is named by its files, less the
entries at some positions; the diagonals are files too, 12 bytes per node.

A block of rows needs its own and the rows X_j of its neighbours j alone. `BlockLists` numbers those: its columns are
positions among the block's own rows and then those that it wants of others, sorted by the block that has them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.dask.shared import FileArray, Nodes, SparseFile, positions_of_entries
from sparsecut.kernels.entries import Entries
from sparsecut.kernels.transfer import as_tensor

CPU = torch.device("cpu")
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
        if self.removed is not None:
            is_gone = np.isin(positions_of_entries(starts, stops), self.removed.read(), assume_unique=True)
            if is_gone.any():
                gone_before = np.concatenate([[0], np.cumsum(is_gone)])
                offsets = offsets - gone_before[offsets]
                indices, values = indices[~is_gone], None if values is None else values[~is_gone]
        return indices, offsets, values

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
        span = slice(self.starts[block], self.starts[block + 1])
        return span if self.order is None else self.order.read(span)

    def locate(self, nodes: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The block of each node, and its row there."""
        places = nodes if self.place is None else self.place.read(nodes)
        blocks = np.searchsorted(self.starts, places, side="right") - 1
        return blocks, places - np.asarray(self.starts)[blocks]


class BlockLists:
    """The neighbour lists of one block of rows, numbered among the rows that they want."""

    def __init__(self, operator: Operator, layout: Layout, block: int, marks_per_entry: int = MARKS_PER_ENTRY) -> None:
        nodes, self.block = layout.nodes(block), block
        indices, offsets, values = operator.entries(nodes)
        n_nodes, size = layout.starts[-1], layout.size(block)
        by_marks = n_nodes <= marks_per_entry * len(indices)
        columns = _distinct(indices, n_nodes, by_marks=by_marks)
        owners, rows = layout.locate(columns)
        halo = np.flatnonzero(owners != block)
        halo = halo[np.argsort(owners[halo], kind="stable")]
        self.ends = np.searchsorted(owners[halo], np.arange(layout.n_blocks + 1)).tolist()
        self.rows = rows[halo].astype(np.int32)  # in the block that has them
        numbers = rows.astype(np.int32)  # those of the block itself come first
        numbers[halo] = np.arange(size, size + len(halo), dtype=np.int32)
        self.indices = _numbered(indices, columns, numbers, n_nodes, by_marks=by_marks)
        self.offsets = offsets.astype(np.int32 if offsets[-1] < 2**31 else np.int64)
        self.values = values
        left, own = operator.scales(nodes, size)
        self.left, self.own = left.numpy(), own.numpy()
        self.right = None
        if operator.right is not None:
            self.right = np.concatenate([operator.right.read(nodes), operator.right.read(columns[halo])])[:, None]

    def __sizeof__(self) -> int:
        held = (self.rows, self.indices, self.offsets, self.values, self.left, self.own, self.right)
        return 200 + sum(array.nbytes for array in held if array is not None)

    def wanted(self, block: int) -> NDArray[np.int32]:
        """The rows of another block that this one needs."""
        return self.rows[self.ends[block] : self.ends[block + 1]]

    def hop(self, X: Tensor, halo: Sequence[Tensor], first: Tensor | None, coefficient: float) -> Tensor:
        """The block's rows of P·X + coefficient·first; `halo` are the rows that it wants of others, block after block."""
        table = torch.cat([X, *halo]) if halo else X
        if self.right is not None:
            right = torch.from_numpy(self.right)
            table = table.mul_(right) if halo else table * right
        index_type = self.offsets.dtype
        indices = as_tensor(self.indices.astype(index_type, copy=False), CPU)
        values = None if self.values is None else as_tensor(self.values, CPU)
        sums = Entries(indices, as_tensor(self.offsets, CPU), values) @ table
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
            indices, offsets, values = operator.entries(slice(0, n_nodes))
            index_type = np.int32 if max(int(offsets[-1]), n_nodes) < 2**31 else np.int64
            neighbors = Entries(
                as_tensor(indices.astype(index_type, copy=False), CPU),
                as_tensor(offsets.astype(index_type, copy=False), CPU),
                None if values is None else as_tensor(values, CPU),
            )
            left, own = operator.scales(slice(0, n_nodes), n_nodes)
            right = None if operator.right is None else _column(operator.right.read())[:, 0]
            _held[operator.name] = WholeLists(neighbors, (left[:, 0], right, own[:, 0]))
        return _held[operator.name]


def release_lists() -> None:
    """Let a worker forget the operator that it holds."""
    with _holding:
        _held.clear()


def _distinct(indices: NDArray[Any], n_nodes: int, *, by_marks: bool) -> NDArray[np.int64]:
    """The nodes that are named, ascending. Marks take a fraction of the time of a sort, and a byte of every node."""
    if not by_marks:
        return np.unique(indices).astype(np.int64)
    is_named = np.zeros(n_nodes, dtype=bool)
    is_named[indices] = True
    return np.flatnonzero(is_named)


def _numbered(
    indices: NDArray[Any], columns: NDArray[np.int64], numbers: NDArray[np.int32], n_nodes: int, *, by_marks: bool
) -> NDArray[np.int32]:
    """The number of each entry's node, which are those of the nodes in `columns`."""
    if not by_marks:
        return np.asarray(numbers[np.searchsorted(columns, indices)])
    of_node = np.empty(n_nodes, dtype=np.int32)
    of_node[columns] = numbers
    return np.asarray(of_node[indices])


def _column(values: NDArray[Any]) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(values, dtype=np.float32))[:, None]
