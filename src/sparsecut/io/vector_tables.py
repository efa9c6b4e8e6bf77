"""Vectors in a table: a column of ids, and one column per coordinate; in Parquet and Arrow files also one column of lists.

Other programs leave more in such a file. What cannot be a coordinate is left out or refused, and what may be none is named.
"""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, ReadingWarning, first_few
from sparsecut.graph.id_columns import N_FIRST, name_standing
from sparsecut.io.edges.ids import ID_NAMES, as_ids
from sparsecut.io.nodes.attributes import NodeTable


def read_vector_table(path: Path, encoding: str | None) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """(ids, vectors) of a .csv file."""
    node_table = NodeTable.read(path, "embedding", frozenset({"id"}), encoding=encoding)
    _refuse_numbers_as_ids(node_table)
    return node_table.ids, _coordinates(node_table.others, path)


def vectors_of_columns(table: Any, path: Path) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """(ids, vectors) of a table whose columns have types: `id`, or the index of a pandas frame, holds the ids."""
    import pyarrow as pa
    import pyarrow.compute as pc

    names, what = table.column_names, f"The embedding file {path}"
    described = table.schema.pandas_metadata or {}
    index = [name for name in described.get("index_columns", ()) if name in names]
    of_ids = next((name for name in (*(one for one in names if one.lower() in ID_NAMES), *index) if name in names), None)
    lists = [field.name for field in table.schema if _is_list(field.type)]
    if of_ids is None or len(lists) > 1:
        raise InputError(
            f"{what} must have a column 'id', and the vectors in one column of lists or in a column per coordinate. It has: "
            f"{', '.join(names)}."
        )
    ids = as_ids(table.column(of_ids), what)
    if not lists:
        return ids, _coordinates(table.drop_columns([of_ids, *(name for name in index if name != of_ids)]), path)
    column = table.column(lists[0]).combine_chunks()
    column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    lengths = np.unique(pc.fill_null(pc.list_value_length(column), -1).to_numpy(zero_copy_only=False))
    values = pc.list_flatten(column)
    if len(lengths) != 1 or lengths[0] < 1 or values.null_count or not _is_number_type(values.type):
        raise InputError(f"{what} must hold lists of numbers in column {lists[0]!r}, as many in each row.")
    return ids, values.to_numpy(zero_copy_only=False).astype(np.float32).reshape(len(ids), int(lengths[0]))


def _coordinates(table: Any, path: Path) -> NDArray[np.float32]:
    import pyarrow as pa

    counts = [name for name in table.column_names if name.strip() == "" or name.startswith(("Unnamed: ", "__index_level"))]
    if counts:  # pandas wrote the rows' numbers in front
        _warn(f"A column without a name ({counts[0]!r}) of {path} counts its rows, and was left out of the vectors.")
        table = table.drop_columns(counts)
    if "type" in table.column_names and pa.types.is_string(table.schema.field("type").type):
        table = table.drop_columns(["type"])
    wrong = [field.name for field in table.schema if not _is_number_type(field.type)]
    wrong += [name for name in table.column_names if table.column(name).null_count]
    if wrong:
        raise InputError(f"The embedding file {path} must hold numbers in all columns. {wrong[0]!r} holds others.")
    others = _no_coordinates(table.column_names)
    if others:
        _warn(
            f"Columns of {path} that are named unlike the others are read as coordinates, too: {first_few(others)}. Leave "
            "them out of the file if they are something else."
        )
    Z = np.empty((table.num_rows, table.num_columns), dtype=np.float32)
    for position, column in enumerate(table.columns):
        Z[:, position] = column.to_numpy()
    return Z


def _is_list(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind))


def _is_number_type(kind: Any) -> bool:
    import pyarrow as pa

    return bool(pa.types.is_floating(kind) or pa.types.is_integer(kind))


def _warn(message: str) -> None:
    warnings.warn(message, ReadingWarning, stacklevel=5)


def _refuse_numbers_as_ids(table: NodeTable) -> None:
    """A file of numbers alone has no ids: its first coordinate would be taken for them."""
    first = table.table.column(table.id_name)
    words = [str(one) for one in first.slice(0, N_FIRST).to_pylist()]
    if name_standing(table.id_name) < 2 and any(map(_is_fraction, words)) and all(_is_number(one) for one in words):
        raise InputError(
            f"{table.what} has no column of ids: its first column holds numbers with fractions, as {words[-1]}. Add a "
            "column 'id', or write the numbers alone as .npy, whose rows are the nodes 0, 1, 2, …"
        )


def _is_number(word: str) -> bool:
    try:
        float(word)
    except ValueError:
        return False
    return True


def _is_fraction(word: str) -> bool:
    return _is_number(word) and float(word) % 1 != 0


def _no_coordinates(names: list[str]) -> list[str]:
    """One or two names among many that are a word and a number: `cluster` beside d0, d1, d2."""
    stems = [name.rstrip("0123456789") for name in names]
    usual = max(set(stems), key=stems.count, default="")
    others = [name for name, stem in zip(names, stems, strict=True) if stem != usual or stem == name]
    return others if 2 * len(others) < len(names) else []
