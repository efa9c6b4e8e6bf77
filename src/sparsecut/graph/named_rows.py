"""Vectors and values that bring the ids of their nodes with them, as frames and series do.

    a frame of pandas                  its index; a column of ids wins over it
    a frame of polars, Arrow, DuckDB   a column of ids
    a series of pandas                 its index
    an array                           none: its rows are the nodes 0 … n − 1, or are in the order of what they go with

A column of ids is one named id, node or node_id, or the one column of integers or words, a different one in each row, among
columns of fractions. Vectors may also be one column of lists, as `write_embedding` stores them.

A default index of pandas (0, 1, 2, …) names nothing: values that have it are in the order of the rows. Where there are more
or fewer values than rows it can only mean ids; where the ids of the rows are the same numbers in another order it could mean
either, and is refused.
"""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features.arrow_values import ArrowTable, ArrowType
from sparsecut.graph.foreign import library_of
from sparsecut.graph.frames import as_arrow, index_of, is_frame, rows_of
from sparsecut.graph.graph import Graph
from sparsecut.graph.id_columns import EXACT_NAMES, positions
from sparsecut.graph.id_kinds import Ids, check_one_kind

PLANE = ("x", "y")  # positions beside vectors that are lists
IDS_RULE = "Ids are the index of a pandas frame, or a column named id, node or node_id"


def rows_and_ids(matrix: Any, what: str = "The embedding", ids: Any = None) -> tuple[Any, Any]:
    """(the numbers of a matrix, the ids of its rows); None where it brings none. Arrays are passed on as they are.

    `ids` are those given beside it: they may not contradict its own, and are passed on where it has none.
    """
    if not is_frame(matrix):
        return matrix, ids
    values, own = _split(matrix, what)
    if own is None or ids is None:
        return values, ids if own is None else own
    beside = np.asarray(ids)
    if beside.shape != own.shape or (positions(own, beside) != np.arange(len(own))).any():
        raise InputError(
            f"The ids differ from those that {_lowered(what)} brings. Leave the ids out, or pass the numbers without theirs "
            "(pandas: frame.to_numpy())."
        )
    return values, own


def names_of_columns(matrix: Any) -> list[str] | None:
    """The names of a frame's coordinates; None of an array, of a column of lists, and of columns that are only counted."""
    if not is_frame(matrix):
        return None
    table = as_arrow(matrix, "The frame")
    of_ids = _id_column(table)
    fields = [field for field in table.schema if field.name != of_ids]
    names = [str(field.name) for field in fields]
    is_counted = names == [str(number) for number in range(len(names))]
    return None if is_counted or any(_is_list(field.type) for field in fields) else names


def place_rows(matrix: Any, node_ids: Ids, what: str = "The embedding") -> Any:
    """A matrix with its rows in the order of the nodes: by its ids where it brings them, which must be just the nodes'."""
    values, ids = rows_and_ids(matrix, what)
    return values if ids is None else values[rows_of(node_ids, ids, what)]


def place_values(values: Any, ids: Ids | None, n_rows: int, what: str = "The labels", *, is_for_more: bool = False) -> Any:
    """One value for each row of an embedding, whose ids are given: by the values' own ids where they bring them.

    Some rows may have none: they get what means "no label" (−1, NaN or None). Values of nodes that the embedding does not
    have are an error, unless they may be for more nodes than these.
    """
    values, own = _values_and_ids(values, ids, n_rows, what)
    if own is None:
        return values
    known = np.arange(n_rows) if ids is None else ids
    _check_once(own, what)
    rows = positions(known, own)
    unknown = own[positions(own, known) < 0] if not is_for_more or (rows < 0).all() else own[:0]
    if len(unknown):
        raise _unknown(what, unknown, ids, n_rows)
    if (rows >= 0).all():
        return values[rows]
    placed = np.full(n_rows, _missing(values), dtype=values.dtype if values.dtype.kind in "if" else object)
    placed[rows >= 0] = values[rows[rows >= 0]]
    return placed


def place_graph(graph: Graph, ids: Ids | None) -> Graph:
    """The graph with its nodes in the order of an embedding's rows, whose ids are given; other nodes are left out."""
    if ids is None:
        return graph
    rows = positions(ids, graph.node_ids)
    if (rows < 0).any():
        raise InputError(
            f"The graph does not have these nodes of the embedding: {first_few(ids[rows < 0])}. "
            "Give the graph that was embedded."
        )
    return graph if len(rows) == graph.n_nodes and (rows == np.arange(len(rows))).all() else graph.subgraph(positions=rows)


def like_frame(frame: Any, columns: dict[str, NDArray[Any]], ids: Ids | None) -> Any:
    """Columns with one value per row of a frame, as a frame of the same library with the same ids."""
    library = library_of(frame)
    if library == "pandas":  # whoever has a frame of a library has imported it
        return sys.modules["pandas"].DataFrame(columns, index=frame.index if ids is None else ids)
    import pyarrow as pa

    table = pa.table(columns if ids is None else {"id": ids, **columns})
    return sys.modules["polars"].from_arrow(table) if library == "polars" else table


def _split(frame: Any, what: str) -> tuple[NDArray[Any], NDArray[Any] | None]:
    table = as_arrow(frame, what)
    name = _id_column(table)
    ids = index_of(frame) if name is None else table.column(name).to_numpy(zero_copy_only=False)
    if name is not None:
        table = table.drop_columns([name])
    return _numbers(table, what), None if ids is None else _checked(ids, what)


def _id_column(table: ArrowTable) -> str | None:
    import pyarrow as pa
    import pyarrow.compute as pc

    named = [name for name in table.column_names if name.lower() in EXACT_NAMES]
    if named:
        return str(named[0]) if table.num_columns > 1 else None
    others = [field for field in table.schema if not (pa.types.is_floating(field.type) or _is_list(field.type))]
    if len(others) != 1 or table.num_columns == 1 or pa.types.is_boolean(others[0].type):
        return None
    column = table.column(others[0].name)
    is_different = not column.null_count and pc.count_distinct(column).as_py() == len(column)
    return str(others[0].name) if is_different else None


def _numbers(table: ArrowTable, what: str) -> NDArray[Any]:
    """The columns as a matrix: numbers, or one column of lists."""
    import pyarrow as pa

    lists = [field.name for field in table.schema if _is_list(field.type)]
    if len(lists) == 1 and {*table.column_names} <= {*lists, *PLANE}:
        rows = [np.asarray(row) for row in table.column(lists[0]).to_numpy(zero_copy_only=False)]
        if len({row.shape for row in rows}) > 1:
            raise InputError(f"{what} must hold vectors of one length. Those in column {lists[0]!r} have several.")
        return np.stack(rows) if rows else np.empty((0, 0), dtype=np.float32)
    wrong = [
        field.name
        for field in table.schema
        if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type) or pa.types.is_boolean(field.type))
    ]
    if wrong:
        raise InputError(
            f"{what} must hold numbers in all columns. These hold others: {first_few(wrong)}. {IDS_RULE}; leave other "
            "columns out."
        )
    columns = [column.to_numpy() for column in table.columns]
    return np.column_stack(columns) if columns else np.empty((table.num_rows, 0))


def _values_and_ids(values: Any, ids: Ids | None, n_rows: int, what: str) -> tuple[Any, NDArray[Any] | None]:
    if is_frame(values):
        table = as_arrow(values, what)
        name = next((name for name in table.column_names if name.lower() in EXACT_NAMES), None)
        own = index_of(values) if name is None else table.column(name).to_numpy(zero_copy_only=False)
        table = table if name is None else table.drop_columns([name])
        if table.num_columns != 1:
            raise InputError(
                f"{what} must be one column beside the ids. Got {table.num_columns}: {first_few(table.column_names)}. "
                f"{IDS_RULE}; pass the others by themselves."
            )
        values = table.column(0).to_numpy(zero_copy_only=False)
        return values, None if own is None else _checked(own, what)
    own = index_of(values)
    if own is None and library_of(values) == "pandas" and (ids is None or ids.dtype.kind in "iu"):
        own = _default_index(values, ids, n_rows, what)
    return (values, None) if own is None else (np.asarray(values), _checked(own, what))


def _default_index(values: Any, ids: Ids | None, n_rows: int, what: str) -> NDArray[Any] | None:
    """The default index of a series where it can only mean ids."""
    index = np.asarray(values.index)
    if len(index) != n_rows:
        return index
    if ids is not None and (ids != index).any() and np.isin(ids, index).all():
        raise InputError(
            f"{what} have the default index 0 to {n_rows - 1:,}, and the ids of the embedding are the same numbers in "
            "another order: they could be in either. Pass labels.loc[frame.index] if the index means ids, or "
            "labels.to_numpy() if they are in the order of the rows."
        )
    return None


def _checked(ids: Ids, what: str) -> NDArray[Any]:
    """Ids as integers or words: whole floats, which pandas makes of integers with gaps, are integers."""
    if ids.dtype.kind in "fO":
        kind = check_one_kind(ids.tolist(), f"The ids of {_lowered(what)}")
        ids = ids.astype(np.int64) if kind == "integers" else ids
    return ids


def _check_once(ids: Ids, what: str) -> None:
    names, counts = np.unique(ids.astype(np.str_) if ids.dtype == object else ids, return_counts=True)
    if len(names) < len(ids):
        raise InputError(f"{what} must name each node once. These occur more than once: {first_few(names[counts > 1])}.")


def _unknown(what: str, unknown: NDArray[Any], ids: Ids | None, n_rows: int) -> InputError:
    named = f"{what} name nodes that the embedding does not have: {first_few(unknown.tolist())}."
    plain = "pass them without their index (pandas: labels.to_numpy())"
    if ids is not None:
        return InputError(f"{named} Leave them out, or {plain} if they are in the order of its rows.")
    return InputError(
        f"{named} It is an array, whose rows are the nodes 0 to {n_rows - 1:,}. Give its rows their ids "
        f"(pandas.DataFrame(Z, index=graph.node_ids)), or {plain} if they are in the order of its rows."
    )


def _missing(values: NDArray[Any]) -> Any:
    return {"i": -1, "f": np.nan}.get(values.dtype.kind)


def _is_list(kind: ArrowType) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _lowered(what: str) -> str:
    return what[:1].lower() + what[1:]
