"""Vectors in a text table: a column of ids, and one column per coordinate.

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
from sparsecut.io.nodes.attributes import NodeTable


def read_vector_table(path: Path, encoding: str | None) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """(ids, vectors) of a .csv file."""
    import pyarrow as pa

    node_table = NodeTable.read(path, "embedding", frozenset({"id"}), encoding=encoding)
    _refuse_numbers_as_ids(node_table)
    ids, table = node_table.ids, node_table.others
    counts = [name for name in table.column_names if name.strip() == "" or name.startswith(("Unnamed: ", "__index_level"))]
    if counts:  # pandas wrote the rows' numbers in front
        _warn(f"A column without a name ({counts[0]!r}) of {path} counts its rows, and was left out of the vectors.")
        table = table.drop_columns(counts)
    if "type" in table.column_names and pa.types.is_string(table.schema.field("type").type):
        table = table.drop_columns(["type"])
    wrong = [
        field.name for field in table.schema if not (pa.types.is_floating(field.type) or pa.types.is_integer(field.type))
    ]
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
    return ids, Z


def _warn(message: str) -> None:
    warnings.warn(message, ReadingWarning, stacklevel=4)


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
