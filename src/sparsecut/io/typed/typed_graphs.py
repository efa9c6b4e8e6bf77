"""`from_tables`: a graph with types of nodes and edges, from a table for each.

Ids belong to their type: the author 7 and the paper 7 are two nodes, "author:7" and "paper:7". The nodes come type by type,
those of a type in the order of its rows. Ends of edges are matched to the ids of their own type before these become words,
so ten million edges cost what they cost without types.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_choice, did_you_mean, first_few
from sparsecut.features import Scale, TypedFeatures
from sparsecut.graph import DIRECTIONS, Graph, labelled_nodes, place_labels
from sparsecut.graph.node_types import SEPARATOR
from sparsecut.graph.relations import EdgeType
from sparsecut.io.edges.ids import as_array, check_unique, positions_of
from sparsecut.io.edges.sides import with_side
from sparsecut.io.edges.weighing import Weighing
from sparsecut.io.nodes.node_files import MISSING, REMEDY
from sparsecut.io.opening import check_encoding
from sparsecut.io.typed.relation_matrices import relation_matrices
from sparsecut.io.typed.relation_options import RelationOptions
from sparsecut.io.typed.relation_tables import RelationTable
from sparsecut.io.typed.type_nodes import NodeOptions, TypeNodes, read_nodes
from sparsecut.io.typed.typed_columns import split_by_type
from sparsecut.io.typed.typed_folders import tables_in


def from_tables(
    nodes: Any = None,
    edges: Any = None,
    *,
    labels: Mapping[str, Any] | None = None,
    type_column: str | None = None,
    relation_column: str | None = None,
    source: str | Mapping[Any, str] | None = None,
    target: str | Mapping[Any, str] | None = None,
    weight: str | Mapping[Any, str] | None = None,
    time: Any = None,
    half_life: Any = None,
    decay: float | None = None,
    now: Any = None,
    signed: bool | Mapping[Any, bool] = False,
    directed: str = "symmetrize",
    missing: str = "error",
    scale: Scale = "auto",
    id_column: str | None = None,
    encoding: str | None = None,
) -> Graph:
    """A graph with several types of nodes and edges, from a table for each.

    Each type of nodes has columns of its own, which a model encodes, weighs and centres by themselves, and each type of
    edges weighs the same in sum, unless `SCE(relations=…)` says otherwise (docs/guides/typed_graph.md).

    Parameters
    ----------
    nodes : dict of str to table, default=None
        For each type of nodes one of: a frame of pandas or polars, an Arrow table or a file, one row per node, with a column
        (or an index) of ids; a folder of Parquet files; an array or sparse matrix, whose rows are the nodes 0, 1, 2, …; a
        pair (ids, array); a list of ids; None for nodes without a table, which are those that the edges name. Types that
        only edges have may be left out where `nodes` is. In place of a dict: a folder of one table per type, called
        author.csv and author__writes__paper.csv; or, with `type_column`, one table of all nodes.
    edges : dict of (str, str, str) to table
        For each type of edges, ("author", "writes", "paper") or "author:writes:paper", a frame, a file, a folder of Parquet
        files, an array (m, 2) or a list of pairs, with or without weights. A column that is called after a type (author_id)
        holds its ids; otherwise the source comes first. With `type_column` one table of all edges.
    labels : dict of str to labels, default=None
        For a type of nodes the column of its table that holds labels, or labels as in `Graph`: a series, a frame or a dict
        by id, or an array in the order of the nodes. A column called label or class is taken without being named.
    type_column : str, default=None
        The column of one table of all nodes that names the type of each; ids are unique across the types then.
    relation_column : str, default=None
        The column of the table of all edges that names the relation.
    source, target, weight : str, or dict of relation to str, default=None
        Columns of the tables of edges that have them; found by their names and values where not given (docs/files.md). A
        dict names them for some types of edges, {"rates": "stars"}.
    time : str, or dict of relation to str or times, default=None
        The column of the times of the edges, in the tables that have it, or by a dict in some of them; see `from_edges`.
        Edges of the other types do not age.
    half_life : str, timedelta or float, default=None
        The age at which an edge weighs half as much, of all types of edges that have times; where it is not given, or
        "auto", it is chosen by how well earlier edges predict later ones.
    decay : float, default=None
        In place of `half_life`: an edge weighs exp(−decay·age).
    now : date, time, text or number, default=None
        The moment at which an edge weighs 1; the latest edge of all types where not given. A later edge is an error.
    signed : bool, or dict of relation to bool, default=False
        Whether weights may be below zero, of all types of edges or of some. Such edges ask for distance: they are
        `Graph.demands`, and not in the adjacency.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        "out" and "in" keep the directions (see `Graph`).
    missing : {"error", "zero"}, default="error"
        What becomes of edges that name a node without a row: an error, or a node with zeros for features.
    scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
        The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
        standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
        the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".
    id_column : str, default=None
        The column of ids in the tables of nodes that have it; found by its values where not given.
    encoding : str, default=None
        The encoding of text files, one of those that Python knows: "latin-1", "cp1252", … UTF-8 where not given.

    Returns
    -------
    Graph
        `node_types`, `edge_types`, `nodes("author")` and `types` say what is in it.

    Raises
    ------
    InputError
        Where a type of edges names a type of nodes that is not there, or an end that has no row.

    Examples
    --------
    >>> import pyarrow as pa
    >>> import sparsecut as sc
    >>> authors = pa.table({"id": [7, 8], "age": [30, 50]})
    >>> papers = pa.table({"id": [7, 9], "words": [["graph", "cut"], ["graph"]]})
    >>> graph = sc.from_tables(
    ...     nodes={"author": authors, "paper": papers, "venue": None},
    ...     edges={
    ...         ("author", "writes", "paper"): pa.table({"author": [7, 7, 8], "paper": [7, 9, 9]}),
    ...         ("paper", "in", "venue"): [(7, 1), (9, 1)],
    ...     },
    ... )
    >>> graph
    Graph(5 nodes of 3 types, 5 edges of 2 types, 3 feature columns)
    >>> graph.nodes("paper").tolist(), graph.node_ids.tolist()
    ([7, 9], ['author:7', 'author:8', 'paper:7', 'paper:9', 'venue:1'])
    """
    check_choice("from_tables", "directed", directed, DIRECTIONS)
    check_choice("from_tables", "missing", missing, MISSING)
    encoding = check_encoding("from_tables", encoding)
    options = RelationOptions({"source": source, "target": target, "weight": weight}, time, signed)
    weighing = Weighing("from_tables", time, half_life, decay, now, options.is_signed)
    said: tuple[str, ...] = ()
    if relation_column is not None and type_column is None:
        raise InputError(
            "relation_column= is of one table of all edges, which goes with one of all nodes: give type_column=, too."
        )
    if type_column is not None:
        options.check_one_table()
        is_directed = directed != "symmetrize"
        columns = (type_column, relation_column, options, id_column, encoding)
        nodes, edges, said = split_by_type(nodes, edges, *columns, is_directed=is_directed)
        options, id_column = RelationOptions({}, None if time is None else "time", signed), None
    elif edges is None and isinstance(nodes, str | Path):
        nodes, edges, said = tables_in(Path(nodes))
    keys = edge_types_of(edges)
    names = node_types_of(nodes, list(keys))
    tables = options.read(keys, encoding)
    named = _label_columns(labels, names)
    found = []
    for name in names:
        of_nodes = NodeOptions(scale, id_column, named.get(name), encoding)
        given = None if nodes is None else nodes.get(name)
        found.append(_with_unknown(name, read_nodes(name, given, _known(name, tables), of_nodes), tables, missing))
    starts = np.concatenate([[0], np.cumsum([len(ids) for ids, _ in found])])
    n_nodes = int(starts[-1])
    ids_of = {name: ids for name, (ids, _) in zip(names, found, strict=True)}
    start_of = dict(zip(names, starts.tolist(), strict=False))
    ends = []
    for table in tables:
        first, second = (start_of[name] + _places(end, ids_of[name]) for name, end in table.ends())
        ends.append((first, second))
    made = relation_matrices(tables, ends, n_nodes, directed, weighing)
    types = tuple(names)
    told = _labels(labels, names, found)
    return Graph.from_canonical(
        made.relations.added_up(),
        features=_features(types, [(len(ids), kept.source) for ids, kept in found]),
        labels=told,
        node_ids=_typed_ids(names, [ids for ids, _ in found]),
        directed=directed,
        notes=(
            *said,
            *(note for table in tables for note in table.notes),
            *made.notes,
            *(note for _, kept in found for note in kept.notes),
            *_said_of_labels(types, told, [len(ids) for ids, _ in found]),
        ),
        node_types=types,
        **made.parts,
    )


def edge_types_of(edges: Mapping[Any, Any] | None) -> dict[EdgeType, Any]:
    """The tables of edges by (type of the source, name, type of the target)."""
    if not isinstance(edges, Mapping) or not edges:
        raise InputError(
            "from_tables needs edges={(type, relation, type): table}, a table for each type of edges. "
            f"Got {'none' if edges is None or isinstance(edges, Mapping) else type(edges).__name__}. One table of all edges "
            "goes with one of all nodes whose column type_column= names their types."
        )
    keys = {}
    for given, table in edges.items():
        key = tuple(given.split(SEPARATOR)) if isinstance(given, str) else given
        if not isinstance(key, tuple) or len(key) != 3 or not all(isinstance(part, str) and part for part in key):
            raise InputError(
                "A type of edges must be (type of the source, relation, type of the target), as in ('author', 'writes', "
                f"'paper') or 'author:writes:paper'. Got {given!r}."
            )
        keys[key] = table
    return keys


def node_types_of(nodes: Mapping[str, Any] | None, keys: Sequence[EdgeType]) -> list[str]:
    """The types of nodes in order: as given, or as the edges name them."""
    ends = list(dict.fromkeys(end for key in keys for end in (key[0], key[2])))
    if nodes is None:
        return ends
    if not isinstance(nodes, Mapping):
        raise InputError(
            "from_tables needs nodes={type: table}. Got "
            f"{type(nodes).__name__}. For one table of all nodes name the column of types: type_column=…."
        )
    names = list(nodes)
    for name in (*names, *(key[1] for key in keys)):
        if not isinstance(name, str) or not name or SEPARATOR in name:
            raise InputError(
                f"A type must be a word without {SEPARATOR!r}, which stands between it and an id. Got {name!r}."
            )
    for key in keys:
        strange = [end for end in (key[0], key[2]) if end not in names]
        if strange:
            raise InputError(
                f"The edges {SEPARATOR.join(key)} name the type {strange[0]!r}, and nodes has {first_few(names, 10)}."
                f"{did_you_mean(strange[0], names)} Give the type a table (--nodes {strange[0]}=FILE), or "
                f"nodes={{{strange[0]!r}: None}} in Python."
            )
    return names


def _known(name: str, tables: Sequence[RelationTable]) -> Any:
    """The nodes of a type that edges name, each once, as an Arrow array: integers, or words where some are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    ends = [pc.unique(ids) for table in tables for end, ids in table.ends() if end == name]
    if not ends:
        return pa.array([], pa.int64())
    if not all(pa.types.is_integer(ids.type) for ids in ends):
        ends = [pc.cast(ids, pa.large_string()) for ids in ends]
    return pc.unique(pa.chunked_array(ends))


def _with_unknown(
    name: str, kept: TypeNodes, tables: Sequence[RelationTable], missing: str
) -> tuple[NDArray[Any], TypeNodes]:
    """(ids, nodes): with those that edges name and no row has, where these may be there."""
    check_unique(kept.ids, f"The table of nodes {name!r}")
    unknown: list[Any] = []
    for table in tables:
        for end, ids in table.ends():
            places = _places(ids, kept.ids) if end == name else np.empty(0, dtype=np.int64)
            if (places < 0).any():
                absent = list(dict.fromkeys(as_array(ids.filter(places < 0)).tolist()))
                if missing == "error":
                    raise InputError(
                        f"{table.what} names nodes of type {name!r} that have no row: {first_few(absent)}.{REMEDY}"
                    )
                unknown += absent
    if not unknown:
        return kept.ids, kept
    extra = np.array(list(dict.fromkeys(unknown)))
    is_alike = (extra.dtype.kind in "iu") == (kept.ids.dtype.kind in "iu")
    parts = [kept.ids, extra] if is_alike else [part.astype(np.str_) for part in (kept.ids, extra)]
    return np.concatenate(parts), kept


def _places(ids: Any, among: NDArray[Any]) -> NDArray[np.int64]:
    """Where each end stands among the ids of its type; −1 where it does not."""
    import pyarrow as pa

    if pa.types.is_integer(ids.type) and among.dtype.kind in "iu" and (among == np.arange(len(among))).all():
        numbers = np.asarray(ids).astype(np.int64)
        return np.where((numbers >= 0) & (numbers < len(among)), numbers, -1)
    return positions_of(ids, among)


def _typed_ids(names: Sequence[str], ids: Sequence[NDArray[Any]]) -> NDArray[Any]:
    """The ids of all nodes, each with its type; words that begin with it already stay as they are."""
    import pyarrow as pa
    import pyarrow.compute as pc

    parts = []
    for name, own in zip(names, ids, strict=True):
        words = pc.cast(pa.array(own.tolist() if own.dtype == object else own), pa.large_string())
        is_typed = own.dtype.kind not in "iu" and pc.all(pc.starts_with(words, f"{name}{SEPARATOR}")).as_py()
        parts.append(words if is_typed else with_side(words, name))
    return as_array(pa.concat_arrays(parts))


def _features(types: tuple[str, ...], sources: Sequence[tuple[int, Any]]) -> TypedFeatures | None:
    """The features of every type side by side, from (number of nodes, features)."""
    with_features = {name: source for name, (_, source) in zip(types, sources, strict=True) if source is not None}
    if not with_features:
        return None
    counts = [n_nodes for n_nodes, _ in sources]
    n_rows = [0 if source is None else source.shape[0] for _, source in sources]
    rows = [np.where(np.arange(n) < own, np.arange(n), -1) for n, own in zip(counts, n_rows, strict=True)]
    return TypedFeatures(
        types, with_features, np.repeat(np.arange(len(types)), counts).astype(np.int16), np.concatenate(rows)
    )


def _label_columns(labels: Mapping[str, Any] | None, names: Sequence[str]) -> dict[str, str]:
    """The columns of labels that are named."""
    if labels is None:
        return {}
    if not isinstance(labels, Mapping):
        raise InputError(f"from_tables needs labels={{type: column or labels}}. Got {type(labels).__name__}.")
    for name in labels:
        if name not in names:
            raise InputError(f"labels names the type {name!r}. The types are {first_few(list(names), 10)}.")
    return {name: given for name, given in labels.items() if isinstance(given, str)}


def _said_of_labels(names: Sequence[str], labels: NDArray[Any] | None, sizes: Sequence[int]) -> tuple[str, ...]:
    """Types that have labels in common: 0 of papers and 0 of venues are one class to whoever takes all nodes."""
    if labels is None or labels.dtype.kind == "f":  # numbers to predict
        return ()
    parts = np.split(labels, np.cumsum(sizes)[:-1])
    sets = {name: set(part[labelled_nodes(part)].tolist()) for name, part in zip(names, parts, strict=True)}
    mixed = [name for name in names if any(sets[name] & sets[other] for other in names if other != name)]
    if not mixed:
        return ()
    return (
        f"Labels of {' and '.join(mixed)} are in part the same, and count as the same classes. Where they are not, take the "
        f"nodes of one type: graph.types == {mixed[0]!r} (--type {mixed[0]}).",
    )


def _labels(
    given: Mapping[str, Any] | None, names: Sequence[str], found: Sequence[tuple[NDArray[Any], TypeNodes]]
) -> NDArray[Any] | None:
    """One label per node: those of each type, and none for the others."""
    parts: list[NDArray[Any] | None] = []
    for name, (ids, kept) in zip(names, found, strict=True):
        values = (given or {}).get(name)
        own = kept.labels if values is None or isinstance(values, str) else place_labels(values, ids)[0]
        if own is not None and len(own) not in (len(ids), len(kept.ids)):
            raise InputError(f"The labels of {name!r} must be one for each of its {len(ids):,} nodes. Got {len(own):,}.")
        parts.append(own)
    known = [part for part in parts if part is not None]
    if not known:
        return None
    is_number = all(part.dtype.kind in "iufb" for part in known)
    absent: Any = (np.nan if any(part.dtype.kind == "f" for part in known) else -1) if is_number else ""
    kind = np.result_type(*known, np.int64) if is_number else np.dtype(object)
    whole = []
    for part, (ids, _) in zip(parts, found, strict=True):
        column = np.full(len(ids), absent, dtype=kind)
        if part is not None:
            column[: len(part)] = part if is_number else part.astype(np.str_)
        whole.append(column)
    joined = np.concatenate(whole)
    return joined if is_number else joined.astype(np.str_)
