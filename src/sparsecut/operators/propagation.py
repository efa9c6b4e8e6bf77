"""The matrix P of a filter as what it is: the graph between its diagonals, P = diag(left)·A·diag(right) + diag(own).

A is the graph's own adjacency: nothing of its size is copied, and where no edge has a weight only neighbours are read, no
values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import count

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.kernels import cuda, hops
from sparsecut.kernels.polynomials import Polynomial, horner
from sparsecut.kernels.sparse import Entries, SparseMatrix, as_tensor, entries_of
from sparsecut.operators.diagonals import Diagonals
from sparsecut.operators.filters import Filter, Power


class Propagation:
    """P on a device. `P @ X` is one hop of dense rows X.

    `adjacency` is needed where P is formed or a directed graph's is transposed, and with the `filter` where edges are taken
    out; products need the entries alone.
    """

    def __init__(
        self,
        neighbors: Entries,
        diagonals: Diagonals,
        *,
        filter: Filter | None = None,
        adjacency: SparseMatrix | None = None,
        is_directed: bool = False,
    ) -> None:
        self.neighbors = neighbors
        self.diagonals = diagonals
        self.filter = filter
        self.adjacency = adjacency
        self.is_directed = is_directed

    @classmethod
    def of(cls, adjacency: sp.csr_array, filter: Filter, device: torch.device, *, is_directed: bool = False) -> Propagation:
        """The matrix of a filter for a graph."""
        degrees = as_tensor(1 + adjacency.sum(axis=1, dtype=np.float64), device)  # d̃
        matrix = SparseMatrix(adjacency, device)
        diagonals = filter.diagonals(degrees).single()
        return cls(matrix.entries, diagonals, filter=filter, adjacency=matrix, is_directed=is_directed)

    @property
    def shape(self) -> tuple[int, int]:
        n_nodes = len(self.diagonals.left)
        return n_nodes, n_nodes

    @property
    def nnz(self) -> int:
        """The entries of P: the graph's and the diagonal."""
        return len(self.neighbors.indices) + self.shape[0]

    @cached_property
    def csr(self) -> sp.csr_array:
        """P itself, formed: for products with a sparse matrix."""
        assert self.adjacency is not None
        return _between(self.adjacency.csr, self.diagonals)

    @cached_property
    def T(self) -> Propagation:  # noqa: N802 - the transpose's usual name
        neighbors = self.neighbors
        if self.is_directed:
            assert self.adjacency is not None
            neighbors = self.adjacency.T.entries
        left, right, own = self.diagonals
        ones = torch.ones_like(left)
        transposed = Propagation(neighbors, Diagonals(ones if right is None else right, left, own))
        transposed.T = self
        return transposed

    @cached_property
    def schedule(self) -> Tensor:
        """The rows by falling number of entries, int32: in that order a GPU goes through them."""
        return self.neighbors.offsets.diff().argsort(descending=True).int()

    def without(self, edges: NDArray[np.int64]) -> Propagation:
        """P of the graph less some of its edges, (2, m); in an undirected graph an edge goes with its reverse."""
        assert self.adjacency is not None
        assert self.filter is not None
        A = self.adjacency.csr
        removed = np.sort(entries_of(A, edges, is_directed=self.is_directed))
        indptr = (A.indptr - np.searchsorted(removed, A.indptr)).astype(A.indptr.dtype)  # by as many as went before
        kept = sp.csr_array((np.delete(A.data, removed), np.delete(A.indices, removed), indptr), shape=A.shape)
        return Propagation.of(kept, self.filter, self.neighbors.indices.device, is_directed=self.is_directed)

    def __matmul__(self, rows: Tensor) -> Tensor:
        return self.smooth((0.0, 1.0), rows)

    def smooth(self, coefficients: Polynomial, rows: Tensor, report: Callable[[int, int], None] | None = None) -> Tensor:
        """Σ c_k P^k · rows, by the kernel that serves for them. `report(done, total)` is called as hops are done."""
        if not cuda.can_hop(rows):
            return hops.smooth(self.neighbors, self.diagonals, coefficients, rows, report)
        n_done = count(1)

        def hop(so_far: Tensor) -> Tensor:
            result = cuda.hop(*self.neighbors, self.diagonals, so_far, self.schedule)
            if report is not None:
                report(next(n_done), len(coefficients) - 1)
            return result

        return horner(coefficients, rows, hop)


def propagation_matrix(adjacency: sp.csr_array, filter: Filter | None = None) -> sp.csr_array:
    """P itself, (n, n) and as sparse as the graph; by default the mean over closed neighbourhoods."""
    degrees = torch.from_numpy(1 + adjacency.sum(axis=1, dtype=np.float64))
    return _between(adjacency, (filter or Power()).diagonals(degrees))


def _between(adjacency: sp.csr_array, diagonals: Diagonals) -> sp.csr_array:
    left, own = diagonals.left.cpu().numpy(), diagonals.own.cpu().numpy()
    right = None if diagonals.right is None else diagonals.right.cpu().numpy()
    n_nodes = adjacency.shape[0]
    row_of_entry = np.repeat(np.arange(n_nodes), np.diff(adjacency.indptr))
    scale = left[row_of_entry] if right is None else left[row_of_entry] * right[adjacency.indices]
    values = (adjacency.data * scale).astype(np.float32)
    neighbors = sp.csr_array((values, adjacency.indices, adjacency.indptr), shape=adjacency.shape)
    return (neighbors + sp.diags_array(own.astype(np.float32), format="csr")).tocsr()
