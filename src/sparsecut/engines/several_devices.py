"""The engine for rows in the memory of several devices: each has the whole matrix P and some columns of the features.

Hops then need nothing of another device, and they are most of a fit. Products with W add up n × d partial sums, a block of
rows at a time; the Gram matrix is summed up on the first device, to which the others send a block of rows at a time. No
device has all columns of the rows, and none has the embedding, which goes to the host's memory as it is made.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.base.progress import Reporter
from sparsecut.engines.contract import Moments
from sparsecut.engines.in_process import ENTRIES_AT_ONCE, HeldBlock, InProcess, TensorBlock, blocks_of
from sparsecut.engines.memory import SPARSE_IS_SINGLE, MemoryEngine, check_embedding, moments_of
from sparsecut.engines.rows import Rows, side_by_side
from sparsecut.engines.split_rows import Home, SplitRows, split_columns
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.graph.placing import features_on
from sparsecut.kernels.either import on_host
from sparsecut.kernels.entries import Entries, entries_on
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.products import blocks
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.kernels.transfer import as_tensor, fetch
from sparsecut.operators.aggregation import Projection, aggregate, offsets_of, types_for
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import NegativeGraph
from sparsecut.operators.propagation import Propagation

ROWS_AT_ONCE = 1 << 18  # that all columns of are on the first device
BLOCK_BYTES = 2 << 30  # of the features of a block that comes from the host for a pass

Value = TypeVar("Value")


class SeveralDevices(InProcess):
    """`MemoryEngine` for each device, and what they have together as `SplitRows`."""

    supports = MemoryEngine.supports

    def __init__(
        self,
        devices: Sequence[torch.device],
        precision: str = "single",
        report: Reporter | None = None,
        graph: Graph | None = None,
    ) -> None:
        super().__init__(graph)
        self.report: Reporter = report if report is not None else lambda *_: None
        own = {device: MemoryEngine(device, precision) for device in devices}
        self.engines = [own[device] for device in devices]
        self.device, self.precision = devices[0], precision
        self.notes: list[str] = []
        self.details = [f"Columns are split over {', '.join(map(str, devices))}."]
        self._propagations: list[tuple[Graph, Filter, dict[torch.device, Propagation]]] = []

    @cached_property
    def blocks(self) -> Sequence[HeldBlock]:
        """On the first device; dense features that are elsewhere come as they are read."""
        graph, features = self.graph, self.graph.held_features
        if self.device.type == "cpu":
            return blocks_of(graph.to("cpu"))
        edges, named = self._edges_on(graph, self.device), None if graph.has_plain_ids else graph.node_ids
        if sp.issparse(features):
            features = features_on(features, self.device)
        if features is None or (isinstance(features, Tensor) and features.device == self.device):
            return [TensorBlock(rows, places, edges, features, named) for rows, places in edges.blocks(ENTRIES_AT_ONCE)]
        n_blocks = -(-4 * graph.n_nodes * graph.n_features // BLOCK_BYTES)
        at_once = min(ENTRIES_AT_ONCE, -(-max(edges.nnz, 1) // n_blocks))
        return [FarBlock(rows, places, edges, features, named) for rows, places in edges.blocks(at_once)]

    def load(self, graph: Graph, weighting: Weighting, filter: Filter, features: Any = None) -> SplitRows:
        if self.graph is None:
            self.graph = graph
        return self.hold(graph.held_features if features is None else features, self._homes(graph, filter), weighting)

    def hold(self, features: Any, homes: Sequence[Home], weighting: Weighting) -> SplitRows:
        """Weighted features, their columns on the devices in the engine's precision."""
        if not sp.issparse(features) and not (isinstance(features, Tensor) and features.layout != torch.strided):
            return self._split(features.shape, lambda rows: weighting.apply(self._read(features[rows])), homes)
        if self.precision == "half":
            self.notes.append(SPARSE_IS_SINGLE)
        weighted = weighting.apply(features)
        whole = weighted if sp.issparse(weighted) else SparseMatrix(weighted, weighted.device).csr
        parts = zip(split_columns(features.shape[1], len(homes)), homes, strict=False)
        return SplitRows(
            [Rows(SparseMatrix(whole[:, columns], home.device), home.propagation) for columns, home in parts], homes
        )

    def _split(self, shape: tuple[int, int], read: Callable[[slice], Any], homes: Sequence[Home]) -> SplitRows:
        """Dense rows, read a block at a time: no device has room for all columns of all of them."""
        bounds = split_columns(shape[1], len(homes))
        panels: list[Tensor] = []
        for rows in blocks(shape[0], ROWS_AT_ONCE):
            found = read(rows)
            block = found if isinstance(found, Tensor) else torch.from_numpy(np.ascontiguousarray(found))
            if not panels:
                kept = torch.float16 if block.dtype == torch.float16 else torch.float32
                panels = [
                    torch.empty(shape[0], columns.stop - columns.start, dtype=kept, device=home.device)
                    for columns, home in zip(bounds, homes, strict=False)
                ]
            for panel, columns in zip(panels, bounds, strict=True):
                panel[rows] = block[:, columns]
        # One after another, so that of panels that become halves one at a time is there in both.
        parts = zip(self.engines[: len(panels)], homes, strict=False)
        return SplitRows([engine.hold(panels.pop(0), home.propagation) for engine, home in parts], homes)

    def _read(self, rows: Any) -> Any:
        """Some rows of features where they are weighted: on the first device if that is a GPU."""
        if isinstance(rows, Tensor):
            return rows
        return as_tensor(np.asarray(rows), self.device) if self.device.type == "cuda" else np.asarray(rows)

    def smooth(self, rows: SplitRows, polynomial: Polynomial, *, lazily: bool = False) -> SplitRows:
        if lazily or len(polynomial) == 1:
            return rows.through(polynomial)
        panels = []
        for number, (panel, engine) in enumerate(zip(rows.panels, self.engines, strict=False), start=1):
            panels.append(engine.smooth(panel, polynomial))
            self.report("smoothing", number, len(rows.panels))
        return SplitRows(panels, rows.homes)

    def moments(self, levels: Sequence[SplitRows], negatives: NegativeGraph) -> Moments:
        found = moments_of(side_by_side(levels), negatives)
        self.report("Gram matrix", 1, 1)
        return found

    def multiply(self, levels: Sequence[SplitRows], W: Tensor) -> SplitRows:
        parts = torch.split(W, [level.shape[1] for level in levels])
        first, *others = [level.image(part) for level, part in zip(levels, parts, strict=True)]
        for other in others:
            for panel, more in zip(first.panels, other.panels, strict=True):
                panel.features += more.features  # type: ignore[operator]
        return first

    def map(
        self, levels: Sequence[SplitRows], function: Callable[..., Tensor], n_columns: int, *arguments: Any
    ) -> SplitRows:
        formed = [level if level.formed else self.multiply([level], _identity(level)) for level in levels]

        def read(rows: slice) -> Tensor:
            return function(*(level.joined(rows).float() for level in formed), *arguments)

        return self._split((levels[0].shape[0], n_columns), read, levels[0].homes)

    def transpose_multiply(self, levels: Sequence[SplitRows], others: SplitRows, negatives: NegativeGraph) -> Tensor:
        product: Tensor = side_by_side(levels).transpose_times(negatives.laplacian(others.joined()))
        return product

    def project(
        self, levels: Sequence[SplitRows], projection: Projection, output: Path | None = None, *, is_last_use: bool = False
    ) -> Tensor:
        weights, n_rows = projection.weights, levels[0].shape[0]
        Z = torch.empty(n_rows, projection.dimension)
        codes = types_for(projection, self.graph)
        with torch.no_grad():
            # Of rows that are formed a block is projected at a time; the others are first projected, and then smoothed.
            images = [None if level.formed else level.image(W) for level, W in zip(levels, weights, strict=True)]
            for rows in blocks(n_rows, ROWS_AT_ONCE):
                parts = [
                    level.between(rows) @ W if image is None else image.joined(rows)
                    for level, image, W in zip(levels, images, weights, strict=True)
                ]
                block = aggregate(parts, projection.aggregation)
                if projection.offset is not None:
                    block = block - offsets_of(projection.offset, None if codes is None else codes[rows])
                check_embedding(block, self.graph)
                fetch(block, Z[rows])
        return Z

    def take(self, rows: SplitRows, nodes: NDArray[np.int64]) -> Tensor:
        return rows.take(as_tensor(nodes, self.device)).columns(0, rows.shape[1])

    def without(self, rows: SplitRows, edges: NDArray[np.int64]) -> SplitRows:
        some = [
            engine.less(home.propagation, edges)
            for engine, home in zip(self.engines, rows.homes, strict=True)
            if home.propagation is not None
        ]
        homes = [Home(home.device, reduced) for home, reduced in zip(rows.homes, some, strict=True)]
        panels = [
            Rows(panel.features, reduced, panel.coefficients) for panel, reduced in zip(rows.panels, some, strict=False)
        ]
        return SplitRows(panels, homes)

    def checkpoint(self, key: str, compute: Callable[[], Value]) -> Value:
        return compute()

    def _homes(self, graph: Graph, filter: Filter) -> list[Home]:
        """P of a graph on every device, made once for each: other features of the same graph are averaged by the same."""
        known = next((found for of, by, found in self._propagations if of.shares_edges(graph) and by == filter), None)
        if known is None:
            known = {
                device: Propagation.of(self._edges_on(graph, device), filter, device, is_directed=graph.is_directed)
                for device in dict.fromkeys(engine.device for engine in self.engines)
            }
            self._propagations = [(graph, filter, known)]
        return [Home(engine.device, known[engine.device]) for engine in self.engines]

    def _edges_on(self, graph: Graph, device: torch.device) -> Any:
        """The edges on a device; those of the job's graph reach the first device once, for P and for passes."""
        is_own = graph.shares_edges(self.graph)
        if device.type == "cpu":
            return graph.adjacency
        if device == self.device:
            return self._first_edges if is_own else _moved(graph.held_edges, device)
        return _moved(self._first_edges if is_own and self.device.type == "cuda" else graph.held_edges, device)

    @cached_property
    def _first_edges(self) -> Entries:
        return _moved(self.graph.held_edges, self.device)


@dataclass(frozen=True)
class FarBlock(TensorBlock):
    """Rows whose edges are on a device, and whose dense features are sent there as they are read."""

    def features(self, places: Any = None) -> Tensor:
        rows: Any = self.rows if places is None else places + self.rows.start
        device = self.edges.offsets.device
        if isinstance(self.held, Tensor):
            return self.held[rows if places is None else rows.to(self.held.device)].to(device)
        return as_tensor(np.asarray(self.held[rows if places is None else on_host(rows)]), device)


def _moved(edges: Any, device: torch.device) -> Entries:
    if not isinstance(edges, Entries):
        return entries_on(edges, device)
    return Entries(*(None if part is None else part.to(device) for part in edges))  # type: ignore[arg-type]


def _identity(rows: SplitRows) -> Tensor:
    return torch.eye(rows.shape[1], device=rows.device)
