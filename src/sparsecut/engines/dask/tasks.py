"""What workers compute. Every function takes blocks and names of files, and returns one array.

The kernels are those of the other engines: `kernels.hops` for a panel of columns, `kernels.sparse` for a block of rows,
`kernels.moments` for sums over rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.base.errors import InputError
from sparsecut.engines.dask.hops_in_files import RowFile, hop_in_files, smooth_in_files
from sparsecut.engines.dask.operator import CPU, BlockLists, Layout, Operator, release_lists, whole_lists
from sparsecut.engines.dask.shared import FileArray, Nodes, SparseFile, keeping
from sparsecut.features.weighting import Weighting
from sparsecut.io import write_embedding
from sparsecut.kernels import hops
from sparsecut.kernels.moments import mean_of, scatter
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.streaming import row_blocks
from sparsecut.kernels.transfer import as_tensor
from sparsecut.operators.aggregation import aggregate, offsets_of

Array = NDArray[Any]
Weights = FileArray | None  # of the rows, None where all count the same


@dataclass(frozen=True)
class RowsOfIds:
    """Rows that follow from the nodes' ids, made where they are needed."""

    of_ids: Callable[[Array], Array]
    ids: FileArray | None  # None for the row numbers

    def read(self, nodes: Nodes) -> Array:
        if self.ids is not None:
            return self.of_ids(self.ids.read(nodes))
        return self.of_ids(np.arange(nodes.start, nodes.stop) if isinstance(nodes, slice) else nodes)


Readable = FileArray | SparseFile | RowsOfIds


def load_block(features: Readable, layout: Layout, block: int, weighting: Weighting, W: Any) -> Array:
    """The weighted features of a block, (b, f), or their product with a matrix, (b, d), a few rows dense at a time."""
    read = features.read(layout.nodes(block))
    if W is None:
        return _dense(weighting.apply(read))
    matrix = torch.from_numpy(opened(W))
    product = torch.empty(read.shape[0], matrix.shape[1])
    for rows in row_blocks(read.shape[0], 4 * read.shape[1]):
        product[rows] = _tensor(_dense(weighting.apply(read[rows]))) @ matrix
    return product.numpy()


@dataclass(frozen=True)
class FileColumns:
    """Some columns of the weighted features in a file: of all rows, or of those of a group."""

    features: FileArray
    weighting: Weighting
    start: int
    stop: int
    layout: Layout | None = None
    group: int = 0

    @property
    def shape(self) -> tuple[int, int]:
        n_rows = self.features.shape[0] if self.layout is None else self.layout.size(self.group)
        return n_rows, self.stop - self.start

    def read(self, nodes: Nodes | None = None) -> Array:  # (n, c)
        """Rows by their places among these, some at a time: what is not wanted of them is not held."""
        given = slice(0, self.shape[0]) if nodes is None else nodes
        n_rows = given.stop - given.start if isinstance(given, slice) else len(given)
        panel = np.empty((n_rows, self.stop - self.start), dtype=np.float32)
        for part in row_blocks(n_rows, 4 * self.features.shape[1]):
            places = slice(given.start + part.start, given.start + part.stop) if isinstance(given, slice) else given[part]
            rows = self.features.read(places if self.layout is None else self.layout.nodes_at(self.group, places))
            panel[part] = _dense(self.weighting.apply(rows))[:, self.start : self.stop]
        return panel


def columns_of(block: Array, start: int, stop: int) -> Array:
    return np.ascontiguousarray(block[:, start:stop])


def rows_of(panel: Array | FileArray, start: int, stop: int) -> Array | FileArray:
    """Some rows: sent, or joined with others, which copies them."""
    return panel.rows(start, stop) if isinstance(panel, FileArray) else panel[start:stop]


def side_by_side(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts, axis=1)


def stacked(parts: Sequence[Array]) -> Array:
    return parts[0] if len(parts) == 1 else np.concatenate(parts)


def smooth_panel(operator: Operator, polynomial: Polynomial, panel: Array | FileColumns) -> Array:
    """All hops of a panel of columns, (n, c), a few of them at a time, which the processor's cache holds."""
    lists, X = whole_lists(operator), panel.read() if isinstance(panel, FileColumns) else panel
    return hops.smooth(lists.entries, lists.diagonals, polynomial, _tensor(X)).numpy()


def smooth_file(operator: Operator, polynomial: Polynomial, panel: RowFile, path: str, holds_lists: bool) -> FileArray:
    """All hops of a panel of columns where memory is short: the panel lies in a file, and so does the result."""
    return smooth_in_files(operator, polynomial, panel, Path(path), holds_lists=holds_lists)


def hop_file(
    lists: BlockLists,
    group: int,
    groups: Sequence[RowFile],
    factor: float,
    first: RowFile,
    coefficient: float,
    path: str,
) -> FileArray:
    """A hop of a panel of a group of rows, all groups in files."""
    return hop_in_files(lists, group, groups, factor, (first, coefficient), Path(path))


def stacked_file(parts: Sequence[Array], path: str) -> FileArray:
    """Blocks of rows one after another, in a file."""
    with keeping(Path(path)) as out:
        for part in parts:
            out.write(np.ascontiguousarray(part, dtype=np.float32).data)
    return FileArray(path, np.dtype(np.float32).str, (sum(len(part) for part in parts), parts[0].shape[1]), 0)


def from_files(parts: Sequence[FileArray]) -> Array:
    """Columns in files side by side. Memory was too short for them beside the neighbour lists, which are let go."""
    release_lists()
    found, start = np.empty((parts[0].shape[0], sum(part.shape[1] for part in parts)), dtype=np.float32), 0
    for part in parts:
        found[:, start : start + part.shape[1]] = part.read()
        start += part.shape[1]
    return found


def lists_of(operator: Operator, layout: Layout, block: int, path: str | None) -> BlockLists:
    return BlockLists(operator, layout, block, None if path is None else Path(path))


def counts_of(lists: BlockLists) -> Array:
    """How many rows a block wants of every block."""
    return np.asarray(np.diff(lists.ends))


def wanted_of(lists: BlockLists, block: int) -> Array:
    return lists.wanted(block)


def pick(block: Array | FileArray, rows: Array) -> Array:
    return np.asarray(block[opened(rows)])


def scaled(block: Array, factor: float) -> Array:
    return np.asarray(block * np.float32(factor))


def hop_block(lists: BlockLists, X: Array, first: Array | None, coefficient: float, parts: Sequence[Array]) -> Array:
    """A hop of a block of rows: `parts` are the rows that its lists want of others, block after block."""
    halo = [_tensor(part) for part in parts]
    return lists.hop(_tensor(X), halo, None if first is None else _tensor(first), coefficient).numpy()


def sums_of(
    levels: Sequence[Array], layout: Layout, block: int, weights: Sequence[Weights], totals: Sequence[float]
) -> Array:
    """The block's share of the weighted means of the rows, (k, c) float64."""
    found = []
    for row_weights, total in zip(weights, totals, strict=True):
        if row_weights is None:
            share = [mean_of(_tensor(level)) * (len(level) / total) for level in levels]
        else:
            shares = _shares(row_weights, layout, block, total)
            share = [mean_of(_tensor(level), shares) for level in levels]
        found.append(torch.cat(share))
    return torch.stack(found).numpy()


def scatter_of(
    levels: Sequence[Array],
    layout: Layout,
    block: int,
    weights: Sequence[Weights],
    totals: Sequence[float],
    means: Any,
) -> Array:
    """The block's share of Σ w_i (s_i − mean)(s_i − mean)ᵀ, (k, c, c) float64."""
    rows = _tensor(side_by_side(levels))
    found = []
    for row_weights, total, mean in zip(weights, totals, torch.from_numpy(opened(means)), strict=True):
        if row_weights is None:
            found.append(scatter(rows, None, mean) * len(rows))
        else:
            found.append(scatter(rows, _shares(row_weights, layout, block, total), mean) * total)
    return torch.stack(found).numpy()


def product_of(first: Sequence[Array], second: Sequence[Array]) -> Array:
    """The block's share of Sᵀ·G, (c, d) float64."""
    S, G = _tensor(side_by_side(first)), _tensor(side_by_side(second))
    total = torch.zeros(S.shape[1], G.shape[1], dtype=torch.float64)
    for rows in row_blocks(len(S), 4 * S.shape[1]):
        total += S[rows].T @ G[rows]
    return total.numpy()


def image_of(
    block: Array, layout: Layout, number: int, terms: Sequence[tuple[Weights, Array, float]], of_pairs: Sequence[Array]
) -> Array:
    """The block's rows of L_H·G: scale·w_i·(g_i − mean) for every (w, mean, scale) of `terms`, and what listed pairs add."""
    G = _tensor(block)
    image = torch.zeros_like(G)
    for weights, mean, scale in terms:
        part = (G - torch.from_numpy(mean).float()).mul_(scale)
        if weights is not None:
            part.mul_(_tensor(weights.read(layout.nodes(number)))[:, None])
        image += part
    for other in of_pairs:
        image += _tensor(other)
    return image.numpy()


def times(block: Array, W: Any) -> Array:
    return (_tensor(block) @ torch.from_numpy(opened(W))).numpy()


def mapped(parts: Sequence[Array], function: Callable[..., Tensor], arguments: Sequence[Any]) -> Array:
    """A function of the rows of a block, some rows at a time."""
    given = [opened(value) for value in arguments]
    width = sum(part.shape[1] for part in parts)
    found = [
        function(*(_tensor(part[rows]) for part in parts), *given).numpy()
        for rows in row_blocks(parts[0].shape[0], 4 * width)
    ]
    return found[0] if len(found) == 1 else np.concatenate(found)


def embedding_of(
    levels: Sequence[Array],
    weights: Sequence[Any] | None,
    aggregation: Any,
    offset: Array | None,
    types: tuple[FileArray, Layout, int] | None,
    part: tuple[str, FileArray | None, Layout, int, tuple[tuple[str, ...], FileArray] | None] | None,
) -> Array:
    """The block's rows of Z; where a file is named they are written there, and their number is returned."""
    parts = [_tensor(level) for level in levels]
    if weights is not None:
        parts = [level @ torch.from_numpy(opened(matrix)) for level, matrix in zip(parts, weights, strict=True)]
    Z = aggregate(parts, aggregation)
    codes = None if types is None else types[0].read(types[1].nodes(types[2]))
    found = (Z if offset is None else Z - offsets_of(torch.from_numpy(offset), codes)).numpy()
    if not np.isfinite(found).all():
        raise NotFiniteError
    if part is None:
        return found
    path, ids, layout, block, kinds = part
    nodes = layout.nodes(block)
    if ids is None:
        numbers = np.arange(nodes.start, nodes.stop) if isinstance(nodes, slice) else nodes
    of_types = None if kinds is None else np.array([*kinds[0], ""])[kinds[1].read(nodes)]
    write_embedding(Path(path), found, numbers if ids is None else ids.read(nodes), types=of_types, overwrite=True)
    return np.array(len(found))


class NotFiniteError(InputError):
    """A number of the embedding overflowed; the driver names it."""

    def __init__(self, message: str = "The embedding is not finite: a number overflowed. Scale the features down.") -> None:
        super().__init__(message)


def added(parts: Sequence[Array]) -> Array:
    total = np.array(parts[0])
    for part in parts[1:]:
        total += part
    return total


def opened(array: Any) -> Any:
    """An array that came with the task, or one in a file because it is large."""
    return array.read() if isinstance(array, FileArray) else array


def _shares(weights: FileArray, layout: Layout, block: int, total: float) -> Tensor:
    return torch.from_numpy(np.ascontiguousarray(weights.read(layout.nodes(block)) / max(total, 1e-300)))


def _dense(rows: Any) -> Array:
    return np.ascontiguousarray(rows.toarray() if sp.issparse(rows) else rows, dtype=np.float32)


def _tensor(array: Any) -> Tensor:
    """A tensor over an array's memory, which arrives read-only from another worker: nothing here writes to it."""
    return as_tensor(np.asarray(array, dtype=np.float32), CPU)
