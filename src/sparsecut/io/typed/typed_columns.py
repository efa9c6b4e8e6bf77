"""One table of all nodes with a column that names the type of each, and one table of all edges: taken apart by type.

Ids are unique across the types here; an edge has the types of its ends. A column that is empty for all nodes of a type is no
feature of theirs. Edges of an undirected graph between two types are one type of edges, whichever end comes first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.graph import is_frame, match_frame
from sparsecut.graph.relations import EdgeType
from sparsecut.graph.times import EdgeTimes
from sparsecut.io.edges.ids import ID_NAMES, as_array, as_ids, check_known, check_unique, positions_of
from sparsecut.io.edges.table_files import read_parquet_folder
from sparsecut.io.nodes.attributes import NodeTable
from sparsecut.io.typed.relation_options import RelationOptions

UNNAMED = "to"


def split_by_type(
    nodes: Any, edges: Any, type_column: str, relation_column: str | None, options: RelationOptions,
    id_column: str | None, encoding: str | None, *, is_directed: bool,
) -> tuple[dict[str, Any], dict[EdgeType, Any], tuple[str, ...]]:  # fmt: skip
    """(tables of nodes by type, tables of edges by (type, relation, type), notes), as `from_tables` takes them."""
    (rows,) = options.read({("node", UNNAMED, "node"): edges}, encoding)
    known = np.unique(np.concatenate([as_array(end).astype(object) for end in (rows.sources, rows.targets)]).astype(str))
    ids, table = _nodes_of(nodes, known, type_column, id_column, encoding)
    types = _words(table.column(type_column), f"The column {type_column!r} of the nodes")
    check_unique(ids, "The table of nodes")
    places = [positions_of(end, ids) for end in (rows.sources, rows.targets)]
    for place, end in zip(places, (rows.sources, rows.targets), strict=True):
        check_known(place, as_array(end), "The table of edges", "the table of nodes")
    relations = np.full(len(places[0]), UNNAMED)
    if relation_column is not None:
        if relation_column not in rows.table.column_names:
            names = first_few(rows.table.column_names, 20)
            raise InputError(f"The table of edges has no column {relation_column!r}. It has: {names}.")
        relations = _words(rows.table.column(relation_column), f"The column {relation_column!r} of the edges")
    found = edges_by_type(types, places[0], places[1], relations, is_directed=is_directed)
    tables: dict[EdgeType, Any] = {}
    for key, (chosen, first, second) in found.items():
        columns = {"source": ids[first], "target": ids[second]}
        columns |= {} if rows.weights is None else {"weight": rows.weights[chosen]}
        tables[key] = columns if rows.moments is None else {**columns, "time": _as_given(rows.moments, chosen)}
    features = table.drop_columns([type_column])
    split = {}
    for name in dict.fromkeys(types.tolist()):
        own = features.filter(types == name)
        used = [column for column in own.column_names if own.column(column).null_count < own.num_rows]
        split[name] = (ids[types == name], own.select(used)) if used else ids[types == name]
    return split, tables, rows.notes


def _as_given(moments: EdgeTimes, chosen: NDArray[np.int64]) -> NDArray[Any]:
    """Some times, as dates where they were dates."""
    values = moments.values[chosen]
    return np.round(values * 1e6).astype("datetime64[us]") if moments.is_calendar else values


def edges_by_type(
    types: NDArray[np.str_], i: NDArray[np.int64], j: NDArray[np.int64], relations: NDArray[np.str_], *, is_directed: bool
) -> dict[EdgeType, tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]]:
    """(which edges, their sources, their targets) of every type of edges."""
    kinds: dict[EdgeType, list[tuple[NDArray[np.int64], bool]]] = {}
    keys = np.rec.fromarrays([types[i], relations, types[j]])
    for unique in dict.fromkeys(keys.tolist()):
        source, name, target = (str(part) for part in unique)
        chosen = np.flatnonzero((types[i] == source) & (relations == name) & (types[j] == target))
        is_turned = not is_directed and (target, name, source) in kinds
        key = (target, name, source) if is_turned else (source, name, target)
        kinds.setdefault(key, []).append((chosen, is_turned))
    return {
        key: (
            np.concatenate([chosen for chosen, _ in parts]),
            np.concatenate([j[chosen] if is_turned else i[chosen] for chosen, is_turned in parts]),
            np.concatenate([i[chosen] if is_turned else j[chosen] for chosen, is_turned in parts]),
        )
        for key, parts in kinds.items()
    }


def _nodes_of(
    nodes: Any, known: NDArray[Any], type_column: str, id_column: str | None, encoding: str | None
) -> tuple[NDArray[Any], Any]:
    """(ids, the other columns) of the table of all nodes."""
    what = "The table of nodes"
    if isinstance(nodes, str | Path) and Path(nodes).is_dir():
        nodes = read_parquet_folder(Path(nodes), "node")
    if isinstance(nodes, str | Path):
        table = NodeTable.read(nodes, "node", frozenset((*ID_NAMES, type_column.lower())), id_column, (), encoding)
        table = table.found(known, "cover", (type_column.lower(),))
        ids, others = table.ids, table.others
    elif is_frame(nodes):
        matched = match_frame(nodes, known, what, id_column=id_column, fit="cover", is_ordered=False, never=(type_column,))
        if matched.column is None:
            raise InputError(f"{what} has no column whose values are the node ids. Name it: id_column=…")
        ids, others = as_ids(_arrow_of(matched.column), what), matched.table
    else:
        raise InputError(f"{what} must be a frame or a file with a column {type_column!r}. Got {type(nodes).__name__}.")
    if type_column not in others.column_names:
        raise InputError(f"{what} has no column {type_column!r}. It has: {first_few(others.column_names, 20)}.")
    return ids, others


def _arrow_of(column: Any) -> Any:
    import pyarrow as pa

    return pa.array(column) if isinstance(column, np.ndarray) else column


def _words(column: Any, what: str) -> NDArray[np.str_]:
    if column.null_count:
        raise InputError(f"{what} has an empty cell. Every one needs a type.")
    return np.array([str(one) for one in column.to_pylist()], dtype=np.str_)
