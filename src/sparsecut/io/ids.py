"""Rows are matched by node id, never by luck: where two lists of ids meet, they meet here."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.errors import InputError, first_few

ID_NAMES = ("id", "node", "node_id", "nodeid", "name")


def positions_of(ids: Any, among: Any) -> NDArray[np.int64]:
    """Where each id stands in another list; −1 where it does not. Numbers and the words that spell them are equal."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ids, among = (_arrow(values) for values in (ids, among))
    if ids.type != among.type:
        ids, among = (pc.cast(values, pa.string()) for values in (ids, among))
    found = pc.index_in(ids, value_set=among)
    return np.asarray(pc.fill_null(found, -1)).astype(np.int64)


def check_known(positions: NDArray[np.int64], ids: Any, what: str, where: str) -> None:
    """Refuse ids that were not found, naming the first few."""
    unknown = np.flatnonzero(positions < 0)
    if len(unknown):
        names = np.unique(np.asarray(ids)[unknown])
        raise InputError(f"{what} names nodes that {where} does not: {first_few(names)}.")


def id_column(table: Any) -> str:
    """The column of a table that holds node ids: one of that name, or the first."""
    named = [name for name in table.column_names if name.lower() in ID_NAMES]
    return str(named[0] if named else table.column_names[0])


def check_unique(ids: NDArray[Any], what: str) -> None:
    unique, counts = np.unique(ids, return_counts=True)
    if len(unique) < len(ids):
        raise InputError(f"{what} has more than one row for {first_few(unique[counts > 1])}.")


def as_ids(column: Any, what: str) -> NDArray[Any]:
    """A column of ids as numpy: integers as integers, all else as str."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = _arrow(column)
    if column.null_count:
        row = int(np.argmax(np.asarray(pc.is_null(column))))
        raise InputError(f"{what} has an empty node id in row {row + 1}.")
    if pa.types.is_integer(column.type):
        return np.asarray(column)
    return np.asarray(pc.cast(column, pa.string()).to_numpy(zero_copy_only=False), dtype=np.str_)


def _arrow(values: Any) -> Any:
    """An Arrow array of integers or of strings, without an index of its own or several pieces."""
    import pyarrow as pa
    import pyarrow.compute as pc

    array = values if isinstance(values, pa.Array | pa.ChunkedArray) else pa.array(np.asarray(values))
    if isinstance(array, pa.ChunkedArray):
        array = array.combine_chunks()
    if pa.types.is_dictionary(array.type):
        array = array.dictionary_decode()
    if pa.types.is_integer(array.type):
        return pc.cast(array, pa.int64())
    return pc.cast(array, pa.string())
