"""The engine for rows on disk, under a limit of memory, by panels of columns (`engines.disk.panels`).

    smooth    a panel of c columns is read, takes all its hops in memory and is written; each hop reads the adjacency, some
              rows of it at a time
    moments   blocks of whole rows, centred, their products summed up in float64; pairs in a list a panel at a time, since
              they join any two rows
    products  S·W = q(P)·(F·W) and Sᵀ·G = Fᵀ·(q(P)ᵀ·G) where hops are taken lazily: by the few columns of W and G, and
              features that are wide are read where they lie and never written
    project   blocks of whole rows times W, straight to the output

What is finished is kept in a work folder under a name that follows from what it is, so a job that was killed goes on with
the same bits. Panels are removed with the last rows that hold them. `engines.blocked` has the steps that call these.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any
from weakref import WeakValueDictionary

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.blocked import NO_HOP, BlockedEngine, BlockedRows, Source, smoothed_name
from sparsecut.engines.contract import Job
from sparsecut.engines.disk.disk_passes import PanelPasses
from sparsecut.engines.disk.disk_propagation import DiskPropagation
from sparsecut.engines.disk.panels import Panels
from sparsecut.engines.disk.sizes import PanelSizes
from sparsecut.engines.in_process import InProcess
from sparsecut.graph import Graph
from sparsecut.io.stores.workfolder import RowWriter, WorkFolder
from sparsecut.kernels.magnitude import check_finite
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.streaming import neighbour_sums, release, row_blocks
from sparsecut.kernels.transfer import as_tensor
from sparsecut.operators.aggregation import Projection, aggregate, offsets_of, types_for
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import ListedPairs, NegativeGraph

DiskRows = BlockedRows[Panels, DiskPropagation]


class DiskEngine(BlockedEngine[Panels, DiskPropagation]):
    supports = frozenset({"output"})

    def __init__(self, job: Job, work: WorkFolder, sizes: PanelSizes) -> None:
        super().__init__(job, work, InProcess(job.graph))
        self.sizes = sizes
        self._degrees: NDArray[np.float64] | None = None
        self._panels: WeakValueDictionary[str, Panels] = WeakValueDictionary()
        self.over_panels = PanelPasses(sizes, job.report)

    def project(
        self, levels: Sequence[DiskRows], projection: Projection, output: Path | None = None, *, is_last_use: bool = False
    ) -> NDArray[Any]:
        held, weights = self._to_project(levels, projection)
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
        taken = torch.empty(len(nodes), panels.n_columns)
        for block_rows, block in self.over_panels.rows([panels], "held-out edges"):
            first, last = np.searchsorted(nodes, (block_rows.start, block_rows.stop))
            if first < last:
                taken[first:last] = block[torch.from_numpy(nodes[first:last] - block_rows.start)]
        return taken

    def _readable(self, features: Any, name: str) -> Any:
        return features

    def _operator(self, graph: Graph, filter: Filter) -> DiskPropagation:
        if self._degrees is None:
            self._degrees = neighbour_sums(graph.adjacency)
        return DiskPropagation(graph, filter, self._degrees, self.sizes.block_bytes)

    def _operator_without(self, P: DiskPropagation, edges: NDArray[np.int64]) -> DiskPropagation:
        return P.without(edges)

    def _loaded(self, source: Source, name: str, W: Tensor | None = None) -> Panels:
        panels = self._new_panels(name, source.n_columns if W is None else W.shape[1])

        def blocks() -> Iterator[Tensor]:
            for _, block in self._features_of(source):
                yield block.to_dense() if W is None else block @ W

        panels.fill(blocks)
        return panels

    def _smoothed(self, held: Panels, P: DiskPropagation, polynomial: Polynomial, name: str) -> Panels:
        """Panel by panel, the hops of each in memory."""
        smoothed = self._new_panels(name, held.n_columns)
        n_ticks = [(len(polynomial) - 1) * len(P.blocks(width)) for width in held.widths]
        done, is_series = 0, any(polynomial[:-1])

        def tick() -> None:
            nonlocal done
            done += 1
            self.report("smoothing", done, sum(n_ticks))

        for panel, ticks in enumerate(n_ticks):
            if smoothed.has(panel):
                done += ticks
                continue
            start, current, other = self.over_panels.buffers(held, with_start=is_series)
            X = held.read(panel, current)
            first = start[: X.numel()].view_as(X).copy_(X) if is_series else None
            if polynomial[-1] != 1:
                X.mul_(polynomial[-1])
            spare = other[: X.numel()].view_as(X)
            for coefficient in reversed(polynomial[:-1]):
                X, spare = P.hop(X, spare, tick, first, coefficient), X
            smoothed.write(panel, X)
        return smoothed

    def _product(self, held: Panels, W: Tensor, name: str) -> Panels:
        product = self._new_panels(name, W.shape[1])
        product.fill(lambda: (block @ W for _, block in self.over_panels.rows([held], "projection")))
        return product

    def _sum(self, parts: Sequence[Panels], name: str) -> Panels:
        total = self._new_panels(name, parts[0].n_columns)
        total.fill(lambda: (_added(block, len(parts)) for _, block in self.over_panels.rows(parts, "projection")))
        return total

    def _mapped(
        self, held: Sequence[Panels], function: Callable[..., Tensor], n_columns: int, arguments: Sequence[Any], name: str
    ) -> Panels:
        mapped, widths = self._new_panels(name, n_columns), [panels.n_columns for panels in held]

        def blocks() -> Iterator[Tensor]:
            for _, block in self.over_panels.rows(held, "features of the graph"):
                yield function(*torch.split(block, widths, dim=1), *arguments)

        mapped.fill(blocks)
        return mapped

    def _scatters(self, held: Sequence[Panels], weights: Sequence[Tensor | None]) -> tuple[Tensor, Tensor]:
        return self.over_panels.moments(held, weights)

    def _gram_of_pairs(self, held: Sequence[Panels], pairs: ListedPairs) -> Tensor:
        return self.over_panels.gram_of_pairs(held, held, pairs)

    def _image(self, held: Panels, negatives: NegativeGraph, name: str) -> Panels:
        image = self._new_panels(name, held.n_columns)
        self.over_panels.laplacian(held, negatives, image)
        return image

    def _transposed_times(self, rows: DiskRows, image: Panels) -> Tensor:
        """Hops that are still to be taken are taken by the columns of the image."""
        held = self._factor(rows)
        if rows.pending != NO_HOP:
            P = rows.P.T
            image = self._smoothed(image, P, rows.pending, smoothed_name(image, rows.pending, P))
        total = torch.zeros(rows.n_columns, image.n_columns, dtype=torch.float64)
        blocks = self._features_of(held) if isinstance(held, Source) else self.over_panels.rows([held], "Gram matrix")
        for span, block in blocks:
            for _, others in image.blocks([span]):
                total += block.T @ others
        return total

    def _features_of(self, source: Source) -> Iterator[tuple[slice, Tensor | SparseMatrix]]:
        """Blocks of the weighted features, dense or sparse as they lie."""
        features, n_rows = source.features, int(source.features.shape[0])
        for rows in row_blocks(n_rows, 4 * source.n_columns, self.sizes.block_bytes):
            block = source.weighting.apply(features[rows])
            yield rows, SparseMatrix(block, self.device) if sp.issparse(block) else as_tensor(np.asarray(block), self.device)
            release(features, rows)
            self.report("reading features", rows.stop, n_rows)

    def _embedding(
        self, held: Sequence[Panels], weights: Sequence[Tensor] | None, projection: Projection, start: int
    ) -> Iterator[NDArray[np.float32]]:
        """Blocks of Z from a row on; without weights the panels are those of the levels' embeddings."""
        widths, codes = [panels.n_columns for panels in held], types_for(projection, self.graph)
        for rows, block in self.over_panels.rows(held, "projection", start):
            parts = list(torch.split(block, widths, dim=1))
            if weights is not None:
                parts = [part @ matrix for part, matrix in zip(parts, weights, strict=True)]
            Z = aggregate(parts, projection.aggregation)
            if projection.offset is not None:
                Z = Z - offsets_of(projection.offset, None if codes is None else codes[rows])
            yield check_finite(Z.numpy(), self.graph)

    def _new_panels(self, name: str, n_columns: int) -> Panels:
        """The panels of a name: the same ones where they are held already, for they are removed with their last holder."""
        panels = self._panels.get(name)
        if panels is None:
            panels = Panels(self.work, name, self.graph.n_nodes, self.sizes.widths(n_columns))
            self._panels[name] = panels
        return panels


def _added(side_by_side: Tensor, n_parts: int) -> Tensor:
    return torch.stack(side_by_side.chunk(n_parts, dim=1)).sum(dim=0)
