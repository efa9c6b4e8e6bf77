"""ProNE (IJCAI'19), the paper's equations written here.

    M_ij  = ln p_ij − ln(λ P_j)  on the edges,  p = D⁻¹A,  P_j ∝ (Σ_i p_ij)^0.75,  λ = 1      U √Σ of its truncated SVD
    spread: the Gaussian band-pass e^(−θ/2 ((x−μ)²−1)) of the Laplacian as 10 Chebyshev terms with Bessel weights
    embedding: U √Σ of (A + I)(Z − spread Z), rows of length 1

Width 128, θ = 0.5, μ = 0.2 and ten terms are the paper's. `node_vectors.py` runs another's code of the same.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.special import iv
from sklearn.utils.extmath import randomized_svd

from peers.fastrp import unit_rows
from sparsecut import Graph

WIDTH = 128
MU, THETA, N_TERMS, EXPONENT = 0.2, 0.5, 10, 0.75

Array = NDArray[np.float64]


def embed(graph: Graph, seed: int) -> Array:
    adjacency = sp.csr_array(graph.adjacency, dtype=np.float64)
    factors = scaled_factors(proximity(adjacency), seed)
    return unit_rows(scaled_factors(spread(adjacency, factors), seed))


def proximity(adjacency: Any) -> Any:
    """M on the edges."""
    transitions = _rows_to_one(adjacency).tocsr()
    chances = np.asarray(transitions.sum(axis=0)).ravel() ** EXPONENT
    chances /= chances.sum()
    M = transitions.copy()
    M.data = np.log(transitions.data) - np.log(chances[transitions.indices])
    return M


def spread(adjacency: Any, Z: Array) -> Array:
    """(A + I)(Z − Σ of the Chebyshev terms)."""
    with_loops = sp.csr_array(adjacency + sp.eye_array(adjacency.shape[0]))
    M = sp.csr_array((1 - MU) * sp.eye_array(adjacency.shape[0]) - _rows_to_one(with_loops))  # L − μ I
    before, now = Z, 0.5 * (M @ (M @ Z)) - Z  # terms of ((L − μ)² − 2)/2, which lies within [−1, 1]
    total = iv(0, THETA) * before - 2 * iv(1, THETA) * now
    for term in range(2, N_TERMS):
        before, now = now, M @ (M @ now) - 2 * now - before
        total += (-1) ** term * 2 * iv(term, THETA) * now
    return np.asarray(with_loops @ (Z - total))


def scaled_factors(matrix: Any, seed: int) -> Array:
    """U √Σ."""
    U, singular, _ = randomized_svd(matrix, WIDTH, random_state=seed)
    return np.asarray(U * np.sqrt(singular))


def _rows_to_one(matrix: Any) -> Any:
    sums = np.asarray(matrix.sum(axis=1)).ravel()
    return sp.diags_array(1 / np.where(sums > 0, sums, 1.0)) @ matrix
