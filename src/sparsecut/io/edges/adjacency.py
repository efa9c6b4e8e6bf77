"""From an edge list to the adjacency: every direction an edge list may have, by one rule.

- symmetrize: (a, b) and (b, a) are one edge. Without weights, repeated edges count once; with weights, repeats in one
  direction are summed, and of the two directions the larger counts.
- out, in: the edges keep their direction. Row i holds the nodes that i points to, or those that point to i.

Self-loops are dropped, since every filter counts a node in its own neighbourhood. Sorting is done by transposing twice, in
linear time. Offsets are 64-bit where there are more than 2³¹ − 1 entries.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

MAX_32_BIT = int(np.iinfo(np.int32).max)


def build_adjacency(
    i: NDArray[Any],
    j: NDArray[Any],
    weights: NDArray[Any] | None,
    n_nodes: int,
    directed: str = "symmetrize",
    max_32_bit: int = MAX_32_BIT,
) -> tuple[sp.csr_array, int]:
    """(canonical float32 adjacency without self-loops, how many nodes had one)."""
    is_loop = i == j
    n_loops = len(np.unique(i[is_loop]))
    if directed == "in":
        i, j = j, i
    if n_loops:
        i, j = i[~is_loop], j[~is_loop]
        weights = None if weights is None else weights[~is_loop]
    if directed == "symmetrize":
        return _symmetric(i, j, weights, n_nodes, max_32_bit), n_loops
    index_type = offset_type(n_nodes, len(i), max_32_bit)
    return as_weights(_to_csr(i, j, weights, n_nodes, index_type), index_type), n_loops


def undirected_adjacency(i: Any, j: Any, weights: NDArray[Any] | None, n_nodes: int) -> sp.csr_array:
    """The symmetric adjacency of an edge list, self-loops and all: `Graph` drops and counts them."""
    return _symmetric(np.asarray(i), np.asarray(j), weights, n_nodes)


def offset_type(n_nodes: int, n_entries: int, max_32_bit: int = MAX_32_BIT) -> type[np.signedinteger[Any]]:
    """The integer type that counts up to the nodes and the entries: 64 bits beyond 2³¹ − 1 of either."""
    return np.int32 if max(n_nodes, n_entries) <= max_32_bit else np.int64


def as_weights(A: sp.csr_array, index_type: Any) -> sp.csr_array:
    """An adjacency with float32 weights and indices of one type."""
    A.data = np.ones(A.nnz, dtype=np.float32) if A.dtype == bool else A.data.astype(np.float32, copy=False)
    A.indices, A.indptr = (index.astype(index_type, copy=False) for index in (A.indices, A.indptr))
    A.has_canonical_format = True
    return A


def _symmetric(
    i: NDArray[Any], j: NDArray[Any], weights: NDArray[Any] | None, n_nodes: int, max_32_bit: int = MAX_32_BIT
) -> sp.csr_array:
    """Both directions of every edge."""
    index_type = offset_type(2 * n_nodes, 2 * len(i), max_32_bit)
    i, j = (end.astype(index_type, copy=False) for end in (i, j))
    if weights is None:
        i, j = np.minimum(i, j), np.maximum(i, j)
    elif (i > j).any():
        A = _to_csr(i, j, weights, n_nodes, index_type)
        return as_weights(A.maximum(_transpose(A)), index_type)
    # Each edge once, from the smaller node to the larger, as the edges of a graph with times are: beside its transpose it is
    # the whole, and no two entries are compared.
    upper = _to_csr(i, j, weights, n_nodes, index_type)
    if weights is not None:
        upper = as_weights(upper, index_type)
    lower = _transpose(upper)
    if upper.diagonal().any():  # of self-loops both have the entry
        lower = sp.tril(lower, -1, format="csr")
    return as_weights(lower + upper, index_type)


def _to_csr(i: NDArray[Any], j: NDArray[Any], weights: NDArray[Any] | None, n_nodes: int, index_type: Any) -> sp.csr_array:
    """Sorted, repeats united: booleans where there are no weights, since `or` cannot overflow."""
    values = np.ones(len(i), dtype=bool) if weights is None else weights
    i, j = (end.astype(index_type, copy=False) for end in (i, j))
    entries = sp.coo_array((values, (j, i)), shape=(n_nodes, n_nodes))
    entries.has_canonical_format = True  # repeats are united below, once the rows are sorted
    A = _transpose(entries.tocsr())
    A.sum_duplicates()
    if weights is not None:
        A.eliminate_zeros()
    return A


def _transpose(A: sp.csr_array) -> sp.csr_array:
    """Aᵀ in rows; their columns come out ascending, whatever their order in A."""
    B = A.tocsc()
    transposed = sp.csr_array(A.shape, dtype=A.dtype)
    transposed.data, transposed.indices, transposed.indptr = B.data, B.indices, B.indptr
    transposed.has_sorted_indices = True
    return transposed
