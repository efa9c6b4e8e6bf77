"""The rows that a model smooths, of some nodes alone: weighted features, places in the graph, counts around a node."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.features.places import averaged, centred
from sparsecut.graph import Graph
from sparsecut.links.source_walks import listed_rows
from sparsecut.model.graph_columns import GraphColumns
from sparsecut.operators.recipe import Recipe

Integers = NDArray[np.int64]
ROWS_AT_ONCE = 1 << 16
PLACE = "place in the graph"
AROUND = {"roles": "", "roles_1": " of neighbours", "roles_2": " two steps away"}


class ChannelRows:
    """Rows by their source, before any hop. Counts around nodes are computed for all nodes, when they are first needed."""

    def __init__(self, graph: Graph, recipe: Recipe, columns: GraphColumns) -> None:
        self.graph, self.recipe, self.columns = graph, recipe, columns

    def take(self, source: str, nodes: Integers) -> Any:
        """The rows of some nodes, dense or sparse."""
        if source == "features":
            return self.recipe.weighting.apply(self.graph.features[nodes])  # type: ignore[index]
        return self._roles[nodes] if source == "roles" else self._placed(nodes)

    def cost(self, source: str, nodes: Integers) -> Integers:
        """How many numbers are read for the row of each node."""
        indptr = self.graph.adjacency.indptr
        if source == "structure":
            return np.asarray(indptr[nodes + 1] - indptr[nodes] + 1, dtype=np.int64) * self.columns.n_columns(source)
        features: Any = self.graph.features
        if source == "features" and sp.issparse(features):
            return np.asarray(features.indptr[nodes + 1] - features.indptr[nodes] + 1, dtype=np.int64)
        width = self.graph.n_features if source == "features" else self.columns.n_columns(source)
        return np.full(len(nodes), width)

    def mean(self, importance: NDArray[np.float64]) -> NDArray[np.float64]:
        """Σ importance_i · weighted features of i, in blocks."""
        total = np.zeros(self.graph.n_features)
        for start in range(0, self.graph.n_nodes, ROWS_AT_ONCE):
            part = slice(start, min(start + ROWS_AT_ONCE, self.graph.n_nodes))
            total += importance[part] @ self.recipe.weighting.apply(self.graph.features[part])  # type: ignore[index]
        return total

    def names(self, channel: str, source: str) -> NDArray[Any]:
        """The names of a channel's columns; all columns of a place have one."""
        if source == "structure":
            return np.array([PLACE], dtype=object)
        if source == "roles":
            assert self.columns.roles is not None
            return np.array([f"{name}{AROUND.get(channel, '')}" for name in self.columns.roles.names], dtype=object)
        return encoded_names(self.graph)

    @cached_property
    def _roles(self) -> NDArray[np.float32]:
        return self.columns.whole("roles", self.graph)

    def _placed(self, nodes: Integers) -> NDArray[np.float32]:
        """The places of some nodes, from those around them; the neighbours of neighbours of those that were not fitted."""
        places, ids = self.columns.places, self.graph.node_ids
        assert places is not None
        is_known = places.find(ids[nodes]) >= 0
        known = nodes[is_known]
        rows, columns, weights = listed_rows(self.graph.adjacency, known)
        near, place = np.unique(columns, return_inverse=True)
        links = sp.csr_array((weights, (rows, place)), shape=(len(known), len(near)))
        own = places.of_ids(ids[known])
        sums = own + links @ places.of_ids(ids[near])
        around = (sums / (1 + np.asarray(links.sum(axis=1)))[:, None]).astype(np.float32)
        found = np.empty((len(nodes), places.n_columns), dtype=np.float32)
        found[is_known] = centred(averaged(own, around, places.n_columns), places.means)
        if len(known) < len(nodes):
            found[~is_known] = self._placed_by_others(nodes[~is_known])
        return found

    def _placed_by_others(self, nodes: Integers) -> NDArray[np.float32]:
        A, places = self.graph.adjacency, self.columns.places
        assert places is not None
        ring = np.setdiff1d(listed_rows(A, nodes)[1], nodes)
        inner = np.concatenate([nodes, ring])
        rows, columns, weights = listed_rows(A, inner)
        everyone = np.concatenate([inner, np.setdiff1d(columns, inner)])
        order = np.argsort(everyone, kind="stable")
        targets = order[np.searchsorted(everyone, columns, sorter=order)]
        near = sp.csr_array((weights.astype(np.float32), (rows, targets)), shape=(len(everyone),) * 2)
        return places.rows(near, self.graph.node_ids[everyone])[: len(nodes)]


def encoded_names(graph: Graph) -> NDArray[Any]:
    """The names of the columns of a graph's `features`: of a table those that its encoding gave them."""
    encoder = graph.encoder
    names = getattr(encoder, "names_out", getattr(encoder, "names_in", None))
    if names is None:
        names = graph.feature_names
    if names is None or len(names) != graph.n_features:
        names = [f"feature {number}" for number in range(graph.n_features)]
    return np.array([str(name) for name in names], dtype=object)
