"""Σ c_k P^k X on the workers of a cluster, X in blocks of rows and the result too, by either plan (`engines.dask.plan`)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparsecut.engines.dask import tasks
from sparsecut.engines.dask.operator import Layout, Operator
from sparsecut.engines.dask.plan import Plan, columns_traffic, rows_traffic
from sparsecut.engines.dask.running import Runner
from sparsecut.kernels.polynomials import Polynomial


class Smoother:
    """`n_estimated` are the bytes that its passes were expected to move between workers, `n_sent` those that they did."""

    def __init__(self, runner: Runner, plan: Plan, layout: Layout, workers: Sequence[str]) -> None:
        self.runner, self.plan, self.layout, self.workers = runner, plan, layout, list(workers)
        self.n_estimated, self.n_sent, self.n_passes = 0, 0, 0
        self._lists: dict[str, tuple[list[Any], dict[tuple[int, int], Any]]] = {}
        self._halos: dict[str, Any] = {}

    def smooth(self, blocks: Sequence[Any], n_columns: int, operator: Operator, polynomial: Polynomial) -> list[Any]:
        """Futures of the smoothed blocks."""
        self.n_passes += 1
        self.n_estimated += self.estimate(n_columns, operator, len(polynomial) - 1)
        step, before = self._by_columns if self.plan.name == "columns" else self._by_rows, self.runner.measure()
        smoothed = step(blocks, n_columns, operator, polynomial)
        self.n_sent += self.runner.measure() - before
        return smoothed

    def estimate(self, n_columns: int, operator: Operator, n_hops: int) -> int:
        """The bytes that a pass will move between workers."""
        n_workers = len(self.workers)
        if self.plan.name == "columns":
            return columns_traffic(self.layout.starts[-1], n_columns, n_workers)
        return rows_traffic(self.halo_rows(operator), n_columns, n_hops, n_workers)

    def halo_rows(self, operator: Operator) -> int:
        """The rows that blocks want of other blocks, in all."""
        if operator.name not in self._halos:
            lists, _ = self._block_lists(operator)
            counts = self.runner.collect([self.runner.submit(tasks.counts_of, one) for one in lists], "neighbour lists")
            self._halos[operator.name] = counts
        counts = self._halos[operator.name]
        return int(sum(row.sum() - row[block] for block, row in enumerate(counts)))

    def forget(self, operator: Operator) -> None:
        """Let the workers drop the lists of an operator."""
        self._lists.pop(operator.name, None)

    def _by_columns(self, blocks: Sequence[Any], n_columns: int, operator: Operator, polynomial: Polynomial) -> list[Any]:
        submit, starts = self.runner.submit, self.layout.starts
        panels, start = [], 0
        for number, width in enumerate(self.plan.widths(n_columns, len(self.workers))):
            parts = [submit(tasks.columns_of, block, start, start + width) for block in blocks]
            worker = self.workers[number % len(self.workers)]
            panels.append(submit(tasks.smooth_panel, operator, polynomial, parts, worker=worker))
            start += width
        self.runner.wait(panels, "smoothing")
        smoothed = []
        for block in range(self.layout.n_blocks):
            parts = [submit(tasks.rows_of, panel, starts[block], starts[block + 1]) for panel in panels]
            worker = self.workers[block % len(self.workers)]
            smoothed.append(submit(tasks.side_by_side, parts, worker=worker))
        self.runner.wait(smoothed, "transpose")
        return smoothed

    def _by_rows(self, blocks: Sequence[Any], n_columns: int, operator: Operator, polynomial: Polynomial) -> list[Any]:
        submit = self.runner.submit
        self.halo_rows(operator)  # what is wanted of whom
        pieces: list[list[Any]] = [[] for _ in blocks]
        start = 0
        for width in self.plan.widths(n_columns, len(self.workers)):
            first = [submit(tasks.columns_of, block, start, start + width) for block in blocks]
            X = first if polynomial[-1] == 1 else [submit(tasks.scaled, part, polynomial[-1]) for part in first]
            for coefficient in reversed(polynomial[:-1]):
                X = self._hop(operator, X, first, coefficient)
                self.runner.wait(X, "smoothing")  # a panel at a time, a hop at a time: what a worker holds is bounded
            for block, part in enumerate(X):
                pieces[block].append(part)
            start += width
        smoothed = [parts[0] if len(parts) == 1 else submit(tasks.side_by_side, parts) for parts in pieces]
        self.runner.wait(smoothed, "joining panels")
        return smoothed

    def _hop(self, operator: Operator, X: Sequence[Any], first: Sequence[Any], coefficient: float) -> list[Any]:
        lists, wanted = self._block_lists(operator)
        counts, hopped = self._halos[operator.name], []
        for block, own in enumerate(lists):
            sources = [source for source in range(len(X)) if counts[block][source]]
            parts = [self.runner.submit(tasks.pick, X[source], wanted[block, source]) for source in sources]
            if not parts:  # no edge at all: the shape of the panel is still needed
                parts = [self.runner.submit(tasks.rows_of, X[block], 0, 0)]
            start = first[block] if coefficient else None
            hopped.append(self.runner.submit(tasks.hop_block, own, X[block], start, coefficient, parts))
        return hopped

    def _block_lists(self, operator: Operator) -> tuple[list[Any], dict[tuple[int, int], Any]]:
        """The lists of every block, and which rows each wants of each, where they are read: on the workers."""
        if operator.name not in self._lists:
            self._lists.clear()
            n_blocks = self.layout.n_blocks
            lists = [
                self.runner.submit(
                    tasks.lists_of, operator, self.layout, block, worker=self.workers[block % len(self.workers)]
                )
                for block in range(n_blocks)
            ]
            wanted = {
                (block, source): self.runner.submit(tasks.wanted_of, lists[block], source)
                for block in range(n_blocks)
                for source in range(n_blocks)
            }
            self._lists[operator.name] = lists, wanted
        return self._lists[operator.name]
