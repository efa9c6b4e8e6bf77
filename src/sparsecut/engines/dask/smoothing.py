"""Σ c_k P^k X on the workers of a cluster, X in blocks of rows and the result too, by either plan (`engines.dask.plan`)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from typing import Any

from sparsecut.engines.dask import tasks
from sparsecut.engines.dask.operator import Layout, Operator
from sparsecut.engines.dask.plan import Plan, columns_traffic, rows_traffic
from sparsecut.engines.dask.running import Runner
from sparsecut.kernels.polynomials import Polynomial


class Smoother:
    """`n_estimated` are the bytes that its passes were expected to move between workers, `n_sent` those that they did.

    Every block of rows has a worker that its tasks had best run on: what is there already does not travel.
    """

    def __init__(self, runner: Runner, plan: Plan, layout: Layout, workers: Sequence[str]) -> None:
        self.runner, self.plan, self.layout, self.workers = runner, plan, layout, list(workers)
        self.groups = layout.grouped(min(plan.n_groups, layout.n_blocks))
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

    def home(self, block: int) -> str:
        """The worker that has a block."""
        return self.workers[block * len(self.workers) // self.layout.n_blocks]

    def estimate(self, n_columns: int, operator: Operator, n_hops: int) -> int:
        """The bytes that a pass will move between workers."""
        if self.plan.name == "columns":
            return columns_traffic(self.layout.starts[-1], n_columns, len(self.workers))
        is_known = operator.name in self._halos
        n_rows = self.halo_rows(operator)
        return rows_traffic(n_rows, n_columns, n_hops) + (0 if is_known else 4 * n_rows)  # which rows, told once

    def halo_rows(self, operator: Operator) -> int:
        """The rows that groups want of other workers, in all."""
        if operator.name not in self._halos:
            lists, _ = self._group_lists(operator)
            counts = self.runner.collect([self.runner.submit(tasks.counts_of, one) for one in lists], "neighbour lists")
            self._halos[operator.name] = counts
        homes = [self._group_home(group) for group in range(self.groups.n_blocks)]
        return int(
            sum(
                count
                for home, row in zip(homes, self._halos[operator.name], strict=True)
                for other, count in zip(homes, row, strict=True)
                if other != home
            )
        )

    def forget(self, operator: Operator) -> None:
        """Let the workers drop the lists of an operator."""
        self._lists.pop(operator.name, None)
        self._halos.pop(operator.name, None)

    def _by_columns(self, blocks: Sequence[Any], n_columns: int, operator: Operator, polynomial: Polynomial) -> list[Any]:
        submit, starts, n_workers = self.runner.submit, self.layout.starts, len(self.workers)
        widths, panels = self.plan.widths(n_columns, n_workers), []
        for number, width in enumerate(widths):
            start, worker = sum(widths[:number]), self.workers[number % n_workers]
            parts = [
                submit(tasks.columns_of, block, start, start + width, worker=self.home(place))
                for place, block in enumerate(blocks)
            ]
            panel = submit(tasks.stacked, parts, worker=worker)
            panels.append(submit(tasks.smooth_panel, operator, polynomial, panel, worker=worker))
            del parts, panel  # a worker lets go of what nobody has asked for any more
            if len(panels) % n_workers == 0:  # a panel at a time in each worker: what it holds is bounded
                self.runner.wait(panels, "smoothing", len(widths))
        self.runner.wait(panels, "smoothing")
        smoothed = []
        for block in range(self.layout.n_blocks):
            parts = [
                submit(
                    tasks.rows_of, panel, starts[block], starts[block + 1], worker=self.workers[number % len(self.workers)]
                )
                for number, panel in enumerate(panels)
            ]
            smoothed.append(submit(tasks.side_by_side, parts, worker=self.home(block)))
        self.runner.wait(smoothed, "transpose")
        return smoothed

    def _by_rows(self, blocks: Sequence[Any], n_columns: int, operator: Operator, polynomial: Polynomial) -> list[Any]:
        submit = self.runner.submit
        self.halo_rows(operator)  # what is wanted of whom
        pieces: list[list[Any]] = [[] for _ in blocks]
        start = 0
        for width in self.plan.widths(n_columns, len(self.workers)):
            first = self._joined(blocks, start, start + width)
            X = first
            if polynomial[-1] != 1:
                X = [
                    submit(tasks.scaled, part, polynomial[-1], worker=self._group_home(group))
                    for group, part in enumerate(first)
                ]
            for coefficient in reversed(polynomial[:-1]):
                X = self._hop(operator, X, first, coefficient)
                self.runner.wait(X, "smoothing")  # a panel at a time, a hop at a time: what a worker holds is bounded
            for block, part in enumerate(self._parted(X)):
                pieces[block].append(part)
            start += width
        smoothed = [
            parts[0] if len(parts) == 1 else submit(tasks.side_by_side, parts, worker=self.home(block))
            for block, parts in enumerate(pieces)
        ]
        self.runner.wait(smoothed, "joining panels")
        return smoothed

    def _joined(self, blocks: Sequence[Any], start: int, stop: int) -> list[Any]:
        """Some columns of every group."""
        panels: list[list[Any]] = [[] for _ in range(self.groups.n_blocks)]
        for number, block in enumerate(blocks):
            panel = self.runner.submit(tasks.columns_of, block, start, stop, worker=self.home(number))
            panels[self._group_of(number)].append(panel)
        return [
            parts[0] if len(parts) == 1 else self.runner.submit(tasks.stacked, parts, worker=self._group_home(group))
            for group, parts in enumerate(panels)
        ]

    def _parted(self, X: Sequence[Any]) -> list[Any]:
        """The blocks of groups."""
        if self.groups.n_blocks == self.layout.n_blocks:
            return list(X)
        parts = []
        for block in range(self.layout.n_blocks):
            group, before = self._group_of(block), self.groups.starts[self._group_of(block)]
            first, last = (self.layout.starts[place] - before for place in (block, block + 1))
            parts.append(self.runner.submit(tasks.rows_of, X[group], first, last, worker=self.home(block)))
        return parts

    def _group_of(self, block: int) -> int:
        return bisect_right(self.groups.starts, self.layout.starts[block]) - 1

    def _group_home(self, group: int) -> str:
        return self.workers[group * len(self.workers) // self.groups.n_blocks]

    def _hop(self, operator: Operator, X: Sequence[Any], first: Sequence[Any], coefficient: float) -> list[Any]:
        lists, wanted = self._group_lists(operator)
        counts, hopped = self._halos[operator.name], []
        for group, own in enumerate(lists):
            parts = [
                self.runner.submit(tasks.pick, X[source], wanted[group, source], worker=self._group_home(source))
                for source in range(len(X))
                if counts[group][source]
            ]
            start = first[group] if coefficient else None
            home = self._group_home(group)
            hopped.append(self.runner.submit(tasks.hop_block, own, X[group], start, coefficient, parts, worker=home))
        return hopped

    def _group_lists(self, operator: Operator) -> tuple[list[Any], dict[tuple[int, int], Any]]:
        """The lists of every group, and which rows each wants of each, where they are read: on the workers."""
        if operator.name not in self._lists:
            self._lists.clear()
            groups = range(self.groups.n_blocks)
            lists = [
                self.runner.submit(tasks.lists_of, operator, self.groups, group, worker=self._group_home(group))
                for group in groups
            ]
            wanted = {
                (group, source): self.runner.submit(tasks.wanted_of, lists[group], source, worker=self._group_home(group))
                for group in groups
                for source in groups
                if source != group
            }
            self._lists[operator.name] = lists, wanted
        return self._lists[operator.name]
