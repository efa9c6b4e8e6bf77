"""Edges as a user holds them in Python, as one table: frames, relations, arrays, columns in a dict, lists of pairs.

Ids stay what they are. A list that mixes words and integers is refused: numpy would make words of both, and one node of 7
and "7".
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.encoding import FeatureTable
from sparsecut.errors import InputError, check_choice
from sparsecut.graph import (
    DIRECTIONS,
    Graph,
    as_id_array,
    check_one_kind,
    from_torch,
    is_frame,
    library_of,
    loop_notes,
    match_frame,
    not_square,
    place_labels,
    refuse_foreign,
    with_others,
)
from sparsecut.io.adjacency import build_adjacency
from sparsecut.io.edge_columns import choose_columns
from sparsecut.io.edges import edges_from_table
from sparsecut.io.ids import check_known, plain_ids, positions_of
from sparsecut.io.tables import as_table

TAKES = "from_edges takes a table (pandas, polars, pyarrow, DuckDB), an array (m, 2) or (m, 3), or a list of pairs."
ROLES = ("source", "target", "weight")


def edge_table(edges: Any, what: str) -> tuple[Any, bool]:
    """(pyarrow table, whether its columns are source, target and weight by their order, with no name to go by)."""
    import pyarrow as pa

    library = library_of(edges)
    if library == "torch":
        edges = from_torch(edges)
    if sp.issparse(edges):
        raise InputError(
            f"{TAKES} Got a sparse matrix of shape {edges.shape}. An adjacency is a graph: sc.Graph(adjacency)."
        )
    if isinstance(edges, np.ndarray) and edges.dtype.names is None:
        return _table_of_array(edges, what), True
    if isinstance(edges, np.ndarray):
        edges = {name: edges[name] for name in edges.dtype.names}
    if isinstance(edges, Mapping) and library != "networkx":  # whose views of edges are mappings too
        return _table_of_columns(edges, what), False
    if library == "polars" and hasattr(edges, "collect"):
        edges = edges.collect()
    if library in ("pandas", "polars") or isinstance(edges, pa.Table):
        return _table_of_frame(edges, what), False
    if hasattr(edges, "__arrow_c_stream__") or isinstance(edges, pa.RecordBatch):  # DuckDB, readers of batches, others
        return (pa.Table.from_batches([edges]) if isinstance(edges, pa.RecordBatch) else pa.table(edges)), False
    if library != "networkx" or hasattr(edges, "is_directed"):  # G.edges is a list of pairs, G is not
        refuse_foreign(edges, TAKES)
    if not isinstance(edges, Iterable):
        raise InputError(f"{TAKES} Got {type(edges).__name__}.")
    return _table_of_rows(list(edges), what), True


def check_ends(table: Any, ends: tuple[str, str], what: str) -> None:
    """Refuse columns of ids that are fractions or truth values, and words in one where there are integers in the other."""
    import pyarrow as pa

    kinds = []
    for name in ends:
        column = table.column(name)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        is_integer = pa.types.is_integer(plain_ids(column).type)
        if pa.types.is_boolean(kind) or (pa.types.is_floating(kind) and not is_integer):
            got = "truth values" if pa.types.is_boolean(kind) else "fractions"
            raise InputError(f"{what} must have integers or words as node ids. Got {got} in column {name!r}.")
        kinds.append("integers" if is_integer else "words")
    if kinds[0] != kinds[1] and table.num_rows and all(table.column(name).null_count < table.num_rows for name in ends):
        raise InputError(
            f"{what} mixes {kinds[0]} in column {ends[0]!r} and {kinds[1]} in column {ends[1]!r} as node ids. "
            "Make them one kind first."
        )


def _table_of_array(edges: Any, what: str) -> Any:
    import pyarrow as pa

    if edges.ndim != 2 or edges.shape[1] not in (2, 3):
        hint = not_square(edges.shape) if edges.ndim == 2 else ""
        raise InputError(f"{TAKES} Got an array of shape {edges.shape}.{hint}")
    if edges.dtype.kind not in "iufU":
        return _table_of_rows(edges.tolist(), what)
    if edges.dtype.kind == "f" and not np.isfinite(edges[:, :2]).all():
        row = int(np.flatnonzero(~np.isfinite(edges[:, :2]).all(axis=1))[0])
        raise InputError(f"{what} has no number for a node id in row {row + 1:,}.")
    columns = [pa.array(np.ascontiguousarray(column)) for column in edges.T]
    return pa.table(dict(zip(ROLES, columns, strict=False)))


def _table_of_rows(rows: list[Any], what: str) -> Any:
    import pyarrow as pa

    for number, row in enumerate(rows, start=1):
        if not isinstance(row, tuple | list | np.ndarray) or len(row) not in (2, 3) or len(row) != len(rows[0]):
            raise InputError(
                f"{what} must be pairs (a, b), or all of them (a, b, weight). Got {_shown(row)} in row {number:,}."
            )
    kind = check_one_kind([end for row in rows for end in row[:2]], what, entries_per_row=2)
    if kind not in ("integers", "words", None):
        raise InputError(f"{what} must have integers or words as node ids. Got {kind}, as in {_shown(rows[0])}.")
    columns: dict[str, Any] = {}
    for position, role in enumerate(ROLES[: len(rows[0]) if rows else 2]):
        values = [row[position] for row in rows]
        if role == "weight":
            wrong = next((number for number, value in enumerate(values, 1) if not _is_number(value)), None)
            if wrong is not None:
                raise InputError(
                    f"{what} must have a number as the weight of an edge. Got {values[wrong - 1]!r} in row {wrong:,}."
                )
            columns[role] = pa.array([float(value) for value in values])
        else:
            columns[role] = _column(values, kind, what)
    return pa.table(columns)


def _table_of_columns(columns: Mapping[Any, Any], what: str) -> Any:
    import pyarrow as pa

    arrays = {}
    for name, values in columns.items():
        listed = list(values) if not hasattr(values, "dtype") or values.dtype == object else None
        try:
            arrays[str(name)] = pa.array(values if listed is None else listed, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError) as error:
            check_one_kind(listed or [], f"Column {str(name)!r} of {_lowered(what)}")
            raise InputError(f"{what} cannot take column {name!r}: {str(error).splitlines()[0]}.") from error
    try:
        return pa.table(arrays)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"{what} must have columns of one length. {str(error).splitlines()[0]}.") from error


def _table_of_frame(frame: Any, what: str) -> Any:
    import pyarrow as pa

    try:
        return as_table(frame, "from_edges")
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        for name in frame.columns:
            values = [value for value in frame[name].tolist() if value is not None and value == value]
            check_one_kind(values, f"Column {str(name)!r} of {_lowered(what)}")
        raise InputError(f"{what} could not be read: {str(error).splitlines()[0]}.") from error


def _column(values: list[Any], kind: str | None, what: str) -> Any:
    import pyarrow as pa

    if kind != "integers":
        return pa.array([str(value) for value in values], pa.large_string())
    try:
        return pa.array([int(value) for value in values], pa.int64())
    except (OverflowError, pa.ArrowInvalid) as error:
        raise InputError(f"{what} has an integer beyond 64 bits as a node id. Pass such ids as words.") from error


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | np.number) and not isinstance(value, bool)


def _lowered(what: str) -> str:
    return what[:1].lower() + what[1:]


def _shown(row: Any) -> str:
    text = repr(row.tolist() if isinstance(row, np.ndarray) else row)
    return text if len(text) <= 80 else f"{text[:77]}..."


def from_edges(
    edges: Any,
    *,
    features: Any = None,
    labels: Any = None,
    node_ids: Any = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    directed: str = "symmetrize",
    scale: bool = True,
    id_column: str | None = None,
) -> Graph:
    """A graph from edges that Python holds.

    Parameters
    ----------
    edges : table, array or iterable of pairs
        A frame of pandas or polars, a pyarrow table, a DuckDB relation or a dict of columns; an array (m, 2), or (m, 3) with
        weights; pairs (a, b) or (a, b, weight), in a list or from a generator. Ids are integers or words, not both.
    features : array or frame, default=None
        The rows of a frame are matched to the nodes by the column whose values are the node ids, whatever its name, or by
        its index (the rule: `sparsecut.graph.id_columns`); a row of a node without edges adds that node. The rows of an
        array are in the order of `node_ids`. Without `node_ids` the nodes are those of the edges and of the frame, integers
        ascending, words in the order they first appear.
    labels : array, series, frame or dict, default=None
        A series with an index of ids, a frame with a column of them and a dict from id to label may name a few nodes; the
        others have no label. An array is in the order of `node_ids`.
    node_ids : array, default=None
        All nodes, those without edges too.
    source, target, weight : str, default=None
        Columns of a table; by their usual names, or the first ones, where not given.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        "out" and "in" keep the directions (see `Graph`).
    scale : bool, default=True
        Whether the numbers of a frame of features are standardised. False where its columns share a unit already.
    id_column : str, default=None
        The column of a frame of features or labels that holds the node ids, or "index"; found by its values where not given.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        Where an edge names a node that is not in `node_ids`, or ids are neither all integers nor all words.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.from_edges([("anna", "ben"), ("ben", "carl")]).node_ids.tolist()
    ['anna', 'ben', 'carl']
    """
    check_choice("from_edges", "directed", directed, DIRECTIONS)
    what = "The table of edges"
    table, is_ordered = edge_table(edges, what)
    if table.num_rows == 0:
        raise InputError(f"{what} has no rows.")
    asked = {"source": source, "target": target, "weight": weight}
    if is_ordered:
        asked = {role: asked[role] or (role if role in table.column_names else None) for role in ROLES}
    columns = choose_columns([str(name) for name in table.column_names], asked, what)
    check_ends(table, (columns.source, columns.target), what)
    numbered = edges_from_table(table, columns, what)
    ids = numbered.ids if node_ids is None else as_id_array(node_ids)
    if node_ids is not None:
        check_known(positions_of(numbered.ids, ids), numbered.ids, "The table of edges", "node_ids")
    ids, features, labels, brought_notes = _match_nodes(ids, features, labels, id_column, scale, node_ids is not None)
    position = positions_of(numbered.ids, ids)
    adjacency, n_loops = build_adjacency(position[numbered.i], position[numbered.j], numbered.weights, len(ids), directed)
    notes = (f"Edges: {numbered.columns}.", *loop_notes(n_loops), *brought_notes)
    brought = {"features": features, "labels": labels, "scale": scale, "notes": notes}
    if node_ids is not None:  # the caller's own: may repeat
        return Graph(adjacency, node_ids=ids, directed="symmetrize" if directed == "symmetrize" else "out", **brought)
    return Graph.from_canonical(adjacency, node_ids=ids, directed=directed, **brought)


def _match_nodes(
    ids: NDArray[Any], features: Any, labels: Any, id_column: str | None, scale: bool, is_given: bool
) -> tuple[NDArray[Any], Any, Any, tuple[str, ...]]:
    """(ids, features, labels, notes): the nodes of the edges, with those that the features add, and rows in their order."""
    beside, notes = None, list[str]()
    if is_frame(features):
        what, n_before = "The frame of features", len(ids)
        fit: Any = "all" if is_given else "cover"
        matched = match_frame(features, ids, what, id_column=id_column, fit=fit, is_ordered=is_given)
        beside, notes = (features, matched), [*matched.notes]
        if matched.column is not None and matched.found is None and not is_given:
            ids = with_others(ids, matched.column)
        features = FeatureTable(matched.table, what, scale=scale)
        rows = matched.rows(ids, what)
        features = features if rows is None else features.placed(rows)
        if len(ids) > n_before:
            notes.append(f"{what}: {len(ids) - n_before:,} nodes have no edges.")
    if labels is not None:
        labels = from_torch(labels) if library_of(labels) == "torch" else labels
        labels, told = place_labels(labels, ids, id_column=id_column, is_ordered=is_given, features=beside)
        notes += told
    return ids, features, labels, tuple(notes)
