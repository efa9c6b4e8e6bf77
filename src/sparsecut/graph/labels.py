"""Labels as they come, of any type, and as numbers. −1, None, NaN and "" mean that a node has none.

A few labelled nodes are the normal case: a series with an index, a frame with a column of ids or a dict names some nodes,
and the others have no label. An array, a list and a series with the default index have one entry per node, in their order.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.graph.frames import Matched, check_rows, index_of, is_frame, match_frame
from sparsecut.graph.id_columns import KnownIds
from sparsecut.graph.id_kinds import Ids

LABEL_NAMES = ("label", "labels", "class", "target", "y")


def place_labels(
    labels: Any,
    node_ids: Ids,
    *,
    id_column: str | None = None,
    is_ordered: bool = True,
    features: tuple[Any, Matched] | None = None,
) -> tuple[NDArray[Any], tuple[str, ...]]:
    """(one label per node, notes). `features` are the frame beside the labels and how its rows met the nodes."""
    what = "The labels"
    notes: tuple[str, ...] = ()
    ids: Any
    if isinstance(labels, Mapping):
        ids, values = list(labels), as_labels(list(labels.values()), what)
    elif is_frame(labels):
        what = "The frame of labels"
        matched = match_frame(
            labels, node_ids, what, id_column=id_column, fit="part", is_ordered=is_ordered, never=LABEL_NAMES
        )
        name = label_column_of(matched.table, None, what)
        column = matched.table.column(name).combine_chunks().to_numpy(zero_copy_only=False)
        ids, values = matched.ids, as_labels(column.tolist(), what) if column.dtype == object else column
        notes = (*matched.notes, f"Labels: column {name!r}.")
        what = f"{what}, matched by {matched.by}," if matched.by else what
    else:
        values, ids = np.asarray(labels), index_of(labels)
        if ids is None and _is_series(labels):
            ids = _ids_beside(values, node_ids, is_ordered, features)
        elif ids is not None and features is not None and _has_index_of(labels, features):
            ids = features[1].ids
    if ids is None:
        return values, notes
    if len(ids) == 0:
        raise InputError(f"{what} are empty. Leave them out if there are none.")
    nodes = check_rows(node_ids, np.asarray(ids), what)
    if len(nodes) < len(node_ids):
        values = as_labels(values.tolist(), what) if values.dtype == object else values
        notes = (*notes, f"{what.rstrip(',')}: {len(nodes):,} of {len(node_ids):,} nodes have one.")
    return spread_labels(values, nodes, len(node_ids)), notes


def _ids_beside(
    values: NDArray[Any], node_ids: Ids, is_ordered: bool, features: tuple[Any, Matched] | None
) -> NDArray[Any] | None:
    """The ids of a series without an index: those of the rows of the features, where it is a column of theirs."""
    has_order = is_ordered or KnownIds(node_ids).are_consecutive
    row_ids = None if features is None else features[1].ids
    if row_ids is None or len(row_ids) != len(values):
        if has_order:
            return None
        raise InputError(
            "The labels are a series without node ids, and the nodes are in the order of the edges. Give the series an "
            "index of node ids (pandas: frame.set_index('id')['label']), or pass a dict {id: label}; for the order of the "
            "nodes pass an array, or node_ids= too."
        )
    if not has_order or np.array_equal(row_ids, node_ids):
        return row_ids
    assert features is not None
    raise InputError(
        f"The labels are a series without node ids: they could be in the order of the nodes or in that of the frame of "
        f"features, which was matched by {features[1].by}. Give the series an index of node ids, or pass an array for the "
        "order of the nodes."
    )


def _is_series(labels: Any) -> bool:
    """A column of pandas, polars or Arrow, which may be one of a frame."""
    return type(labels).__module__.split(".")[0] in ("pandas", "polars", "pyarrow")


def _has_index_of(labels: Any, features: tuple[Any, Matched]) -> bool:
    """Whether a series has the index of a frame whose rows were matched by a column: it is one of its columns then."""
    frame, matched = features
    index = index_of(frame)
    return (
        index is not None
        and matched.ids is not None
        and matched.by.startswith("its column")
        and frame.index.equals(labels.index)
    )


def label_column_of(table: Any, asked: str | None, what: str) -> str:
    """The column that holds labels: the one asked for, one of a usual name, or that with the fewest values."""
    names = table.column_names
    if not names:
        raise InputError(f"{what} has no column beside the ids.")
    if asked is not None and asked not in names:
        raise InputError(f"{what} has no column {asked!r}. It has: {first_few(names, 20)}.")
    usual = [name for name in names if name.lower() in LABEL_NAMES]
    return str(asked or (usual[0] if usual else min(names, key=lambda name: len(table.column(name).unique()))))


def as_labels(values: list[Any], what: str) -> NDArray[Any]:
    """Labels as an array: words with "" for none where any is a word."""
    if any(isinstance(value, list | dict) for value in values):
        raise InputError(f"{what} must hold one label per node. Got lists.")
    if all(isinstance(value, int | np.integer) and abs(int(value)) < 2**63 for value in values):
        return np.array(values, dtype=np.int64)
    return np.array(["" if value is None or value != value else str(value) for value in values])


def spread_labels(labels: NDArray[Any], nodes: NDArray[np.int64], n_nodes: int) -> NDArray[Any]:
    """The labels of some nodes as a column of all, with the mark of no label at the others."""
    if labels.dtype.kind in "bu":  # types without a −1 for nodes that have no label
        labels = labels.astype(np.int64)
    absent: Any = {"U": "", "O": None, "f": np.nan}.get(labels.dtype.kind, -1)
    spread = np.full(n_nodes, absent, dtype=labels.dtype)
    spread[nodes] = labels
    return spread


def labelled_nodes(labels: NDArray[Any]) -> NDArray[np.int64]:
    """The nodes that have a label: not −1, None, NaN or ""."""
    if labels.dtype.kind == "f":
        return np.flatnonzero(~np.isnan(labels) & (labels != -1))
    if labels.dtype.kind in "iu":
        return np.flatnonzero(labels != -1)
    return np.flatnonzero([label is not None and label == label and label != "" for label in labels.tolist()])


def encode_labels(labels: ArrayLike) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """The classes in order, and the position of each node's class among them: −1 for a node without a label."""
    if hasattr(labels, "adjacency"):
        raise InputError("The labels must be one value a node. Got a Graph: pass graph.labels.")
    values = np.asarray(labels)
    if values.ndim != 1:
        raise InputError(f"The labels must be one value a node. Got shape {values.shape}.")
    known = labelled_nodes(values)
    named = values[known]
    classes, class_of = np.unique(named.astype(np.str_) if values.dtype == object else named, return_inverse=True)
    codes = np.full(len(values), -1, dtype=np.int64)
    codes[known] = class_of
    return classes, codes
