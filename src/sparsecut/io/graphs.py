"""Graphs from an edge list with feature and label files beside it.

- An edge list is undirected: (a, b) and (b, a) are one edge. Without weights, repeated edges count once; with weights,
  repeats in one direction are summed, and of the two directions the larger counts.
- The nodes are the rows of the feature file, in its order, and an edge that names another node is an error. Without
  features they are the ids of the edges: integers ascending, words in the order they first appear.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.errors import InputError
from sparsecut.graph import Graph
from sparsecut.io.attributes import read_features, read_labels
from sparsecut.io.ids import as_ids, check_known, positions_of
from sparsecut.io.tables import read_table

SOURCE_NAMES = ("source", "src", "from", "u", "id_1", "node_1", "node1", "head")
TARGET_NAMES = ("target", "dst", "to", "v", "id_2", "node_2", "node2", "tail")
WEIGHT_NAMES = ("weight", "weights", "w")


def read_graph(
    path: str | Path,
    *,
    features: str | Path | None = None,
    labels: str | Path | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
) -> Graph:
    """Read a graph from an edge list: `path` and, keyed by node id, `features` and `labels`.

    `source`, `target` and `weight` name columns of the edge list; those left out are guessed, and `Graph.notes` say how.
    """
    table = read_table(path, "edge", frozenset((*SOURCE_NAMES, *TARGET_NAMES, *WEIGHT_NAMES)))
    columns = _edge_columns(table, {"source": source, "target": target, "weight": weight}, path)
    ends = [as_ids(table.column(columns[end]), f"Column {columns[end]!r} of {path}") for end in ("source", "target")]
    if ends[0].dtype.kind != ends[1].dtype.kind:
        ends = [end.astype(np.str_) for end in ends]
    weights = _edge_weights(table, columns.get("weight"), path)

    feature_ids, matrix = (None, None) if features is None else read_features(features)
    node_ids = _node_ids(ends, feature_ids, matrix, path, features)
    i, j = (positions_of(end, node_ids) for end in ends)
    for positions, end in ((i, ends[0]), (j, ends[1])):
        check_known(positions, end, f"The edge file {path}", f"the features file {features}")

    return Graph(
        undirected_adjacency(i, j, weights, len(node_ids)),
        features=matrix,
        labels=None if labels is None else _labels_of(node_ids, labels),
        node_ids=node_ids,
        notes=(f"Edges: {path}, {', '.join(f'{role} in column {name!r}' for role, name in columns.items())}.",),
    )


def undirected_adjacency(i: Any, j: Any, weights: NDArray[Any] | None, n_nodes: int) -> sp.csr_array:
    """The symmetric adjacency of an edge list, by the rule at the top of this file."""
    values = np.ones(len(i), dtype=np.float32) if weights is None else weights
    A = sp.coo_array((values, (i, j)), shape=(n_nodes, n_nodes)).tocsr()  # repeats are summed
    if weights is None:
        A.data[:] = 1
    return A.maximum(A.T.tocsr())


def align_labels(
    node_ids: NDArray[Any], label_ids: NDArray[Any], labels: NDArray[Any], what: str, where: str = "the graph"
) -> NDArray[Any]:
    """Labels in the order of the nodes; a node without one gets −1 or "". A label for an unknown node is an error."""
    positions = positions_of(label_ids, node_ids)
    check_known(positions, label_ids, what, where)
    missing: Any = "" if labels.dtype.kind == "U" else None if labels.dtype == object else -1
    aligned = np.full(len(node_ids), missing, dtype=labels.dtype)
    aligned[positions] = labels
    return aligned


def _edge_columns(table: Any, asked: dict[str, str | None], path: str | Path) -> dict[str, str]:
    names = table.column_names
    if len(names) < 2:
        raise InputError(f"The edge file {path} has one column, {names[0]!r}. An edge list needs a source and a target.")
    chosen: dict[str, str] = {}
    for role, known in (("source", SOURCE_NAMES), ("target", TARGET_NAMES), ("weight", WEIGHT_NAMES)):
        if asked[role] is not None:
            if asked[role] not in names:
                raise InputError(
                    f"The edge file {path} has no column {asked[role]!r} for the {role}. It has: {', '.join(names)}."
                )
            chosen[role] = str(asked[role])
        else:
            named = [name for name in names if name.lower() in known and name not in chosen.values()]
            if named:
                chosen[role] = named[0]
    free = [name for name in names if name not in chosen.values()]
    for role in ("source", "target"):
        if role not in chosen:
            chosen[role] = free.pop(0)
    is_unnamed = names == [f"f{position}" for position in range(len(names))]
    if "weight" not in chosen and is_unnamed and len(names) == 3:
        chosen["weight"] = names[2]
    return {role: chosen[role] for role in ("source", "target", "weight") if role in chosen}


def _edge_weights(table: Any, column: str | None, path: str | Path) -> NDArray[np.float32] | None:
    if column is None:
        return None
    import pyarrow as pa

    values = table.column(column)
    if not (pa.types.is_integer(values.type) or pa.types.is_floating(values.type)):
        raise InputError(
            f"The edge file {path} must hold numbers in its weight column {column!r}. Got {values.type} values."
        )
    weights = np.asarray(values.to_numpy(), dtype=np.float32)  # an empty cell becomes NaN
    bad = np.flatnonzero(~(weights >= 0) | np.isinf(weights))
    if len(bad):
        raise InputError(
            f"The edge file {path} must hold finite weights of zero or more in column {column!r}. "
            f"Got {weights[bad[0]]:g} in row {bad[0] + 1}."
        )
    return weights


def _node_ids(
    ends: list[NDArray[Any]], feature_ids: NDArray[Any] | None, matrix: Any, path: str | Path, features: str | Path | None
) -> NDArray[Any]:
    if feature_ids is not None:
        return feature_ids
    if matrix is None:
        ids = np.concatenate(ends)
        unique, first = np.unique(ids, return_index=True)
        return unique if ids.dtype.kind in "iu" else ids[np.sort(first)]
    n_rows = matrix.shape[0]
    if ends[0].dtype.kind not in "iu" or min(map(np.min, ends)) < 0 or max(map(np.max, ends)) >= n_rows:
        raise InputError(
            f"The features file {features} has {n_rows:,} rows without ids, so the ids in {path} must be integers from 0 to "
            f"{n_rows - 1:,}. Got others. Give the features an id column (CSV or Parquet), or an array 'ids' (npz)."
        )
    return np.arange(n_rows)


def _labels_of(node_ids: NDArray[Any], path: str | Path) -> NDArray[Any]:
    label_ids, labels = read_labels(path)
    if label_ids is not None:
        return align_labels(node_ids, label_ids, labels, f"The labels file {path}")
    if len(labels) != len(node_ids):
        raise InputError(f"The labels file {path} has {len(labels):,} rows without ids for {len(node_ids):,} nodes.")
    return labels
