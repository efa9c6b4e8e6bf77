"""The engine for rows on a Dask cluster: blocks of rows as futures on its workers, small matrices here.

    load      a block is read by the task that needs it, from files that all workers see
    smooth    by columns first or by rows with a halo (`engines.dask.smoothing`), when the result is first needed
    moments   each block's share, added up on the workers; M and the mean come here
    project   each block times W, to a file of its own or here

Small results are kept in the work folder on shared storage under a name that follows from what they are, so a driver that
was killed goes on from the last of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import DTypeLike, NDArray
from torch import Tensor

from sparsecut.engines.contract import Job, Moments
from sparsecut.engines.dask import tasks
from sparsecut.engines.dask.cluster import Cluster
from sparsecut.engines.dask.cluster_rows import Blocks, ClusterRows, Source
from sparsecut.engines.dask.filtering import Filtering
from sparsecut.engines.dask.operator import CPU, Layout, Operator
from sparsecut.engines.dask.parts import PartedRows, Parts
from sparsecut.engines.dask.plan import Plan, summed_starts
from sparsecut.engines.dask.running import Runner
from sparsecut.engines.dask.shared import FileArray, carried, share, share_matrix
from sparsecut.engines.dask.smoothing import Smoother
from sparsecut.engines.dask.worker_passes import walk_over
from sparsecut.engines.in_process import InProcess
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.io.workfolder import WorkFolder, fingerprint_of
from sparsecut.kernels.block import Column, Passes
from sparsecut.kernels.magnitude import overflow_error
from sparsecut.kernels.moments import drop_rounding
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.streaming import in_words
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import NegativeGraph

Value = TypeVar("Value")


class DaskEngine:
    def __init__(
        self, job: Job, work: WorkFolder, cluster: Cluster, plan: Plan, layout: Layout, runner: Runner, parts: Parts | None
    ) -> None:
        self.job, self.work, self.runner, self.layout, self.parts = job, work, runner, layout, parts
        self.supports = frozenset({"output"} | ({"parts"} if parts is not None else set()))
        self.device = CPU
        self.notes: list[str] = []
        self.smoother = Smoother(runner, plan, layout, len(cluster.workers))
        self.matrix = share_matrix(job.graph.adjacency, work, "adjacency")
        walk = walk_over(job.graph, self.matrix, work, runner, len(cluster.workers))
        self.graph = job.graph
        self.passes: Passes = InProcess(job.graph) if walk is None else walk
        self._has_plain_ids = job.graph.has_plain_ids  # as long as nobody has asked for them
        self.filtering = Filtering(job.graph, self.matrix, work, walk)

    def load(self, graph: Graph, weighting: Weighting, filter: Filter, features: Any = None) -> ClusterRows:
        name = f"features-{fingerprint_of(features, weighting.name, weighting.columns)}"
        given: Any = graph.features if features is None else features
        held: tasks.Held
        if sp.issparse(given):
            held = share_matrix(given, self.work, name)
        elif hasattr(given, "of_ids"):
            held = tasks.RowsOfIds(given.of_ids, self._ids())
        else:
            held = share(given, self.work, name)
        return ClusterRows(Source(name, held, weighting, int(given.shape[1])), self.filtering.operator(filter))

    def smooth(self, rows: ClusterRows, polynomial: Polynomial, *, lazily: bool = False) -> ClusterRows:
        if polynomial == (1.0,):
            return rows
        return ClusterRows(rows if rows.pending != (1.0,) else rows.held, rows.P, polynomial, lazily)

    def moments(self, levels: Sequence[ClusterRows], negatives: NegativeGraph) -> Moments:
        mark = fingerprint_of([level.name for level in levels], _arrays_of(negatives))
        found = self.checkpoint(f"moments-{mark}", lambda: self._moments(levels, negatives))
        M, mean, scatter = (torch.from_numpy(found[key]).clone() for key in ("M", "mean", "scatter"))
        return Moments(M, mean, scatter, self.graph.n_nodes)

    def multiply(self, levels: Sequence[ClusterRows], W: Tensor) -> ClusterRows:
        if len(levels) == 1:
            return self._times(levels[0], W)
        held, matrix = self._blocks_of(levels), self._carried(W.numpy())
        futures = [self.runner.submit(tasks.times, blocks, matrix) for blocks in held]
        name = f"product-{fingerprint_of([level.name for level in levels], W.numpy())}"
        return ClusterRows(Blocks(name, futures, W.shape[1]), levels[0].P)

    def transpose_multiply(self, levels: Sequence[ClusterRows], others: ClusterRows, negatives: NegativeGraph) -> Tensor:
        first, second = self._blocks_of(levels), self._blocks_of([others])
        n_columns = sum(level.n_columns for level in levels)
        total = torch.zeros(n_columns, others.n_columns, dtype=torch.float64)
        for pairs in negatives.all_pairs:
            weights = self._row_weights(pairs.row_weights)
            side_by_side = [[*a, *b] for a, b in zip(first, second, strict=True)]
            means = self._means(side_by_side, self.layout, [weights], [pairs.volume])[0]
            both = self._carried(means[:n_columns]), self._carried(means[n_columns:])
            products = self._summed(tasks.centred_product_of, (first, second), self.layout, weights, both)
            total += products * (pairs.scale * pairs.volume)
        for listed in negatives.listed:
            image = self._image(others, listed.matrix)
            total += self._total([self.runner.submit(tasks.product_of, a, [b]) for a, b in zip(first, image, strict=True)])
        return total.float()

    def project(
        self, levels: Sequence[ClusterRows], projection: Projection, output: Path | None = None, *, is_last_use: bool = False
    ) -> NDArray[Any]:
        parts = self.parts if output is not None else None
        blocks = [block for block in range(self.layout.n_blocks) if parts is None or not parts.has(block)]
        found = self._project(levels, projection, parts, blocks) if blocks else []
        self.notes.extend(self._report())
        if parts is not None:
            parts.finish()
            place = None if self.layout.place is None else self.layout.place.read()
            return PartedRows(parts.output, self.layout.starts, projection.dimension, place)  # type: ignore[return-value]
        Z = np.empty((self.graph.n_nodes, projection.dimension), dtype=np.float32)
        for block, rows in zip(blocks, found, strict=True):
            Z[self.layout.nodes(block)] = rows
        return Z

    def take(self, rows: ClusterRows, nodes: NDArray[np.int64]) -> Tensor:
        blocks, places = self.layout.locate(nodes)
        held, asked = self._formed(rows).futures, np.unique(blocks).tolist()
        picks = [
            self.runner.submit(tasks.pick, held[block], self._carried(places[blocks == block].astype(np.int64)))
            for block in asked
        ]
        taken = torch.empty(len(nodes), rows.n_columns)
        for block, found in zip(asked, self.runner.collect(picks, "held-out edges"), strict=True):
            taken[torch.from_numpy(blocks == block)] = torch.from_numpy(np.array(found))
        return taken

    def without(self, rows: ClusterRows, edges: NDArray[np.int64]) -> ClusterRows:
        return ClusterRows(rows.held, self.filtering.without(rows.P, edges))

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        return self.passes.each(function, *arguments)

    def total(self, function: Callable[..., Any], *arguments: Any) -> NDArray[Any]:
        return self.passes.total(function, *arguments)

    def column(self, name: str, dtype: DTypeLike, function: Callable[..., Any], *arguments: Any) -> Column:
        return self.passes.column(name, dtype, function, *arguments)

    def checkpoint(self, key: str, compute: Callable[[], Value]) -> Value:
        return self.work.remembered(key, compute)

    def plain_operator(self) -> Operator:
        """The adjacency itself: what blocks want of one another, whatever the filter."""
        return Operator(f"A-{self.work.path.name}-{self.layout.n_blocks}-{self.layout.order is None}", self.matrix)

    def _ids(self) -> FileArray | None:
        """The ids as tasks find them; None where they are the row numbers."""
        return None if self._has_plain_ids else share(self.graph.node_ids, self.work, "ids")

    def _formed(self, rows: ClusterRows) -> Blocks:
        """S as blocks on the workers."""
        if not rows.formed:
            held = rows.held
            if isinstance(held, ClusterRows):
                start = self._formed(held)
            elif isinstance(held, Source):
                start = self._loaded(held)
            else:
                start = held
            if rows.pending != (1.0,):
                futures = self.smoother.smooth(start.futures, start.n_columns, rows.P, rows.pending)
                start = Blocks(rows.name, futures, start.n_columns)
            rows.formed.append(start)
        return rows.formed[0]

    def _loaded(self, source: Source) -> Blocks:
        futures = [
            self.runner.submit(tasks.load_block, source.features, self.layout, block, source.weighting, near=home)
            for block, home in enumerate(self.smoother.homes())
        ]
        return Blocks(source.name, futures, source.n_columns)

    def _times(self, rows: ClusterRows, W: Tensor) -> ClusterRows:
        """S·W, projected first where hops are to be taken lazily."""
        name, matrix = f"product-{fingerprint_of(rows.name, W.numpy())}", self._carried(W.numpy())
        is_formed = bool(rows.formed) or (not rows.is_lazy and rows.pending != (1.0,)) or not isinstance(rows.held, Source)
        if is_formed and not (rows.is_lazy and not rows.formed):
            held = self._formed(rows).futures
            futures = [self.runner.submit(tasks.times, [part], matrix) for part in held]
            return ClusterRows(Blocks(name, futures, W.shape[1]), rows.P)
        if isinstance(rows.held, Source):
            source = rows.held
            given = source.features, self.layout
            futures = [
                self.runner.submit(tasks.load_product, *given, block, source.weighting, matrix, near=home)
                for block, home in enumerate(self.smoother.homes())
            ]
        else:
            start = rows.held if isinstance(rows.held, Blocks) else self._formed(rows.held)
            futures = [self.runner.submit(tasks.times, [part], matrix) for part in start.futures]
        if rows.pending != (1.0,):
            futures = self.smoother.smooth(futures, W.shape[1], rows.P, rows.pending)
        return ClusterRows(Blocks(name, futures, W.shape[1]), rows.P)

    def _blocks_of(self, levels: Sequence[ClusterRows]) -> list[list[Any]]:
        """For every block of rows its futures of all levels."""
        held = [self._formed(level).futures for level in levels]
        return [list(parts) for parts in zip(*held, strict=True)]

    def _moments(self, levels: Sequence[ClusterRows], negatives: NegativeGraph) -> dict[str, NDArray[Any]]:
        held, n_nodes = self._blocks_of(levels), self.graph.n_nodes
        evened, even = self._as_memory_sums(held)
        given = [pairs for pairs in negatives.all_pairs if pairs.row_weights is not None]
        weights = [None, *(self._row_weights(pairs.row_weights) for pairs in given)]
        totals = [float(n_nodes), *(pairs.volume for pairs in given)]
        means = self._means(evened, even, weights, totals)
        carried = self._carried(means)
        scatters = self._summed(tasks.scatter_of, (evened,), even, weights, totals, carried)
        M, others = torch.zeros_like(scatters[0]), iter(scatters[1:])
        for pairs in negatives.all_pairs:
            M += (scatters[0] if pairs.row_weights is None else next(others)) * (pairs.scale * pairs.volume)
        for listed in negatives.listed:
            images = [self._image(level, listed.matrix) for level in levels]
            second = [list(parts) for parts in zip(*images, strict=True)]
            M += self._total([self.runner.submit(tasks.product_of, a, b) for a, b in zip(held, second, strict=True)])
        drop_rounding((M, scatters[0]), scatters[0].diagonal().clone(), torch.from_numpy(means[0]), n_nodes)
        return {"M": ((M + M.T) / 2).numpy(), "mean": means[0], "scatter": scatters[0].numpy()}

    def _as_memory_sums(self, held: list[list[Any]]) -> tuple[list[list[Any]], Layout]:
        """The same rows in blocks that end where those of memory's kernels do, so that M has the same bits.

        They are these blocks already unless they are few rows each; in another order of the nodes they stay as they are.
        """
        starts, wanted = self.layout.starts, summed_starts(self.layout.starts)
        if self.layout.order is not None or wanted == starts:
            return held, self.layout

        def part(block: int, level: int, first: int, last: int) -> Any:
            if (first, last) == (starts[block], starts[block + 1]):
                return held[block][level]
            return self.runner.submit(tasks.rows_of, held[block][level], first - starts[block], last - starts[block])

        found = []
        for first, last in pairwise(wanted):
            inside = [block for block in range(len(held)) if starts[block] < last and starts[block + 1] > first]
            spans = [(block, max(starts[block], first), min(starts[block + 1], last)) for block in inside]
            parts = [[part(block, level, *span) for block, *span in spans] for level in range(len(held[0]))]
            found.append(
                [of_level[0] if len(spans) == 1 else self.runner.submit(tasks.stacked, of_level) for of_level in parts]
            )
        return found, Layout(wanted)

    def _means(
        self, held: list[list[Any]], layout: Layout, weights: list[FileArray | None], totals: list[float]
    ) -> NDArray[Any]:  # (k, c)
        parts = [
            self.runner.submit(tasks.sums_of, blocks, layout, block, weights, totals) for block, blocks in enumerate(held)
        ]
        return np.array(self.runner.total(parts, "means"))

    def _summed(self, function: Callable[..., Any], held: Sequence[list[list[Any]]], layout: Layout, *rest: Any) -> Tensor:
        """The sum over blocks of what a function makes of each."""
        blocks = range(layout.n_blocks)
        return self._total(
            [self.runner.submit(function, *(parts[block] for parts in held), layout, block, *rest) for block in blocks]
        )

    def _total(self, futures: list[Any]) -> Tensor:
        return torch.from_numpy(np.array(self.runner.total(futures, "Gram matrix")))

    def _image(self, rows: ClusterRows, L: Any) -> list[Any]:
        """L·S, as blocks, of a Laplacian that joins any two rows."""
        blocks = self._formed(rows)
        name = f"L-{self.work.path.name}-{fingerprint_of(L)}"
        operator = Operator(name, share_matrix(L, self.work, name))
        image = self.smoother.smooth(blocks.futures, blocks.n_columns, operator, (0.0, 1.0))
        self.smoother.forget(operator)
        return image

    def _project(
        self, levels: Sequence[ClusterRows], projection: Projection, parts: Parts | None, blocks: list[int]
    ) -> list[Any]:
        is_lazy = any(level.is_lazy and not level.formed for level in levels)
        if is_lazy:
            levels = [self._times(level, matrix) for level, matrix in zip(levels, projection.weights, strict=True)]
        held = self._blocks_of(levels)
        weights = None if is_lazy else [self._carried(matrix.contiguous().numpy()) for matrix in projection.weights]
        offset = None if projection.offset is None else projection.offset.numpy()
        ids = None
        if parts is not None:
            parts.open()
            ids = self._ids()
        futures = [
            self.runner.submit(
                tasks.embedding_of,
                held[block],
                weights,
                projection.aggregation,
                offset,
                None if parts is None else (str(parts.path(block)), ids, self.layout, block),
            )
            for block in blocks
        ]
        try:
            return self.runner.collect(futures, "projection")
        except tasks.NotFiniteError as error:
            raise overflow_error(self.graph, error) from error

    def _row_weights(self, weights: Tensor | None) -> FileArray | None:
        if weights is None:
            return None
        values = weights.numpy()
        return share(values, self.work, f"weights-{fingerprint_of(values)}")

    def _carried(self, array: NDArray[Any]) -> Any:
        return carried(array, self.work)

    def _report(self) -> list[str]:
        smoother, moved = self.smoother, self.runner.measure()
        return [
            f"{smoother.n_passes} passes of smoothing were estimated to move {in_words(smoother.n_estimated)} between "
            f"workers and moved {in_words(smoother.n_sent)}; with sums and rows for the driver {in_words(moved)} were sent."
        ]


def _arrays_of(negatives: NegativeGraph) -> list[Any]:
    """What tells a negative graph from any other."""
    weights = [
        (pairs.scale, None if pairs.row_weights is None else pairs.row_weights.numpy()) for pairs in negatives.all_pairs
    ]
    return [weights, [(listed.pairs, listed.weights) for listed in negatives.listed]]
