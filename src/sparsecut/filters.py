"""Low-pass filters: the matrix P whose k-th power smooths the features, S = P^k F (Algorithm 1 of the paper).

    Ã = A + I,  D̃ = diag(Ã·1)
    row         P = D̃⁻¹Ã          the mean over a node's closed neighbourhood; the paper's filter
    symmetric   P = D̃^−½ÃD̃^−½    Kipf and Welling's, which the paper starts from

P has one entry an edge direction and one a node. Its powers are never formed: a hop is one product with the features.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

FILTERS = ("row", "symmetric")


def propagation(adjacency: sp.csr_array, filter: str = "row") -> sp.csr_array:
    """The matrix P of a filter, (n, n) and as sparse as the graph."""
    n_nodes = adjacency.shape[0]
    A = (adjacency + sp.eye_array(n_nodes, dtype=np.float32, format="csr")).tocsr()  # Ã
    degrees = A.sum(axis=1, dtype=np.float64)  # at least 1: each node is its own neighbour
    row_of_entry = np.repeat(np.arange(n_nodes), np.diff(A.indptr))
    if filter == "row":
        scale = 1 / degrees[row_of_entry]
    elif filter == "symmetric":
        scale = 1 / np.sqrt(degrees[row_of_entry] * degrees[A.indices])
    else:
        raise ValueError(filter)
    A.data = (A.data * scale).astype(np.float32)
    return A
