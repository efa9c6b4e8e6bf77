"""The graph: adjacency, features, labels and node ids, checked once and frozen afterwards.

What a `Graph` holds, whatever was passed in:

- **undirected**: where A is not symmetric it becomes max(A, Aᵀ), so an edge given in one direction keeps its weight and
  one given in both counts once. A `DirectedGraphWarning` and `Graph.notes` say so. `directed="out"` or `"in"` keeps the
  directions instead: a filter then averages over the nodes that a node points to, or over those that point to it.
- **weights kept** as float32. Entries given twice at one position are summed, as scipy does with coordinates.
- **no self-loops**: every filter adds each node to its own neighbourhood exactly once, so an isolated node's closed
  neighbourhood is itself. Self-loops in the input are dropped, and `notes` counts them.
- **features** as float32, dense (numpy) or sparse (CSR), or None.

What lies in a memory map stays there: float32 features are checked block by block and not copied, and neither is an
adjacency, which then must be all of the above already (`sparsecut.build_store` makes one of any edges).
"""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.errors import DirectedGraphWarning, InputError, check_choice, first_few
from sparsecut.magnitude import are_finite, feature_error, weight_error
from sparsecut.mapped import check_mapped
from sparsecut.streaming import is_mapped, value_blocks

DIRECTIONS = ("symmetrize", "out", "in")

Features: TypeAlias = "NDArray[np.float32] | sp.csr_array"


class Graph:
    """An undirected graph with optional node features, labels and ids.

    Parameters
    ----------
    adjacency : scipy sparse matrix or array (n, n); a dense array is accepted too. Weights are non-negative.
    features : array or scipy sparse (n, f), optional.
    labels : array (n,), optional. Any type; -1, None, NaN and "" mean that a node has no label.
    node_ids : array (n,), optional. Unique; 0..n-1 where not given.
    directed : "symmetrize", "out" or "in": what becomes of an adjacency whose entry (i, j) is an edge from i to j.
    notes : sentences about how the graph was read, kept for whoever shows the graph to a person.
    """

    __slots__ = ("adjacency", "features", "is_directed", "labels", "node_ids", "notes")

    adjacency: sp.csr_array
    features: Features | None
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
        notes: tuple[str, ...] = (),
    ) -> None:
        check_choice("Graph", "directed", directed, DIRECTIONS)
        adjacency_notes: tuple[str, ...] = ()
        if directed != "in" and is_mapped(adjacency):
            check_mapped(adjacency, is_symmetric=directed == "symmetrize")
            checked = adjacency
        else:
            checked, adjacency_notes = _check_adjacency(adjacency, directed)
        ids = np.arange(checked.shape[0]) if node_ids is None else _check_ids(node_ids, checked.shape[0])
        self._store(checked, features, labels, ids, directed, (*notes, *adjacency_notes))

    @classmethod
    def from_canonical(
        cls,
        adjacency: sp.csr_array,
        *,
        features: Any = None,
        labels: ArrayLike | None = None,
        node_ids: NDArray[Any],
        directed: str = "symmetrize",
        notes: tuple[str, ...] = (),
    ) -> Graph:
        """For readers that made the adjacency and the ids themselves: what `Graph` would make of them is taken on trust.

        The adjacency is float32, sorted, without repeats, zeros and self-loops, oriented as `directed` says; the ids are
        unique. Checking that again would take longer than making it.
        """
        graph = object.__new__(cls)
        graph._store(adjacency, features, labels, node_ids, directed, notes)
        return graph

    def _store(
        self, adjacency: sp.csr_array, features: Any, labels: Any, ids: NDArray[Any], directed: str, notes: tuple[str, ...]
    ) -> None:
        n_nodes = adjacency.shape[0]
        values = {
            "adjacency": adjacency,
            "features": None if features is None else _check_features(features, n_nodes),
            "is_directed": directed != "symmetrize",
            "labels": None if labels is None else _check_column("labels", labels, n_nodes),
            "node_ids": ids,
            "notes": notes,
        }
        for name, value in values.items():
            object.__setattr__(self, name, _freeze(value))

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Graph is frozen: {name} cannot be set. Make a new Graph instead.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A Graph is frozen: {name} cannot be deleted.")

    def __reduce__(self) -> tuple[Any, ...]:
        return _rebuild, (self.adjacency, self.features, self.labels, self.node_ids, self.notes, self.is_directed)

    @property
    def n_nodes(self) -> int:
        return int(self.adjacency.shape[0])

    @property
    def n_edges(self) -> int:
        """The number of edges, each undirected edge once."""
        return int(self.adjacency.nnz) if self.is_directed else int(self.adjacency.nnz // 2)

    @property
    def n_features(self) -> int:
        return 0 if self.features is None else int(self.features.shape[1])

    @property
    def is_weighted(self) -> bool:
        data = self.adjacency.data
        if len(data) and data.strides == (0,):  # one number for all
            return bool(data[0] != 1)
        return any(bool((values != 1).any()) for values in value_blocks(self.adjacency))

    def subgraph(self, nodes: ArrayLike) -> Graph:
        """The graph induced by some nodes, in the order given: what a model may see before the others arrive."""
        nodes = np.asarray(nodes)
        if nodes.dtype == bool:
            nodes = np.flatnonzero(nodes)
        return Graph(
            self.adjacency[nodes][:, nodes],
            features=None if self.features is None else self.features[nodes],
            labels=None if self.labels is None else self.labels[nodes],
            node_ids=self.node_ids[nodes],
            directed="out" if self.is_directed else "symmetrize",  # the rows are oriented already
        )

    def __repr__(self) -> str:
        parts = [f"{self.n_nodes:,} nodes", f"{self.n_edges:,} edges"]
        kinds = ["directed"] * self.is_directed + ["weighted"] * self.is_weighted
        parts[-1] = " ".join([f"{self.n_edges:,}", *kinds, "edges"])
        if self.features is not None:
            kind = "sparse " if sp.issparse(self.features) else ""
            parts.append(f"{self.n_features:,} {kind}features")
        if self.labels is not None:
            parts.append("labels")
        return f"Graph({', '.join(parts)})"


def as_graph(graph: Any, features: Any = None) -> Graph:
    """A `Graph` as it is, or an adjacency and its features checked into one."""
    if isinstance(graph, Graph):
        if features is not None:
            raise InputError("features are given beside a Graph, which has its own. Pass Graph(adjacency, features=...).")
        return graph
    return Graph(graph, features=features)


def _check_adjacency(adjacency: Any, directed: str) -> tuple[sp.csr_array, tuple[str, ...]]:
    if not sp.issparse(adjacency):
        try:
            adjacency = np.asarray(adjacency)
            is_matrix = adjacency.ndim == 2 and adjacency.dtype.kind in "biuf"
        except ValueError:
            is_matrix = False
        if not is_matrix:
            raise InputError(
                "The adjacency must be a scipy sparse matrix or a two-dimensional array of numbers. "
                f"Got {type(adjacency).__name__} instead. Files are read with sparsecut.read_graph(path)."
            )
    if adjacency.shape[0] != adjacency.shape[1]:
        raise InputError(f"The adjacency must be square, one row and one column a node. Got shape {adjacency.shape}.")
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
        raise InputError(f"The features must have one row for each of the {n_nodes:,} nodes. Got {checked.shape[0]:,} rows.")
    if checked.shape[1] == 0:
        raise InputError("The features must have at least one column. Got none. Leave features out if there are none.")
    if not are_finite(checked):
        raise feature_error(features, checked)
    return checked


def _check_column(name: str, values: ArrayLike, n_nodes: int) -> NDArray[Any]:
    column = np.asarray(values)
    if column.shape != (n_nodes,):
        raise InputError(f"The {name} must be one value for each of the {n_nodes:,} nodes. Got shape {column.shape}.")
    return column


def _check_ids(values: ArrayLike, n_nodes: int) -> NDArray[Any]:
    ids = _check_column("node_ids", values, n_nodes)
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


def _rebuild(
    adjacency: Any, features: Any, labels: Any, node_ids: Any, notes: tuple[str, ...], is_directed: bool = False
) -> Graph:
    directed = "out" if is_directed else "symmetrize"
    return Graph(adjacency, features=features, labels=labels, node_ids=node_ids, directed=directed, notes=notes)
