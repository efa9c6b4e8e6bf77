"""Σ c_k P^k X on the workers of a cluster, X in blocks of rows and the result too, by either plan (`engines.dask.plan`).

Which blocks of rows lie together is said without the address of a worker: an anchor is a small result that some worker
holds, and a task that depends on it alone runs there. A task that is bound to an address may wait forever: where no worker
runs when Dask places it, it waits for that address, and a worker that comes back has another one. An anchor that is lost
with its worker is computed again elsewhere, like any other result.
"""

from __future__ import annotations

import weakref
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

from sparsecut.engines.dask import tasks
from sparsecut.engines.dask.operator import Layout, Operator
from sparsecut.engines.dask.plan import Plan, columns_traffic, rows_traffic
from sparsecut.engines.dask.running import Future, Runner
from sparsecut.kernels.polynomials import Polynomial

PANEL = "panel"  # how the files of panels begin


@dataclass(frozen=True)
class ColumnPanels:
    """A matrix of n rows in panels of columns, as hops by columns leave it: cut into blocks when those are needed."""

    futures: list[Future]
    widths: tuple[int, ...]
    files: tuple[Path, ...] = ()  # where they are kept, if memory is short; removed with the last reference to this

    def __post_init__(self) -> None:
        weakref.finalize(self, _remove, self.files)


LoadPanel = Callable[[int, int], tasks.FileColumns]  # the columns from one to another of all rows


class Smoother:
    """`n_estimated` are the bytes that its passes were expected to move between workers, `n_sent` those that they did.

    Blocks are loaded near anchors, and tasks run where their inputs are: what is there already does not travel.
    """

    def __init__(self, runner: Runner, plan: Plan, layout: Layout, n_workers: int, folder: Path) -> None:
        self.runner, self.plan, self.layout, self.n_workers, self.folder = runner, plan, layout, n_workers, folder
        _remove(folder.glob(f"{PANEL}-*"))  # of a run that was killed
        self.anchors = Anchors(runner, n_workers)
        self.groups = layout.grouped(min(plan.n_groups, layout.n_blocks))
        self.n_estimated, self.n_sent, self.n_passes = 0, 0, 0
        self._lists: dict[str, tuple[list[Future], dict[tuple[int, int], Future]]] = {}
        self._halos: dict[str, list[Any]] = {}

    def smooth(
        self, given: Sequence[Future] | ColumnPanels | LoadPanel, n_columns: int, operator: Operator, polynomial: Polynomial
    ) -> list[Future] | ColumnPanels:
        """The smoothed matrix, in panels by columns first, else in blocks. It is given in blocks.

        By columns first it may also come in panels, which stay where they are, or as a function that loads one.
        """
        self.n_passes += 1
        self.n_estimated += self.estimate(given, n_columns, operator, len(polynomial) - 1)
        before = self.runner.measure()
        if self.plan.name == "columns":
            smoothed: list[Future] | ColumnPanels = self._by_columns(given, n_columns, operator, polynomial)
        else:
            assert isinstance(given, Sequence)
            smoothed = self._by_rows(given, n_columns, operator, polynomial)
        self.n_sent += self.runner.measure() - before
        return smoothed

    def blocks_of(self, panels: ColumnPanels) -> list[Future]:
        """The blocks of rows of panels, near the anchors of the blocks."""
        starts, homes = self.layout.starts, self.homes()
        before = self.runner.measure()
        self.n_estimated += 0 if panels.files else self._to_panels(sum(panels.widths))
        blocks: list[Any] = [None] * self.layout.n_blocks
        for block in self.anchors.in_turn(len(blocks)):
            pieces = [self.runner.submit(tasks.rows_of, panel, starts[block], starts[block + 1]) for panel in panels.futures]
            join = tasks.from_files if panels.files else tasks.side_by_side
            blocks[block] = self.runner.submit(join, pieces, near=homes[block])
        self.runner.wait(blocks, "transpose")
        self.n_sent += self.runner.measure() - before
        return blocks

    def homes(self) -> list[Future]:
        """For every block the anchor whose worker loads it."""
        return self.anchors.spread(self.layout.n_blocks)

    def estimate(self, given: Any, n_columns: int, operator: Operator, n_hops: int) -> int:
        """The bytes that a pass will move between workers: by columns first none, unless blocks become panels."""
        if self.plan.name == "columns":
            return self._to_panels(n_columns) if isinstance(given, Sequence) else 0
        is_known = operator.name in self._halos
        n_rows = self.halo_rows(operator)
        return rows_traffic(n_rows, n_columns, n_hops) + (0 if is_known else 4 * n_rows)  # which rows are wanted: sent once

    def halo_rows(self, operator: Operator) -> int:
        """The rows that groups want of other workers, in all."""
        if operator.name not in self._halos:
            lists, _ = self._group_lists(operator)
            counts = self.runner.collect([self.runner.submit(tasks.counts_of, one) for one in lists], "neighbour lists")
            self._halos[operator.name] = counts
        homes = [self.anchors.number(group, self.groups.n_blocks) for group in range(self.groups.n_blocks)]
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

    def _to_panels(self, n_columns: int) -> int:
        """The bytes that blocks take to become panels, or panels to become blocks."""
        return columns_traffic(self.layout.starts[-1], n_columns, self.n_workers) // 2

    def _by_columns(
        self, given: Sequence[Future] | ColumnPanels | LoadPanel, n_columns: int, operator: Operator, polynomial: Polynomial
    ) -> ColumnPanels:
        submit, widths, panels = self.runner.submit, self.plan.widths(n_columns, self.n_workers), []
        ends, files = [0, *accumulate(widths)], self._files(len(widths))
        for wave in range(0, len(widths), self.n_workers):  # a panel at a time in each worker: what it holds is bounded
            spans = list(pairwise(ends[wave : wave + self.n_workers + 1]))
            homes: Sequence[Future | None] = [None] * len(spans)
            joined: Sequence[Future | tasks.FileColumns]
            if isinstance(given, ColumnPanels):
                joined = given.futures[wave : wave + self.n_workers]
            elif isinstance(given, Sequence):
                joined = self._cut(given, spans)
            else:
                joined, homes = [given(*span) for span in spans], self.anchors.spread(len(spans))
            panels += [
                submit(tasks.smooth_panel, operator, polynomial, panel, files[wave + number] if files else None, near=home)
                for number, (panel, home) in enumerate(zip(joined, homes, strict=True))
            ]
            del joined  # a worker frees results that no future refers to
            self.runner.wait(panels, "smoothing", len(widths))
        return ColumnPanels(panels, widths, tuple(map(Path, files)))

    def _files(self, n_panels: int) -> list[str]:
        """Where panels are kept; nowhere if the workers have room for them."""
        if not self.plan.keeps_panels:
            return []
        return [str(self.folder / f"{PANEL}-{self.n_passes}-{number}.npy") for number in range(n_panels)]

    def _cut(self, blocks: Sequence[Future], spans: Sequence[tuple[int, int]]) -> list[Future]:
        """Panels of the columns of each span, from blocks of rows."""
        parts = [[self.runner.submit(tasks.columns_of, block, *span) for block in blocks] for span in spans]
        # All workers have parts of every panel. Once none is busy with them, each takes a panel.
        self.runner.wait([part for panel in parts for part in panel], "cutting columns")
        return [self.runner.submit(tasks.stacked, panel) for panel in parts]

    def _by_rows(self, blocks: Sequence[Future], n_columns: int, operator: Operator, polynomial: Polynomial) -> list[Future]:
        submit = self.runner.submit
        self.halo_rows(operator)  # which rows are wanted, block by block
        pieces: list[list[Future]] = [[] for _ in blocks]
        start = 0
        for width in self.plan.widths(n_columns, self.n_workers):
            first = self._joined(blocks, start, start + width)
            X = first
            if polynomial[-1] != 1:
                X = [submit(tasks.scaled, part, polynomial[-1]) for part in first]
            for coefficient in reversed(polynomial[:-1]):
                X = self._hop(operator, X, first, coefficient)
                self.runner.wait(X, "smoothing")  # a panel at a time, a hop at a time: what a worker holds is bounded
            for block, part in enumerate(self._parted(X)):
                pieces[block].append(part)
            start += width
        smoothed = [parts[0] if len(parts) == 1 else submit(tasks.side_by_side, parts) for parts in pieces]
        self.runner.wait(smoothed, "joining panels")
        return smoothed

    def _joined(self, blocks: Sequence[Future], start: int, stop: int) -> list[Future]:
        """Some columns of every group."""
        panels: list[list[Future]] = [[] for _ in range(self.groups.n_blocks)]
        for number, block in enumerate(blocks):
            panels[self._group_of(number)].append(self.runner.submit(tasks.columns_of, block, start, stop))
        return [parts[0] if len(parts) == 1 else self.runner.submit(tasks.stacked, parts) for parts in panels]

    def _parted(self, X: Sequence[Future]) -> list[Future]:
        """The blocks of groups."""
        if self.groups.n_blocks == self.layout.n_blocks:
            return list(X)
        parts = []
        for block in range(self.layout.n_blocks):
            group, before = self._group_of(block), self.groups.starts[self._group_of(block)]
            first, last = (self.layout.starts[place] - before for place in (block, block + 1))
            parts.append(self.runner.submit(tasks.rows_of, X[group], first, last))
        return parts

    def _group_of(self, block: int) -> int:
        return bisect_right(self.groups.starts, self.layout.starts[block]) - 1

    def _hop(self, operator: Operator, X: Sequence[Future], first: Sequence[Future], coefficient: float) -> list[Future]:
        lists, wanted = self._group_lists(operator)
        counts, n_groups = self._halos[operator.name], len(X)
        parts: list[dict[int, Future]] = [{} for _ in X]
        for step in range(1, n_groups):  # one of every source in each round: no worker has more to do than another
            for group in range(n_groups):
                source = (group + step) % n_groups
                if counts[group][source]:
                    parts[group][source] = self.runner.submit(tasks.pick, X[source], wanted[group, source])
        return [
            self.runner.submit(
                tasks.hop_block,
                own,
                X[group],
                first[group] if coefficient else None,
                coefficient,
                [parts[group][source] for source in sorted(parts[group])],
            )
            for group, own in enumerate(lists)
        ]

    def _group_lists(self, operator: Operator) -> tuple[list[Future], dict[tuple[int, int], Future]]:
        """The lists of every group, and which rows each wants of each, where they are read: on the workers."""
        if operator.name not in self._lists:
            self._lists.clear()
            groups = range(self.groups.n_blocks)
            lists = [
                self.runner.submit(tasks.lists_of, operator, self.groups, group, near=home)
                for group, home in enumerate(self.anchors.spread(self.groups.n_blocks))
            ]
            wanted = {
                (group, source): self.runner.submit(tasks.wanted_of, lists[group], source)
                for group in groups
                for source in groups
                if source != group
            }
            self._lists[operator.name] = lists, wanted
        return self._lists[operator.name]


class Anchors:
    """As many anchors as there were workers at the start: one on each, while all of them are there."""

    def __init__(self, runner: Runner, n_workers: int) -> None:
        self.runner, self.n_workers = runner, n_workers
        self._known: frozenset[str] = frozenset()  # workers that the anchors were spread over
        self._held: list[Future] = []

    def spread(self, n_blocks: int) -> list[Future]:
        """An anchor for each of so many blocks of rows; those that follow one another share one.

        Where workers have gone or come, new anchors are made, so that those that came take their share of what is loaded
        from now on.
        """
        workers = self.runner.workers()
        if workers != self._known:
            self._known, self._held = workers, self.runner.submit_each(anchor, range(self.n_workers))
        return [self._held[self.number(block, n_blocks)] for block in range(n_blocks)]

    def number(self, block: int, n_blocks: int) -> int:
        """Which anchor a block has: blocks of the same one exchange nothing."""
        return block * self.n_workers // n_blocks

    def in_turn(self, n_blocks: int) -> list[int]:
        """The blocks, one of every anchor after another: tasks sent in this order give each worker as much to do.

        Dask sends a task to its inputs unless the worker that has them is busier than the bytes are worth.
        """
        return sorted(range(n_blocks), key=lambda block: (block * self.n_workers % n_blocks, block))


def _remove(files: Iterable[Path]) -> None:
    for file in files:
        file.unlink(missing_ok=True)


def anchor(number: int) -> int:
    return number
