"""diag(left)·A·diag(right) + diag(own): a graph's matrix between diagonals, formed."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray


def between_diagonals(
    adjacency: sp.csr_array, left: NDArray[Any] | None, right: NDArray[Any] | None, own: NDArray[Any] | None
) -> sp.csr_array:
    """The matrix in float32, (n, n) and as sparse as the graph and its diagonal; without `right` that is all ones."""
    assert left is not None
    assert own is not None
    row_of_entry = np.repeat(np.arange(adjacency.shape[0]), np.diff(adjacency.indptr))
    scale = left[row_of_entry] if right is None else left[row_of_entry] * right[adjacency.indices]
    values = (adjacency.data * scale).astype(np.float32)
    neighbors = sp.csr_array((values, adjacency.indices, adjacency.indptr), shape=adjacency.shape)
    return (neighbors + sp.diags_array(own.astype(np.float32), format="csr")).tocsr()
