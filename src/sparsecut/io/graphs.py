"""`read_graph`: a graph from a file of any format, with feature and label files matched to it by node id.

.csv .tsv .txt .edges .edgelist   edge lists in separated text     .parquet .feather .arrow   edge tables
.mtx .npz .mat .graphml .gml .json .h5ad .graph .metis, Planetoid's ind.NAME.graph: a module each in `formats`
a folder made by `build_store`, whose arrays stay on disk; a folder of one table per type of nodes and edges

Text may be packed (.csv.gz, .csv.zst, …) and in any encoding (`sparsecut.io.opening`).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, ReadingWarning, check_choice
from sparsecut.features import Scale
from sparsecut.graph import DIRECTIONS, Graph, loop_notes, refuse_foreign
from sparsecut.io.edges.adjacency import undirected_adjacency
from sparsecut.io.edges.edge_columns import (
    HEADER_NAMES,
    ColumnPlan,
    EdgeColumns,
    choose_before_dictionaries,
    decide_by_table,
    plan_columns,
)
from sparsecut.io.edges.edges import Edges, EdgeText, edges_from_table, edges_from_text, share_no_id
from sparsecut.io.edges.headers import Verdict
from sparsecut.io.edges.ids import check_known, check_unique, positions_of, renumbered
from sparsecut.io.edges.table_files import TABLE_SUFFIXES, TEXT_SUFFIXES, describe_table
from sparsecut.io.edges.text import read_layout, read_text
from sparsecut.io.edges.weighing import Weighing, matrices
from sparsecut.io.files import check_readable
from sparsecut.io.formats.graph_format import OPTIONS, GraphRequest, format_of, known_suffixes
from sparsecut.io.nodes.node_files import MISSING, NodeFiles, align_labels, read_node_files
from sparsecut.io.opening import PACKED_SUFFIXES, check_encoding, refuse_packed, table_suffix, way_out
from sparsecut.io.stores.held import graph_with_nodes
from sparsecut.io.stores.store import is_store, open_store

__all__ = ["align_labels", "read_graph", "undirected_adjacency"]


def read_graph(
    path: str | Path,
    *,
    features: str | Path | Sequence[str] | None = None,
    labels: str | Path | None = None,
    nodes: str | Path | None = None,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    bipartite: bool | None = None,
    time: str | None = None,
    half_life: Any = None,
    decay: float | None = None,
    now: Any = None,
    signed: bool = False,
    adjacency: str | None = None,
    directed: str = "symmetrize",
    missing: str = "error",
    header: bool | None = None,
    separator: str | None = None,
    label_column: str | None = None,
    feature_columns: Sequence[str] | None = None,
    id_column: str | None = None,
    scale: Scale = "auto",
    encoding: str | None = None,
) -> Graph:
    r"""Read a graph from a file; the suffix is the format.

    What a file does not say is guessed. `Graph.notes` say what was guessed, and a `ReadingWarning` is given where another
    guess would give another graph.

    Parameters
    ----------
    path : str or Path
        An edge list, a matrix, a document or a store; docs/files.md lists the formats.
    features, labels : str, Path or list of str, default=None
        Files keyed by node id; or names (features: one, a list, or one string with commas) of columns of the node table, of
        node attributes in GraphML, GML and JSON, or of what an .h5ad holds: obsm, layers, columns of obs. A name that the
        graph file has wins over a file of that name; "./name" is always a file (`sparsecut.io.stores.held`).
    nodes : str or Path, default=None
        A table with one row per node, "nodes.csv" beside "edges.csv" where not named. Given alone, its label column
        (label, class, …) is the labels and the others are features.
    source, target, weight : str, default=None
        Columns of an edge list, chosen by their names and values where not given (docs/files.md); weight also names the
        attribute in GraphML, GML, JSON and networkx's edge lists.
    bipartite : bool, default=None
        True: the two columns of an edge list hold two kinds of nodes. Ids say their side, "user:7" and "movie:7" for the
        columns user_id and movieId, and `Graph.types` has the side of every node. False: both hold one kind. Where not given
        they are taken for one kind, with a `ReadingWarning` where names and ids speak for two.
    time : str, default=None
        The column of the times of an edge list: dates, times, ISO text, epochs (s, ms, µs, ns), or numbers of a
        unit of their own. An edge then weighs its weight times 2^(−age/half_life); its repeats add up, without directions
        either way round. An edge without a time is an error.
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
    adjacency : str, default=None
        Which matrix of a .mat or .npz file is the adjacency, or which obsp of an .h5ad.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        "out" and "in" keep the directions (see `Graph`).
    missing : {"error", "zero"}, default="error"
        "zero": a node without features gets zeros, and rows for nodes that the graph does not have are left out. Labels need
        no option: a node without one has none.
    header : bool, default=None
        Whether the first line of a text edge list is a header. Decided from the file where not given.
    separator : str, default=None
        What separates the columns of a text edge list, one character. Decided from the file where not given.
    label_column : str, default=None
        The column of the labels file, or of the node table, that holds the labels. To name it also says that the file has a
        header; columns without names are called f0, f1, …
    feature_columns : list of str, default=None
        The columns of the features file, or of the node table, that are features; likewise.
    id_column : str, default=None
        The column of ids in the tables of features, labels and nodes; where not given, the one whose values are the nodes
        (`sparsecut.graph.id_columns`).
    scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
        The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
        standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
        the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".
    encoding : str, default=None
        The encoding of the text files (tables, GraphML, GML, JSON), one of those that Python knows: "latin-1", "cp1252",
        "utf-16", … UTF-8 where not given.

    Returns
    -------
    Graph

    Raises
    ------
    InputError
        Where a file is damaged, or does not fit the others; the message names the remedy.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import sparsecut as sc
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "edges.csv").write_text("source,target\nanna,ben\nben,carl\n")
    >>> _ = (folder / "labels.csv").write_text("id,label\nanna,x\nben,x\ncarl,y\n")
    >>> graph = sc.read_graph(folder / "edges.csv", labels=folder / "labels.csv")
    >>> graph
    Graph(3 nodes, 2 edges, labels)
    >>> graph.labels.tolist()
    ['x', 'x', 'y']
    """
    check_choice("read_graph", "directed", directed, DIRECTIONS)
    check_choice("read_graph", "missing", missing, MISSING)
    encoding = check_encoding("read_graph", encoding)
    path = _as_path(path)
    weighing = Weighing("read_graph", time, half_life, decay, now, signed)
    beside: dict[str, Any] = {"label_column": label_column, "feature_columns": feature_columns, "id_column": id_column}
    beside |= {"scale": scale, "encoding": encoding}
    if is_store(path):
        _refuse(path, source=source, target=target, weight=weight, adjacency=adjacency, header=header, separator=separator)
        _refuse(path, bipartite=bipartite, time=time, half_life=half_life, decay=decay, now=now, signed=signed or None)
        return read_node_files(path, features, labels, nodes, missing, **beside).onto(open_store(path))
    suffix = table_suffix(path)
    form = None if suffix in TABLE_SUFFIXES and not path.is_dir() else format_of(path, suffix)
    if form is None and path.is_dir():
        from sparsecut.io.typed.typed_graphs import from_tables

        of_others = {"features": features, "labels": labels, "nodes": nodes, "bipartite": bipartite, "header": header}
        of_others |= {"adjacency": adjacency, "separator": separator}
        _refuse(path, **of_others, label_column=label_column, feature_columns=feature_columns)
        ends: dict[str, Any] = {"source": source, "target": target, "weight": weight, "directed": directed}
        ends |= {"time": time, "half_life": half_life, "decay": decay, "now": now, "signed": signed}
        return from_tables(path, **ends, missing=missing, scale=scale, id_column=id_column, encoding=encoding)
    if form is None or form.recognises is None:
        check_readable(path, "edge" if suffix in TABLE_SUFFIXES else "graph")
    if form is None and suffix not in TABLE_SUFFIXES:
        raise InputError(
            f"The graph file {path} has no known suffix. Known ones: "
            f"{', '.join((*TABLE_SUFFIXES, *known_suffixes()))}; text also packed: {', '.join(PACKED_SUFFIXES)}."
            f"{way_out(path)}"
        )
    if form is None:
        _refuse(path, adjacency=adjacency)
        if suffix not in TEXT_SUFFIXES:
            _refuse(path, header=header, separator=separator)
        asked = {"source": source, "target": target, "weight": weight, "time": time}
        table_of_nodes = read_node_files(path, features, labels, nodes, missing, **beside)
        graph, doubts = _read_edges(path, asked, table_of_nodes, directed, header, separator, bipartite, weighing)
        for doubt in doubts:
            warnings.warn(doubt, ReadingWarning, stacklevel=2)
        return graph
    if not form.is_text and form.suffixes:
        refuse_packed(path, "graph")
    request = GraphRequest(path, directed, adjacency, weight, encoding)
    _refuse(path, source=source, target=target, header=header, separator=separator, bipartite=bipartite)
    _refuse(path, time=time, signed=signed or None)
    _refuse(path, **{name: getattr(request, name) for name in OPTIONS if name not in form.options})
    if form.has_attributes:
        return graph_with_nodes(form.read(request), path, features, labels, nodes, missing, **beside)
    table_of_nodes = read_node_files(path, features, labels, nodes, missing, **beside)
    graph = form.read(request)
    return table_of_nodes.onto(graph)


def _as_path(path: Any) -> Path:
    if not isinstance(path, str | Path):
        refuse_foreign(path, "read_graph reads files.")
        raise InputError(f"read_graph reads files. Got {type(path).__name__}, which is no path.")
    return Path(path)


def _read_edges(
    path: Path,
    asked: dict[str, str | None],
    nodes: NodeFiles,
    directed: str,
    header: bool | None,
    separator: str | None,
    bipartite: bool | None,
    weighing: Weighing,
) -> tuple[Graph, tuple[str, ...]]:
    """(graph, those of its notes that are doubts)."""
    if table_suffix(path) in TEXT_SUFFIXES:
        edges, described = _read_text_edges(path, asked, nodes, header, separator, bipartite)
    else:
        edges, described = _read_columns(path, asked, bipartite)
    nodes = nodes.settled(edges.ids, "cover")
    node_ids, i, j = _place(edges.ids, edges.i, edges.j, nodes, path)
    what = f"The edge file {path}"
    made = matrices(i, j, edges.weights, edges.moments, len(node_ids), directed, weighing, what, edges.columns.weight_name)
    doubts = (*edges.doubts, *nodes.doubts_about(edges.ids))
    read = (f"Edges: {path}, {described}; {edges.columns}.", *edges.notes)
    graph = Graph.from_canonical(
        made.adjacency,
        node_ids=node_ids,
        directed=directed,
        notes=(*read, *doubts, *loop_notes(made.n_loops), *made.notes),
        node_types=edges.columns.sides,
        **made.parts,
    )
    return nodes.placed(graph), doubts


def _read_columns(path: Path, asked: dict[str, str | None], bipartite: bool | None) -> tuple[Edges, str]:
    """(numbered edges, how the file was read), for a file whose columns have types."""
    what = f"The edge file {path}"
    plans: list[ColumnPlan] = []

    def choose(names: Sequence[str]) -> dict[str, Any]:
        plans.append(plan_columns(names, asked, what, bipartite))
        return dict.fromkeys(plans[0].to_read)

    table, described = describe_table(path, "edge", frozenset(), choose)
    return edges_from_table(table, decide_by_table(plans[0], table), what), described


def _read_text_edges(
    path: Path,
    asked: dict[str, str | None],
    nodes: NodeFiles,
    header: bool | None,
    separator: str | None,
    bipartite: bool | None,
) -> tuple[Edges, str]:
    """(numbered edges, how the file was read). Where the data contradict the first guess about a header, read again."""
    import pyarrow as pa

    what = f"The edge file {path}"
    if path.stat().st_size == 0:
        raise InputError(f"{what} is empty.")
    header_names = HEADER_NAMES | {name.lower() for name in asked.values() if name is not None}
    layout = read_layout(path, "edge", header_names, header, separator, nodes.encoding)
    text = EdgeText(path, layout, nodes.beside)

    def cells_of(names: Sequence[str]) -> Any:
        return read_text(path, "edge", layout, lambda _: dict.fromkeys(names, pa.string()), lambda _: ())

    def edges_in(columns: EdgeColumns) -> Edges | Verdict:
        return edges_from_text(cells_of(columns.in_order()), columns, what, text)

    if layout.has_dictionaries:
        edges = edges_in(choose_before_dictionaries(layout.names, asked, what, bipartite))
    else:
        plan = plan_columns(layout.names, asked, what, bipartite)
        if plan.unclear:
            table = cells_of(plan.to_read)
            edges = edges_from_text(table, decide_by_table(plan, table), what, text)
        else:
            edges = edges_in(plan.decide())
        if plan.is_unnamed and len(layout.names) > 2 and isinstance(edges, Edges) and share_no_id(edges):
            table = cells_of(layout.names)
            columns = decide_by_table(replace(plan, unclear=plan.names), table)
            edges = edges if columns == plan.decide() else edges_from_text(table, columns, what, text)
    if isinstance(edges, Verdict):
        again, described = _read_text_edges(path, asked, nodes, edges.has_header, separator, bipartite)
        return replace(again, doubts=(*again.doubts, *([edges.doubt] if edges.doubt else []))), described
    return edges, str(layout)


def _place(
    ids: NDArray[Any], i: NDArray[Any], j: NDArray[Any], nodes: NodeFiles, path: Path
) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """(node ids, sources, targets): the nodes of the features where there are features, those of the edges otherwise."""
    if nodes.features is None:
        return ids, i, j
    rows = nodes.row_ids(ids, path)
    table = nodes.feature_table
    position = positions_of(ids, rows) if table is None else table.places_of(ids)
    unknown = np.flatnonzero(position < 0)
    if len(unknown) and (nodes.missing == "error" or len(unknown) == len(ids)):  # zeros for every node are no features
        remedy = nodes.edge_remedy(positions_of(rows, ids))
        check_known(position, ids, f"The edge file {path}", f"the features file {nodes.features_path}", remedy)
    if len(unknown):
        position[unknown] = len(rows) + np.arange(len(unknown))
        extra = ids[unknown]
        rows = np.concatenate([rows, extra]) if rows.dtype.kind == extra.dtype.kind else _as_words(rows, extra)
        check_unique(rows, f"The features file {nodes.features_path}")
    i, j = renumbered((i, j), position, len(rows))
    return rows, i, j


def _as_words(*parts: NDArray[Any]) -> NDArray[Any]:
    return np.concatenate([part.astype(np.str_) for part in parts])


def _refuse(path: Path, **options: Any) -> None:
    """An option that a format has no use for is an error."""
    given = [name for name, value in options.items() if value is not None]
    if given:
        raise InputError(
            f"The graph file {path} has no use for {given[0]}={options[given[0]]!r}: its format has no such thing."
        )
