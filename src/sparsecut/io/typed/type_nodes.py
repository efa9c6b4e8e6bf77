"""The nodes of one type, from a table, a file, a folder of Parquet files, an array or a dict: their ids, features, labels.

The nodes of a table are its rows, in their order; the column of ids is the one whose values are the ends of the edges
(`sparsecut.graph.id_columns`), and of several the one that is called after the type (author, author_id). The rows of an
array are the nodes 0, 1, 2, …, or those whose ids come with it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features import FeatureMatrix, FeatureTable, Scale, WordLists, table_source
from sparsecut.graph import (
    LABEL_NAMES,
    are_word_lists,
    as_arrow,
    as_id_array,
    as_labels,
    from_torch,
    is_frame,
    label_column_of,
    library_of,
    match_frame,
    words_source,
)
from sparsecut.graph.frames import index_of
from sparsecut.graph.id_columns import EXACT_NAMES, INDEX, KnownIds, gather, likely_name
from sparsecut.graph.mappings import mapped_features
from sparsecut.graph.node_values import check_features
from sparsecut.io.edges.edge_names import called_after
from sparsecut.io.edges.ids import ID_NAMES, as_array, as_ids, check_unique
from sparsecut.io.edges.table_files import TABLE_SUFFIXES, read_parquet_folder
from sparsecut.io.nodes.attributes import NodeTable, read_features
from sparsecut.io.opening import table_suffix

OneType = FeatureTable | WordLists | FeatureMatrix


@dataclass(frozen=True)
class TypeNodes:
    """The nodes of one type: `source` has a row for each of the ids, in their order."""

    ids: NDArray[Any]
    source: OneType | None = None
    labels: NDArray[Any] | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class NodeOptions:
    """How tables of nodes are read."""

    scale: Scale = "auto"
    id_column: str | None = None
    label_column: str | None = None
    encoding: str | None = None


def read_nodes(name: str, given: Any, known: Any, options: NodeOptions) -> TypeNodes:
    """The nodes of a type; `known` are those that its edges name, as an Arrow array."""
    what = f"The table of nodes {name!r}"
    library = library_of(given)
    if library == "torch":
        given = from_torch(given)
    if given is None:
        ids = as_array(known)
        if not len(ids):
            raise InputError(f"{what} is None, and no edge names such a node. Leave the type out, or give its ids.")
        return TypeNodes(np.sort(ids) if ids.dtype.kind in "iu" else ids)
    if isinstance(given, str | Path):
        return _from_file(name, Path(given), known, what, options)
    if is_frame(given):
        return _from_frame(name, given, known, what, options)
    if isinstance(given, tuple) and len(given) == 2 and np.ndim(given[0]) == 1:
        ids = as_id_array(given[0], what)
        if is_frame(given[1]) and len(as_arrow(given[1], what)) == len(ids):
            table = as_arrow(given[1], what)
            return _of_table(ids, table, _label_of(table.column_names, options.label_column), what, options, ())
        return TypeNodes(ids, _source(given[1], len(ids), what, options.scale))
    if isinstance(given, Mapping):
        ids = as_id_array(list(given), what)
        return TypeNodes(ids, _source(mapped_features(given, ids, options.scale), len(ids), what, options.scale))
    if sp.issparse(given) or np.ndim(given) == 2 or are_word_lists(given):
        n_rows = given.shape[0] if hasattr(given, "shape") else len(given)
        return TypeNodes(np.arange(n_rows), _source(given, n_rows, what, options.scale))
    if np.ndim(given) != 1:
        raise InputError(
            f"{what} must be a frame, a file, an array with a row per node, a pair (ids, array), a list of ids, or None. "
            f"Got {type(given).__name__}."
        )
    return TypeNodes(as_id_array(given, what))


def _source(features: Any, n_nodes: int, what: str, scale: Scale) -> OneType:
    """Rows of features in the order of the nodes."""
    if library_of(features) == "torch":
        features = from_torch(features)
    if is_frame(features):
        features = table_source(as_arrow(features, what), what, scale=scale)
    elif isinstance(features, list | tuple) and are_word_lists(features):
        features = words_source(features, what)
    if isinstance(features, FeatureTable | WordLists | FeatureMatrix):
        if features.shape[0] != n_nodes:
            raise InputError(f"{what} must have one row for each of its {n_nodes:,} ids. Got {features.shape[0]:,} rows.")
        return features
    try:
        return FeatureMatrix(check_features(features, n_nodes))
    except InputError as error:
        raise InputError(f"{what}: {error}") from error


def _from_frame(name: str, frame: Any, known: Any, what: str, options: NodeOptions) -> TypeNodes:
    table, index = as_arrow(frame, what), index_of(frame)
    if table.num_columns == 1 and index is None and options.id_column is None:
        return TypeNodes(as_ids(table.column(0), what))
    id_column, said = options.id_column, tuple[str, ...]()
    if id_column is None and index is not None:  # a column that is called id holds the ids, whatever numbers the rows
        id_column = _column_of_ids(name, table, index, known)
        said = () if id_column is None else (f"{what}: rows matched by its column {id_column!r}, not by its index.",)
    if id_column is None and not len(known):  # of nodes without edges only names tell
        id_column = INDEX if index is not None else likely_name(table.column_names)
    elif id_column is not None and id_column != INDEX and id_column not in table.column_names:
        id_column = None  # the column of another type's table
    id_column = id_column or _column_of_type(name, table, known)
    label = _label_of(table.column_names, options.label_column)
    never = (*LABEL_NAMES, *([] if label is None else [label]))
    nodes = as_array(known) if len(known) else np.empty(0, dtype=np.int64)
    matched = match_frame(frame, nodes, what, id_column=id_column, fit="cover", is_ordered=False, never=never)
    ids = np.sort(nodes) if matched.ids is None else as_id_array(matched.ids, what)
    return _of_table(ids, matched.table, label, what, options, (*said, *matched.notes))


def _from_file(name: str, path: Path, known: Any, what: str, options: NodeOptions) -> TypeNodes:
    if path.is_dir():
        return _from_frame(name, read_parquet_folder(path, "node"), known, what, options)
    what = f"The node file {path}"
    if table_suffix(path) not in TABLE_SUFFIXES:
        ids, features, _ = read_features(path, scale=options.scale, encoding=options.encoding)
        n_rows = int(features.shape[0]) if features.ndim else 0
        return TypeNodes(np.arange(n_rows) if ids is None else ids, _source(features, n_rows, what, options.scale))
    asked = () if options.label_column is None else (options.label_column.lower(),)
    never = (*LABEL_NAMES, *asked)
    header_names = frozenset((*ID_NAMES, *never))
    table = NodeTable.read(path, "node", header_names, None, never, options.encoding)
    names = table.table.column_names
    chosen = options.id_column if options.id_column in names else _column_of_type(name, table.table, known)
    if chosen is not None:
        table = NodeTable.read(path, "node", header_names, chosen, never, options.encoding)
    elif len(known):
        table = table.found(as_array(known), "cover", never)
    label = _label_of(table.others.column_names, options.label_column)
    return _of_table(table.ids, table.others, label, what, options, ())


def _of_table(
    ids: NDArray[Any], table: Any, label: str | None, what: str, options: NodeOptions, notes: tuple[str, ...]
) -> TypeNodes:
    """Nodes whose rows are those of a table without its ids."""
    check_unique(ids, what)
    labels = None
    if label is not None:
        chosen = label_column_of(table, label, what)
        values = table.column(chosen).combine_chunks().to_numpy(zero_copy_only=False)
        labels = as_labels(values.tolist(), what) if values.dtype == object else values
        table, notes = table.drop_columns([chosen]), (*notes, f"{what}: labels in column {chosen!r}.")
    source = table_source(table, what, scale=options.scale) if table.num_columns else None
    return TypeNodes(ids, source, labels, notes)


def _column_of_type(name: str, table: Any, known: Any) -> str | None:
    """The column that is called after the type and has what the edges name; None where there is none, or several."""
    called = called_after(name, table.column_names)
    nodes = KnownIds(as_array(known)) if len(known) else None
    found = [one for one in called if nodes is not None and gather(one, table.column(one), nodes).fits("cover")]
    return found[0] if len(found) == 1 else None


def _column_of_ids(name: str, table: Any, index: Any, known: Any) -> str | None:
    """The column that is called id, or after the type, of a table with an index; None where only the index fits."""
    named = [one for one in table.column_names if one.lower() in EXACT_NAMES]
    named += [one for one in called_after(name, table.column_names) if one not in named]
    if not named or not len(known):
        return str(named[0]) if named else None
    nodes = KnownIds(as_array(known))
    fitting = [one for one in named if gather(one, table.column(one), nodes).fits("cover")]
    if fitting:
        return str(fitting[0])
    return None if gather(None, index, nodes, is_index=True).fits("cover") else str(named[0])


def _label_of(names: list[str], asked: str | None) -> str | None:
    """The column of labels of a table of nodes: the requested one, or one of a usual name."""
    return asked if asked is not None else next((name for name in names if name.lower() in LABEL_NAMES), None)
