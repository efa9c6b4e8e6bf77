"""The matrix P of a filter with the adjacency on disk, of which each hop reads some rows at a time."""

from __future__ import annotations

from collections.abc import Callable
from copy import copy
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.graph import Graph
from sparsecut.io.stores.workfolder import fingerprint_of
from sparsecut.kernels.entries import weighted_sums
from sparsecut.kernels.sparse import entries_of
from sparsecut.kernels.streaming import blocks_of_entries, release, row_blocks
from sparsecut.kernels.transfer import as_tensor
from sparsecut.operators.filters import Filter


class DiskPropagation:
    """P = diag(left)·A·diag(right) + diag(own), A where it lies and without the entries at some positions."""

    def __init__(
        self,
        graph: Graph,
        filter: Filter,
        degrees: NDArray[np.float64],
        block_bytes: int,
        removed: NDArray[np.int64] | None = None,
    ) -> None:
        self.graph, self.filter, self.degrees, self.block_bytes = graph, filter, degrees, block_bytes
        self.adjacency, self.is_weighted = graph.adjacency, graph.is_weighted
        left, right, own = filter.diagonals(torch.from_numpy(1 + degrees)).single()
        self.left, self.own = left[:, None], own[:, None]
        self.right = None if right is None else right[:, None]
        self.is_transposed = False
        self.removed = np.empty(0, dtype=np.int64) if removed is None else np.sort(removed)

    @property
    def name(self) -> str:
        """What identifies P: its direction, its filter and its edges."""
        return f"P-{fingerprint_of(repr(self.filter), self.is_transposed, self.removed)}"

    @property
    def T(self) -> DiskPropagation:  # noqa: N802 - the transpose's usual name
        """Pᵀ = diag(right)·Aᵀ·diag(left) + diag(own)."""
        transposed = copy(self)
        transposed.left, transposed.right = torch.ones_like(self.left) if self.right is None else self.right, self.left
        transposed.is_transposed = True
        return transposed

    def without(self, edges: NDArray[np.int64]) -> DiskPropagation:
        """P of the graph less some of its edges, (2, m); in an undirected graph an edge goes with its reverse."""
        A, degrees = self.adjacency, self.degrees.copy()
        removed = entries_of(A, edges, is_directed=self.graph.is_directed)
        rows = edges[0] if self.graph.is_directed else np.concatenate(edges)
        np.subtract.at(degrees, rows, A.data[removed].astype(np.float64))
        release(A)
        return DiskPropagation(self.graph, self.filter, degrees, self.block_bytes, removed)

    def blocks(self, n_columns: int) -> list[slice]:
        """Rows of which neither the entries nor the results take more than a block."""
        return blocks_of_entries(self.adjacency.indptr, self.block_bytes, 4 * n_columns)

    def hop(self, X: Tensor, into: Tensor, tick: Callable[[], None], start: Tensor | None, coefficient: float) -> Tensor:
        """P·X + coefficient·start, (n, c), in the memory of `into`. X is scaled in place and must not be used afterwards.

        The operations are those of `kernels.hops` in their order, so that rows have the same bits wherever they are.
        """
        tile = X
        if self.right is not None:
            tile = into.copy_(X)
            X.mul_(self.right)
        if self.is_transposed and self.graph.is_directed:
            return self._hop_against_edges(X, into, tick, start, coefficient)
        for rows in self.blocks(X.shape[1]):
            indices, offsets, weights = self._entries(rows)
            sums = weighted_sums(indices, offsets, weights, X)
            own = tile[rows] if tile is X else tile[rows].clone()
            out = torch.mul(sums, self.left[rows], out=into[rows]).addcmul_(own, self.own[rows])
            if start is not None and coefficient:
                out.add_(start[rows], alpha=coefficient)
            tick()
        return into

    def _hop_against_edges(
        self, X: Tensor, into: Tensor, tick: Callable[[], None], start: Tensor | None, coefficient: float
    ) -> Tensor:
        """A hop with Aᵀ, whose rows do not lie together: a row of A adds to the rows of the nodes it names.

        `into` has the rows before they were scaled.
        """
        n_columns = X.shape[1]
        into.mul_(self.own)
        if start is not None and coefficient:
            into.add_(start, alpha=coefficient)
        for rows in self.blocks(n_columns):
            indices, offsets, weights = self._entries(rows)
            owners = torch.repeat_interleave(torch.arange(rows.start, rows.stop), offsets.diff())
            for part in row_blocks(len(indices), 4 * n_columns, self.block_bytes):
                scale = self.left[indices[part].long()]
                scale = scale if weights is None else scale * weights[part, None]
                into.index_add_(0, indices[part], X[owners[part]].mul_(scale))
            tick()
        return into

    def _entries(self, rows: slice) -> tuple[Tensor, Tensor, Tensor | None]:
        """The entries of some rows: columns, where each row starts, and weights unless all are 1."""
        A: Any = self.adjacency
        starts = np.array(A.indptr[rows.start : rows.stop + 1], dtype=np.int64)
        entries = slice(int(starts[0]), int(starts[-1]))
        indices = np.array(A.indices[entries])
        weights = np.array(A.data[entries]) if self.is_weighted else None
        first, last = np.searchsorted(self.removed, (entries.start, entries.stop))
        if first < last:
            gone = self.removed[first:last]
            indices = np.delete(indices, gone - entries.start)
            weights = None if weights is None else np.delete(weights, gone - entries.start)
            starts = starts - np.searchsorted(gone, starts)  # by as many as went before
        release(A, rows)
        cpu = torch.device("cpu")
        offsets = (starts - starts[0]).astype(indices.dtype)
        return as_tensor(indices, cpu), as_tensor(offsets, cpu), None if weights is None else as_tensor(weights, cpu)
