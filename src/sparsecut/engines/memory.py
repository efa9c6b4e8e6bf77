"""The engine for rows in the memory of one device, CPU or CUDA."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar
from weakref import ref

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.base.progress import Reporter
from sparsecut.engines.contract import Moments
from sparsecut.engines.in_process import HeldBlock, InProcess, blocks_of
from sparsecut.engines.rows import Rows, side_by_side
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.kernels import halves
from sparsecut.kernels.magnitude import overflow_error
from sparsecut.kernels.moments import mean_of, scatter
from sparsecut.kernels.polynomials import Polynomial, is_power, power
from sparsecut.kernels.products import N_TOGETHER, DenseRows, groups, row_blocks
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.threads import each
from sparsecut.kernels.transfer import as_tensor
from sparsecut.operators.aggregation import Aggregation, Projection, aggregate, offsets_of, types_for
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import AllPairs, NegativeGraph
from sparsecut.operators.propagation import Propagation

# One multiply-add of a sparse × sparse product takes about as long as this many of a sparse × dense one
# (8 ns against 0.3 to 0.7 ns on Cora, Citeseer and Pubmed, two cores).
SPARSE_HOP_COST = 20

CONCAT_BLOCK = 1 << 20  # rows projected at a time where channels lie side by side
ROW_BLOCK = 8192  # rows projected at a time where Z is written over S
COLUMN_BLOCK = 512  # columns of S held at a time beside S where M is built
SPARSE_IS_SINGLE = "Sparse features are kept in single precision: half is for dense ones."

Value = TypeVar("Value")


class MemoryEngine(InProcess):
    """Rows as torch tensors or sparse matrices (`engines.rows`).

    Without a job's graph, passes go over the one that is loaded first.
    """

    supports = frozenset({"max", "batches", "rows"})

    def __init__(
        self,
        device: torch.device,
        precision: str = "single",
        report: Reporter | None = None,
        graph: Graph | None = None,
    ) -> None:
        super().__init__(graph)
        self.device = device
        self.precision = precision
        self.report: Reporter = report if report is not None else lambda *_: None
        self.notes: list[str] = []
        self.details: list[str] = []
        self._taken: tuple[NDArray[np.int64], Tensor] | None = None
        self._propagations: list[tuple[Graph, Filter, Propagation]] = []
        self._reduced: list[tuple[Propagation, NDArray[np.int64], ref[Propagation]]] = []

    @cached_property
    def here(self) -> Graph:
        """The job's graph on the device: copied there once, or as the user gave it."""
        graph: Graph = self.graph
        edges = graph.held_edges
        is_in_host = sp.issparse(edges) or edges.indices.device.type == "cpu"
        return graph if is_in_host and self.device.type == "cpu" else graph.to(self.device)

    @cached_property
    def blocks(self) -> Sequence[HeldBlock]:
        return blocks_of(self.here)

    def load(self, graph: Graph, weighting: Weighting, filter: Filter, features: Any = None) -> Rows:
        if self.graph is None:
            self.graph = graph
        P = self._propagation(graph, filter)
        if features is None:
            features = (self.here if graph.shares_features(self.graph) else graph).held_features
        is_held = sp.issparse(features) or isinstance(features, Tensor)
        return self.hold(weighting.apply(features if is_held else np.asarray(features)), P)

    def hold(self, features: Any, propagation: Propagation | None = None) -> Rows:
        """Features, dense or sparse, on the device and in the engine's precision."""
        is_tensor = isinstance(features, Tensor)
        if sp.issparse(features) or (is_tensor and features.layout != torch.strided):
            if self.precision == "half":
                self.notes.append(SPARSE_IS_SINGLE)
            return Rows(SparseMatrix(features, self.device), propagation)
        dense = features.to(self.device) if is_tensor else as_tensor(features, self.device)
        if self.precision == "single":
            return Rows(dense.float(), propagation)
        if dense.dtype == torch.float16 and dense.is_cuda:  # a GPU sums halves in float32, whatever their size
            return Rows(dense, propagation)
        shrunk, scale = halves.halved(dense)
        return Rows(shrunk, propagation, (scale,), is_spare=True)

    def smooth(self, rows: Rows, polynomial: Polynomial, *, lazily: bool = False) -> Rows:
        if lazily or len(polynomial) == 1:
            return rows.through(polynomial)
        P, features = rows.propagation, rows.features
        assert P is not None
        n_hops = len(polynomial) - 1

        def report_hop(done: int, total: int) -> None:
            self.report("smoothing", done, total)

        if isinstance(features, Tensor):
            coefficients = rows.coefficients
            if self.precision == "half" and features.dtype == torch.float32 and n_hops > 1:  # products of rows with weights
                features, scale = halves.halved(features)
                coefficients = (scale * coefficients[0],)
            return Rows(P.smooth(polynomial, features, report_hop), P, coefficients, is_spare=True)
        if not is_power(polynomial):
            return Rows(P.smooth(polynomial, features.to_dense(), report_hop), P, is_spare=True)
        # Sparse rows stay sparse while that is cheaper.
        smoothed = features.csr
        for hop in range(1, n_hops + 1):
            if not _is_sparse_hop_cheaper(P, smoothed):
                dense = as_tensor(smoothed.toarray(), self.device)
                return Rows(P.smooth(power(n_hops - hop + 1), dense, report_hop), P, is_spare=True)
            smoothed = P.csr @ smoothed
            report_hop(hop, n_hops)
        return Rows(SparseMatrix(smoothed, self.device), P)

    def moments(self, levels: Sequence[Rows], negatives: NegativeGraph) -> Moments:
        found = moments_of(side_by_side(levels), negatives)
        self.report("Gram matrix", 1, 1)
        return found

    def multiply(self, levels: Sequence[Rows], W: Tensor) -> Rows:
        return Rows(side_by_side(levels) @ W, levels[0].propagation, is_spare=True)

    def map(self, levels: Sequence[Rows], function: Callable[..., Tensor], n_columns: int, *arguments: Any) -> Rows:
        formed = [level.columns(0, level.shape[1]) for level in levels]
        mapped = torch.empty(levels[0].shape[0], n_columns, device=self.device)
        for rows in row_blocks(mapped, ROW_BLOCK):
            mapped[rows] = function(*(S[rows].float() for S in formed), *arguments)
        held = self.hold(mapped, levels[0].propagation)
        return Rows(held.features, held.propagation, held.coefficients, is_spare=True)

    def transpose_multiply(self, levels: Sequence[Rows], others: Rows, negatives: NegativeGraph) -> Tensor:
        assert isinstance(others.features, Tensor)
        product: Tensor = side_by_side(levels).transpose_times(negatives.laplacian(others.features))
        return product

    def project(
        self, levels: Sequence[Rows], projection: Projection, output: Path | None = None, *, is_last_use: bool = False
    ) -> Tensor:
        weights = projection.weights
        with torch.no_grad():
            if is_last_use and len(levels) == 1 and _can_overwrite(levels[0], weights[0]):
                Z = _project_over(levels[0], weights[0])
            else:
                Z = _projected(levels, weights, projection.aggregation)
            codes = types_for(projection, self.graph)
            for rows in [slice(0, len(Z))] if codes is None else row_blocks(Z, CONCAT_BLOCK):
                if projection.offset is not None:
                    Z[rows] -= offsets_of(projection.offset, None if codes is None else codes[rows])
        check_embedding(Z, self.graph)
        return Z

    def take(self, rows: Rows, nodes: NDArray[np.int64]) -> Tensor:
        if self._taken is None or self._taken[0] is not nodes:  # the same nodes are requested again and again
            self._taken = nodes, as_tensor(nodes, self.device)
        taken = rows.take(self._taken[1])
        return taken.columns(0, rows.shape[1])

    def without(self, rows: Rows, edges: NDArray[np.int64]) -> Rows:
        assert rows.propagation is not None
        return Rows(rows.features, self.less(rows.propagation, edges), rows.coefficients)

    def less(self, P: Propagation, edges: NDArray[np.int64]) -> Propagation:
        """P of the graph less some edges, made once for all rows that want it."""
        known = next((reduced() for whole, gone, reduced in self._reduced if whole is P and gone is edges), None)
        if known is None:
            known = P.without(edges)
            self._reduced = [(P, edges, ref(known))]  # as long as somebody has rows of it: it is as large as the graph
        return known

    def _propagation(self, graph: Graph, filter: Filter) -> Propagation:
        """P of a graph, made once: other features of the same graph are averaged by the same matrix."""
        known = next((P for of, by, P in self._propagations if of.shares_edges(graph) and by == filter), None)
        if known is None:
            edges = (self.here if graph.shares_edges(self.graph) else graph).held_edges
            known = Propagation.of(edges, filter, self.device, is_directed=graph.is_directed)
            self._propagations = [(graph, filter, known)]
        return known

    def checkpoint(self, key: str, compute: Callable[[], Value]) -> Value:
        return compute()


def moments_of(rows: Any, negatives: NegativeGraph) -> Moments:
    """The moments of S, by passes over dense rows where S is held like that, and by its products elsewhere."""
    n_rows, formed = rows.shape[0], rows.formed
    if formed is None:
        M = _gram_by_columns(rows, negatives)
        mean = rows.transpose_times(torch.ones(n_rows, 1, device=rows.device))[:, 0].double() / n_rows
    else:
        features, factors = formed
        M, mean = _gram_of_all_pairs(features, negatives.all_pairs)
        M, mean = M * (factors if isinstance(factors, float) else factors[:, None]) * factors, mean * factors
        if negatives.listed:
            M += _gram_by_columns(rows, NegativeGraph(n_rows, listed=negatives.listed))
    is_scatter = negatives.is_complete and negatives.all_pairs[0].scale > 0
    return Moments(M, mean, M / (negatives.all_pairs[0].scale * n_rows) if is_scatter else None, n_rows)


def _gram_of_all_pairs(features: Tensor | DenseRows, all_pairs: Sequence[AllPairs]) -> tuple[Tensor, Tensor]:
    """Sᵀ L S, (f, f), summed over the parts, and the mean of the rows, (f,), in float64: a pass over dense rows for each."""
    n_rows, n_columns = features.shape
    M = torch.zeros(n_columns, n_columns, dtype=torch.float64, device=features.device)
    mean = None
    for pairs in all_pairs:
        shares = pairs.shares(features.device)
        if pairs.volume == 0:
            continue
        if shares is not None:
            M += scatter(features, shares) * (pairs.scale * pairs.volume**2)
        elif isinstance(features, Tensor) and halves.with_tensor_cores(features):
            # The tensor cores of a GPU multiply the halves as they are: n·SᵀS − (Sᵀ1)(Sᵀ1)ᵀ, in one pass.
            squares, sums = halves.moments(features)
            mean = sums / n_rows
            part = (squares - torch.outer(sums, mean)) * (pairs.scale * n_rows)
            M += (part + part.T) / 2
        else:
            mean = mean_of(features)
            M += scatter(features, None, mean) * (pairs.scale * pairs.volume**2)
    return M, mean_of(features) if mean is None else mean


def _gram_by_columns(rows: Any, negatives: NegativeGraph) -> Tensor:
    """Sᵀ L S, (f, f) float64, a block of columns at a time, however S is held."""
    n_columns = rows.shape[1]
    blocks = [
        rows.transpose_times(negatives.laplacian(rows.columns(start, min(start + COLUMN_BLOCK, n_columns))))
        for start in range(0, n_columns, COLUMN_BLOCK)
    ]
    M = torch.cat(blocks, dim=1)  # (f, f)
    return ((M + M.T) / 2).double()  # rounding is not symmetric; M is


def check_embedding(Z: Tensor, graph: Graph) -> None:
    """Raise where a number is not finite.

    A sum is finite where all its terms are, unless it overflows; NaN is the least and the largest of numbers with one.
    """
    if not math.isfinite(float(Z.sum())) and not math.isfinite(float(sum(Z.aminmax()))):
        raise overflow_error(graph)


def _is_sparse_hop_cheaper(P: Propagation, features: sp.csr_array) -> bool:
    entries_by_row = np.diff(features.indptr)
    n_sparse = int(entries_by_row[P.csr.indices].sum())  # multiply-adds of P·F, sparse
    n_dense = P.nnz * features.shape[1]
    return bool(n_sparse * SPARSE_HOP_COST < n_dense)


def _projected(levels: Sequence[Rows], weights: Sequence[Tensor], aggregation: Aggregation) -> Tensor:
    """aggregate(S₁·W⁽¹⁾, …). Side by side each is written to its columns as it is made: nothing is held twice."""
    if aggregation != "concat" or len(levels) == 1:
        return aggregate([rows @ matrix for rows, matrix in zip(levels, weights, strict=True)], aggregation)
    ends = np.cumsum([matrix.shape[1] for matrix in weights]).tolist()
    n_rows = levels[0].shape[0]
    Z = torch.empty(n_rows, ends[-1], device=weights[0].device)
    for rows, matrix, end in zip(levels, weights, ends, strict=True):
        columns = Z[:, end - matrix.shape[1] : end]
        if rows.is_formed and isinstance(rows.features, Tensor):
            for start in range(0, n_rows, CONCAT_BLOCK):
                block = slice(start, start + CONCAT_BLOCK)
                Rows(rows.features[block], coefficients=rows.coefficients).times_into(matrix, columns[block])
        else:
            columns.copy_(rows @ matrix)
    return Z


def _can_overwrite(rows: Rows, weights: Tensor) -> bool:
    """Whether Z fits into the memory of S, and fills at least half of it: all of it stays taken."""
    S, dimension = rows.features, weights.shape[1]
    if not rows.is_spare or not isinstance(S, Tensor) or S.dtype != weights.dtype or not S.is_contiguous():
        return False
    return rows.is_formed and dimension <= S.shape[1] <= 2 * dimension


def _project_over(rows: Rows, weights: Tensor, row_block: int = ROW_BLOCK) -> Tensor:
    """S·W written over S, a block of rows at a time: Z's rows are no wider, so they end before those still to be read."""
    S, dimension = rows.features, weights.shape[1]
    assert isinstance(S, Tensor)
    flat, weights = S.view(-1), weights * rows.coefficients[0]
    for together in groups(row_blocks(S, row_block), 1 if S.is_cuda else N_TOGETHER):
        parts = each(lambda block: S[block] @ weights, together, work=0 if S.is_cuda else row_block * weights.numel())
        done = together[0].start * dimension
        flat[done : done + sum(part.numel() for part in parts)] = torch.cat(parts).view(-1)
    return flat[: len(S) * dimension].view(len(S), dimension)
