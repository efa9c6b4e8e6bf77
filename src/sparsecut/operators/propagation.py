"""The matrix P of a filter as what it is: the graph between its diagonals, P = diag(left)·A·diag(right) + diag(own).

A is the graph's own adjacency: nothing of its size is copied, and where no edge has a weight only neighbours are read, no
values.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from weakref import ref

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.kernels import cuda, hops
from sparsecut.kernels.entries import Entries
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.schedule import Schedule
from sparsecut.kernels.sparse import SparseMatrix, between_diagonals
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
        self._transposed: Propagation | ref[Propagation] | None = None

    @classmethod
    def of(
        cls, adjacency: sp.csr_array | Entries, filter: Filter, device: torch.device, *, is_directed: bool = False
    ) -> Propagation:
        """The matrix of a filter for a graph, whose entries may be on the device already."""
        if isinstance(adjacency, Entries):
            matrix = SparseMatrix.of(adjacency, adjacency.n_rows)
        else:
            matrix = SparseMatrix(adjacency, device)
        degrees = 1 + matrix.entries.row_sums()  # d̃
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

    @property
    def T(self) -> Propagation:  # noqa: N802 - the transpose's usual name
        known = self._transposed() if isinstance(self._transposed, ref) else self._transposed
        if known is None:
            known = self._transposed = self._make_transposed()
        return known

    def _make_transposed(self) -> Propagation:
        neighbors = self.neighbors
        if self.is_directed:
            assert self.adjacency is not None
            neighbors = self.adjacency.T.entries
        left, right, own = self.diagonals
        ones = torch.ones_like(left)
        transposed = Propagation(neighbors, Diagonals(ones if right is None else right, left, own))
        transposed._transposed = ref(self)  # no circle: a graph as large as memory goes when its last user does
        return transposed

    @cached_property
    def schedule(self) -> Schedule:
        """The order in which a GPU goes through the rows."""
        return Schedule(self.neighbors.offsets)

    def without(self, edges: NDArray[np.int64]) -> Propagation:
        """P of the graph less some of its edges, (2, m); in an undirected graph an edge goes with its reverse.

        Nothing is moved: an entry that goes becomes one of the node itself, which `own` takes off again. So all rows keep
        their places, and a GPU its schedule.
        """
        assert self.filter is not None
        if edges.shape[1] == 0:
            return self
        entries = self.neighbors
        ends = torch.from_numpy(edges).to(entries.indices.device)
        rows, columns = ends if self.is_directed else torch.cat([ends, ends.flip(0)], dim=1)
        gone = torch.zeros(entries.n_rows, dtype=torch.float64, device=ends.device)
        if entries.values is None:  # whole numbers, whose sum no order changes
            places = entries.places_of(rows, columns)
            gone.index_add_(0, rows, gone.new_ones(len(rows)))
        else:
            rows, order = rows.sort(stable=True)
            places = entries.places_of(rows, columns[order])
            nodes, counts = torch.unique_consecutive(rows, return_counts=True)
            gone[nodes] = torch.segment_reduce(entries.values[places].double(), "sum", lengths=counts)
        indices = entries.indices.clone()
        indices[places] = rows.to(indices.dtype)
        left, right, own = self.filter.diagonals((1 + entries.row_sums() - gone).clamp(min=1))
        diagonals = Diagonals(left, right, own - gone * (left if right is None else left * right)).single()
        kept = Entries(indices, entries.offsets, entries.values)
        reduced = Propagation(
            kept, diagonals, filter=self.filter, adjacency=SparseMatrix.of(kept, len(left)), is_directed=self.is_directed
        )
        reduced.schedule = self.schedule
        return reduced

    def __matmul__(self, rows: Tensor) -> Tensor:
        return self.smooth((0.0, 1.0), rows)

    def smooth(self, coefficients: Polynomial, rows: Tensor, report: Callable[[int, int], None] | None = None) -> Tensor:
        """Σ c_k P^k · rows, by the kernel that serves for them. `report(done, total)` is called as hops are done."""
        if not cuda.can_hop(rows):
            return hops.smooth(self.neighbors, self.diagonals, coefficients, rows, report)
        n_hops, first = len(coefficients) - 1, cuda.aligned(rows)
        if n_hops == 0:
            return rows * coefficients[0]
        result, scale = first, coefficients[-1]
        # Written in turn, and the last to what was there first: room that is given back follows the result in memory.
        rooms = [cuda.empty_aligned(first) for _ in range(min(n_hops, 2))]
        for hop, coefficient in enumerate(reversed(coefficients[:-1]), start=1):
            result = cuda.hop(
                *self.neighbors,
                self.diagonals,
                result,
                self.schedule.order,
                scale=scale,
                first=first,
                coefficient=coefficient,
                into=rooms[(n_hops - hop) % 2],
            )
            self.schedule.count_hop(result, min(cuda.PANEL_BYTES, result.shape[1] * result.element_size()))
            scale = 1.0
            if report is not None:
                report(hop, n_hops)
        return result

    def smooth_some(self, coefficients: Polynomial, rows: Tensor | SparseMatrix, nodes: Tensor) -> Tensor:
        """Some rows of c₀X + c₁PX: only the neighbours of these nodes are read."""
        assert len(coefficients) == 2
        assert isinstance(rows, Tensor)
        if cuda.can_hop(rows):
            return cuda.hop_some(*self.neighbors, self.diagonals, (coefficients[0], coefficients[1]), rows, nodes)
        left, right, own = self.diagonals
        around = self.neighbors.of_rows(nodes)
        if right is not None:
            weights = right[around.indices]
            around = around._replace(values=weights if around.values is None else around.values * weights)
        itself = rows[nodes].float()
        if rows.dtype == torch.float16:  # only what is read becomes float32
            read, places = torch.unique(around.indices, return_inverse=True)
            rows, around = rows[read].float(), around._replace(indices=places.to(around.offsets.dtype))
        hopped = left[nodes, None] * (around @ rows) + own[nodes, None] * itself
        return coefficients[0] * itself + coefficients[1] * hopped


def propagation_matrix(adjacency: sp.csr_array, filter: Filter | None = None) -> sp.csr_array:
    """P itself, (n, n) and as sparse as the graph; by default the mean over closed neighbourhoods."""
    degrees = torch.from_numpy(1 + adjacency.sum(axis=1, dtype=np.float64))
    return _between(adjacency, (filter or Power()).diagonals(degrees))


def _between(adjacency: sp.csr_array, diagonals: Diagonals) -> sp.csr_array:
    left, right, own = (None if part is None else part.cpu().numpy() for part in diagonals)
    return between_diagonals(adjacency, left, right, own)
