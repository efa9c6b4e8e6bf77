"""Pairs of nodes with an edge between them, pairs without one, and a graph without some of its edges.

    number of a pair = min(i, j)·n + max(i, j)

One number per pair makes sets of pairs out of sorted arrays: the two entries of an undirected edge share it.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph.graph import Graph

N_ENUMERATED = 10**6  # pairs that are listed; of more, some are drawn until enough fit

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


def without_links(graph: Graph, pairs: Pairs) -> Graph:
    """The graph less the edges between some pairs i < j, of every type, in both directions; all nodes stay."""
    relations = graph.relations
    if relations is not None:
        left = tuple(without_pairs(matrix, pairs) for matrix in relations.matrices)
        relations = replace(relations, matrices=left)
    return graph.replace(adjacency=without_pairs(graph.adjacency, pairs), relations=relations)


def in_order(pairs: Pairs, order: NDArray[np.int64]) -> Pairs:
    """The pairs i < j as they come where the nodes do in this order (`sparsecut.kernels.hashing.hash_order`)."""
    rank = np.argsort(order)
    return pairs[np.argsort(number_pairs(rank[pairs[:, 0]], rank[pairs[:, 1]], len(order)))]


def turned_to(pairs: Pairs, order: NDArray[np.int64]) -> Pairs:
    """The pairs with that end first that comes first in an order of the nodes."""
    rank = np.argsort(order)
    return np.where((rank[pairs[:, 0]] > rank[pairs[:, 1]])[:, None], pairs[:, ::-1], pairs)


def sample_non_edges(
    known: Pairs,
    order: NDArray[np.int64],
    n_pairs: int,
    generator: np.random.Generator,
    n_enumerated: int = N_ENUMERATED,
) -> Pairs:
    """Different pairs i < j, uniform over all that are not `known`.

    order : all nodes, as they are drawn from (`sparsecut.kernels.hashing.hash_order`)
    n_enumerated : the most pairs of a graph that are listed; of more, some are drawn.
    """
    n_nodes = len(order)
    n_all = n_nodes * (n_nodes - 1) // 2
    rank = np.argsort(order)
    taken = np.unique(number_pairs(rank[known[:, 0]], rank[known[:, 1]], n_nodes))
    if n_all - len(taken) < n_pairs:
        raise InputError(
            f"The graph is too dense to hold {n_pairs:,} edges out: only {n_all - len(taken):,} pairs of its nodes are no "
            "edges to tell them from. Use a smaller fraction."
        )
    if n_all <= n_enumerated:
        i, j = np.triu_indices(n_nodes, k=1)
        free = np.setdiff1d(i * n_nodes + j, taken)
        chosen = generator.choice(free, n_pairs, replace=False)
    else:
        chosen = np.empty(0, dtype=np.int64)
        while len(chosen) < n_pairs:
            i, j = np.sort(generator.integers(0, n_nodes, size=(2 * (n_pairs - len(chosen)) + 64, 2)), axis=1).T
            drawn = (i * n_nodes + j)[i < j]
            # In the order drawn, first occurrences only: sorting would favour low numbers when cutting to length.
            numbers = np.concatenate([chosen, drawn[~np.isin(drawn, taken)]])
            _, first = np.unique(numbers, return_index=True)
            chosen = numbers[np.sort(first)]
        chosen = chosen[:n_pairs]
    return np.sort(order[pairs_of(chosen, n_nodes)], axis=1)


def number_pairs(i: NDArray[Any], j: NDArray[Any], n_nodes: int) -> NDArray[np.int64]:
    """One number per pair, whichever way round it is given."""
    return np.asarray(np.minimum(i, j).astype(np.int64) * n_nodes + np.maximum(i, j))


def pairs_of(numbers: NDArray[np.int64], n_nodes: int) -> Pairs:
    """The pairs i < j that the numbers stand for."""
    return np.column_stack([numbers // n_nodes, numbers % n_nodes])
