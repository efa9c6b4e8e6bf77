"""Node ids of any type become row numbers on the cluster, and no process holds all ids.

A node's number is its row among the features. The ids of the features go, by a hash, into as many tables as there are
blocks; the ids that a piece of the edges names are looked up in each table, and only those travel. Ids that are the row
numbers already need no table.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.engines.dask.feature_sources import Piece
from sparsecut.graph import as_id_array
from sparsecut.graph.id_columns import IdEvidence, KnownIds
from sparsecut.io.edges.edge_columns import EdgeColumns
from sparsecut.io.edges.ids import as_ids, id_remedy
from sparsecut.io.stores.edge_batches import edges_of, some_of
from sparsecut.io.stores.record_batches import ids_in
from sparsecut.kernels.hashing import hash_ids


@dataclass(frozen=True)
class Ids:
    """The ids of a piece of the features."""

    values: NDArray[Any]
    first: int  # the row of the first

    @property
    def is_range(self) -> bool:
        values = self.values
        return values.dtype.kind in "iu" and bool((values == np.arange(self.first, self.first + len(values))).all())

    def __sizeof__(self) -> int:
        return 100 + self.values.nbytes


@dataclass(frozen=True)
class Ends:
    """The edges of a piece: the ids they name, each once and by table, and where each end stands among them."""

    ids: NDArray[Any]
    bounds: NDArray[np.int64]  # where the ids of each table begin, and where the last end
    ends: NDArray[np.int64]  # (2, m)
    weights: NDArray[np.float32] | None

    def __sizeof__(self) -> int:
        return 100 + self.ids.nbytes + self.ends.nbytes + (0 if self.weights is None else self.weights.nbytes)


def some_ids(piece: Piece, columns: EdgeColumns | None, what: str) -> NDArray[Any]:
    """Ids that the first edges name, by which the id column of the features is found."""
    i, j, _ = read_edges(piece, columns, what, is_signed=True)  # whoever reads the weights checks them
    return some_of(i, j)


def look_for_ids(piece: Piece, names: Sequence[str], ids: NDArray[Any], what: str) -> list[IdEvidence]:
    """The evidence, for each column of a piece of the features, that it holds the ids."""
    return ids_in(piece.table(names, what), names, KnownIds(ids))


def read_ids(piece: Piece, first: int, name: str, what: str) -> Ids:
    return Ids(as_ids(piece.table([name], what).column(name), what), first)


def look_at(ids: Ids) -> tuple[bool, int]:
    """Whether ids are the row numbers, and how long the longest word is: 0 where they are integers."""
    if ids.values.dtype.kind in "iu":
        return ids.is_range, 0
    return False, int(ids.values.astype(np.str_).dtype.itemsize // 4)


def ids_of_table(ids: Ids, table: int, n_tables: int, is_integer: bool) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The ids of a piece that go into a table, and their rows; as words where edges spell them so."""
    values = ids.values if is_integer else ids.values.astype(np.str_)
    here = np.flatnonzero(hash_ids(values) % np.uint64(n_tables) == table)
    return values[here], here + ids.first


def make_table(parts: Sequence[tuple[NDArray[Any], NDArray[np.int64]]], what: str) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The ids of a table in order, and their rows."""
    ids, rows = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
    order = np.argsort(ids, kind="stable")
    ids = ids[order]
    repeated = ids[1:][ids[1:] == ids[:-1]]
    if len(repeated):
        raise InputError(f"{what} has more than one row for {first_few(np.unique(repeated))}.")
    return ids, rows[order]


def read_edges(piece: Piece, columns: EdgeColumns | None, what: str, is_signed: bool = False) -> tuple[Any, Any, Any]:
    """(sources, targets, weights) of a piece, ids as numpy arrays."""
    if columns is None:
        pairs = as_id_array(piece.rows(what), what).astype(np.int64)
        return pairs[:, 0], pairs[:, 1], None
    i, j, weights = edges_of(piece.table(columns.in_order(), what), columns, what, is_signed=is_signed)
    return _plain(i), _plain(j), weights


def read_ends(
    piece: Piece, columns: EdgeColumns | None, is_integer: bool, n_tables: int, what: str, is_signed: bool = False
) -> Ends:
    """The edges of a piece, their ids sorted out by table."""
    i, j, weights = read_edges(piece, columns, what, is_signed)
    if not is_integer:
        i, j = i.astype(np.str_), j.astype(np.str_)
    ids, ends = np.unique(np.concatenate([i, j]), return_inverse=True)
    tables = hash_ids(ids) % np.uint64(n_tables)
    order = np.argsort(tables, kind="stable")
    place = np.empty(len(order), dtype=np.int64)
    place[order] = np.arange(len(order))
    bounds = np.searchsorted(tables[order], np.arange(n_tables + 1))
    return Ends(ids[order], bounds, place[ends].reshape(2, -1), weights)


def wanted_ids(ends: Ends, table: int) -> NDArray[Any]:
    return ends.ids[ends.bounds[table] : ends.bounds[table + 1]]


def look_up(table: tuple[NDArray[Any], NDArray[np.int64]], ids: NDArray[Any]) -> NDArray[np.int64]:
    """The rows of ids; −1 where a table does not have one."""
    known, rows = table
    if not len(known) or not len(ids):
        return np.full(len(ids), -1, dtype=np.int64)
    place = np.minimum(np.searchsorted(known, ids), len(known) - 1)
    return np.where(known[place] == ids, rows[place], -1)


def numbered(
    ends: Ends, found: Sequence[NDArray[np.int64]], what: str, where: str, id_name: str | None
) -> tuple[Any, Any, Any]:
    """The edges of a piece by rows."""
    rows = np.concatenate(found) if len(found) else np.empty(0, dtype=np.int64)
    if (rows < 0).any():
        unknown = np.sort(ends.ids[rows < 0]).tolist()
        raise InputError(
            f"{what} names nodes that {where[0].lower()}{where[1:]} does not: {first_few(unknown)}.{id_remedy(id_name)}"
        )
    i, j = rows[ends.ends]
    return i, j, ends.weights


def numbered_rows(
    piece: Piece, columns: EdgeColumns | None, n_nodes: int, what: str, where: str, is_signed: bool = False
) -> tuple[Any, Any, Any]:
    """The edges of a piece whose ids are rows."""
    i, j, weights = read_edges(piece, columns, what, is_signed)
    for ends in (i, j):
        if ends.dtype.kind not in "iu" or (len(ends) and (ends.min() < 0 or ends.max() >= n_nodes)):
            wrong = np.unique(ends if ends.dtype.kind not in "iu" else ends[(ends < 0) | (ends >= n_nodes)]).tolist()
            raise InputError(
                f"{where} has {n_nodes:,} rows, so the ids in {what[0].lower()}{what[1:]} must be integers from 0 to "
                f"{n_nodes - 1:,}. Got {first_few(wrong)}. Give the features a column of ids (Parquet)."
            )
    return i.astype(np.int64), j.astype(np.int64), weights


def _plain(ids: Any) -> NDArray[Any]:
    return ids if isinstance(ids, np.ndarray) else as_ids(ids, "The edges")
