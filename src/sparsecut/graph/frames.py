"""Data frames as they are passed in: which rows belong to which nodes, told by an index or a column of ids.

A default index (0, 1, 2, … as pandas gives one) names nothing, and rows are then in the order of the nodes. Any other index
names nodes: rows are put in the order of the nodes by it, and a frame that names others is refused.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.encoding import column_of
from sparsecut.errors import InputError, first_few
from sparsecut.graph.id_kinds import as_id_array

ID_COLUMNS = ("id", "node", "node_id", "nodeid")  # hold ids, whatever they are
NAME_COLUMN = "name"  # holds ids where it names just the nodes


def is_frame(values: Any) -> bool:
    """Whether these are columns with names: a frame of pandas or polars, a relation of DuckDB, an Arrow table."""
    if hasattr(values, "collect") and hasattr(values, "lazy"):  # a lazy frame of polars, which warns if asked for columns
        return True
    return (hasattr(values, "columns") and hasattr(values, "dtypes")) or hasattr(values, "column_names")


def as_arrow(frame: Any, what: str) -> Any:
    """The columns of a frame as an Arrow table, without its index; values of several types in a column are their text."""
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "collect") and hasattr(frame, "lazy"):
        frame = frame.collect()
    if not hasattr(frame, "iloc"):  # polars, DuckDB and others that speak Arrow
        return pa.table(frame)
    names = [str(name) for name in frame.columns]
    columns: dict[str, Any] = {}
    for position, name in enumerate(names):
        if name in columns:
            raise InputError(f"{what} has two columns named {name!r}. Rename one.")
        columns[name] = column_of(frame.iloc[:, position], name, what)
    return pa.table(columns)


def place_frame(frame: Any, node_ids: NDArray[Any], what: str) -> tuple[Any, NDArray[np.int64] | None]:
    """(the columns of a frame as an Arrow table without its ids, the row of each node); None: in the order of the nodes."""
    table = as_arrow(frame, what)
    if table.num_columns == 0:
        raise InputError(f"{what} has no columns. Leave it out if there are no features.")
    index = index_of(frame)
    if index is not None:
        return table, rows_of(node_ids, index, what)
    named = [name for name in table.column_names if name.lower() in (*ID_COLUMNS, NAME_COLUMN)]
    if not named or table.num_columns == 1:
        return table, None
    ids = table.column(named[0]).to_numpy(zero_copy_only=False) if hasattr(table.column(named[0]), "to_numpy") else None
    assert ids is not None
    if named[0].lower() == NAME_COLUMN and (positions(node_ids, ids) < 0).any():
        return table, None  # a name, not the id
    rows = rows_of(node_ids, ids, f"{what}, whose column {named[0]!r} holds ids,")
    return table.drop_columns([named[0]]), rows


def place_column(values: Any, node_ids: NDArray[Any], what: str) -> Any:
    """A column of values in the order of the nodes: by its index where that names nodes."""
    index = index_of(values)
    if index is None:
        return values
    return np.asarray(values)[rows_of(node_ids, index, what)]


def index_of(values: Any) -> NDArray[Any] | None:
    """The index of a frame or a series of pandas, unless it is the default one, which names nothing."""
    index = getattr(values, "index", None)
    if index is None or callable(index):  # a list and a polars column have a method of that name
        return None
    is_default = type(index).__name__ == "RangeIndex" and index.start == 0 and index.step == 1
    return None if is_default else np.asarray(index)


def rows_of(node_ids: NDArray[Any], ids: NDArray[Any], what: str) -> NDArray[np.int64]:
    """The row of each node, where the rows name just the nodes, each once."""
    ids = as_id_array(ids, what)
    rows, known = positions(node_ids, ids), positions(ids, node_ids)
    remedy = "If its rows are in the order of the nodes, pass it without the ids (pandas: reset_index(drop=True))."
    if (known < 0).any():
        unknown = ids[known < 0].tolist()
        raise InputError(f"{what} names nodes that the graph does not have: {first_few(unknown)}. {remedy}")
    if (rows < 0).any():
        absent = node_ids[rows < 0].tolist()
        raise InputError(f"{what} has no row for these nodes of the graph: {first_few(absent)}. {remedy}")
    if len(ids) > len(node_ids):
        raise InputError(f"{what} has {len(ids):,} rows for {len(node_ids):,} nodes: some node has more than one.")
    return rows


def positions(ids: NDArray[Any], among: NDArray[Any]) -> NDArray[np.int64]:
    """Where each id stands among others; −1 where it does not. Numbers and the words that spell them are equal."""
    wanted, known = ids.tolist(), among.tolist()
    if {type(value) for value in wanted} != {type(value) for value in known}:
        wanted, known = [str(value) for value in wanted], [str(value) for value in known]
    place = {value: number for number, value in enumerate(known)}
    return np.array([place.get(value, -1) for value in wanted], dtype=np.int64)
