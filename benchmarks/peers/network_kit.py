"""NetworKit's eigenvectors of the graph Laplacian: the 32 after the constant one, by its own call of Lanczos' method."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import networkit
import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from sparsecut import Graph

WIDTH = 32


def embed_spectral(graph: Graph, seed: int) -> Any:
    _, vectors = networkit.algebraic.laplacianEigenvectors(to_networkit(graph.adjacency), cutoff=WIDTH, reverse=True)
    return np.stack(vectors[1:], axis=1)


def to_networkit(adjacency: Any) -> Any:
    i, j = sp.triu(adjacency, k=1).nonzero()
    ends = (i.astype(np.uint64), j.astype(np.uint64))
    return networkit.GraphFromCoo((np.ones(len(i)), ends), n=adjacency.shape[0], directed=False)
