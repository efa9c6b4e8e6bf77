"""Features and labels brought beside a graph, and how they get to its nodes: by id."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.features import FeatureTable, Scale, WordLists
from sparsecut.graph import LABEL_NAMES, Graph, spread_labels
from sparsecut.graph.id_columns import Fit, likely_name
from sparsecut.io.edges.headers import Beside, looks_like_name
from sparsecut.io.edges.ids import ID_NAMES, check_known, id_remedy, positions_of, turned_to_words
from sparsecut.io.edges.table_files import TABLE_SUFFIXES
from sparsecut.io.hints import header_hint, layout_of, taken_for_header
from sparsecut.io.nodes.attributes import NodeTable, read_features, read_labels
from sparsecut.io.opening import PACKED_SUFFIXES, table_suffix, without_packing

MISSING = ("error", "zero")
REMEDY = " missing='zero' (--missing zero) accepts that."


@dataclass(frozen=True)
class Asked:
    """What of the tables is requested: columns of features, columns that are none, the column of labels."""

    features: Sequence[str] | None = None
    without: tuple[str, ...] = ()
    label: str | None = None
    scale: Scale = "auto"


@dataclass(frozen=True)
class NodeFiles:
    """What was brought beside a graph. Ids are None where rows are in the order of the ids 0..n−1."""

    missing: str
    features: Any = None
    feature_ids: NDArray[Any] | None = None
    features_path: str = ""
    labels: NDArray[Any] | None = None
    label_ids: NDArray[Any] | None = None
    labels_path: str = ""
    notes: tuple[str, ...] = ()
    feature_table: NodeTable | None = None  # the tables that the above were read from, and the requested columns
    label_table: NodeTable | None = None
    asked: Asked | None = None
    encoding: str | None = None  # of the text files among them

    def settled(self, known: NDArray[Any], fit: Fit) -> NodeFiles:
        """These files, with ids from the columns whose values are the known nodes (`sparsecut.graph.id_columns`).

        `fit` is for features. Labels may be of some nodes, and of all that have features.
        """
        changes: dict[str, Any] = {}
        asked = Asked() if self.asked is None else self.asked
        feature_ids = self.feature_ids
        if self.feature_table is not None:
            never = (*(asked.features or ()), *asked.without)
            table = self.feature_table.found(known, fit, [name.lower() for name in never])
            if table is not self.feature_table:
                _, features, _ = read_features(
                    table.path, asked.features, asked.without, scale=asked.scale, encoding=self.encoding, table=table
                )
                changes |= {"features": features, "feature_table": table}
            feature_ids = changes["feature_ids"] = table.ids
        if self.label_table is not None:
            nodes = known if feature_ids is None else np.concatenate([known.astype(np.str_), feature_ids.astype(np.str_)])
            path = self.label_table.path
            label_ids, labels, notes, found = read_labels(
                path, asked.label, encoding=self.encoding, known=nodes, table=self.label_table
            )
            changes |= {"labels": labels, "label_ids": label_ids, "notes": notes, "label_table": found}
        return replace(self, **changes)

    def row_ids(self, edge_ids: NDArray[Any], path: Path) -> NDArray[Any]:
        """The ids of the feature rows; where the file has none, the ids of the edges must be row numbers."""
        if self.feature_ids is not None:
            return self.feature_ids
        n_rows = self.features.shape[0] if self.features.ndim else 0
        if edge_ids.dtype.kind not in "iu" or edge_ids.min() < 0 or edge_ids.max() >= n_rows:
            raise InputError(
                f"The features file {self.features_path} has {n_rows:,} rows without ids, so the ids in {path} must be "
                f"integers from 0 to {n_rows - 1:,}. Got others. Give the features an id column (CSV or Parquet), or an "
                "array 'ids' (npz)."
            )
        return np.arange(n_rows)

    def beside(self) -> Beside:
        """What these files know about the names in the first line of an edge list."""
        files = ((self.features_path, "features", self.features), (self.labels_path, "labels", self.labels))
        layouts = [layout_of(path, kind, self.encoding) for path, kind, values in files if values is not None]
        names = frozenset(likely_name(layout.names) for layout in layouts if layout is not None and layout.has_header)
        return Beside(names, self.feature_ids)

    def doubts_about(self, edge_ids: NDArray[Any]) -> tuple[str, ...]:
        """What to say where the first row of the features is a node without edges and may be a header, or one is a total."""
        ids = self.feature_ids
        turned = () if ids is None else turned_to_words(ids, edge_ids, f"The features file {self.features_path}")
        if turned:
            return turned
        if ids is None or len(ids) < 3 or ids.dtype.kind in "iu" or not looks_like_name(str(ids[0])):
            return ()
        if (positions_of(edge_ids, ids[:1]) >= 0).any():  # one id is looked for before all are
            return ()
        if (positions_of(ids[1:], edge_ids) >= 0).mean() < 0.9:
            return ()
        layout = layout_of(self.features_path, "features", self.encoding)
        if layout is None or str(ids[0]) not in layout.first_cells:
            return ()
        return (
            f"The first line of the features file {self.features_path}, {layout.first_line[:60]!r}, was taken for a node, "
            f"but no edge has it. If it is a header, name a column of it: feature_columns=… (--feature-columns …).",
        )

    def onto(self, graph: Graph) -> Graph:
        """The graph with these features and labels in the order of its nodes."""
        if self.features is None and self.labels is None:
            return graph
        return self.settled(graph.node_ids, "all").placed(graph)

    def placed(self, graph: Graph) -> Graph:
        """`onto` where the columns of ids are settled."""
        notes, changes = list(self.notes), {}
        if self.features is not None:
            changes["features"] = self._features_of(graph.node_ids, notes)
        if self.labels is not None:
            changes["labels"] = self._labels_of(graph.node_ids, notes)
        return graph.replace(notes=(*graph.notes, *notes), **changes)

    def _features_of(self, node_ids: NDArray[Any], notes: list[str]) -> Any:
        what = f"The features file {self.features_path}"
        if self.feature_ids is None:
            if self.features.ndim == 0 or self.features.shape[0] != len(node_ids):
                raise InputError(f"{what} has shape {self.features.shape} without ids, for {len(node_ids):,} nodes.")
            return self.features
        if node_ids.dtype == self.feature_ids.dtype and np.array_equal(node_ids, self.feature_ids):
            return self.features  # as where the features name the nodes: nothing is looked up, and nothing is missing
        rows = positions_of(node_ids, self.feature_ids)
        notes += self._check_features(rows, node_ids, self.feature_ids, what)
        if len(rows) == len(self.feature_ids) and (rows == np.arange(len(rows))).all():
            return self.features
        if isinstance(self.features, FeatureTable | WordLists):
            return self.features.placed(rows)
        found = np.flatnonzero(rows >= 0)
        if sp.issparse(self.features):
            pick = sp.csr_array(
                (np.ones(len(found), dtype=np.float32), (found, rows[found])), shape=(len(rows), len(self.feature_ids))
            )
            return pick @ self.features
        taken = np.zeros((len(rows), *self.features.shape[1:]), dtype=np.float32)
        taken[found] = self.features[rows[found]]
        return taken

    def _labels_of(self, node_ids: NDArray[Any], notes: list[str]) -> NDArray[Any]:
        assert self.labels is not None
        what = f"The labels file {self.labels_path}"
        if self.label_ids is None:
            if self.labels.shape != node_ids.shape:
                raise InputError(f"{what} has shape {self.labels.shape} without ids, for {len(node_ids):,} nodes.")
            return self.labels
        nodes = positions_of(self.label_ids, node_ids)
        if self.missing == "zero":
            n_rows = int((nodes < 0).sum())
            notes += [f"{what}: {n_rows:,} rows of no node were left out."] if n_rows else []
        else:
            hint = header_hint(self.labels_path, "labels", self.label_ids, nodes >= 0)
            check_known(nodes, self.label_ids, what, "the graph", hint or self._remedy(self.label_table, nodes))
        absent = node_ids[np.bincount(nodes[nodes >= 0], minlength=len(node_ids)) == 0]
        hint = taken_for_header(self.labels_path, "labels", absent) if len(absent) and self.missing == "error" else ""
        if hint:
            raise InputError(f"{what} has no row for these nodes of the graph: {first_few(absent)}.{hint}")
        if len(absent):
            notes.append(f"{what}: {len(node_ids) - len(absent):,} of {len(node_ids):,} nodes have a label.")
        return spread_labels(self.labels[nodes >= 0], nodes[nodes >= 0], len(node_ids))

    def _check_features(self, rows: NDArray[np.int64], node_ids: NDArray[Any], ids: NDArray[Any], what: str) -> list[str]:
        """Every node needs a row and every row needs a node, unless what is missing may be zero: then it is counted."""
        nodes = positions_of(ids, node_ids)
        if self.missing == "zero":
            if (nodes < 0).all():
                raise InputError(f"{what} has a row for no node of the graph.{self._remedy(self.feature_table, nodes)}")
            n_nodes, n_rows = int((rows < 0).sum()), int((nodes < 0).sum())
            said = [
                f"{n_nodes:,} nodes without a row have zeros for features" if n_nodes else "",
                f"{n_rows:,} rows of no node were left out" if n_rows else "",
            ]
            return [f"{what}: {'; '.join(filter(None, said))}."] if n_nodes or n_rows else []
        hint = header_hint(self.features_path, "features", ids, nodes >= 0, self.encoding)
        check_known(nodes, ids, what, "the graph", hint or self._remedy(self.feature_table, nodes))
        absent = node_ids[np.flatnonzero(rows < 0)]
        if len(absent):
            hint = taken_for_header(self.features_path, "features", absent, self.encoding) or self._remedy(
                self.feature_table, nodes
            )
            raise InputError(f"{what} has no row for these nodes of the graph: {first_few(absent)}.{hint}")
        return []

    def edge_remedy(self, nodes: NDArray[np.int64]) -> str:
        """What to do about edges whose nodes have no row among the features; `nodes` has −1 for rows of no edge."""
        return self._remedy(self.feature_table, nodes, " missing='zero' (--missing zero) gives them zeros.")

    def _remedy(self, table: NodeTable | None, nodes: NDArray[np.int64], accept: str = REMEDY) -> str:
        """Which column was read as ids; what accepts gaps is named only where most of its values are nodes."""
        is_mostly = 2 * int((nodes >= 0).sum()) >= len(nodes)
        return f"{accept if is_mostly else ''}{id_remedy(None if table is None else table.id_name)}"


def read_node_files(
    path: Path,
    features: str | Path | Sequence[str] | None,
    labels: str | Path | None,
    nodes: str | Path | None,
    missing: str,
    *,
    label_column: str | None = None,
    feature_columns: Sequence[str] | None = None,
    id_column: str | None = None,
    scale: Scale = "auto",
    encoding: str | None = None,
) -> NodeFiles:
    """The files beside a graph: features and labels of their own, or columns of the node table."""
    asked_features, asked_label = _as_names(feature_columns), label_column
    feature_columns = as_columns(features)
    label_column = labels if isinstance(labels, str) and not is_path(labels) else None
    for option, names, column in (
        ("feature_columns", feature_columns, asked_features),
        ("label_column", label_column, asked_label),
    ):
        if names is not None and column is not None:
            raise InputError(f"{option}={column!r} is for a file, and {names!r} names columns already. Leave one out.")
    feature_columns = asked_features if features is None else feature_columns
    label_column = asked_label if labels is None else label_column
    if nodes is None and (feature_columns is not None or label_column is not None):
        nodes = _sibling(path, feature_columns or [str(label_column)])
    notes: tuple[str, ...] = ()
    matrix = feature_ids = label_values = label_ids = feature_table = label_table = None
    features_path, labels_path = str(features), str(labels)
    without: tuple[str, ...] = ()
    if nodes is not None:
        asked = (name.lower() for name in (*(feature_columns or ()), *([label_column] if label_column else [])))
        named = (*LABEL_NAMES, *asked)
        table = NodeTable.read(nodes, "node", frozenset((*ID_NAMES, *named)), id_column, named, encoding)
        others = table.others.column_names
        if labels is None and label_column is None:
            label_column = next((name for name in others if name.lower() in LABEL_NAMES), None)
        takes_all = features is None and any(name != label_column for name in others)
        if feature_columns is not None or takes_all:
            without = () if label_column is None else (label_column,)
            feature_ids, matrix, feature_table = read_features(
                nodes, feature_columns, without, id_column, scale=scale, encoding=encoding
            )
            features_path = str(nodes)
        if label_column is not None:
            label_ids, label_values, notes, label_table = read_labels(nodes, label_column, id_column, encoding)
            labels_path, asked_label = str(nodes), label_column
    if features is not None and feature_columns is None:
        feature_ids, matrix, feature_table = read_features(
            str(features), asked_features, id_name=id_column, scale=scale, encoding=encoding
        )
    elif matrix is not None:
        asked_features = feature_columns
    if labels is not None and label_column is None:
        label_ids, label_values, notes, label_table = read_labels(labels, asked_label, id_column, encoding)
    return NodeFiles(
        missing, matrix, feature_ids, features_path, label_values, label_ids, labels_path, notes,
        feature_table, label_table, Asked(asked_features, without, asked_label, scale), encoding,
    )  # fmt: skip


def align_labels(
    node_ids: NDArray[Any], label_ids: NDArray[Any], labels: NDArray[Any], what: str, where: str = "the graph"
) -> NDArray[Any]:
    """Labels in the order of the nodes; a node without one gets −1 or "". A label for an unknown node is an error."""
    positions = positions_of(label_ids, node_ids)
    check_known(positions, label_ids, what, where, header_hint(what, "labels", label_ids, positions >= 0))
    return spread_labels(labels, positions, len(node_ids))


def _as_names(columns: Any) -> list[str] | None:
    """Names of columns in a list, or in one string with commas."""
    if isinstance(columns, str):
        columns = [name.strip() for name in columns.split(",") if name.strip()]
    return None if columns is None else [str(name) for name in columns]


def as_columns(features: Any) -> list[str] | None:
    """Names of columns, where these are meant and not a file."""
    if features is None or isinstance(features, Path):
        return None
    if isinstance(features, str):
        return None if is_path(features) else _as_names(features)
    return _as_names(features)


def is_path(name: str) -> bool:
    """Whether a string names a file rather than a column."""
    path = Path(name)
    return path.exists() or bool(path.suffix) or len(path.parts) > 1


def find_sibling(path: Path) -> Path | None:
    """The node table beside an edge file, if there is one: nodes.csv for edges.csv, x_nodes.parquet for x_edges.csv."""
    stem = _sibling_stem(path)
    names = [f"{stem}nodes{suffix}{packed}" for suffix in TABLE_SUFFIXES for packed in ("", *PACKED_SUFFIXES)]
    return next((path.parent / name for name in names if (path.parent / name).is_file()), None)


def _sibling_stem(path: Path) -> str:
    stem = without_packing(path.name).removesuffix(table_suffix(path))
    for word in ("edges", "edgelist", "links"):
        if stem.endswith(word):
            stem = stem.removesuffix(word)
            break
    else:
        stem = f"{stem}_"
    return stem


def _sibling(path: Path, columns: list[str]) -> Path:
    found = find_sibling(path)
    if found is None:
        raise InputError(
            f"{columns[0]!r} is neither a file nor a column at hand: there is no node table beside {path} "
            f"({_sibling_stem(path)}nodes.csv or the like). Name one: nodes=... (--nodes)."
        )
    return found
