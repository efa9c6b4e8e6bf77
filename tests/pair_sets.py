"""Edges and pairs of nodes as sets of (smaller, larger)."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sparsecut import Graph


def edge_set(graph: Graph) -> set[tuple[int, int]]:
    return set(zip(*(ends.tolist() for ends in sp.triu(graph.adjacency).nonzero()), strict=True))


def pair_set(pairs: np.ndarray) -> set[tuple[int, int]]:
    assert (pairs[:, 0] < pairs[:, 1]).all()
    return set(map(tuple, pairs.tolist()))
