"""The matrix P of a filter as what it is: the graph between two diagonals.

    P = diag(left)·A·diag(right) + diag(own)

                left      right     own                with d̃ = 1 + Σ_j A_ij
    row         1/d̃       1         1/d̃                D̃⁻¹Ã, the mean over closed neighbourhoods
    symmetric   1/√d̃      1/√d̃      1/d̃                D̃^−½ÃD̃^−½
    lazy        1/2d̃      1         (1 + 1/d̃)/2        (I + D̃⁻¹Ã)/2

A is the graph's own adjacency: nothing of its size is copied, and where no edge has a weight only neighbours are read, no
values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from itertools import count
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp
import torch
from torch import Tensor

from sparsecut.kernels import cuda, hops
from sparsecut.kernels.polynomials import Polynomial, spread
from sparsecut.kernels.sparse import Entries, SparseMatrix, as_tensor
from sparsecut.operators.filters import propagation


class Propagation:
    """P on a device. `P @ X` is one hop of dense rows X.

    `adjacency` is needed where P is formed or a directed graph's is transposed; products need the entries alone.
    """

    def __init__(
        self,
        neighbors: Entries,
        diagonals: Diagonals,
        *,
        filter: str = "row",
        adjacency: SparseMatrix | None = None,
        is_directed: bool = False,
    ) -> None:
        self.neighbors = neighbors
        self.diagonals = diagonals
        self.filter = filter
        self.adjacency = adjacency
        self.is_directed = is_directed

    @classmethod
    def of(cls, adjacency: sp.csr_array, filter: str, device: torch.device, *, is_directed: bool = False) -> Propagation:
        """The matrix of a filter (`sparsecut.operators.filters`) for a graph."""
        degrees = as_tensor(1 + adjacency.sum(axis=1, dtype=np.float64), device)  # d̃
        matrix = SparseMatrix(adjacency, device)
        return cls(matrix.entries, Diagonals.of(degrees, filter), filter=filter, adjacency=matrix, is_directed=is_directed)

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
        return propagation(self.adjacency.csr, self.filter)

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

        return spread(coefficients, rows, hop)


class Diagonals(NamedTuple):
    """What a filter multiplies with before, after and beside the sum over neighbours; each (n,) float32."""

    left: Tensor
    right: Tensor | None  # None for ones
    own: Tensor

    @classmethod
    def of(cls, degrees: Tensor, filter: str) -> Diagonals:
        """For the degrees d̃, the node itself counted, float64."""
        inverse = 1 / degrees
        if filter.endswith("symmetric"):
            root = degrees.rsqrt().float()
            return cls(root, root, inverse.float())
        if filter == "lazy":
            return cls((inverse / 2).float(), None, ((1 + inverse) / 2).float())
        return cls(inverse.float(), None, inverse.float())
