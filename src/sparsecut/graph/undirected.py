"""A graph without its directions: which nodes are linked, whichever way an edge points."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.graph.graph import Graph


def without_directions(graph: Graph) -> Graph:
    """A graph's nodes, linked where an edge points either way, all weights 1, held where its edges are; no features.

    An undirected graph is returned as it is.
    """
    if not graph.is_directed:
        return graph
    named = None if graph.has_plain_ids else graph.node_ids
    edges: Any = graph.held_edges
    if not sp.issparse(edges):
        from sparsecut.kernels.entries import entries_of_edges

        rows = edges.row_numbers(slice(0, edges.n_rows), slice(0, edges.nnz))
        linked = entries_of_edges(rows, edges.indices, None, edges.n_rows, is_symmetric=True)
        return Graph((linked.offsets, linked.indices), node_ids=named)
    pattern = sp.csr_array((np.ones(edges.nnz, dtype=np.float32), edges.indices, edges.indptr), shape=edges.shape)
    return Graph(pattern.maximum(pattern.T.tocsr()), node_ids=named)
