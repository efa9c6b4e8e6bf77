"""The graph: adjacency, features, labels and node ids, checked once and frozen afterwards.

What a `Graph` holds, whatever was passed in:

- **undirected**: where A is not symmetric it becomes max(A, Aᵀ), so an edge given in one direction keeps its weight and
  one given in both counts once. A `DirectedGraphWarning` and `Graph.notes` say so. `directed="out"` or `"in"` keeps the
  directions instead: a filter then averages over the nodes that a node points to, or over those that point to it.
- **weights kept** as float32. Entries given twice at one position are summed, as scipy does with coordinates.
- **no self-loops**: every filter adds each node to its own neighbourhood exactly once, so an isolated node's closed
  neighbourhood is itself. Self-loops in the input are dropped, and `notes` counts them.
- **features** as float32, dense (numpy) or sparse (CSR), or None. Arrays are taken as they are. A table of named columns (a
  frame of pandas or polars, an Arrow table, a file) is encoded (`sparsecut.encoding`): numbers standardised, text one column
  per category; a model that is fitted on the graph keeps that encoding for later ones.
- **rows in the order of the nodes**: a frame or series whose index names nodes is put in their order by it.

What lies in a memory map stays there: float32 features are checked block by block and not copied, and neither is an
adjacency, which then must be all of the above already (`sparsecut.build_store` makes one of any edges).
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.arrays import check_mapped, is_mapped, value_blocks
from sparsecut.encoding import Encoder, FeatureMatrix, FeatureTable, Source, WordLists
from sparsecut.errors import InputError, NewValuesWarning, check_choice
from sparsecut.graph.canonical import DIRECTIONS, check_adjacency
from sparsecut.graph.foreign import from_torch, library_of, plain_adjacency
from sparsecut.graph.frames import is_frame, place_column, place_frame
from sparsecut.graph.node_ids import choose_nodes
from sparsecut.graph.node_values import (
    Features,
    check_column,
    check_features,
    check_ids,
    check_same_ids,
    named_columns,
    wrong_rows,
)


class Graph:
    """An undirected graph with optional node features, labels and ids.

    Parameters
    ----------
    adjacency : scipy sparse matrix or array (n, n)
        A dense array is accepted too. Weights are non-negative.
    features : array, scipy sparse matrix or data frame (n, f), optional
        Arrays are taken as they are. The columns of a frame (pandas, polars, Arrow) may have any type and are encoded; its
        index, or a column named id, node or node_id, says which row belongs to which node.
    labels : array or series (n,), optional
        Any type; -1, None, NaN and "" mean that a node has no label. A series is matched by its index.
    node_ids : array (n,), optional
        Unique, all integers or all words; 0..n-1 where not given.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        What becomes of an adjacency whose entry (i, j) is an edge from i to j.
    feature_names : sequence of str, optional
        Names of the columns of an array: a model then matches the columns of later graphs by name. Frames have their own.
    scale : bool, default=True
        Whether the numbers of a frame are standardised; arrays never are.
    notes : tuple of str
        Sentences about how the graph was read, kept for whoever shows the graph to a person.
    """

    __slots__ = ("_matrix", "_source", "adjacency", "is_directed", "labels", "node_ids", "notes")

    _matrix: Features | None  # the features as numbers, once they were asked for
    _source: Source | None  # what the features are made of
    adjacency: sp.csr_array
    is_directed: bool
    labels: NDArray[Any] | None
    node_ids: NDArray[Any]
    notes: tuple[str, ...]

    def __init__(
        self,
        adjacency: Any,
        *,
        features: Any = None,
        labels: ArrayLike | None = None,
        node_ids: ArrayLike | None = None,
        directed: str = "symmetrize",
        feature_names: Sequence[str] | None = None,
        scale: bool = True,
        notes: tuple[str, ...] = (),
    ) -> None:
        check_choice("Graph", "directed", directed, DIRECTIONS)
        if isinstance(adjacency, Graph):
            raise InputError("The adjacency is a Graph already: pass it as it is, or its graph.adjacency.")
        adjacency, named = plain_adjacency(adjacency)
        if named is not None:
            node_ids = check_same_ids(named, node_ids)
        adjacency_notes: tuple[str, ...] = ()
        if directed != "in" and is_mapped(adjacency):
            check_mapped(adjacency, is_symmetric=directed == "symmetrize")
            checked = adjacency
        else:
            checked, adjacency_notes = check_adjacency(adjacency, directed)
        ids = np.arange(checked.shape[0]) if node_ids is None else check_ids(node_ids, checked.shape[0])
        encoder = named_columns(feature_names, features)
        self._store(checked, features, labels, ids, directed, (*notes, *adjacency_notes), encoder, scale)

    @classmethod
    def from_canonical(
        cls,
        adjacency: sp.csr_array,
        *,
        features: Any = None,
        labels: ArrayLike | None = None,
        node_ids: NDArray[Any],
        directed: str = "symmetrize",
        encoder: Encoder | None = None,
        scale: bool = True,
        notes: tuple[str, ...] = (),
    ) -> Graph:
        """For readers that made the adjacency and the ids themselves: what `Graph` would make of them is taken on trust.

        The adjacency is float32, sorted, without repeats, zeros and self-loops, oriented as `directed` says; the ids are
        unique. Checking that again would take longer than making it. `encoder` is what a matrix was encoded by already.
        """
        graph = object.__new__(cls)
        graph._store(adjacency, features, labels, node_ids, directed, notes, encoder, scale)
        return graph

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
    def encoder(self) -> Encoder | None:
        """How `features` were made of a table; None for an array without names."""
        return None if self._source is None else self._source.encoder

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the columns as they were given, before a table is encoded; None where they have none."""
        return None if self._source is None else self._source.names

    def encoded_by(self, encoder: Encoder | None) -> Graph:
        """The graph with its features as a fitted encoder makes them: its columns, in its order, by its scales.

        What was not there when the encoder was fitted is told by a `NewValuesWarning` and in `notes`.
        """
        if self._source is None or (self._matrix is not None and self._source.encoder == encoder):
            return self
        matrix, notes = self._source.matrix(encoder)
        for note in notes:
            warnings.warn(note, NewValuesWarning, stacklevel=3)
        return self.replace(features=matrix, encoder=encoder, notes=(*self.notes, *notes))

    def replace(self, **changes: Any) -> Graph:
        """The same graph with other features, labels, notes or adjacency (canonical, as in `from_canonical`).

        Parameters
        ----------
        **changes
            Of `adjacency`, `features`, `encoder` (with `features`), `labels`, `node_ids`, `directed`, `notes`.

        Returns
        -------
        Graph
            A new graph that shares what was not changed.
        """
        kept = {
            "adjacency": self.adjacency,
            "features": self._source,
            "labels": self.labels,
            "node_ids": self.node_ids,
            "directed": "out" if self.is_directed else "symmetrize",  # the rows are oriented already
            "notes": self.notes,
        }
        return Graph.from_canonical(**(kept | changes))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Graph is frozen: {name} cannot be set. Make a new Graph instead.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A Graph is frozen: {name} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.adjacency, self._source, self.labels, self.node_ids, self.notes, self.is_directed)

    @property
    def n_nodes(self) -> int:
        return int(self.adjacency.shape[0])

    @property
    def n_edges(self) -> int:
        """The number of edges, each undirected edge once."""
        return int(self.adjacency.nnz) if self.is_directed else int(self.adjacency.nnz // 2)

    @property
    def n_features(self) -> int:
        """The number of columns of `features`, after a table is encoded."""
        return 0 if self.features is None else int(self.features.shape[1])

    @property
    def is_weighted(self) -> bool:
        data = self.adjacency.data
        if len(data) and data.strides == (0,):  # one number for all
            return bool(data[0] != 1)
        return any(bool((values != 1).any()) for values in value_blocks(self.adjacency))

    def subgraph(self, nodes: Any = None, *, positions: ArrayLike | None = None) -> Graph:
        """The graph induced by some nodes, in the order given: what a model may see before the others arrive.

        Parameters
        ----------
        nodes : list or array of node ids, or boolean mask (n,)
            The nodes to keep. Integers are ids, never positions: the two agree only where the ids are 0..n-1. A mask goes
            by position; a boolean pandas Series by its index, unless that is 0..n-1.
        positions : list or array of int, optional
            The nodes by their positions 0..n-1 instead.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> graph = sc.Graph(np.ones((3, 3)), node_ids=["a", "b", "c"])
        >>> graph.subgraph(["c", "a"]).node_ids.tolist()
        ['c', 'a']
        >>> graph.subgraph(positions=[2, 0]).node_ids.tolist()
        ['c', 'a']
        """
        nodes = choose_nodes(nodes, positions, self.node_ids, "subgraph")
        return Graph(
            self.adjacency[nodes][:, nodes],
            labels=None if self.labels is None else self.labels[nodes],
            node_ids=self.node_ids[nodes],
            directed="out" if self.is_directed else "symmetrize",  # the rows are oriented already
        ).replace(features=None if self._source is None else self._source.take(np.asarray(nodes)))

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


def _rebuild(adjacency: Any, features: Any, labels: Any, node_ids: Any, notes: tuple[str, ...], is_directed: bool) -> Graph:
    directed = "out" if is_directed else "symmetrize"
    graph = Graph(adjacency, labels=labels, node_ids=node_ids, directed=directed, notes=notes)
    return graph.replace(features=features)
