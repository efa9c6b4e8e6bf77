"""The engine for rows on disk, under a limit of memory: `smooth`, `gram` and `project` by panels (`engines.panels`).

    smooth    a panel of c columns is read, takes all its hops in memory and is written; the adjacency streams by
    gram      blocks of whole rows, centred, their products summed up in float64; pairs of a sparse negative graph a panel
              at a time, since they join any two rows
    project   blocks of whole rows times W, straight to the output

The limit is the process's: `BASE_BYTES` of it are Python, torch and the rest of the libraries. What is left holds three
panels (where a hop starts, where it goes, and the features a series comes back to), a few numbers a node, and blocks. Every
size follows from the limit and the shapes alone, so a run that is resumed does the same sums in the same order.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.arrays.streaming import blocks_of_entries, in_words, release, row_blocks
from sparsecut.engines.panels import Panels
from sparsecut.errors import InputError
from sparsecut.features.weighting import Weighting
from sparsecut.io.workfolder import WorkFolder
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.sparse import as_tensor
from sparsecut.operators.encoder import aggregate
from sparsecut.operators.negatives import CompleteNegatives, DegreeNegatives, NegativeGraph, SumOfNegatives
from sparsecut.operators.propagation import Diagonals
from sparsecut.progress import Reporter

BASE_BYTES = 480 << 20  # the interpreter and the libraries (370 MiB here), the threads' own memory, what malloc holds back
NODE_BYTES = 64  # a node: degrees, the filter's three scales, and what is computed from them
N_PANELS = 3  # in memory at a time; two where no series comes back to the features
MIN_BLOCK, MAX_BLOCK = 2 << 20, 16 << 20
N_BLOCKS = 8  # of that size in use at a time: what was read, what is computed from it, and as much that malloc keeps
GRAM_MATRICES = 5  # float64 (f, f) at a time: two sums, a product, and what an eigensolver works in
ROUNDING = 4 * torch.finfo(torch.float32).eps  # of a column that a few hops have averaged, against its mean


@dataclass(frozen=True)
class Sizes:
    """What fits into the limit: the widths of the panels and the bytes of a block."""

    widths: tuple[int, ...]
    block_bytes: int


def plan_sizes(
    n_nodes: int,
    n_columns: int,
    limit: int,
    *,
    caller: str,
    is_series: bool = True,
    extra_bytes: int = 0,
    gram_columns: int = 0,
) -> Sizes:
    """Panels as wide as the limit allows, all of about one width. `extra_bytes` are taken throughout.

    The Gram matrix needs room when no panel is in memory.
    """
    n_panels = N_PANELS if is_series else N_PANELS - 1
    free = limit - BASE_BYTES - NODE_BYTES * n_nodes - extra_bytes
    block_bytes = min(max(free // 64, MIN_BLOCK), MAX_BLOCK)
    width = min((free - N_BLOCKS * block_bytes) // (4 * n_panels * n_nodes), n_columns)
    least = max(4 * n_panels * n_nodes, 8 * GRAM_MATRICES * gram_columns**2) + N_BLOCKS * MIN_BLOCK
    needed = BASE_BYTES + NODE_BYTES * n_nodes + extra_bytes + least
    if width < 1 or limit < needed:
        raise InputError(
            f"The memory_limit of {caller} is too small for this graph: {in_words(limit)}. It needs at least "
            f"{in_words(needed + (1 << 20))}, of which {in_words(BASE_BYTES)} are the interpreter and its libraries."
        )
    return Sizes(even_widths(n_columns, width), block_bytes)


def even_widths(n_columns: int, widest: int) -> tuple[int, ...]:
    """The widths of as few panels as the widest allows, all about the same."""
    n_files = math.ceil(n_columns / widest)
    share, rest = divmod(n_columns, n_files)
    return tuple(share + (panel < rest) for panel in range(n_files))


class DiskPropagation:
    """P = diag(left)·A·diag(right) + diag(own), A where it lies and without the entries at some positions."""

    def __init__(
        self,
        adjacency: Any,
        diagonals: Diagonals,
        block_bytes: int,
        *,
        is_weighted: bool,
        removed: NDArray[np.int64] | None = None,
    ) -> None:
        self.adjacency, self.block_bytes, self.is_weighted = adjacency, block_bytes, is_weighted
        left, right, own = diagonals
        self.left, self.own = left[:, None], own[:, None]
        self.right = None if right is None else right[:, None]
        self.removed = np.empty(0, dtype=np.int64) if removed is None else np.sort(removed)

    def blocks(self, n_columns: int) -> list[slice]:
        """Rows of which neither the entries nor the results take more than a block."""
        return blocks_of_entries(self.adjacency.indptr, self.block_bytes, 4 * n_columns)

    def hop(self, X: Tensor, into: Tensor, tick: Callable[[], None], start: Tensor | None, coefficient: float) -> Tensor:
        """P·X + coefficient·start, (n, c), in the memory of `into`. X is scaled in passing: nobody needs it afterwards."""
        own = self.own
        if self.right is not None:
            X.mul_(self.right)
            own = own / self.right
        for rows in self.blocks(X.shape[1]):
            indices, offsets, weights = self._entries(rows)
            out = into[rows]
            torch.mul(own[rows], X[rows], out=out)
            if len(indices):
                sums = torch.nn.functional.embedding_bag(
                    indices, X, offsets, mode="sum", per_sample_weights=weights, include_last_offset=True
                )
                out.addcmul_(self.left[rows], sums)
            if start is not None and coefficient:
                out.add_(start[rows], alpha=coefficient)
            tick()
        return into

    def _entries(self, rows: slice) -> tuple[Tensor, Tensor, Tensor | None]:
        """The entries of some rows: columns, where each row starts, and weights unless all are 1."""
        A = self.adjacency
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


class DiskEngine:
    def __init__(self, work: WorkFolder, sizes: Sizes, report: Reporter) -> None:
        self.work, self.sizes, self.report = work, sizes, report
        self._room: list[Tensor] = []

    def load(self, features: Any, weighting: Weighting, matrix: Tensor | None = None, name: str = "features") -> Panels:
        """The weighted features as panels, times a matrix if one is given; no hop taken yet."""
        panels = Panels(self.work, name, features.shape[0], self.sizes.widths)
        n_rows = features.shape[0]

        def blocks() -> Iterator[Tensor]:
            for rows in row_blocks(n_rows, 4 * features.shape[1], self.sizes.block_bytes):
                block = weighting.apply(features[rows])
                block = as_tensor(block.toarray() if not isinstance(block, np.ndarray) else block, torch.device("cpu"))
                yield block if matrix is None else block @ matrix
                release(features, rows)
                self.report("reading features", rows.stop, n_rows)

        panels.fill(blocks)
        return panels

    def smooth(
        self, panels: Panels, P: DiskPropagation, coefficients: Polynomial, name: str, stage: str = "smoothing"
    ) -> Panels:
        """S = Σ c_k P^k F, panel by panel, the hops of each in memory. Without a hop the panels are what they were."""
        n_hops = len(coefficients) - 1
        if n_hops == 0 and coefficients == (1.0,):
            return panels
        smoothed = Panels(self.work, name, panels.n_rows, panels.widths)
        n_ticks = [n_hops * len(P.blocks(width)) for width in panels.widths]
        done = 0

        def tick() -> None:
            nonlocal done
            done += 1
            self.report(stage, done, sum(n_ticks))

        for panel, ticks in enumerate(n_ticks):
            if smoothed.has(panel):
                done += ticks
                continue
            start, current, other = self._buffers(panels, with_start=any(coefficients[:-1]))
            X = panels.read(panel, current)
            first = None
            if any(coefficients[:-1]):
                first = start[: X.numel()].view_as(X).copy_(X)
            if coefficients[-1] != 1:
                X.mul_(coefficients[-1])
            spare = other[: X.numel()].view_as(X)
            for coefficient in reversed(coefficients[:-1]):
                X, spare = P.hop(X, spare, tick, first, coefficient), X
            smoothed.write(panel, X)
        return smoothed

    def gram(self, levels: Sequence[Panels], negatives: NegativeGraph, name: str) -> Spread:
        """M = Sᵀ L_H S of the levels side by side, with the mean and the scatter of their rows."""
        weights = [torch.full((levels[0].n_rows,), 1.0, dtype=torch.float64)]
        degrees = [part for part in _parts(negatives) if isinstance(part, DegreeNegatives)]
        weights += [part.degrees for part in degrees]
        n_columns = sum(level.shape[1] for level in levels)

        def compute() -> dict[str, NDArray[Any]]:
            means = torch.cat([self._means(level, weights) for level in levels], dim=1)  # (k, f)
            scatters = torch.zeros(len(weights), n_columns, n_columns, dtype=torch.float64)
            for rows, block in self._rows(levels, "Gram matrix"):
                for number, row_weights in enumerate(weights):
                    centred = block - means[number].float()
                    weighted = centred if number == 0 else centred * row_weights[rows, None].float()
                    scatters[number] += centred.T @ weighted
            scatter = scatters[0]
            M = torch.zeros_like(scatter)
            for part in _parts(negatives):
                if isinstance(part, CompleteNegatives):
                    M += scatter * (part.weight * part.n_nodes)
                elif isinstance(part, DegreeNegatives):
                    M += scatters[1 + degrees.index(part)] * (part.weight * part.volume)
                else:
                    M += self._gram_of_pairs(levels, part)
            is_rounding = scatter.diagonal() <= levels[0].n_rows * (ROUNDING * means[0]).square()
            for matrix in (M, scatter):  # float64 would take the last digits of a constant column for differences
                matrix[is_rounding], matrix[:, is_rounding] = 0, 0
            return {"M": ((M + M.T) / 2).numpy(), "mean": means[0].numpy(), "scatter": scatter.numpy()}

        found = self.work.arrays(name, compute)
        M, mean, scatter = (torch.from_numpy(found[key]).clone() for key in ("M", "mean", "scatter"))
        return Spread(M, mean, scatter, levels[0].n_rows)

    def project(
        self, levels: Sequence[Panels], weights: Sequence[Tensor] | None, aggregation: str, start: int = 0
    ) -> Iterator[Tensor]:
        """Z = S·W, blocks of rows from `start` on; without weights the levels are Z already, to be aggregated."""
        widths = [level.shape[1] for level in levels]
        for _, block in self._rows(levels, "projection", start):
            parts = list(torch.split(block, widths, dim=1))
            if weights is not None:
                parts = [part @ matrix for part, matrix in zip(parts, weights, strict=True)]
            yield aggregate(parts, aggregation)

    def take(self, panels: Panels, nodes: NDArray[np.int64], weights: Tensor) -> Tensor:
        """Some rows of S·W, for nodes in ascending order."""
        taken = torch.empty(len(nodes), weights.shape[1])
        for rows, block in self._rows([panels], "held-out edges"):
            first, last = np.searchsorted(nodes, (rows.start, rows.stop))
            if first < last:
                taken[first:last] = block[torch.from_numpy(nodes[first:last] - rows.start)] @ weights
        return taken

    def free(self) -> None:
        """Give the panels' memory back: what comes next holds matrices of f × f."""
        self._room = []

    def _rows(self, levels: Sequence[Panels], stage: str, start: int = 0) -> Iterator[tuple[slice, Tensor]]:
        """Blocks of rows of all levels side by side."""
        self.free()
        slices = [rows for rows in self._slices(levels) if rows.start >= start]
        for parts in zip(*(level.blocks(slices) for level in levels), strict=True):
            rows = parts[0][0]
            yield rows, parts[0][1] if len(parts) == 1 else torch.cat([part for _, part in parts], dim=1)
            self.report(stage, rows.stop, levels[0].n_rows)

    def _slices(self, levels: Sequence[Panels]) -> list[slice]:
        """Rows of which a block holds all columns twice: as read, and side by side."""
        row_bytes = 8 * sum(level.shape[1] for level in levels)
        return list(row_blocks(levels[0].n_rows, row_bytes, self.sizes.block_bytes))

    def _means(self, level: Panels, weights: Sequence[Tensor]) -> Tensor:  # (k, f)
        """The weighted means of the rows, in float64."""
        sums = torch.zeros(len(weights), level.shape[1], dtype=torch.float64)
        for rows, block in level.blocks(self._slices([level])):
            sums += torch.stack([row_weights[rows] for row_weights in weights]) @ block.double()
        totals = torch.stack([row_weights.sum() for row_weights in weights])
        return sums / totals.clamp(min=1e-300)[:, None]

    def _gram_of_pairs(self, levels: Sequence[Panels], part: NegativeGraph) -> Tensor:
        """Sᵀ L S a panel at a time: L joins any two rows, so a panel is held whole, and the others stream past its image."""
        n_columns = sum(level.shape[1] for level in levels)
        M = torch.zeros(n_columns, n_columns, dtype=torch.float64)
        columns = 0
        for level in levels:
            for panel, width in enumerate(level.widths):
                image = part.laplacian(level.read(panel, self._buffers(level, with_start=False)[1]))  # (n, c)
                rows_done = 0
                for other, offset in zip(levels, _offsets(levels), strict=True):
                    span = slice(offset, offset + other.shape[1])
                    for rows, block in other.blocks(self._slices([other])):
                        M[span, columns : columns + width] += block.T @ image[rows]
                        rows_done = rows.stop
                        self.report("negative pairs", columns * level.n_rows + rows_done, n_columns * level.n_rows)
                columns += width
        self.free()
        return M

    def _buffers(self, panels: Panels, *, with_start: bool) -> tuple[Tensor, Tensor, Tensor]:
        """Room for a panel three times, kept from panel to panel. Untouched memory costs nothing."""
        n_values = panels.n_rows * max(panels.widths)
        if not self._room or len(self._room[1]) < n_values:
            self._room = [torch.empty(n_values if with_start or which else 0) for which in range(N_PANELS)]
        elif with_start and len(self._room[0]) < n_values:
            self._room[0] = torch.empty(n_values)
        start, current, other = self._room
        return start, current, other


@dataclass(frozen=True)
class Spread:
    """How the rows of S lie: M = Sᵀ L_H S, their mean and their scatter (S − mean)ᵀ(S − mean), in float64."""

    M: Tensor
    mean: Tensor
    scatter: Tensor
    n_rows: int


def _parts(negatives: NegativeGraph) -> tuple[NegativeGraph, ...]:
    return negatives.parts if isinstance(negatives, SumOfNegatives) else (negatives,)


def _offsets(levels: Sequence[Panels]) -> list[int]:
    return [sum(level.shape[1] for level in levels[:number]) for number in range(len(levels))]
