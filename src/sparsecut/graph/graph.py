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
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.arrays.magnitude import are_finite, feature_error, weight_error
from sparsecut.arrays.mapped import check_mapped
from sparsecut.arrays.streaming import is_mapped, value_blocks
from sparsecut.encoding.encoder import Encoder, NamedColumns
from sparsecut.encoding.sources import FeatureMatrix, FeatureTable, Source, WordLists
from sparsecut.errors import DirectedGraphWarning, InputError, NewValuesWarning, check_choice, first_few
from sparsecut.graph.foreign import from_torch, library_of, not_square, plain_adjacency, refuse_foreign, refuse_matrix
from sparsecut.graph.frames import is_frame, place_column, place_frame
from sparsecut.graph.node_ids import as_id_array, choose_nodes

DIRECTIONS = ("symmetrize", "out", "in")

Features: TypeAlias = "NDArray[np.float32] | sp.csr_array"


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
        adjacency, named = plain_adjacency(adjacency)
        if named is not None:
            node_ids = _check_same_ids(named, node_ids)
        adjacency_notes: tuple[str, ...] = ()
        if directed != "in" and is_mapped(adjacency):
            check_mapped(adjacency, is_symmetric=directed == "symmetrize")
            checked = adjacency
        else:
            checked, adjacency_notes = _check_adjacency(adjacency, directed)
        ids = np.arange(checked.shape[0]) if node_ids is None else _check_ids(node_ids, checked.shape[0])
        encoder = _named(feature_names, features)
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
            features = FeatureMatrix(_freeze(_check_features(features, n_nodes)), encoder)
        elif features is not None and features.shape[0] != n_nodes:
            raise _wrong_rows(n_nodes, features.shape[0])
        if labels is not None:
            labels = _check_column("labels", place_column(labels, ids, "The labels"), n_nodes)
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
            object.__setattr__(self, "_matrix", _freeze(_check_features(matrix, self.n_nodes)))
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


def as_graph(graph: Any, features: Any = None, y: Any = None) -> Graph:
    """A `Graph` as it is, or an adjacency and its features checked into one.

    `y` is the second argument of scikit-learn's `fit`, ignored, and refused where it looks like the features.
    """
    if y is not None:
        refuse_matrix(y)
    if isinstance(graph, Graph):
        if features is not None:
            raise InputError("features are given beside a Graph, which has its own. Pass Graph(adjacency, features=...).")
        return graph
    return Graph(graph, features=features)


def check_graph(graph: Any, caller: str) -> Graph:
    """A `Graph`, which `caller` needs; of anything else the error says how it becomes one."""
    if not isinstance(graph, Graph):
        refuse_foreign(graph, f"{caller} needs a sparsecut.Graph.")
        raise InputError(
            f"{caller} needs a sparsecut.Graph. Got {type(graph).__name__}. Pass sc.Graph(adjacency, features=...)."
        )
    return graph


def _check_adjacency(adjacency: Any, directed: str) -> tuple[sp.csr_array, tuple[str, ...]]:
    if isinstance(adjacency, Graph):
        raise InputError("The adjacency is a Graph already: pass it as it is, or its graph.adjacency.")
    if not sp.issparse(adjacency):
        got = type(adjacency).__name__
        try:
            adjacency = np.asarray(adjacency)
            got = f"{got} of shape {adjacency.shape}" if adjacency.ndim else got
            is_matrix = adjacency.ndim == 2 and adjacency.dtype.kind in "biuf"
        except ValueError:
            is_matrix = False
        if not is_matrix:
            raise InputError(
                "The adjacency must be a scipy sparse matrix or a two-dimensional array of numbers. "
                f"Got {got} instead. Edges become a graph with sc.from_edges(edges), files with sc.read_graph(path)."
            )
    if adjacency.shape[0] != adjacency.shape[1]:
        raise InputError(
            f"The adjacency must be square, one row and one column a node. Got shape {adjacency.shape}."
            f"{not_square(adjacency.shape)}"
        )
    if adjacency.shape[0] == 0:
        raise InputError("The graph is empty: the adjacency has no rows. A graph needs at least one node.")
    if adjacency.dtype.kind not in "biuf":
        raise InputError(f"The edge weights must be real numbers. Got an adjacency of type {adjacency.dtype}.")

    with np.errstate(over="ignore"):  # a weight beyond float32 becomes infinite and is refused below
        A = sp.csr_array(adjacency, dtype=np.float32, copy=True)  # (n, n)
        A.sum_duplicates()
    _check_weights(A, adjacency)
    A.eliminate_zeros()

    notes = []
    n_loops = int(np.count_nonzero(A.diagonal()))
    if n_loops:
        A.setdiag(0)
        A.eliminate_zeros()
        notes.append(f"{n_loops:,} self-loops were dropped: filters count each node in its own neighbourhood once.")
    A_transposed = A.T.tocsr()
    if directed == "in":
        A = A_transposed
    elif directed == "symmetrize" and (A_transposed != A).nnz:
        A = A.maximum(A_transposed)
        message = "The adjacency is directed and was made undirected: max(A, Aᵀ)."
        notes.append(message)
        warnings.warn(message, DirectedGraphWarning, stacklevel=3)
    A.sort_indices()
    return A, tuple(notes)


def _check_weights(A: sp.csr_array, given: Any) -> None:
    if not are_finite(A):
        raise weight_error(given, A)
    is_negative = A.data < 0
    if is_negative.any():
        entry = int(np.argmax(is_negative))
        row = int(np.searchsorted(A.indptr, entry, side="right")) - 1
        raise InputError(
            f"The edge weights must be zero or more. Got {A.data[entry]:g} between the nodes at positions "
            f"{row} and {A.indices[entry]}."
        )


def _check_features(features: Any, n_nodes: int) -> Features:
    if sp.issparse(features):
        # A canonical float32 CSR is shared, not copied: features are the largest thing a user holds.
        with np.errstate(over="ignore"):  # a value beyond float32 becomes infinite and is refused below
            checked = sp.csr_array(features, dtype=np.float32)
            if not checked.has_canonical_format:
                checked = checked.copy()
                checked.sum_duplicates()
    else:
        try:
            features = np.asarray(features)
            if features.dtype.kind not in "biuf":
                features = features.astype(np.float64)
        except (TypeError, ValueError) as error:
            raise InputError(f"The features must be numbers, one row a node. {str(error).capitalize()}.") from error
        if features.ndim != 2:
            raise InputError(f"The features must be two-dimensional, one row a node. Got shape {features.shape}.")
        with np.errstate(over="ignore"):  # a value beyond float32 becomes infinite and is refused below
            checked = np.ascontiguousarray(features, dtype=np.float32)
    if checked.shape[0] != n_nodes:
        raise _wrong_rows(n_nodes, checked.shape[0])
    if checked.shape[1] == 0:
        raise InputError("The features must have at least one column. Got none. Leave features out if there are none.")
    if not are_finite(checked):
        raise feature_error(features, checked)
    return checked


def _wrong_rows(n_nodes: int, n_rows: int) -> InputError:
    return InputError(f"The features must have one row for each of the {n_nodes:,} nodes. Got {n_rows:,} rows.")


def _named(names: Sequence[str] | None, features: Any) -> NamedColumns | None:
    """The columns of an array by the names given for them."""
    if names is None:
        return None
    if features is None or is_frame(features):
        raise InputError("feature_names are the names of an array's columns. A frame has its own; leave them out.")
    checked = tuple(str(name) for name in names)
    n_columns = np.shape(features)[1] if np.ndim(features) == 2 or sp.issparse(features) else len(checked)
    if len(checked) != n_columns or len(set(checked)) < len(checked):
        raise InputError(
            f"The feature_names must be one name for each of the {n_columns:,} columns, all different. "
            f"Got {len(checked):,}, of which {len(set(checked)):,} differ."
        )
    return NamedColumns(checked)


def _check_column(name: str, values: ArrayLike, n_nodes: int) -> NDArray[Any]:
    column = np.asarray(values)
    if column.shape != (n_nodes,):
        raise InputError(f"The {name} must be one value for each of the {n_nodes:,} nodes. Got shape {column.shape}.")
    return column


def _check_same_ids(named: NDArray[Any], node_ids: ArrayLike | None) -> NDArray[Any]:
    """The ids that the adjacency has as a frame's index, which others beside it may not contradict."""
    if node_ids is not None and not np.array_equal(named, np.asarray(node_ids)):
        raise InputError(
            "The node_ids differ from the index of the adjacency. Leave node_ids out, or pass frame.to_numpy()."
        )
    return named


def _check_ids(values: ArrayLike, n_nodes: int) -> NDArray[Any]:
    ids = _check_column("node_ids", as_id_array(values), n_nodes)
    unique, counts = np.unique(ids, return_counts=True)
    if len(unique) < n_nodes:
        raise InputError(f"The node ids must be unique. These occur more than once: {first_few(unique[counts > 1])}.")
    return ids


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
