"""What a graph holds, and what it says about itself. Its parts are read-only views, and no attribute can be set again."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.arrays import value_blocks
from sparsecut.encoding import Encoder, FeatureMatrix, FeatureTable, Source, WordLists
from sparsecut.errors import first_few
from sparsecut.graph.foreign import from_torch, library_of
from sparsecut.graph.frames import is_frame, place_column, place_frame
from sparsecut.graph.labels import encode_labels
from sparsecut.graph.node_values import Features, check_column, check_features, wrong_rows
from sparsecut.notebook import Cell, facts_html, table_html

Self = TypeVar("Self", bound="FrozenGraph")

MAX_CLASSES = 50  # in the table that a notebook shows


class FrozenGraph:
    """The parts of a `Graph`, stored once."""

    __slots__ = ("_matrix", "_source", "adjacency", "is_directed", "labels", "node_ids", "notes")

    _matrix: Features | None  # the features as numbers, once they were asked for
    _source: Source | None  # what the features are made of
    adjacency: sp.csr_array
    is_directed: bool
    labels: NDArray[Any] | None
    node_ids: NDArray[Any]
    notes: tuple[str, ...]

    def _store(
        self,
        adjacency: sp.csr_array,
        features: Any,
        labels: Any,
        ids: NDArray[Any],
        directed: str,
        notes: tuple[str, ...],
        encoder: Encoder | None,
        scale: bool,
    ) -> None:
        n_nodes = adjacency.shape[0]
        if library_of(features) == "torch":
            features = from_torch(features)
        if is_frame(features):
            table, rows = place_frame(features, ids, "The frame of features")
            features = FeatureTable(table, "The frame of features", scale=scale)
            features = features if rows is None else features.placed(rows)
        if features is not None and not isinstance(features, FeatureMatrix | FeatureTable | WordLists):
            features = FeatureMatrix(_freeze(check_features(features, n_nodes)), encoder)
        elif features is not None and features.shape[0] != n_nodes:
            raise wrong_rows(n_nodes, features.shape[0])
        if labels is not None:
            labels = check_column("labels", place_column(labels, ids, "The labels"), n_nodes)
        values = {
            "adjacency": adjacency,
            "_source": features,
            "_matrix": features.own if isinstance(features, FeatureMatrix) else None,
            "is_directed": directed != "symmetrize",
            "labels": labels,
            "node_ids": ids,
            "notes": notes,
        }
        for name, value in values.items():
            object.__setattr__(self, name, _freeze(value))

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return int(self.adjacency.shape[0])

    @property
    def n_edges(self) -> int:
        """The number of edges, each undirected edge once."""
        return int(self.adjacency.nnz) if self.is_directed else int(self.adjacency.nnz // 2)

    @property
    def is_weighted(self) -> bool:
        """Whether any edge has a weight other than 1."""
        data = self.adjacency.data
        if len(data) and data.strides == (0,):  # one number for all
            return bool(data[0] != 1)
        return any(bool((values != 1).any()) for values in value_blocks(self.adjacency))

    @property
    def features(self) -> Features | None:
        """The features as numbers; a table is encoded by itself when this is first asked for."""
        if self._matrix is None and self._source is not None:
            matrix, _ = self._source.matrix(self._source.encoder)
            object.__setattr__(self, "_matrix", _freeze(check_features(matrix, self.n_nodes)))
        return self._matrix

    @property
    def has_features(self) -> bool:
        """Whether the graph brings features, encoded or not yet."""
        return self._source is not None

    @property
    def n_features(self) -> int:
        """The number of columns of `features`, after a table is encoded."""
        return 0 if self.features is None else int(self.features.shape[1])

    @property
    def encoder(self) -> Encoder | None:
        """How `features` were made of a table; None for an array without names."""
        return None if self._source is None else self._source.encoder

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the columns as they were given, before a table is encoded; None where they have none."""
        return None if self._source is None else self._source.names

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Graph is frozen: {name} cannot be set. Make a new Graph instead.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A Graph is frozen: {name} cannot be deleted.")

    def __copy__(self: Self) -> Self:
        return self  # frozen: nobody can tell a copy from the graph itself

    def __deepcopy__(self: Self, memo: object) -> Self:
        return self  # scikit-learn's clone copies the parameters of an estimator, of which a graph may be one

    def _repr_html_(self) -> str:
        """For a notebook: what the graph holds, its classes as a table, and how it was read."""
        degrees = np.diff(self.adjacency.indptr)
        kinds = ["directed"] * self.is_directed + ["weighted"] * self.is_weighted
        spread = f"{degrees.min():,} to {degrees.max():,}, median {np.median(degrees):,.0f}"
        facts = [
            ("nodes", f"{self.n_nodes:,}, ids from {self.node_ids[0]!s} to {self.node_ids[-1]!s}"),
            ("edges", " ".join([f"{self.n_edges:,}", *kinds])),
            ("neighbours", f"{spread}; {int((degrees == 0).sum()):,} nodes without any"),
        ]
        if self._source is not None:
            names = self.feature_names or ()
            facts.append(("features", f"{self._source.shape[1]:,} columns" + (f": {first_few(names)}" if names else "")))
        shown = facts_html(repr(self), facts, self.notes)
        return shown if self.labels is None else shown + _classes_html(self.labels)

    def __repr__(self) -> str:
        parts = [f"{self.n_nodes:,} nodes", f"{self.n_edges:,} edges"]
        kinds = ["directed"] * self.is_directed + ["weighted"] * self.is_weighted
        parts[-1] = " ".join([f"{self.n_edges:,}", *kinds, "edges"])
        if self._matrix is not None:
            kind = "sparse " if sp.issparse(self._matrix) else ""
            parts.append(f"{self.n_features:,} {kind}features")
        elif self._source is not None:
            parts.append(f"{self._source.shape[1]:,} feature columns")
        if self.labels is not None:
            parts.append("labels")
        return f"Graph({', '.join(parts)})"


def _classes_html(labels: NDArray[Any]) -> str:
    """The classes with the number of their nodes, the largest first."""
    classes, codes = encode_labels(labels)
    counts = np.bincount(codes[codes >= 0], minlength=len(classes))
    largest = np.argsort(-counts, kind="stable")[:MAX_CLASSES]
    rows = [(str(classes[one]), Cell(f"{counts[one]:,}", int(counts[one]))) for one in largest]
    rest = f", the largest {MAX_CLASSES}" if len(classes) > MAX_CLASSES else ""
    caption = f"{len(classes):,} classes{rest}; {int((codes < 0).sum()):,} nodes without a label"
    return table_html(("class", "nodes"), rows, caption)


def _freeze(value: Any) -> Any:
    """A read-only view: the graph cannot be changed through itself, and nothing is copied."""
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    elif sp.issparse(value):
        frozen = sp.csr_array(value.shape, dtype=value.dtype)
        frozen.data, frozen.indices, frozen.indptr = map(_freeze, (value.data, value.indices, value.indptr))
        # Canonical already; saying so keeps scipy from sorting read-only arrays in place.
        frozen.has_canonical_format = True
        value = frozen
    return value
