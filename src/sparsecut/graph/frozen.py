"""What a graph holds, and what it says about itself. Its parts are read-only views, and no attribute can be set again.

A graph may be given as tensors of a GPU: `held_edges` and `held_features` are then these. What is used as an array is
copied to the host when it is first used.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.features import Encoder, FeatureMatrix, FeatureTable, Scale, Source, TypedFeatures, WordLists, table_source
from sparsecut.graph.clock import Clock
from sparsecut.graph.foreign import from_torch, library_of
from sparsecut.graph.frames import is_frame, match_frame
from sparsecut.graph.id_kinds import Ids
from sparsecut.graph.labels import place_labels
from sparsecut.graph.mappings import are_word_lists, mapped_features, words_source
from sparsecut.graph.node_types import codes_of, ids_of_type
from sparsecut.graph.node_values import Features, check_column, check_features, wrong_rows
from sparsecut.graph.relations import EdgeType, Relations
from sparsecut.graph.timeline import Timeline
from sparsecut.graph.view import graph_html
from sparsecut.kernels import neighbour_sums, value_blocks

Self = TypeVar("Self", bound="FrozenGraph")

if TYPE_CHECKING:
    from torch import Tensor

    from sparsecut.kernels.entries import Entries


class FrozenGraph:
    """The parts of a `Graph`, stored once."""

    __slots__ = (
        *("_adjacency", "_codes", "_edges", "_ids", "_matrix", "_source", "_tensor"),
        *("clock", "demands", "is_directed", "labels", "node_types", "notes", "relations", "timeline"),
    )

    _adjacency: sp.csr_array | None  # None until it is used, where the edges are tensors
    _codes: NDArray[np.int16] | None  # the type of every node as its place among `node_types`, once it was used
    _edges: Any  # as they were given: a csr_array, or Entries
    _ids: Ids | None  # None for 0..n−1 that nobody asked for yet
    _matrix: Features | None  # the features as numbers, once they were used
    _source: Source | None  # what the features are made of
    _tensor: Tensor | None  # the features, dense or CSR, where they were given as a tensor of a GPU
    is_directed: bool
    labels: NDArray[Any] | None
    notes: tuple[str, ...]
    clock: Clock | None  # by which its edges aged
    demands: sp.csr_array | None  # the weights of edges that ask for distance, those of negative sign, as they were given
    node_types: tuple[str, ...] | None  # how the ids of a graph with several types of nodes begin
    relations: Relations | None  # the edges of each type
    timeline: Timeline | None  # its edges one by one, where they have times

    def _store(
        self,
        adjacency: sp.csr_array | Entries,
        features: Any,
        labels: Any,
        ids: Ids | None,
        directed: str,
        notes: tuple[str, ...],
        encoder: Encoder | None,
        scale: Scale,
        id_column: str | None = None,
        node_types: tuple[str, ...] | None = None,
        relations: Relations | None = None,
        clock: Clock | None = None,
        demands: sp.csr_array | None = None,
        timeline: Timeline | None = None,
    ) -> None:
        adjacency = _freeze(adjacency)
        n_nodes = rows_of(adjacency)
        tensor = features if library_of(features) == "torch" else getattr(features, "own", None)
        tensor = tensor if getattr(tensor, "is_cuda", False) else None
        if tensor is not None and not isinstance(features, FeatureMatrix):
            from sparsecut.graph.device import check_feature_tensor

            tensor = check_feature_tensor(tensor, n_nodes)
            features = FeatureMatrix(tensor, encoder)
        if library_of(features) == "torch":
            features = from_torch(features)
        beside = None
        if is_frame(features):
            what, named = "The frame of features", np.arange(n_nodes) if ids is None else ids
            matched = match_frame(features, named, what, id_column=id_column)
            beside = features, matched
            features = table_source(matched.table, what, scale=scale)
            rows = matched.rows(named, what)
            features = features if rows is None else features.placed(rows)
            notes = (*notes, *matched.notes)
        elif isinstance(features, Mapping):
            features = mapped_features(features, np.arange(n_nodes) if ids is None else ids, scale)
        elif isinstance(features, list | tuple) and are_word_lists(features):
            features = words_source(features, "The list of features")
        if features is not None and not isinstance(features, FeatureMatrix | FeatureTable | WordLists | TypedFeatures):
            features = FeatureMatrix(_freeze(check_features(features, n_nodes)), encoder)
        elif features is not None and features.shape[0] != n_nodes:
            raise wrong_rows(n_nodes, features.shape[0])
        if labels is not None:
            labels = from_torch(labels) if library_of(labels) == "torch" else labels
            named = np.arange(n_nodes) if ids is None else ids
            labels, told = place_labels(labels, named, id_column=id_column, features=beside)
            labels, notes = check_column("labels", labels, n_nodes), (*notes, *told)
        values = {
            "_adjacency": adjacency if sp.issparse(adjacency) else None,
            "_codes": None,
            "_edges": adjacency,
            "_ids": ids,
            "_source": features,
            "_matrix": features.own if isinstance(features, FeatureMatrix) and tensor is None else None,
            "_tensor": tensor,
            "is_directed": directed != "symmetrize",
            "labels": labels,
            "notes": notes,
            "node_types": None if node_types is None else tuple(node_types),
            "relations": relations,
            "clock": clock,
            "demands": demands,
            "timeline": timeline,
        }
        self._set(values)

    def _set(self, values: Mapping[str, Any]) -> None:
        for name, value in values.items():
            object.__setattr__(self, name, _freeze(value))

    @property
    def adjacency(self) -> sp.csr_array:
        """The edges as a matrix in the host's memory; those of a graph on a GPU are copied when this is first used."""
        if self._adjacency is None:
            self._set({"_adjacency": self._edges.to_scipy(self.n_nodes)})
        assert self._adjacency is not None
        return self._adjacency

    @property
    def node_ids(self) -> Ids:
        """The id of every node, in the order of the rows."""
        if self._ids is None:
            self._set({"_ids": np.arange(self.n_nodes)})
        assert self._ids is not None
        return self._ids

    @property
    def has_plain_ids(self) -> bool:
        """Whether the ids are the positions 0..n−1 because none were given."""
        return self._ids is None

    @property
    def types(self) -> NDArray[np.str_] | None:
        """The type of every node of a graph with several types; None for any other graph.

        The type is what an id says: "user" for "user:7"; "" for an id that begins with the name of no type.
        """
        if self.node_types is None:
            return None
        return np.array([*self.node_types, ""], dtype=np.str_)[self.type_codes]

    @property
    def type_codes(self) -> NDArray[np.int16]:
        """The type of every node as its place among `node_types`; −1 for an id that begins with the name of no type."""
        if self._codes is None:
            self._set({"_codes": codes_of(self.node_ids, self.node_types or ())})
        assert self._codes is not None
        return self._codes

    def _with_type_counts(self: Self, counts: Sequence[int]) -> Self:
        """The graph, with the types of nodes that come type by type, so many of each: no id is read for that."""
        assert sum(counts) == self.n_nodes
        self._set({"_codes": np.repeat(np.arange(len(counts)), counts).astype(np.int16)})
        return self

    @property
    def edge_types(self) -> tuple[EdgeType, ...] | None:
        """(type of the source, name, type of the target) of each type of edges; None where nodes have no types."""
        if self.relations is not None:
            return self.relations.edge_types
        return None if self.node_types is None else ((self.node_types[0], "to", self.node_types[-1]),)

    def nodes(self, type: str) -> NDArray[Any]:  # noqa: A002 - the design's name
        """The ids of one type as they were given, in the order of the rows.

        Parameters
        ----------
        type : str
            One of `node_types`.

        Returns
        -------
        array
            Integers where all of them are, words otherwise; in `node_ids` they begin with the type and a colon.

        Examples
        --------
        >>> import sparsecut as sc
        >>> graph = sc.from_edges({"user_id": [1, 2], "movie_id": [1, 1]}, bipartite=True)
        >>> graph.nodes("user").tolist(), graph.node_ids.tolist()
        ([1, 2], ['user:1', 'user:2', 'movie:1'])
        """
        return ids_of_type(self.node_ids, self.node_types, self.type_codes, type)

    @property
    def n_nodes(self) -> int:
        """The number of nodes."""
        return rows_of(self._edges)

    @property
    def n_edges(self) -> int:
        """The number of edges, each undirected edge once."""
        n_entries = int(self._edges.nnz)
        return n_entries if self.is_directed else n_entries // 2

    @property
    def degrees(self) -> NDArray[np.float64]:
        """The degree of every node, weighted."""
        if sp.issparse(self._edges):
            return neighbour_sums(self._edges)
        from sparsecut.kernels.transfer import as_array

        return as_array(self._edges.row_sums())

    @property
    def is_weighted(self) -> bool:
        """Whether any edge has a weight other than 1."""
        if self._adjacency is None:
            return self._edges.values is not None
        data = self._adjacency.data
        if len(data) and data.strides == (0,):  # one number for all
            return bool(data[0] != 1)
        return any(bool((values != 1).any()) for values in value_blocks(self.adjacency))

    @property
    def features(self) -> Features | None:
        """The features as numbers; a table is encoded by itself when this is first used.

        Those of a graph on a GPU are copied to the host then.
        """
        if self._matrix is None and self._source is not None:
            matrix, _ = self._source.matrix(self._source.encoder)
            matrix = from_torch(matrix) if library_of(matrix) == "torch" else matrix
            self._set({"_matrix": check_features(matrix, self.n_nodes)})
        return self._matrix

    @property
    def has_features(self) -> bool:
        """Whether the graph brings features, encoded or not yet."""
        return self._source is not None

    @property
    def has_sparse_features(self) -> bool:
        """Whether the features are a sparse matrix."""
        if self._tensor is not None:
            return str(self._tensor.layout) != "torch.strided"
        return bool(sp.issparse(self.features))

    @property
    def n_features(self) -> int:
        """The number of columns of `features`, after a table is encoded."""
        if self._tensor is not None:
            return int(self._tensor.shape[1])
        return 0 if self.features is None else int(self.features.shape[1])

    @property
    def encoder(self) -> Encoder | None:
        """How `features` were made of a table; None for an array without names."""
        return None if self._source is None else self._source.encoder

    @property
    def source(self) -> Source | None:
        """What the features are made of: a table, lists of words, or a matrix; None where there are none."""
        return self._source

    @property
    def feature_names(self) -> tuple[str, ...] | None:
        """The names of the columns as they were given, before a table is encoded; None where they have none."""
        return None if self._source is None else self._source.names

    @property
    def held_edges(self) -> sp.csr_array | Entries:
        """The edges as they were given: a matrix of scipy, or tensors."""
        edges: sp.csr_array | Entries = self._edges
        return edges

    @property
    def held_features(self) -> Any:
        """The features as numbers, as they were given: an array, a sparse matrix or a tensor; None where there are none."""
        return self.features if self._tensor is None else self._tensor

    def _moved(self: Self, edges: Entries, tensor: Tensor | None) -> Self:
        """The graph as tensors; what the host has of it is kept."""
        graph = object.__new__(type(self))
        graph._set({name: getattr(self, name) for name in FrozenGraph.__slots__} | {"_edges": edges, "_tensor": tensor})
        return graph

    def shares_edges(self, other: FrozenGraph) -> bool:
        """Whether both hold the same edges, the very same arrays.

        Parameters
        ----------
        other : Graph
            Perhaps with other features.

        Returns
        -------
        bool

        Examples
        --------
        >>> import sparsecut as sc
        >>> graph = sc.from_edges([("a", "b"), ("b", "c")])
        >>> graph.shares_edges(graph.replace(labels=[0, 0, 1]))
        True
        """
        return self._edges is other._edges

    def shares_features(self, other: FrozenGraph) -> bool:
        """Whether both have the same features, made of the very same arrays.

        Parameters
        ----------
        other : Graph
            Perhaps with other labels.

        Returns
        -------
        bool

        Examples
        --------
        >>> import numpy as np
        >>> import sparsecut as sc
        >>> graph = sc.Graph(np.ones((2, 2)), features=np.eye(2))
        >>> graph.shares_features(graph.replace(labels=[0, 1]))
        True
        """
        return self._source is other._source

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"A Graph is frozen: {name} cannot be set. Make a new Graph instead.")

    def __delattr__(self, name: str) -> None:
        raise AttributeError(f"A Graph is frozen: {name} cannot be deleted.")

    def __copy__(self: Self) -> Self:
        return self  # frozen: nobody can tell a copy from the graph itself

    def __deepcopy__(self: Self, memo: object) -> Self:
        return self  # scikit-learn's clone copies the parameters of an estimator, of which a graph may be one

    def _repr_html_(self) -> str:
        return graph_html(self)

    def __repr__(self) -> str:
        parts = [f"{self.n_nodes:,} nodes", f"{self.n_edges:,} edges"]
        kinds = ["directed"] * self.is_directed + ["weighted"] * self.is_weighted
        parts[-1] = " ".join([f"{self.n_edges:,}", *kinds, "edges"])
        if self._matrix is not None or self._tensor is not None:
            kind = "sparse " if self.has_sparse_features else ""
            parts.append(f"{self.n_features:,} {kind}features")
        elif self._source is not None:
            parts.append(f"{self._source.shape[1]:,} feature columns")
        if self.labels is not None:
            parts.append("labels")
        if self.relations is not None:
            parts[0] += f" of {len(self.node_types or ())} types"
            n_types = len(self.relations.edge_types)
            parts[1] += f" of {n_types} type{'s' * (n_types > 1)}"
        if self._adjacency is None:
            parts.append(f"on {self._edges.indices.device}")
        return f"Graph({', '.join(parts)})"


def rows_of(edges: Any) -> int:
    """The number of nodes of an adjacency, in the host's memory or on a GPU."""
    return int(edges.shape[0] if sp.issparse(edges) else edges.n_rows)


def _freeze(value: Any) -> Any:
    """A read-only view: the graph cannot be changed through itself, and nothing is copied."""
    if isinstance(value, np.ndarray):
        value = value.view()
        value.flags.writeable = False
    elif sp.issparse(value) and any(part.flags.writeable for part in (value.data, value.indices, value.indptr)):
        frozen = sp.csr_array(value.shape, dtype=value.dtype)
        frozen.data, frozen.indices, frozen.indptr = map(_freeze, (value.data, value.indices, value.indptr))
        # Canonical already; saying so keeps scipy from sorting read-only arrays in place.
        frozen.has_canonical_format = True
        value = frozen
    return value
