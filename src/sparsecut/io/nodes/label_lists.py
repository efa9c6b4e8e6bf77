"""Several labels per node from files, in the order of an embedding's nodes.

- `.npy`: a matrix of zeros and ones, a column per label, one row per node in order
- `.npz`: the same, dense or scipy sparse, with `ids` beside it or not
- `.json`: node id → list of labels
- tables: a column of ids and a column of labels, one row per node and label, so that a node may occur several times; or a
  row per node with its labels in one cell, "a;b", "a|b" or "a, b". An empty cell is no label
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features import LABEL_SEPARATORS, items_of, shared_separator
from sparsecut.graph import Ids, label_column_of
from sparsecut.io.edges.ids import ID_NAMES, as_ids, check_known, positions_of
from sparsecut.io.files import check_readable
from sparsecut.io.nodes.attributes import NodeTable, is_text_file, read_arrays, read_object
from sparsecut.io.opening import check_encoding, table_suffix


def read_label_lists(
    path: str | Path, node_ids: Ids, id_name: str | None = None, column: str | None = None, encoding: str | None = None
) -> Any:
    """The labels of every node: a matrix (n, c), NaN in the rows of nodes that have none; or a list with one list each."""
    path = check_readable(path, "labels")
    encoding = check_encoding("labels", encoding)
    if table_suffix(path) in (".npy", ".npz"):
        ids, matrix = read_arrays(path, "labels")
        return _placed_matrix(matrix, ids, node_ids, path)
    if table_suffix(path) == ".json":
        ids, lists = read_object(path, "labels", encoding)
        if not all(isinstance(one, list) for one in lists):
            raise InputError(f"The labels file {path} must hold a list of labels for each node. It holds others.")
        return _placed_lists(ids, lists, node_ids, path)
    header = frozenset((*ID_NAMES, "label", "labels", "group", *(() if column is None else (column.lower(),))))
    table = NodeTable.read(path, "labels", header, id_name, encoding=encoding)
    chosen = label_column_of(table.others, column, table.what)
    ids = as_ids(table.table.column(table.id_name), table.what, is_text=is_text_file(path))
    names = ["" if value is None else str(value).strip() for value in table.others.column(chosen).to_pylist()]
    separator = shared_separator(names, LABEL_SEPARATORS)
    by_node: dict[Any, list[str]] = {}
    for node, name in zip(ids.tolist(), names, strict=True):
        items = items_of(name, separator) if separator else [name] if name else []
        by_node.setdefault(node, []).extend(items)
    lists = [labels or None for labels in by_node.values()]
    return _placed_lists(np.array(list(by_node)), lists, node_ids, path)


def _placed_matrix(matrix: Any, ids: Ids | None, node_ids: Ids, path: Path) -> Any:
    values = np.asarray(matrix.toarray() if sp.issparse(matrix) else matrix, dtype=np.float64)
    if values.ndim != 2 or (ids is None and len(values) != len(node_ids)):
        raise InputError(
            f"The labels file {path} must hold one row of zeros and ones for each of the {len(node_ids):,} nodes. "
            f"Got shape {values.shape}."
        )
    if ids is None:
        return values
    placed = np.full((len(node_ids), values.shape[1]), np.nan)
    placed[_rows(ids, node_ids, path)] = values
    return placed


def _placed_lists(ids: Ids, lists: Sequence[list[Any] | None], node_ids: Ids, path: Path) -> list[list[Any] | None]:
    placed: list[list[Any] | None] = [None] * len(node_ids)
    for row, labels in zip(_rows(ids, node_ids, path).tolist(), lists, strict=True):
        placed[row] = labels
    return placed


def _rows(ids: Ids, node_ids: Ids, path: Path) -> NDArray[np.int64]:
    rows = positions_of(ids, node_ids)
    check_known(rows, ids, f"The labels file {path}", "the embedding")
    return rows
