"""Hops whose rows lie in files, for workers with room for one matrix: that of the rows that are gathered.

    out_i = left_i · Σ_j a_ij · (right_j · x_j) + own_i · x_i + c · first_i

Neighbours lie anywhere, so right ⊙ X is held. Everything else is read some rows at a time, in order: X itself, what a series
comes back to, the neighbour lists where they have no room either; and the result is written in order. A panel of columns is
then two to four times as wide as one whose hops have all of it in memory, and every panel costs a look at every entry.

The operations are those of `kernels.hops` in their order, so rows have the same bits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.dask.operator import (
    CPU,
    ENTRIES_AT_ONCE,
    BlockLists,
    Operator,
    lists_in_passing,
    whole_lists,
)
from sparsecut.engines.dask.shared import FileArray, Nodes, keeping
from sparsecut.kernels.entries import Entries
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.streaming import BLOCK_BYTES, row_blocks
from sparsecut.kernels.transfer import as_tensor

Scales = Callable[[slice], tuple[Tensor, Tensor]]  # left and own of some rows, (b, 1)


class RowFile(Protocol):
    """Rows of float32 that are read when they are needed."""

    @property
    def shape(self) -> tuple[int, ...]: ...

    def read(self, nodes: Nodes | None = None) -> NDArray[np.float32]: ...


def smooth_in_files(
    operator: Operator, polynomial: Polynomial, rows: RowFile, path: Path, *, holds_lists: bool
) -> FileArray:
    """Σ c_k P^k X of some columns of all rows, in a file."""
    n_rows, n_columns = rows.shape
    X, factor = rows, polynomial[-1]
    for number, coefficient in enumerate(reversed(polynomial[:-1]), start=1):
        table = torch.empty(n_rows, n_columns)
        fill(table, X, None, factor)
        if operator.right is not None:
            for part in row_blocks(n_rows, 4 * n_columns):
                table[part] *= as_tensor(operator.right.read(part), CPU)[:, None]
        at_once = entries_at_once(n_rows, operator.matrix.indices.shape[0], n_columns)
        lists = whole_lists(operator).entries.parts(at_once) if holds_lists else lists_in_passing(operator, at_once)
        is_last = number == len(polynomial) - 1
        target = path if is_last else path.with_name(f"{path.name}-{os.getpid()}-{number}")

        def scales(part: slice) -> tuple[Tensor, Tensor]:
            return operator.scales(part, part.stop - part.start)

        own = table if operator.right is None else None
        found = _hop(lists, table, scales, (X, factor, own), (rows, coefficient), target)
        del table, own  # before the next one takes its memory
        if X is not rows:
            _remove(X)
        X, factor = found, 1.0
    assert isinstance(X, FileArray)
    return X


def hop_in_files(
    lists: BlockLists, group: int, groups: Sequence[RowFile], factor: float, first: tuple[RowFile, float], path: Path
) -> FileArray:
    """A hop of a group of rows, in a file: it reads its own rows, and those that its lists want of other groups."""
    X = groups[group]
    n_rows, n_columns = X.shape
    table = torch.empty(n_rows + len(lists.rows), n_columns)
    fill(table[:n_rows], X, None, factor)
    for source, other in enumerate(groups):
        first_row, last_row = lists.ends[source], lists.ends[source + 1]
        fill(table[n_rows + first_row : n_rows + last_row], other, lists.rows[first_row:last_row], factor)
    if lists.right is not None:
        table *= as_tensor(lists.right, CPU)

    def scales(part: slice) -> tuple[Tensor, Tensor]:
        return as_tensor(lists.left[part], CPU), as_tensor(lists.own[part], CPU)

    at_once = entries_at_once(n_rows, int(lists.offsets[-1]), n_columns)
    return _hop(lists.entries(at_once), table, scales, (X, factor, table if lists.right is None else None), first, path)


def entries_at_once(n_rows: int, n_entries: int, n_columns: int) -> int:
    """Entries whose rows are finished at a time: a block of lists, or of rows where these are wide."""
    return max(1, min(ENTRIES_AT_ONCE, n_entries * (BLOCK_BYTES // (4 * n_columns)) // n_rows))


def fill(table: Tensor, rows: RowFile, wanted: NDArray[np.int32] | None, factor: float) -> None:
    """Some rows, or all, times a number, some at a time: pages of the file that were read are not kept."""
    for part in row_blocks(len(table), 4 * table.shape[1]):
        table[part] = as_tensor(rows.read(part if wanted is None else wanted[part].astype(np.int64)), CPU)
        if factor != 1:
            table[part] *= factor


def _hop(
    lists: Iterable[tuple[slice, Entries]],
    table: Tensor,
    scales: Scales,
    own: tuple[RowFile, float, Tensor | None],  # X as it is in a file, what it is multiplied by, and where it is held
    first: tuple[RowFile, float],
    path: Path,
) -> FileArray:
    X, factor, held = own
    rows, coefficient = first
    n_rows, n_columns = X.shape
    with keeping(path) as out:
        for span, entries in lists:
            sums = entries @ table
            for block in row_blocks(len(sums), 4 * n_columns):
                part = slice(span.start + block.start, span.start + block.stop)
                left, diagonal = scales(part)
                tile = _times(X.read(part), factor) if held is None else held[part]
                total = sums[block].mul_(left).addcmul_(tile, diagonal)
                if coefficient:
                    total.add_(as_tensor(rows.read(part), CPU), alpha=coefficient)
                out.write(total.numpy().data)
    return FileArray(str(path), np.dtype(np.float32).str, (n_rows, n_columns), 0)


def _times(rows: NDArray[np.float32], factor: float) -> Tensor:
    found = as_tensor(rows, CPU)
    return found if factor == 1 else found * factor


def _remove(rows: RowFile) -> None:
    if isinstance(rows, FileArray):
        Path(rows.path).unlink(missing_ok=True)
