"""What is to be cut: the graph's own edges, its embedding, or both (`use=`).

    structure    the edges
    embedding    each node joined to its nearest neighbours in the embedding; the edges themselves are not used
    both         the sum of the two, scaled to the same total weight

The columns of the embedding are candidates' vectors too. The embedding is the library's own, `SCE`, unless one is passed.
"""

from __future__ import annotations

import os
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike

from sparsecut.base.errors import DirectedGraphWarning, InputError, check_choice
from sparsecut.cuts.objective import Real, undirected_adjacency
from sparsecut.graph import Graph, as_graph, place_rows
from sparsecut.graph.foreign import library_of
from sparsecut.graph.relations import equal_factors
from sparsecut.io import from_igraph, from_networkx, read_graph

USES = ("structure", "embedding", "both")
DIMENSION = 16  # of an embedding whose columns are candidates
N_NEIGHBOURS = 10


@dataclass(frozen=True)
class Material:
    """The weighted graph to cut, and vectors whose thresholds are candidates."""

    adjacency: sp.csr_array
    vectors: Real | None


def graph_to_cut(thing: Any) -> Graph:
    """A graph from all that `fit` takes, and from what leaves nothing to choose where no features are needed.

    These are a graph of networkx or igraph, and the path of a graph file.
    """
    library = library_of(thing)
    if library in ("networkx", "igraph"):
        if thing.is_directed() and not _goes_both_ways(thing, library):
            warnings.warn(
                f"The {library} graph is directed and was made undirected: a cut counts edges whatever their direction.",
                DirectedGraphWarning,
                stacklevel=3,
            )
        return from_networkx(thing) if library == "networkx" else from_igraph(thing)
    graph = read_graph(os.fspath(thing)) if isinstance(thing, str | os.PathLike) else as_graph(thing)
    if graph.relations is not None and graph.relations.matrices:  # types of edges count the same in sum, as in a fit
        graph = graph.weighed(equal_factors(graph.relations.volumes))
    return graph


def _goes_both_ways(thing: Any, library: str) -> bool:
    if library == "networkx":
        return all(thing.has_edge(target, source) for source, target in thing.edges())
    return all(thing.is_mutual())


def material(graph: Graph, use: str, embedding: ArrayLike | None, caller: str) -> Material:
    check_choice(caller, "use", use, USES)
    A = undirected_adjacency(graph, caller)
    if use == "structure":
        if embedding is not None:
            raise InputError(f"{caller} does not use an embedding with use='structure'. Pass use='embedding' or use='both'.")
        return Material(A, None)
    if embedding is None and graph.features is None:
        raise InputError(
            f"{caller} with use={use!r} needs an embedding, and the graph has no features to make one of. "
            "Pass embedding=, or use='structure'."
        )
    Z = embed(graph, None) if embedding is None else checked_embedding(graph, embedding)
    neighbours = nearest_by_angle(Z)
    if use == "both" and A.nnz:
        neighbours = sp.csr_array(A + neighbours * (A.sum() / max(neighbours.sum(), 1e-300)))
    return Material(_narrowed(neighbours), Z[:, :DIMENSION])


def embed(graph: Graph, dimension: int | None = DIMENSION) -> Real:
    """The library's own embedding of a graph with features; a narrow one with a fixed filter, which is not searched for."""
    from sparsecut.model.sce import SCE
    from sparsecut.operators.filters import Power

    model = SCE() if dimension is None else SCE(dimension=min(dimension, graph.n_features), filter=Power(order=2))
    return np.asarray(model.fit_transform(graph), dtype=np.float64)


def checked_embedding(graph: Graph, embedding: ArrayLike) -> Real:
    rows = place_rows(embedding, graph.node_ids, "The frame of vectors")
    try:
        Z = np.asarray(rows, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"The embedding must be numbers, one row per node. {str(error).capitalize()}.") from error
    if Z.ndim != 2 or Z.shape[0] != graph.n_nodes or not np.isfinite(Z).all():
        raise InputError(
            f"The embedding must have one row of finite numbers for each of the {graph.n_nodes:,} nodes. "
            f"Got shape {Z.shape}."
        )
    return Z


def nearest_by_angle(Z: Real) -> sp.csr_array:
    """Each node joined to those closest to it by angle, weighted by the cosine (negative ones left out)."""
    from sparsecut.explore import Neighbors

    n, count = len(Z), min(N_NEIGHBOURS, len(Z) - 1)
    if count < 1:
        return sp.csr_array((n, n))
    A = Neighbors(Z).matrix(count)
    A.data = np.maximum(1.0 - A.data.astype(np.float64), 0.0)
    A.eliminate_zeros()
    return sp.csr_array(A.maximum(A.T))


def _narrowed(A: sp.csr_array) -> sp.csr_array:
    A.sort_indices()
    A.indices, A.indptr = A.indices.astype(np.int32), A.indptr.astype(np.int32)
    return A
