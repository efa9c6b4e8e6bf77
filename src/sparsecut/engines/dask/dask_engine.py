"""The engine for rows on a Dask cluster: blocks of rows as futures on its workers, small matrices here.

    load      a block is read by the task that needs it, from files that all workers see
    smooth    by columns first or by rows with a halo (`engines.dask.smoothing`), when the result is first needed
    moments   each block's share, added up on the workers; M and the mean come here
    project   each block times W, to a file of its own or here

Small results are kept in the work folder on shared storage, so a driver that was killed goes on from the last of them.
`engines.blocked` has the steps that call these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.engines.blocked import BlockedEngine, BlockedRows, Source
from sparsecut.engines.contract import Job
from sparsecut.engines.dask import tasks
from sparsecut.engines.dask.cluster import Cluster
from sparsecut.engines.dask.filtering import Filtering
from sparsecut.engines.dask.operator import Layout, Operator
from sparsecut.engines.dask.parts import PartedRows, Parts
from sparsecut.engines.dask.plan import Plan, summed_starts
from sparsecut.engines.dask.running import Runner
from sparsecut.engines.dask.shared import FileArray, carried, share, share_matrix
from sparsecut.engines.dask.smoothing import LoadPanel, SmoothedPanels, Smoother, ToSmooth
from sparsecut.engines.dask.worker_passes import walk_over
from sparsecut.engines.in_process import InProcess
from sparsecut.graph import Graph
from sparsecut.io.stores.workfolder import WorkFolder, fingerprint_of
from sparsecut.kernels.magnitude import overflow_error
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.streaming import in_words
from sparsecut.operators.aggregation import Projection, types_for
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import ListedPairs, NegativeGraph


class Futures:
    """A matrix of n rows on the workers, in blocks of rows, or as it was made until those are needed: `form` makes them.

    Until then it is what hops have left, `panels`, or features in files, of which `load_panel` loads some columns.
    """

    def __init__(
        self,
        name: str,
        blocks: list[Any] | Callable[[], list[Any]],
        n_columns: int,
        *,
        panels: SmoothedPanels | None = None,
        load_panel: LoadPanel | None = None,
    ) -> None:
        self.name, self.n_columns = name, n_columns
        self.panels, self._load_panel, self._blocks = panels, load_panel, blocks

    @property
    def futures(self) -> list[Any]:
        """One for each block of rows. Panels are let go: workers free what no future refers to."""
        if callable(self._blocks):
            self._blocks = self._blocks()
            self.panels = self._load_panel = None
        return self._blocks

    @property
    def to_smooth(self) -> ToSmooth:
        """What a hop starts from: columns of all rows where they are at hand, else blocks."""
        return self.panels or self._load_panel or self.futures


ClusterRows = BlockedRows[Futures, Operator]


class DaskEngine(BlockedEngine[Futures, Operator]):
    def __init__(
        self, job: Job, work: WorkFolder, cluster: Cluster, plan: Plan, layout: Layout, runner: Runner, parts: Parts | None
    ) -> None:
        self.matrix = share_matrix(job.graph.adjacency, work, "adjacency")
        walk = walk_over(job.graph, self.matrix, work, runner, len(cluster.workers))
        super().__init__(job, work, InProcess(job.graph) if walk is None else walk)
        self.runner, self.layout, self.parts = runner, layout, parts
        self.supports = frozenset({"output"} | ({"parts"} if parts is not None else set()))
        self.smoother = Smoother(runner, plan, layout, len(cluster.workers), work.path)
        self._has_plain_ids = job.graph.has_plain_ids  # as long as nothing has read them
        self.filtering = Filtering(job.graph, self.matrix, work, walk)

    def project(
        self, levels: Sequence[ClusterRows], projection: Projection, output: Path | None = None, *, is_last_use: bool = False
    ) -> NDArray[Any]:
        parts = self.parts if output is not None else None
        blocks = [block for block in range(self.layout.n_blocks) if parts is None or not parts.has(block)]
        found = self._embedding(levels, projection, parts, blocks) if blocks else []
        self.details.append(self._say_traffic())
        if parts is not None:
            parts.finish()
            place = None if self.layout.place is None else self.layout.place.read()
            return PartedRows(parts.output, self.layout.starts, projection.dimension, place)  # type: ignore[return-value]
        Z = np.empty((self.graph.n_nodes, projection.dimension), dtype=np.float32)
        for block, rows in zip(blocks, found, strict=True):
            Z[self.layout.nodes(block)] = rows
        return Z

    def take(self, rows: ClusterRows, nodes: NDArray[np.int64]) -> Tensor:
        formed = self._formed(rows)
        if formed.panels is not None:
            return torch.from_numpy(self.smoother.picks_of(formed.panels, nodes, self._carried))
        blocks, places = self.layout.locate(nodes)
        held, wanted = formed.futures, np.unique(blocks).tolist()
        picks = [
            self.runner.submit(tasks.pick, held[block], self._carried(places[blocks == block].astype(np.int64)))
            for block in wanted
        ]
        taken = torch.empty(len(nodes), rows.n_columns)
        for block, found in zip(wanted, self.runner.collect(picks, "held-out edges"), strict=True):
            taken[torch.from_numpy(blocks == block)] = torch.from_numpy(np.array(found))
        return taken

    def plain_operator(self) -> Operator:
        """The adjacency itself: what blocks want of one another, whatever the filter."""
        return Operator(f"A-{self.work.path.name}-{self.layout.n_blocks}-{self.layout.order is None}", self.matrix)

    def _readable(self, features: Any, name: str) -> tasks.Readable:
        if features is self.graph.features:  # written while the cluster started, whatever their weighting
            name = "features"
        if sp.issparse(features):
            return share_matrix(features, self.work, name)
        if hasattr(features, "of_ids"):
            return tasks.RowsOfIds(features.of_ids, self._ids())
        return share(features, self.work, name)

    def _operator(self, graph: Graph, filter: Filter) -> Operator:
        return self.filtering.operator(filter)

    def _operator_without(self, P: Operator, edges: NDArray[np.int64]) -> Operator:
        return self.filtering.without(P, edges)

    def _loaded(self, source: Source, name: str, W: Tensor | None = None) -> Futures:
        matrix = None if W is None else self._carried(W.numpy())

        def blocks() -> list[Any]:
            return [
                self.runner.submit(
                    tasks.load_block, source.features, self.layout, block, source.weighting, matrix, near=home
                )
                for block, home in enumerate(self.smoother.homes())
            ]

        def load_panel(start: int, stop: int) -> tasks.FileColumns:
            return tasks.FileColumns(source.features, source.weighting, start, stop)

        plan = self.smoother.plan
        if W is None and isinstance(source.features, FileArray) and (plan.reads_panels or plan.keeps_panels):
            return Futures(name, blocks, source.n_columns, load_panel=load_panel)
        return Futures(name, blocks(), source.n_columns if W is None else W.shape[1])

    def _smoothed(self, held: Futures, P: Operator, polynomial: Polynomial, name: str) -> Futures:
        found = self.smoother.smooth(held.to_smooth, held.n_columns, P, polynomial)
        if isinstance(found, SmoothedPanels):
            return Futures(name, lambda: self.smoother.blocks_of(found), held.n_columns, panels=found)
        return Futures(name, found, held.n_columns)

    def _product(self, held: Futures, W: Tensor, name: str) -> Futures:
        matrix = self._carried(W.numpy())
        return Futures(name, [self.runner.submit(tasks.times, block, matrix) for block in held.futures], W.shape[1])

    def _sum(self, parts: Sequence[Futures], name: str) -> Futures:
        return Futures(name, [self.runner.submit(tasks.added, blocks) for blocks in _by_block(parts)], parts[0].n_columns)

    def _mapped(
        self, held: Sequence[Futures], function: Callable[..., Tensor], n_columns: int, arguments: Sequence[Any], name: str
    ) -> Futures:
        carried = [self._carried(value) if isinstance(value, np.ndarray) else value for value in arguments]
        futures = [self.runner.submit(tasks.mapped, blocks, function, carried) for blocks in _by_block(held)]
        return Futures(name, futures, n_columns)

    def _scatters(self, held: Sequence[Futures], weights: Sequence[Tensor | None]) -> tuple[Tensor, Tensor]:
        blocks, layout = self._as_memory_sums(_by_block(held))
        totals = [float(self.graph.n_nodes if of_rows is None else of_rows.sum()) for of_rows in weights]
        shared = [self._row_weights(of_rows) for of_rows in weights]
        means = self._means(blocks, layout, shared, totals)
        carried = self._carried(means)
        parts = [
            self.runner.submit(tasks.scatter_of, block, layout, number, shared, totals, carried)
            for number, block in enumerate(blocks)
        ]
        return torch.from_numpy(means), self._total(parts)

    def _gram_of_pairs(self, held: Sequence[Futures], pairs: ListedPairs) -> Tensor:
        images = _by_block([self._image_of_pairs(part, pairs) for part in held])
        return self._total(
            [self.runner.submit(tasks.product_of, *both) for both in zip(_by_block(held), images, strict=True)]
        )

    def _image(self, held: Futures, negatives: NegativeGraph, name: str) -> Futures:
        terms = []
        for pairs in negatives.all_pairs:
            weights = self._row_weights(pairs.row_weights)
            (mean,) = self._means(_by_block([held]), self.layout, [weights], [pairs.volume])
            terms.append((weights, mean, pairs.scale * pairs.volume))
        of_pairs = _by_block([self._image_of_pairs(held, listed) for listed in negatives.listed]) or [[]] * len(held.futures)
        futures = [
            self.runner.submit(tasks.image_of, block, self.layout, number, terms, others)
            for number, (block, others) in enumerate(zip(held.futures, of_pairs, strict=True))
        ]
        return Futures(name, futures, held.n_columns)

    def _transposed_times(self, rows: ClusterRows, image: Futures) -> Tensor:
        S = self._formed(rows).futures
        return self._total([self.runner.submit(tasks.product_of, [a], [b]) for a, b in zip(S, image.futures, strict=True)])

    def _image_of_pairs(self, held: Futures, pairs: ListedPairs) -> Futures:
        """L·X of a Laplacian that joins any two rows: one hop over the pairs."""
        name = f"L-{self.work.path.name}-{fingerprint_of(pairs.matrix)}"
        operator = Operator(name, share_matrix(pairs.matrix, self.work, name))
        image = self._smoothed(held, operator, (0.0, 1.0), name)
        self.smoother.forget(operator)
        return image

    def _means(
        self, blocks: list[list[Any]], layout: Layout, weights: list[FileArray | None], totals: list[float]
    ) -> NDArray[Any]:  # (k, c)
        parts = [
            self.runner.submit(tasks.sums_of, block, layout, number, weights, totals) for number, block in enumerate(blocks)
        ]
        return np.array(self.runner.total(parts, "means"))

    def _total(self, futures: list[Any]) -> Tensor:
        return torch.from_numpy(np.array(self.runner.total(futures, "Gram matrix")))

    def _as_memory_sums(self, held: list[list[Any]]) -> tuple[list[list[Any]], Layout]:
        """The rows in blocks that end where those of memory's kernels do, so that M has the same bits.

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

    def _embedding(
        self, levels: Sequence[ClusterRows], projection: Projection, parts: Parts | None, blocks: list[int]
    ) -> list[Any]:
        """Z of some blocks, or, where they are written to files, their numbers of rows."""
        rows, weights = self._to_project(levels, projection)
        held = _by_block(rows)
        matrices = None if weights is None else [self._carried(matrix.contiguous().numpy()) for matrix in weights]
        offset = None if projection.offset is None else projection.offset.numpy()
        codes = types_for(projection, self.graph)
        types = None if codes is None else share(codes, self.work, "types")
        ids, kinds = None, None
        if parts is not None:
            parts.open()
            ids = self._ids()
            if self.graph.node_types is not None:
                kinds = self.graph.node_types, share(self.graph.type_codes, self.work, "types-of-ids")
        futures = [
            self.runner.submit(
                tasks.embedding_of,
                held[block],
                matrices,
                projection.aggregation,
                offset,
                None if types is None else (types, self.layout, block),
                None if parts is None else (str(parts.path(block)), ids, self.layout, block, kinds),
            )
            for block in blocks
        ]
        try:
            return self.runner.collect(futures, "projection")
        except tasks.NotFiniteError as error:
            raise overflow_error(self.graph, error) from error

    def _ids(self) -> FileArray | None:
        """The ids as tasks find them; None where they are the row numbers."""
        return None if self._has_plain_ids else share(self.graph.node_ids, self.work, "ids")

    def _row_weights(self, weights: Tensor | None) -> FileArray | None:
        if weights is None:
            return None
        values = weights.numpy()
        return share(values, self.work, f"weights-{fingerprint_of(values)}")

    def _carried(self, array: NDArray[Any]) -> Any:
        return carried(array, self.work)

    def _say_traffic(self) -> str:
        smoother, moved = self.smoother, self.runner.measure()
        return (
            f"{smoother.n_passes} passes of smoothing were estimated to move {in_words(smoother.n_estimated)} between "
            f"workers and moved {in_words(smoother.n_sent)}; with sums and rows for the driver {in_words(moved)} were sent."
        )


def _by_block(held: Sequence[Futures]) -> list[list[Any]]:
    """For every block of rows its futures of all matrices."""
    return [list(parts) for parts in zip(*(one.futures for one in held), strict=True)]
