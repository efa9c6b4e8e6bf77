"""The engine for rows on disk, under a limit of memory, by panels of columns (`engines.disk.panels`).

    smooth    a panel of c columns is read, takes all its hops in memory and is written; the adjacency streams by
    moments   blocks of whole rows, centred, their products summed up in float64; pairs in a list a panel at a time, since
              they join any two rows
    products  S·W = q(P)·(F·W) and Sᵀ·G = Fᵀ·(q(P)ᵀ·G) where hops are taken lazily: by the few columns of W and G, and
              features that are wide are read where they lie and never written
    project   blocks of whole rows times W, straight to the output

What is finished is kept in a work folder under a name that follows from what it is, so a job that was killed goes on with
the same bits. Panels go away with the last rows that hold them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.contract import Job, Moments
from sparsecut.engines.disk.disk_passes import Passes
from sparsecut.engines.disk.disk_propagation import DiskPropagation
from sparsecut.engines.disk.panels import Panels
from sparsecut.engines.disk.sizes import Sizes
from sparsecut.engines.in_process import InProcess
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.io.workfolder import RowWriter, WorkFolder, fingerprint_of
from sparsecut.kernels.magnitude import check_finite
from sparsecut.kernels.moments import drop_rounding
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.sparse import SparseMatrix, as_tensor
from sparsecut.kernels.streaming import neighbour_sums, release, row_blocks
from sparsecut.operators.aggregation import Projection, aggregate
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import NegativeGraph

CPU = torch.device("cpu")

Value = TypeVar("Value")


@dataclass(frozen=True)
class Unread:
    """Features where they lie, and the weighting that each block of them goes through."""

    name: str
    features: Any
    weighting: Weighting


@dataclass(frozen=True)
class DiskRows:
    """S = Σ c_k P^k F: F as panels, or still where it lies; the polynomial is (1,) where no hop is left to take."""

    held: Panels | Unread
    P: DiskPropagation
    pending: Polynomial = (1.0,)

    @property
    def is_formed(self) -> bool:
        return isinstance(self.held, Panels) and self.pending == (1.0,)

    @property
    def n_rows(self) -> int:
        return self.held.n_rows if isinstance(self.held, Panels) else int(self.held.features.shape[0])

    @property
    def n_columns(self) -> int:
        return self.held.shape[1] if isinstance(self.held, Panels) else int(self.held.features.shape[1])


class DiskEngine(InProcess):
    supports = frozenset({"output"})

    def __init__(self, job: Job, work: WorkFolder, sizes: Sizes) -> None:
        super().__init__(job.graph)
        self.work, self.sizes, self.report = work, sizes, job.report
        self.device = CPU
        self.notes: list[str] = []
        self._degrees: NDArray[np.float64] | None = None
        self._panels: WeakValueDictionary[str, Panels] = WeakValueDictionary()
        self.passes = Passes(sizes, job.report)

    def load(self, graph: Graph, weighting: Weighting, filter: Filter, features: Any = None) -> DiskRows:
        if self._degrees is None:
            self._degrees = neighbour_sums(graph.adjacency)
        P = DiskPropagation(graph, filter, self._degrees, self.sizes.block_bytes)
        # The graph's own features are known from the name of the work folder.
        name = f"features-{fingerprint_of(features, weighting.name, weighting.columns)}"
        return DiskRows(Unread(name, graph.features if features is None else features, weighting), P)

    def smooth(self, rows: DiskRows, polynomial: Polynomial, *, lazily: bool = False) -> DiskRows:
        if lazily:
            return DiskRows(rows.held, rows.P, polynomial)
        if polynomial == (1.0,):
            return rows
        start = self._formed(rows)
        mark = fingerprint_of(start.name, polynomial, rows.P.marks)
        return DiskRows(self._smooth(start, rows.P, polynomial, f"smoothed-{mark}"), rows.P)

    def moments(self, levels: Sequence[DiskRows], negatives: NegativeGraph) -> Moments:
        panels = [self._formed(level) for level in levels]
        mark = fingerprint_of([part.name for part in panels], _arrays_of(negatives))

        def compute() -> dict[str, NDArray[Any]]:
            weights = [None, *(pairs.row_weights for pairs in negatives.all_pairs if pairs.row_weights is not None)]
            means, scatters = self.passes.moments(panels, weights)
            M, others = torch.zeros_like(scatters[0]), iter(scatters[1:])
            for pairs in negatives.all_pairs:
                M += (scatters[0] if pairs.row_weights is None else next(others)) * (pairs.scale * pairs.volume)
            for listed in negatives.listed:
                M += self.passes.gram_of_pairs(panels, panels, listed)
            drop_rounding((M, scatters[0]), scatters[0].diagonal().clone(), means[0], panels[0].n_rows)
            return {"M": ((M + M.T) / 2).numpy(), "mean": means[0].numpy(), "scatter": scatters[0].numpy()}

        found = self.checkpoint(f"moments-{mark}", compute)
        M, mean, scatter = (torch.from_numpy(found[key]).clone() for key in ("M", "mean", "scatter"))
        return Moments(M, mean, scatter, panels[0].n_rows)

    def multiply(self, levels: Sequence[DiskRows], W: Tensor) -> DiskRows:
        parts = torch.split(W, [level.n_columns for level in levels])
        if len(levels) == 1:
            return self._times(levels[0], parts[0])
        held = [self._formed(self._times(level, part)) for level, part in zip(levels, parts, strict=True)]
        total = self._new_panels(f"total-{fingerprint_of([panels.name for panels in held])}", *held[0].shape)
        total.fill(lambda: (_added(block, len(held)) for _, block in self.passes.rows(held, "projection")))
        return DiskRows(total, levels[0].P)

    def transpose_multiply(self, levels: Sequence[DiskRows], others: DiskRows, negatives: NegativeGraph) -> Tensor:
        G = self._formed(others)
        image = self._new_panels(f"image-{fingerprint_of(G.name, _arrays_of(negatives))}", *G.shape)
        self.passes.laplacian(G, negatives, image)
        return torch.cat([self._transposed_times(level, image) for level in levels]).float()

    def project(
        self, levels: Sequence[DiskRows], projection: Projection, output: Path | None = None, *, is_last_use: bool = False
    ) -> NDArray[Any]:
        if not all(level.is_formed for level in levels):
            products = [self._times(level, matrix) for level, matrix in zip(levels, projection.weights, strict=True)]
            held, weights = [self._formed(product) for product in products], None
        else:
            held, weights = [self._formed(level) for level in levels], projection.weights
        shape = (held[0].n_rows, projection.dimension)
        if output is None:
            Z, n_rows = np.empty(shape, dtype=np.float32), 0
            for block in self._embedding(held, weights, projection, 0):
                Z[n_rows : n_rows + len(block)] = block
                n_rows += len(block)
            return Z
        with RowWriter(output, shape, self.work) as writer:
            for block in self._embedding(held, weights, projection, writer.n_rows):
                writer.write(block)
        written: NDArray[np.float32] = np.load(output, mmap_mode="r")
        return written

    def take(self, rows: DiskRows, nodes: NDArray[np.int64]) -> Tensor:
        panels = self._formed(rows)
        taken = torch.empty(len(nodes), panels.shape[1])
        for block_rows, block in self.passes.rows([panels], "held-out edges"):
            first, last = np.searchsorted(nodes, (block_rows.start, block_rows.stop))
            if first < last:
                taken[first:last] = block[torch.from_numpy(nodes[first:last] - block_rows.start)]
        return taken

    def without(self, rows: DiskRows, edges: NDArray[np.int64]) -> DiskRows:
        return DiskRows(rows.held, rows.P.without(edges))

    def checkpoint(self, key: str, compute: Callable[[], Value]) -> Value:
        return self.work.remembered(key, compute)

    def _formed(self, rows: DiskRows) -> Panels:
        """S as panels."""
        if rows.pending != (1.0,):
            mark = fingerprint_of(self._formed(DiskRows(rows.held, rows.P)).name, rows.pending, rows.P.marks)
            return self._smooth(self._formed(DiskRows(rows.held, rows.P)), rows.P, rows.pending, f"smoothed-{mark}")
        return rows.held if isinstance(rows.held, Panels) else self._loaded(rows.held)

    def _loaded(self, source: Unread, W: Tensor | None = None) -> Panels:
        """The weighted features as panels, times a matrix if one is given."""
        n_rows, n_columns = (int(size) for size in source.features.shape)
        name = source.name if W is None else f"{source.name}-{fingerprint_of(W.numpy())}"
        panels = self._new_panels(name, n_rows, n_columns if W is None else W.shape[1])

        def blocks() -> Iterator[Tensor]:
            for _, block in self._features_of(source):
                if W is None:
                    yield block.to_dense()
                else:
                    yield block @ W

        panels.fill(blocks)
        return panels

    def _features_of(self, source: Unread) -> Iterator[tuple[slice, Tensor | SparseMatrix]]:
        """Blocks of the weighted features, dense or sparse as they lie."""
        features, n_rows = source.features, int(source.features.shape[0])
        for rows in row_blocks(n_rows, 4 * features.shape[1], self.sizes.block_bytes):
            block = source.weighting.apply(features[rows])
            yield rows, SparseMatrix(block, CPU) if sp.issparse(block) else as_tensor(np.asarray(block), CPU)
            release(features, rows)
            self.report("reading features", rows.stop, n_rows)

    def _transposed_times(self, rows: DiskRows, image: Panels) -> Tensor:
        """Sᵀ·G in float64 for the panels of G: hops that are still to be taken are taken by its columns."""
        if rows.pending != (1.0,):
            mark = fingerprint_of(image.name, rows.pending, rows.P.T.marks)
            image = self._smooth(image, rows.P.T, rows.pending, f"smoothed-{mark}")
        total = torch.zeros(rows.n_columns, image.shape[1], dtype=torch.float64)
        held = rows.held
        blocks = self.passes.rows([held], "Gram matrix") if isinstance(held, Panels) else self._features_of(held)
        for span, block in blocks:
            for _, others in image.blocks([span]):
                total += block.T @ others
        return total

    def _times(self, rows: DiskRows, W: Tensor) -> DiskRows:
        """S·W, projected first where a hop is still to be taken."""
        if isinstance(rows.held, Unread):
            product = self._loaded(rows.held, W)
        else:
            held = rows.held
            product = self._new_panels(f"product-{fingerprint_of(held.name, W.numpy())}", held.n_rows, W.shape[1])
            product.fill(lambda: (block @ W for _, block in self.passes.rows([held], "projection")))
        if rows.pending == (1.0,):
            return DiskRows(product, rows.P)
        mark = fingerprint_of(product.name, rows.pending, rows.P.marks)
        return DiskRows(self._smooth(product, rows.P, rows.pending, f"smoothed-{mark}"), rows.P)

    def _smooth(self, panels: Panels, P: DiskPropagation, polynomial: Polynomial, name: str) -> Panels:
        """Panel by panel, the hops of each in memory."""
        smoothed = self._new_panels(name, *panels.shape)
        n_ticks = [(len(polynomial) - 1) * len(P.blocks(width)) for width in panels.widths]
        done, is_series = 0, any(polynomial[:-1])

        def tick() -> None:
            nonlocal done
            done += 1
            self.report("smoothing", done, sum(n_ticks))

        for panel, ticks in enumerate(n_ticks):
            if smoothed.has(panel):
                done += ticks
                continue
            start, current, other = self.passes.buffers(panels, with_start=is_series)
            X = panels.read(panel, current)
            first = start[: X.numel()].view_as(X).copy_(X) if is_series else None
            if polynomial[-1] != 1:
                X.mul_(polynomial[-1])
            spare = other[: X.numel()].view_as(X)
            for coefficient in reversed(polynomial[:-1]):
                X, spare = P.hop(X, spare, tick, first, coefficient), X
            smoothed.write(panel, X)
        return smoothed

    def _embedding(
        self, held: Sequence[Panels], weights: Sequence[Tensor] | None, projection: Projection, start: int
    ) -> Iterator[NDArray[np.float32]]:
        """Blocks of Z from a row on; without weights the panels are those of the levels' embeddings."""
        widths = [panels.shape[1] for panels in held]
        for _, block in self.passes.rows(held, "projection", start):
            parts = list(torch.split(block, widths, dim=1))
            if weights is not None:
                parts = [part @ matrix for part, matrix in zip(parts, weights, strict=True)]
            Z = aggregate(parts, projection.aggregation)
            yield check_finite((Z if projection.offset is None else Z - projection.offset).numpy(), self.graph)

    def _new_panels(self, name: str, n_rows: int, n_columns: int) -> Panels:
        """The panels of a name: the same ones where they are held already, for they go away with their last holder."""
        panels = self._panels.get(name)
        if panels is None:
            panels = self._panels[name] = Panels(self.work, name, n_rows, self.sizes.widths(n_columns))
        return panels


def _added(side_by_side: Tensor, n_parts: int) -> Tensor:
    return torch.stack(side_by_side.chunk(n_parts, dim=1)).sum(dim=0)


def _arrays_of(negatives: NegativeGraph) -> list[Any]:
    """What tells a negative graph from any other."""
    weights = [(pairs.scale, pairs.row_weights) for pairs in negatives.all_pairs]
    return [
        [(scale, None if of_rows is None else of_rows.numpy()) for scale, of_rows in weights],
        [(listed.pairs, listed.weights) for listed in negatives.listed],
    ]
