"""Low-pass filters: S = Σ c_k P^k F, a polynomial of a propagation matrix P (Algorithm 1 of the paper has P^k).

    Ã = A + I,  D̃ = diag(Ã·1)
    row         P = D̃⁻¹Ã          the mean over a node's closed neighbourhood; the paper's filter
    symmetric   P = D̃^−½ÃD̃^−½    Kipf and Welling's, which the paper starts from

    row, symmetric     P^k
    lazy               ((I + D̃⁻¹Ã)/2)^k
    average            (I + P + … + P^k)/(k + 1)                       S²GC
    pagerank           α Σ_(i<k) (1−α)^i P^i + (1−α)^k P^k             personalised PageRank with restart α, k steps of it
    heat               e^(−t) Σ_(i≤k) t^i/i!·P^i, scaled to sum to 1   diffusion for the time t

The last three take D̃⁻¹Ã, or the symmetric P as "average-symmetric" and so on. P has one entry an edge direction and one a
node; no power of it is ever formed: by Horner's rule, S = c₀F + P(c₁F + P(c₂F + …)), a hop is one product with n rows.
"""

from __future__ import annotations

import math

import numpy as np
import scipy.sparse as sp

from sparsecut.kernels.polynomials import Polynomial

POWERS = ("row", "symmetric", "lazy")
SERIES = ("average", "pagerank", "heat")
FILTERS = (*POWERS, *SERIES, *(f"{name}-symmetric" for name in SERIES))
STRENGTHS = {"pagerank": 0.2, "heat": 3.0}  # the restart α and the time t where none is given
SERIES_ORDER = 10  # hops of a series where none is given


def propagation(adjacency: sp.csr_array, filter: str = "row") -> sp.csr_array:
    """The matrix P of a filter, (n, n) and as sparse as the graph."""
    n_nodes = adjacency.shape[0]
    identity = sp.eye_array(n_nodes, dtype=np.float32, format="csr")
    A = (adjacency + identity).tocsr()  # Ã
    degrees = A.sum(axis=1, dtype=np.float64)  # at least 1: each node is its own neighbour
    row_of_entry = np.repeat(np.arange(n_nodes), np.diff(A.indptr))
    if filter.endswith("symmetric"):
        scale = 1 / np.sqrt(degrees[row_of_entry] * degrees[A.indices])
    else:
        scale = 1 / degrees[row_of_entry]
    A.data = (A.data * scale).astype(np.float32)
    return ((A + identity) / 2).tocsr().astype(np.float32) if filter == "lazy" else A


def polynomial(filter: str, order: int, strength: float | None = None) -> Polynomial:
    """The coefficients c₀ … c_k of a filter of k hops."""
    name = filter.removesuffix("-symmetric") if filter not in POWERS else "power"
    if name == "power":
        return (*(0.0,) * order, 1.0)
    if name == "average":
        return (1 / (order + 1),) * (order + 1)
    strength = STRENGTHS[name] if strength is None else strength
    if name == "pagerank":
        return (*(strength * (1 - strength) ** i for i in range(order)), (1 - strength) ** order)
    terms = [strength**i / math.factorial(i) for i in range(order + 1)]
    return tuple(term / sum(terms) for term in terms)
