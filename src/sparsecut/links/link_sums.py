"""Sums over nodes and edges that the closed forms need, d×d each, from one pass over the rows of a graph.

    x_i = (d_i + δ)^p · (1, z_i)            δ the mean weight of an edge, so that a node without edges is not nothing
    y_i = Σ_j a_ij x_j                      over the neighbours

    K = Σ_i x_i x_iᵀ     S = Σ_i y_i y_iᵀ     X = Σ_i x_i y_iᵀ

for the nodes that are sources, whose neighbours are targets, and the other way round. The passes go over blocks of rows, in
memory, in memory maps or on the workers of a cluster: vectors and edges that lie on disk are read once per power p.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.graph import Graph
from sparsecut.kernels.block import Block, Column, Passes
from sparsecut.links.graph_edges import IN_PROCESS, GraphEdges
from sparsecut.links.node_kinds import LinkEnds

Array = NDArray[np.float64]
Integers = NDArray[np.int64]
ROWS_AT_ONCE = 1 << 16
FEW = 16


@dataclass(frozen=True)
class LinkSums:
    """K of sources and of targets, S over the rows and over the columns of A, and X between them; all (d + 1, d + 1)."""

    K_sources: Array
    K_targets: Array
    S_rows: Array  # Σ over sources of the sums of their targets: what regressions on targets go by
    S_columns: Array
    X: Array
    edge_weight: float  # Σ a² per row: the unit of penalties

    def cut(self, size: int) -> LinkSums:
        """The sums of the first columns of the vectors: blocks of these."""
        part = slice(size), slice(size)
        ends = self.K_sources[part], self.K_targets[part]
        return LinkSums(*ends, self.S_rows[part], self.S_columns[part], self.X[part], self.edge_weight)


@dataclass(frozen=True)
class EndVectors:
    """Vectors of nodes that are not the same at both ends of links, (n, d) each."""

    sources: Any
    targets: Any

    def cut(self, n_columns: int) -> EndVectors:
        return EndVectors(self.sources[:, :n_columns], self.targets[:, :n_columns])


@dataclass(frozen=True)
class Incidence:
    """The edges seen from both ends, with the degrees of nodes as sources and as targets."""

    rows: Graph  # row i lists the targets of i
    columns: Graph  # row j lists the sources of j; the same graph where it is undirected
    ends: LinkEnds
    out_degrees: Array
    in_degrees: Array
    mean_weight: float
    edges: GraphEdges = IN_PROCESS  # where passes over both run

    @classmethod
    def of(cls, graph: Graph, ends: LinkEnds, edges: GraphEdges = IN_PROCESS) -> Incidence:
        columns = edges.turned(graph)
        out = edges.degrees(graph)
        total = out.sum()
        n_entries = graph.adjacency.nnz
        into = out if columns is graph else edges.degrees(columns)
        return cls(graph, columns, ends, out, into, float(total / n_entries) if n_entries else 1.0, edges)

    def after_fit(self) -> Incidence:
        """The incidence without the engine of the fit, which is closed with it."""
        return replace(self, edges=IN_PROCESS)

    def scale(self, power: float, nodes: Any = slice(None), *, is_source: bool) -> Array:
        """(d_i + δ)^p of some nodes in a role, 0 for nodes that are never in it."""
        degrees, mask = (self.out_degrees, self.ends.is_source) if is_source else (self.in_degrees, self.ends.is_target)
        return np.where(mask[nodes], (degrees[nodes] + self.mean_weight) ** power, 0.0)


@dataclass(frozen=True)
class EndRows:
    """x and y of some nodes at one end of links, (b, d + 1) each; y is empty where it is not needed."""

    x: Array
    y: Array

    def take(self, places: NDArray[np.int64]) -> EndRows:
        return EndRows(self.x[places], self.y[places] if len(self.y) else self.y)

    def cut(self, size: int) -> EndRows:
        return EndRows(self.x[:, :size], self.y[:, :size])


def end_rows(
    vectors: Any, incidence: Incidence, nodes: Any, power: float, *, is_source: bool, with_neighbours: bool = True
) -> EndRows:
    """x and y of some nodes as sources or as targets."""
    own, others = at_end(vectors, is_source=is_source), at_end(vectors, is_source=not is_source)
    x = extended(own, nodes, incidence.scale(power, nodes, is_source=is_source))
    if not with_neighbours:
        return EndRows(x, np.empty((0, x.shape[1])))
    adjacency = (incidence.rows if is_source else incidence.columns).adjacency
    return EndRows(x, neighbour_sums(adjacency[nodes], others, partial(incidence.scale, power, is_source=not is_source)))


def at_end(vectors: Any, *, is_source: bool) -> Any:
    """The vectors of nodes as sources or as targets, (n, d)."""
    if isinstance(vectors, EndVectors):
        return vectors.sources if is_source else vectors.targets
    return vectors


def sum_links(vectors: Any, incidence: Incidence, power: float) -> LinkSums:
    """All the sums for one power of the degrees."""
    sources, targets = (incidence.scale(power, is_source=role) for role in (True, False))
    of_sources, of_targets = at_end(vectors, is_source=True), at_end(vectors, is_source=False)
    dimension, by_rows = int(of_sources.shape[1]) + 1, incidence.edges.passes(incidence.rows)

    def over(passes: Passes, own: Any, others: Any, scale: Array, scale_of_others: Array) -> Any:
        placed = [passes.placed("own", own)]
        placed.append(placed[0] if others is own else passes.placed("others", others))
        scales = passes.placed("scale", scale), passes.placed("scale-of-others", scale_of_others)
        return passes.total(_sums_of, dimension, len(scale), *placed, *scales)

    K_sources, S_rows, X = over(by_rows, of_sources, of_targets, sources, targets)
    if incidence.columns is incidence.rows and not incidence.ends.has_sides:
        K_targets, S_columns = K_sources, S_rows
    else:
        by_columns = incidence.edges.passes(incidence.columns)
        K_targets, S_columns, _ = over(by_columns, of_targets, of_sources, targets, sources)
    squares = float(by_rows.total(_squares_of)[0])
    if incidence.ends.has_sides:
        squares /= 2
    n_sources = max(1, int(incidence.ends.is_source.sum()))
    return LinkSums(K_sources, K_targets, S_rows, S_columns, X, squares / n_sources)


def extended(vectors: Any, nodes: Any, scale: Array) -> Array:
    """x of some nodes: (1, z) times their scale, which is theirs alone."""
    rows = np.asarray(vectors[nodes], dtype=np.float64)
    return np.asarray(np.hstack([np.ones((len(rows), 1)), rows]) * scale[:, None])


def neighbour_sums(adjacency: sp.csr_array, vectors: Any, scale: Callable[[Integers], Array]) -> Array:
    """y of the rows of an adjacency, (b, d + 1): only the vectors of nodes that are neighbours are read."""
    seen = np.unique(adjacency.indices)
    if adjacency.nnz < adjacency.shape[1] // FEW:  # a node that is asked about must not cost a pass over all
        places = np.searchsorted(seen, adjacency.indices)
    else:
        place = np.zeros(adjacency.shape[1], dtype=np.int64)
        place[seen] = np.arange(len(seen))
        places = place[adjacency.indices]
    narrow = sp.csr_array(
        (adjacency.data.astype(np.float64), places, adjacency.indptr), shape=(adjacency.shape[0], len(seen))
    )
    return np.asarray(narrow @ extended(vectors, seen, scale(seen)))


def rows_of_block(block: Block, n_columns: int, dtype: Any = np.float64) -> sp.csr_array:
    """The edges of a block as the rows of a matrix."""
    starts, neighbours, weights = np.asarray(block.starts()), np.asarray(block.neighbours()), block.weights()
    data = np.ones(len(neighbours), dtype=dtype) if weights is None else np.asarray(weights, dtype=dtype)
    return sp.csr_array((data, neighbours, starts), shape=(len(starts) - 1, n_columns))


def _sums_of(
    block: Block, dimension: int, n_nodes: int, vectors: Column, of_others: Column, own: Column, others: Column
) -> Array:
    """K, S and X over the nodes of a block with a scale above 0."""
    total = np.zeros((3, dimension, dimension))
    A = rows_of_block(block, n_nodes)
    for first in range(0, A.shape[0], ROWS_AT_ONCE):
        part = slice(first, min(first + ROWS_AT_ONCE, A.shape[0]))
        nodes = slice(block.rows.start + part.start, block.rows.start + part.stop)
        scale = own[nodes]
        x = extended(vectors, nodes, scale)
        is_there = scale > 0
        y = neighbour_sums(A[part], of_others, others.__getitem__)[is_there]
        total += np.stack([x.T @ x, y.T @ y, x[is_there].T @ y])
    return total


def _squares_of(block: Block) -> Array:
    """Σ a² over the edges of a block."""
    weights = block.weights()
    squares = float(len(block.neighbours())) if weights is None else float(np.square(weights, dtype=np.float64).sum())
    return np.array([squares])
