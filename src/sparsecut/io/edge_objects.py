"""Edges as a user holds them in Python, as one table: frames, relations, arrays, columns in a dict, lists of pairs.

Ids stay what they are. A list that mixes words and integers is refused: numpy would make words of both, and one node of 7
and "7".
"""

from __future__ import annotations

import warnings
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, ReadingWarning, check_choice
from sparsecut.features import Scale, table_source
from sparsecut.graph import (
    DIRECTIONS,
    Graph,
    as_id_array,
    as_integers,
    check_one_kind,
    from_torch,
    id_error,
    is_frame,
    library_of,
    loop_notes,
    match_frame,
    not_square,
    place_labels,
    refuse_foreign,
    with_others,
)
from sparsecut.graph.times import EdgeTimes, as_moments
from sparsecut.io.edges.edge_columns import EdgeColumns, decide_by_table, plan_columns
from sparsecut.io.edges.edges import edges_from_table, mixed_kinds
from sparsecut.io.edges.ids import check_known, plain_ids, positions_of, renumbered, turned_to_words
from sparsecut.io.edges.table_files import as_table
from sparsecut.io.edges.weighing import Weighing, matrices

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


def columns_of_rows(rows: Sequence[Any], what: str) -> dict[str, Any]:
    """Pairs, or pairs with a weight, whose ends are of two types: integers in one column and words in the other are fine."""
    _check_rows(rows, what)
    return {role: [row[place] for row in rows] for place, role in enumerate(ROLES[: len(rows[0]) if rows else 2])}


def check_ends(table: Any, columns: EdgeColumns, what: str) -> None:
    """Refuse columns of ids that are fractions or truth values, and words in one where there are integers in the other."""
    import pyarrow as pa

    ends, are_integers = (columns.source, columns.target), []
    for name in ends:
        column = table.column(name)
        kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
        if pa.types.is_boolean(kind):
            raise InputError(f"{what} must have integers or words as node ids. Got truth values in column {name!r}.")
        is_integer = pa.types.is_integer(plain_ids(column, f"{what}, in column {name!r},").type)
        if pa.types.is_floating(kind) and not is_integer:
            raise InputError(f"{what} must have integers or words as node ids. Got fractions in column {name!r}.")
        are_integers.append(bool(is_integer))
    is_filled = table.num_rows and all(table.column(name).null_count < table.num_rows for name in ends)
    if are_integers[0] != are_integers[1] and is_filled and columns.sides is None:
        raise mixed_kinds(are_integers, columns, what)


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

    _check_rows(rows, what)
    kind = check_one_kind([end for row in rows for end in row[:2]], what, entries_per_row=2)
    if kind not in ("integers", "words", None):
        raise id_error(what, kind, rows[0][0])
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


def _check_rows(rows: Sequence[Any], what: str) -> None:
    for number, row in enumerate(rows, start=1):
        if not isinstance(row, tuple | list | np.ndarray) or len(row) not in (2, 3) or len(row) != len(rows[0]):
            raise InputError(
                f"{what} must be pairs (a, b), or all of them (a, b, weight). Got {_shown(row)} in row {number:,}."
            )


def _table_of_columns(columns: Mapping[Any, Any], what: str) -> Any:
    import pyarrow as pa

    arrays = {}
    for name, values in columns.items():
        listed = list(values) if not hasattr(values, "dtype") or values.dtype == object else None
        try:
            arrays[str(name)] = pa.array(values if listed is None else listed, from_pandas=True)
        except (pa.ArrowInvalid, pa.ArrowTypeError, TypeError, OverflowError) as error:
            as_id_array(listed or [], f"Column {str(name)!r} of {_lowered(what)}")
            raise InputError(f"{what} cannot take column {name!r}: {str(error).splitlines()[0]}.") from error
    try:
        return pa.table(arrays)
    except (pa.ArrowInvalid, pa.ArrowTypeError) as error:
        raise InputError(f"{what} must have columns of one length. {str(error).splitlines()[0]}.") from error


def _table_of_frame(frame: Any, what: str) -> Any:
    import pyarrow as pa

    try:
        return as_table(frame, "from_edges")
    except (pa.ArrowInvalid, pa.ArrowTypeError, OverflowError) as error:
        for name in frame.columns:
            values = [value for value in frame[name].tolist() if value is not None and value == value]
            as_id_array(values, f"Column {str(name)!r} of {_lowered(what)}")
        raise InputError(f"{what} could not be read: {str(error).splitlines()[0]}.") from error


def _column(values: list[Any], kind: str | None, what: str) -> Any:
    import pyarrow as pa

    if kind != "integers":
        return pa.array([str(value) for value in values], pa.large_string())
    return pa.array(as_integers(values, what))


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
    bipartite: bool | None = None,
    time: Any = None,
    half_life: Any = None,
    decay: float | None = None,
    now: Any = None,
    signed: bool = False,
    directed: str = "symmetrize",
    scale: Scale = "auto",
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
        Columns of a table; chosen by their names and values where not given (docs/files.md). What was chosen and what was
        left out is in `Graph.notes`, and a `ReadingWarning` says where another choice was possible.
    bipartite : bool, default=None
        True: the two columns hold two kinds of nodes. Ids say their side, "user:7" and "movie:7" for the columns user_id and
        movieId, and `Graph.types` has the side of every node; features, labels and `node_ids` name nodes in this way too.
        False: both hold one kind. Where not given they are taken for one kind, with a `ReadingWarning` where names and ids
        speak for two.
    time : str, array, series or list, default=None
        The column of the times of the edges, or one time for each: dates, times, ISO text, epochs (s, ms, µs, ns), or
        numbers of a unit of their own. An edge then weighs its weight times 2^(−age/half_life); its repeats add up, without
        directions either way round. An edge without a time is an error.
    half_life : str, timedelta or float, default=None
        The age at which an edge weighs half as much: "30d", "12h", "1y", or a number in seconds (in the unit of `time` where
        that is no calendar's); "none" for no ageing. Where it is not given, or "auto", it is chosen by how well earlier
        edges tell later ones (`sparsecut.io.edges.half_life`).
    decay : float, default=None
        In place of `half_life`: an edge weighs exp(−decay·age).
    now : date, time, text or number, default=None
        The moment at which an edge weighs 1; the latest edge where not given. A later edge is an error.
    signed : bool, default=False
        Whether weights may be below zero. Such edges ask for distance: they are `Graph.demands`, and not in the adjacency.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        "out" and "in" keep the directions (see `Graph`).
    scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
        The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
        standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
        the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".
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
    >>> ratings = {"user_id": [1, 1, 2], "movie_id": [1, 2, 2]}
    >>> sc.from_edges(ratings, bipartite=True).node_ids.tolist()
    ['user:1', 'user:2', 'movie:1', 'movie:2']
    >>> calls = {"caller": ["anna", "ben"], "callee": ["ben", "carl"], "day": ["2026-01-01", "2026-01-31"]}
    >>> sc.from_edges(calls, time="day", half_life="30d").adjacency.toarray()[1].tolist()
    [0.5, 0.0, 1.0]
    """
    check_choice("from_edges", "directed", directed, DIRECTIONS)
    what = "The table of edges"
    table, is_ordered = edge_table(edges, what)
    if table.num_rows == 0:
        raise InputError(f"{what} has no rows.")
    weighing = Weighing("from_edges", time, half_life, decay, now, signed)
    asked = {"source": source, "target": target, "weight": weight}
    if is_ordered:
        asked = {role: asked[role] or (role if role in table.column_names else None) for role in ROLES}
    asked["time"] = time if isinstance(time, str) else None
    plan = plan_columns([str(name) for name in table.column_names], asked, what, bipartite)
    columns = decide_by_table(plan, table)
    check_ends(table, columns, what)
    numbered = edges_from_table(table, columns, what)
    del table  # as large as the graph that is made of it
    known = numbered.ids if node_ids is None else as_id_array(node_ids)
    position = np.arange(len(known)) if node_ids is None else positions_of(numbered.ids, known)
    check_known(position, numbered.ids, "The table of edges", "node_ids")
    ids, features, labels, brought_notes = _match_nodes(known, features, labels, id_column, scale, node_ids is not None)
    position = position if ids is known else positions_of(numbered.ids, ids)
    moments = numbered.moments if time is None or isinstance(time, str) else _times_of(time, len(numbered.i))
    i, j = renumbered((numbered.i, numbered.j), position, len(ids))
    made = matrices(i, j, numbered.weights, moments, len(ids), directed, weighing, what, numbered.columns.weight_name)
    read = (f"Edges: {numbered.columns}.", *numbered.notes, *numbered.doubts)
    notes = (*read, *loop_notes(made.n_loops), *made.notes, *brought_notes)
    for doubt in numbered.doubts:
        warnings.warn(doubt, ReadingWarning, stacklevel=2)
    brought = {"features": features, "labels": labels, "scale": scale, "notes": notes}
    if node_ids is not None:  # the caller's own: may repeat
        is_directed = directed != "symmetrize"
        graph = Graph(made.adjacency, node_ids=ids, directed="out" if is_directed else "symmetrize", **brought)
        return graph.replace(node_types=columns.sides, **made.parts)
    parts = {**brought, **made.parts}
    return Graph.from_canonical(made.adjacency, node_ids=ids, directed=directed, node_types=columns.sides, **parts)


def _times_of(times: Any, n_edges: int) -> EdgeTimes:
    """The times of edges that come beside them."""
    moments = as_moments(times, "The time parameter of from_edges")
    if len(moments.values) != n_edges:
        raise InputError(
            f"The time parameter of from_edges must have one time for each edge. Got {len(moments.values):,} times for "
            f"{n_edges:,} edges."
        )
    return moments


def _match_nodes(
    ids: NDArray[Any], features: Any, labels: Any, id_column: str | None, scale: Scale, is_given: bool
) -> tuple[NDArray[Any], Any, Any, tuple[str, ...]]:
    """(ids, features, labels, notes): the nodes of the edges, with those that the features add, and rows in their order."""
    beside, notes = None, list[str]()
    n_before = len(ids)
    if is_frame(features):
        what = "The frame of features"
        fit: Any = "all" if is_given else "cover"
        matched = match_frame(features, ids, what, id_column=id_column, fit=fit, is_ordered=is_given)
        beside, notes = (features, matched), [*matched.notes]
        if matched.column is not None and matched.found is None and not is_given:
            of_edges = ids
            ids, matched = matched.extended(ids)
            for doubt in turned_to_words(ids, of_edges, what):
                warnings.warn(doubt, ReadingWarning, stacklevel=3)
                notes.append(doubt)
        features = table_source(matched.table, what, scale=scale)
        rows = matched.rows(ids, what)
        features = features if rows is None else features.placed(rows)
    elif isinstance(features, Mapping) and not is_given:
        what, named = "The dict of features", as_id_array(list(features), "The dict of features")
        has_all = bool((positions_of(ids, named) >= 0).all())
        ids = with_others(ids, named) if has_all else ids
    if len(ids) > n_before:
        notes.append(f"{what}: {len(ids) - n_before:,} node{'s have' if len(ids) - n_before > 1 else ' has'} no edges.")
    if labels is not None:
        labels = from_torch(labels) if library_of(labels) == "torch" else labels
        labels, label_notes = place_labels(labels, ids, id_column=id_column, is_ordered=is_given, features=beside)
        notes += label_notes
    return ids, features, labels, tuple(notes)
