"""Graphs whose cuts are known, and random ones for properties."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

import sparsecut as sc


def graph_of(upper: np.ndarray) -> sc.Graph:
    """The graph of the entries above the diagonal."""
    A = np.triu(np.asarray(upper, dtype=float), 1)
    return sc.Graph(A + A.T)


def barbell(size: int, bridge: float = 1.0) -> sc.Graph:
    """Two cliques and an edge between them."""
    A = np.kron(np.eye(2), np.ones((size, size)))
    A[size - 1, size] = A[size, size - 1] = bridge
    return graph_of(A)


def grid(rows: int, columns: int) -> sc.Graph:
    along = sp.diags_array([1.0] * (columns - 1), offsets=1, shape=(columns, columns))
    down = sp.diags_array([1.0] * (rows - 1), offsets=1, shape=(rows, rows))
    A = sp.kron(sp.eye_array(rows), along) + sp.kron(down, sp.eye_array(columns))
    return sc.Graph(A + A.T)


def planted(n: int, parts: int, inside: float, across: float, seed: int) -> sc.Graph:
    """Equal parts with about `inside` edges per node within its part and `across` to anywhere; the largest component."""
    random = np.random.default_rng(seed)
    labels = np.arange(n) % parts
    one = random.integers(0, n, int(n * inside / 2))
    other = random.integers(0, n // parts, len(one)) * parts + labels[one]
    far = random.integers(0, n, (2, int(n * across / 2)))
    rows, columns = np.concatenate([one, far[0]]), np.concatenate([other, far[1]])
    kept = rows != columns
    A = sp.csr_array((np.ones(kept.sum()), (rows[kept], columns[kept])), shape=(n, n))
    A = sp.csr_array(A + A.T)
    A.data[:] = 1
    _, component = sp.csgraph.connected_components(A)
    nodes = np.flatnonzero(component == np.argmax(np.bincount(component)))
    return sc.Graph(A[nodes][:, nodes], labels=labels[nodes])


@st.composite
def random_weights(draw: st.DrawFn, least: int, most: int) -> np.ndarray:
    """A symmetric matrix of small weights, many of them zero."""
    n = draw(st.integers(least, most))
    weights = draw(st.lists(st.sampled_from([0, 0, 1, 1, 2, 0.5]), min_size=n * (n - 1) // 2, max_size=n * (n - 1) // 2))
    A = np.zeros((n, n))
    A[np.triu_indices(n, 1)] = weights
    return A + A.T
