"""Node features and labels from files, with the ids of their rows where the file has them.

- `.npy`: one row a node, in the order of the ids 0..n−1. Never unpickled.
- `.npz`: a scipy sparse matrix; or an array `features` (or the only array), with `ids` beside it or not.
- tables: a column of ids (named id, node, node_id, name; or the first), and the features or the label beside it. Named
  columns stay a table, which is encoded with the model (`sparsecut.encoding`); numbers under no header are a matrix.
- `.json`: node id → list of feature ids (columns that are 1 there), or list of numbers; node id → label.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.encoding import FeatureTable, WordLists
from sparsecut.errors import InputError, first_few
from sparsecut.io.files import check_readable
from sparsecut.io.guards import check_claim, reading
from sparsecut.io.ids import ID_NAMES, as_array, as_ids, as_integers, check_unique, id_column
from sparsecut.io.numpy_files import Archive, read_npy
from sparsecut.io.opening import open_bytes, refuse_packed, table_suffix
from sparsecut.io.tables import describe_table, trim_id_column

LABEL_NAMES = ("label", "labels", "class", "target", "y")


def read_features(
    path: str | Path,
    columns: Sequence[str] | None = None,
    without: Sequence[str] = (),
    id_name: str | None = None,
    *,
    scale: bool = True,
    encoding: str | None = None,
) -> tuple[NDArray[Any] | None, Any]:
    """(ids or None; a matrix, a table or lists of words). Of a table, `columns` or all but the id and those in `without`."""
    path = check_readable(path, "features")
    if table_suffix(path) in (".npy", ".npz"):
        return _read_numpy(path, "features")
    if table_suffix(path) == ".json":
        return _read_json_features(path, encoding)
    asked = frozenset((*ID_NAMES, *(name.lower() for name in columns or ())))
    ids, table = read_node_table(path, "features", asked, id_name, encoding)
    others = [name for name in table.column_names if name not in without]
    unknown = [name for name in columns or () if name not in others]
    if unknown:
        raise InputError(f"The features file {path} has no column {unknown[0]!r}. It has: {first_few(others, 20)}.")
    if not others:
        raise InputError(f"The features file {path} has no column beside the ids.")
    features = FeatureTable(table.select(list(columns or others)), f"The features file {path}", scale=scale)
    # Columns that no header names are a matrix of numbers, where they are numbers.
    has_header = others[0] != "f1" or not _is_text(path)
    return ids, features if has_header or not features.is_numbers else features.matrix(None)[0]


def read_labels(
    path: str | Path, column: str | None = None, id_name: str | None = None, encoding: str | None = None
) -> tuple[NDArray[Any] | None, NDArray[Any], tuple[str, ...]]:
    """(ids or None, labels, notes). Of a table: `column`, or one of a usual name, or that with the fewest values."""
    path = check_readable(path, "labels")
    if table_suffix(path) in (".npy", ".npz"):
        return *_read_numpy(path, "labels"), ()
    if table_suffix(path) == ".json":
        ids, values = _read_json(path, "labels", encoding)
        return ids, _as_labels(values, path), ()
    asked = () if column is None else (column.lower(),)
    header_names = frozenset((*ID_NAMES, *LABEL_NAMES, *asked))
    ids, table = read_node_table(path, "labels", header_names, id_name, encoding)
    names = table.column_names
    if not names:
        raise InputError(f"The labels file {path} has no column beside the ids.")
    if column is not None and column not in names:
        raise InputError(f"The labels file {path} has no column {column!r}. It has: {first_few(names, 20)}.")
    usual = [name for name in names if name.lower() in LABEL_NAMES]
    chosen = column or (usual[0] if usual else min(names, key=lambda name: len(table.column(name).unique())))
    values = table.column(chosen).combine_chunks().to_numpy(zero_copy_only=False)
    labels = _as_labels(values.tolist(), path) if values.dtype == object else values
    return ids, labels, (f"Labels: {path}, column {chosen!r}.",)


def _as_labels(values: list[Any], path: Path) -> NDArray[Any]:
    """Labels as an array: words with "" for none where any is a word."""
    if any(isinstance(value, list | dict) for value in values):
        raise InputError(f"The labels file {path} must hold one label a node. Got lists.")
    if all(isinstance(value, int) and abs(value) < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    return np.array(["" if value is None else str(value) for value in values])


def read_node_table(
    path: str | Path, kind: str, header_names: frozenset[str], id_name: str | None = None, encoding: str | None = None
) -> tuple[NDArray[Any], Any]:
    """(ids, the other columns) of a table with one row a node. Spaces around an id of a text file are not part of it."""
    what = f"The {kind} file {path}"
    if id_name is not None:
        header_names |= {id_name.lower()}
    table, _ = describe_table(
        path, kind, header_names, words=lambda names: [id_column(names, id_name, what)], encoding=encoding
    )
    name = id_column(table, id_name, what)
    if _is_text(path):
        table = trim_id_column(table, name, Path(path), kind, header_names, encoding)
    ids = as_ids(table.column(name), what, is_text=_is_text(path))
    check_unique(ids, what)
    return ids, table.drop_columns([name])


def _is_text(path: str | Path) -> bool:
    return table_suffix(Path(path)) not in (".parquet", ".feather", ".arrow")


def _read_numpy(path: Path, kind: str) -> tuple[NDArray[Any] | None, Any]:
    refuse_packed(path, kind)
    if table_suffix(path) == ".npy":
        return None, read_npy(path, kind)
    archive = Archive(path, kind)
    ids = archive.get("ids")
    if ids is not None and (ids.ndim != 1 or ids.dtype.kind not in "iuU"):
        raise InputError(f"The {kind} file {path} must hold its ids as one list of integers or words.")
    if "format" in archive and "shape" in archive:
        matrix = archive.sparse()
    else:
        name = kind if kind in archive else next((name for name in archive.names if name != "ids"), None)
        if name is None:
            raise InputError(f"The {kind} file {path} holds no array.")
        matrix = archive[name]
    if ids is not None:
        if matrix.ndim == 0 or matrix.shape[0] != len(ids):
            raise InputError(f"The {kind} file {path} has {len(ids):,} ids for an array of shape {matrix.shape}.")
        check_unique(ids, f"The {kind} file {path}")
    return ids, matrix


def _read_json(path: Path, kind: str, encoding: str | None) -> tuple[NDArray[Any], list[Any]]:
    import pyarrow as pa

    with reading(path, kind), open_bytes(path, kind, encoding) as file:
        pairs = json.loads(file.read(), object_pairs_hook=list)
    if not isinstance(pairs, list) or not pairs or not all(isinstance(pair, tuple) for pair in pairs):
        raise InputError(f"The {kind} file {path} must hold one object: node id → {kind}.")
    names, values = zip(*pairs, strict=True)
    with reading(path, kind):
        ids = as_array(as_integers(pa.array(names, pa.large_string())))
    check_unique(ids, f"The {kind} file {path}")
    return ids, list(values)


def _read_json_features(path: Path, encoding: str | None) -> tuple[NDArray[Any], Any]:
    ids, lists = _read_json(path, "features", encoding)
    wrong = next((row for row, values in enumerate(lists) if not isinstance(values, list)), None)
    if wrong is not None:
        node = first_few(ids[[wrong]])
        raise InputError(f"The features file {path} must hold a list for each node. That of node {node} is none.")
    flat = list(chain.from_iterable(lists))
    words: tuple[str, ...] | int
    kinds = set(map(type, flat))
    lengths = np.fromiter(map(len, lists), dtype=np.int64, count=len(lists))
    if kinds <= {int, float} and float in kinds and lengths.min() == lengths.max():
        return ids, np.array(flat, dtype=np.float64).reshape(len(lists), -1)
    if kinds == {int}:
        if min(flat) < 0 or max(flat) > np.iinfo(np.int32).max:
            raise InputError(
                f"The features file {path} must hold feature ids of zero or more. Got {min(flat)} to {max(flat)}."
            )
        columns = np.array(flat, dtype=np.int64)
        n_columns = words = max(flat) + 1
    elif kinds == {str}:
        vocabulary, columns = np.unique(np.array(flat, dtype=object), return_inverse=True)
        n_columns, words = len(vocabulary), tuple(vocabulary.tolist())
    else:
        raise InputError(f"The features file {path} must hold lists of feature ids: integers, or words. Got others.")
    check_claim(len(lists), n_columns, len(flat), path, "features")
    rows = np.repeat(np.arange(len(lists)), lengths)
    matrix = sp.coo_array((np.ones(len(flat), dtype=np.float32), (rows, columns)), shape=(len(lists), n_columns)).tocsr()
    matrix.data[:] = 1  # a feature named twice is there once
    return ids, WordLists(matrix, words, f"The features file {path}")
