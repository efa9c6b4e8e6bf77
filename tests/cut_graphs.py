"""Graphs whose cuts are known, and random ones for properties."""

from __future__ import annotations

import itertools
import math

import numpy as np
import scipy.sparse as sp
from hypothesis import strategies as st

import sparsecut as sc
from sparsecut.cuts.objective import CutProblem


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


def problem_of(A: np.ndarray, objective: str = "ratio") -> CutProblem:
    """A dense symmetric matrix as the search takes it."""
    B = sp.csr_array(A.astype(float))
    B.indices, B.indptr = B.indices.astype(np.int32), B.indptr.astype(np.int32)
    return CutProblem.of_adjacency(B, objective)


def subsets(nodes: np.ndarray, n: int) -> list[np.ndarray]:
    """Every set of some of n nodes, as a mask."""
    found = []
    for size in range(len(nodes) + 1):
        for chosen in itertools.combinations(nodes, size):
            side = np.zeros(n, dtype=bool)
            side[list(chosen)] = True
            found.append(side)
    return found


def every_cut(graph: sc.Graph, objective: str, balance: float = 0.0) -> float:
    """The least value over all sets, each looked at by itself."""
    A, n = graph.adjacency.toarray().astype(float), graph.n_nodes
    measure = np.ones(n) if objective == "ratio" else A.sum(axis=1)
    needed = balance * measure.sum()
    if objective == "ratio":  # whole nodes: half of three is one
        needed = min(math.ceil(needed - 1e-9), n // 2)
    least = math.inf
    for size in range(1, n):
        for chosen in itertools.combinations(range(n), size):
            side = np.zeros(n, dtype=bool)
            side[list(chosen)] = True
            cut, inside, outside = A[side][:, ~side].sum(), measure[side].sum(), measure[~side].sum()
            if min(inside, outside) <= 0 or min(inside, outside) < needed - 1e-9:
                continue
            scale = (inside + outside) / (inside * outside) if objective == "ratio" else 1 / min(inside, outside)
            least = min(least, cut * scale)
    return least
