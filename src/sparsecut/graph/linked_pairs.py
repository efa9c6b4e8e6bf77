"""Pairs of nodes with an edge between them, and a graph without some of them.

    number of a pair = min(i, j)·n + max(i, j)

One number per pair makes sets of pairs out of sorted arrays: the two entries of an undirected edge share it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.graph.graph import Graph

Pairs = NDArray[np.int64]  # (m, 2), i < j


def linked_pairs(graph: Graph) -> Pairs:
    """The pairs of nodes with an edge between them, in either direction, each once: i < j."""
    A = graph.adjacency
    upper = sp.triu(A.maximum(A.T) if graph.is_directed else A, k=1).tocoo()
    return np.column_stack([upper.row, upper.col]).astype(np.int64)


def without_pairs(adjacency: sp.csr_array, pairs: Pairs) -> sp.csr_array:
    """The adjacency less the entries between some pairs i < j, in both directions."""
    entries = adjacency.tocoo()
    n_nodes = adjacency.shape[0]
    stays = ~np.isin(number_pairs(entries.row, entries.col, n_nodes), number_pairs(pairs[:, 0], pairs[:, 1], n_nodes))
    kept = (entries.data[stays], (entries.row[stays], entries.col[stays]))
    return sp.coo_array(kept, shape=adjacency.shape).tocsr()


def number_pairs(i: NDArray[Any], j: NDArray[Any], n_nodes: int) -> NDArray[np.int64]:
    """One number per pair, whichever way round it is given."""
    return np.asarray(np.minimum(i, j).astype(np.int64) * n_nodes + np.maximum(i, j))


def pairs_of(numbers: NDArray[np.int64], n_nodes: int) -> Pairs:
    """The pairs i < j that the numbers stand for."""
    return np.column_stack([numbers // n_nodes, numbers % n_nodes])
