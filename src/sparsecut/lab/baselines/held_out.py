"""Edges kept from training, and pairs that are no edges, to measure whether the embedding separates them.

No node loses its last edge: one edge of each node stays, drawn at random, and what is held out is drawn from the rest. Where
`evaluation.hold_out_edges` measures what a finished embedding knows, this decides when a training ends.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import average_precision_score, roc_auc_score

from sparsecut.graph.linked_pairs import Pairs, number_pairs, pairs_of, without_pairs


def hold_out(
    adjacency: sp.csr_array, fraction: float, generator: np.random.Generator
) -> tuple[sp.csr_array, Pairs, NDArray[np.bool_]]:
    """The graph without a fraction of its edges; those and as many pairs that are none; which of the pairs are edges.

    The pairs are given both ways round. Where hardly an edge can be spared there are none.
    """
    n_nodes = adjacency.shape[0]
    entries = adjacency.tocoo()
    edges, edge_of_entry = np.unique(number_pairs(entries.row, entries.col, n_nodes), return_inverse=True)
    shuffled = generator.permutation(len(edge_of_entry))
    _, first = np.unique(entries.row[shuffled], return_index=True)
    spare = np.setdiff1d(np.arange(len(edges)), edge_of_entry[shuffled[first]])
    # Pairs that are no edges, drawn until enough fit, must be easy to find: half of the missing ones at most.
    n_missing = n_nodes * (n_nodes - 1) // 2 - len(edges)
    n_held = min(int(fraction * len(edges)), len(spare), n_missing // 2)
    held = generator.choice(spare, n_held, replace=False)
    pairs = pairs_of(np.concatenate([edges[held], _draw_missing(edges, n_held, n_nodes, generator)]), n_nodes)
    rest = without_pairs(adjacency, pairs[:n_held])
    return rest, np.concatenate([pairs, pairs[:, ::-1]]), np.tile(np.repeat([True, False], n_held), 2)


def link_score(energy: NDArray[np.float32], is_edge: NDArray[np.bool_]) -> float:
    """AUC plus average precision of the pairs ranked by low energy, between 0 and 2."""
    return float(roc_auc_score(is_edge, -energy) + average_precision_score(is_edge, -energy))


def _draw_missing(edges: NDArray[np.int64], n_pairs: int, n_nodes: int, generator: np.random.Generator) -> NDArray[np.int64]:
    """The numbers of some pairs that are no edges, all different."""
    found = np.empty(0, dtype=np.int64)
    while len(found) < n_pairs:
        i, j = generator.integers(0, n_nodes, (2, 2 * n_pairs))
        fresh = number_pairs(i, j, n_nodes)[i != j]
        found = np.union1d(found, np.setdiff1d(fresh, edges))
    return generator.choice(found, n_pairs, replace=False)
