"""Node features and labels from files, with the ids of their rows where the file has them.

- `.npy`: one row a node, in the order of the ids 0..n−1. Never unpickled.
- `.npz`: a scipy sparse matrix; or an array `features` (or the only array), with `ids` beside it or not.
- tables: a column of ids (named id, node, node_id, name; or the first), and the features or the label beside it.
"""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.errors import InputError, first_few
from sparsecut.io.files import check_readable
from sparsecut.io.ids import ID_NAMES, as_ids, check_unique, id_column
from sparsecut.io.tables import read_table

LABEL_NAMES = ("label", "labels", "class", "target", "y")


def read_features(path: str | Path) -> tuple[NDArray[Any] | None, Any]:
    """(ids or None, feature matrix)."""
    path = check_readable(path, "features")
    if path.suffix in (".npy", ".npz"):
        return _read_numpy(path, "features")
    table = read_table(path, "features", frozenset(ID_NAMES))
    ids = _ids_of(table, path, "features")
    columns = [name for name in table.column_names if name != id_column(table)]
    if not columns:
        raise InputError(f"The features file {path} has only the id column {table.column_names[0]!r}.")
    matrix = np.empty((table.num_rows, len(columns)), dtype=np.float32)
    for position, name in enumerate(columns):
        matrix[:, position] = _numbers(table.column(name), name, path)
    return ids, matrix


def read_labels(path: str | Path) -> tuple[NDArray[Any] | None, NDArray[Any]]:
    """(ids or None, labels)."""
    path = check_readable(path, "labels")
    if path.suffix in (".npy", ".npz"):
        return _read_numpy(path, "labels")
    table = read_table(path, "labels", frozenset((*ID_NAMES, *LABEL_NAMES)))
    ids = _ids_of(table, path, "labels")
    others = [name for name in table.column_names if name != id_column(table)]
    named = [name for name in others if name.lower() in LABEL_NAMES]
    if not others:
        raise InputError(f"The labels file {path} has only the id column {table.column_names[0]!r}.")
    column = table.column((named or others)[0]).combine_chunks()
    labels = column.to_numpy(zero_copy_only=False)
    return ids, np.array(["" if label is None else label for label in labels]) if labels.dtype == object else labels


def _read_numpy(path: Path, kind: str) -> tuple[NDArray[Any] | None, Any]:
    try:
        if path.suffix == ".npy":
            return None, np.load(path, allow_pickle=False)
        with np.load(path, allow_pickle=False) as archive:
            names = list(archive)
            if "format" in names and "shape" in names:
                return None, sp.load_npz(path)
            name = kind if kind in names else next((name for name in names if name != "ids"), None)
            if name is None:
                raise InputError(f"The {kind} file {path} holds no array.")
            ids = archive["ids"] if "ids" in names else None
            return ids, archive[name]
    except (OSError, ValueError, EOFError, KeyError, zipfile.BadZipFile) as error:
        if isinstance(error, InputError):
            raise
        reason = "it holds Python objects, which are never loaded" if "pickle" in str(error).lower() else "it is damaged"
        raise InputError(f"The {kind} file {path} could not be read: {reason}.") from error


def _ids_of(table: Any, path: Path, kind: str) -> NDArray[Any]:
    what = f"The {kind} file {path}"
    ids = as_ids(table.column(id_column(table)), what)
    check_unique(ids, what)
    return ids


def _numbers(column: Any, name: str, path: Path) -> NDArray[Any]:
    import pyarrow as pa

    kind = column.type
    if not (pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_boolean(kind)):
        values = [value for value in column.combine_chunks()[:1000].to_pylist() if value is not None]
        raise InputError(
            f"The features file {path} must hold numbers. Column {name!r} holds {first_few(values, 3)}. "
            "Turn it into numbers or leave it out."
        )
    if column.null_count:
        row = column.combine_chunks().is_null().to_numpy(zero_copy_only=False).argmax()
        raise InputError(f"The features file {path} has an empty cell in column {name!r}, row {row + 1}.")
    return np.asarray(column.to_numpy())
