"""SlimG (KDD'23): its four channels side by side, without its supervised part; from the paper, the columns as its release.

    U   singular vectors of A times singular values        PCA(F)
    PCA((D⁻¹A)² F)        PCA((D̃^−½ (A + I) D̃^−½)² F),        every row of every channel of length 1

Each has min(n, f) columns, or fewer where fewer singular values hold 0.9 of ‖A‖². In the paper a group-lasso classifier then
weighs the channels by labels; here the probe reads all columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh
from sklearn.decomposition import PCA
from sklearn.utils.extmath import randomized_svd

from peers.fastrp import unit_rows

if TYPE_CHECKING:
    from sparsecut import Graph

ENERGY = 0.9
MAX_DENSE = 5_000  # nodes: all eigenvectors of A up to here, the leading ones by random projection beyond

Array = NDArray[np.float64]


def embed(graph: Graph, seed: int) -> Array:
    adjacency = sp.csr_array(graph.adjacency, dtype=np.float64)
    features = graph.features.toarray() if sp.issparse(graph.features) else np.asarray(graph.features)
    features = features.astype(np.float64)
    U = structure(adjacency, min(features.shape), seed)
    n_columns = U.shape[1]
    smoothed = (features, two_hops(adjacency, features), two_hops_with_loops(adjacency, features))
    channels = [U, *(PCA(n_columns, random_state=seed).fit_transform(rows) for rows in smoothed)]
    return np.hstack([unit_rows(channel) for channel in channels])


def structure(adjacency: Any, n_columns: int, seed: int) -> Array:
    """U Σ of A. A is symmetric: its singular values are its eigenvalues without their sign."""
    if adjacency.shape[0] <= MAX_DENSE:
        values, vectors = eigh(adjacency.toarray())
        order = np.argsort(-np.abs(values))
        singular, U = np.abs(values[order]), vectors[:, order]
    else:
        U, singular, _ = randomized_svd(adjacency, n_columns, n_iter=2, random_state=seed)
    held = np.cumsum(singular**2) / (adjacency.data**2).sum()
    n_enough = int(np.searchsorted(held, ENERGY)) + 1
    kept = min(n_columns, n_enough)
    return np.asarray(U[:, :kept] * singular[:kept])


def two_hops(adjacency: Any, rows: Array) -> Array:
    degrees = adjacency.sum(axis=1)
    means = sp.diags_array(1 / np.maximum(degrees, 1)) @ adjacency
    return np.asarray(means @ (means @ rows))


def two_hops_with_loops(adjacency: Any, rows: Array) -> Array:
    with_loops = sp.csr_array(adjacency + sp.eye_array(adjacency.shape[0]))
    scale = sp.diags_array(1 / np.sqrt(with_loops.sum(axis=1)))
    symmetric = scale @ with_loops @ scale
    return np.asarray(symmetric @ (symmetric @ rows))
