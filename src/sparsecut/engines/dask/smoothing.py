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
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.engines.dask import tasks
from sparsecut.engines.dask.operator import Layout, Operator
from sparsecut.engines.dask.plan import Plan, columns_traffic, rows_traffic
from sparsecut.engines.dask.running import Future, Runner
from sparsecut.kernels.polynomials import Polynomial

PANEL = "panel"  # how the files of panels begin


@dataclass(frozen=True)
class SmoothedPanels:
    """A matrix of n rows in panels of columns, as hops leave it: cut into blocks when those are needed.

    A panel is one future by columns first; by rows it has one for each group.
    """

    futures: list[list[Future]]
    widths: tuple[int, ...]
    files: tuple[Path, ...] = ()  # where they are kept, if memory is short; removed with the last reference to this

    def __post_init__(self) -> None:
        weakref.finalize(self, _remove, self.files)


LoadPanel = Callable[[int, int], tasks.FileColumns]  # the columns from one to another of all rows
ToSmooth = Sequence[Future] | SmoothedPanels | LoadPanel


class Smoother:
    """`n_estimated` are the bytes that its passes were expected to move between workers, `n_sent` those that they did.

    Blocks are loaded near anchors, and tasks run where their inputs are: what is there already does not travel.
    """

    def __init__(self, runner: Runner, plan: Plan, layout: Layout, n_workers: int, folder: Path) -> None:
        self.runner, self.plan, self.layout, self.n_workers, self.folder = runner, plan, layout, n_workers, folder
        _remove(folder.glob(f"{PANEL}-*"))  # of a run that was killed
        self.anchors = Anchors(runner, n_workers)
        n_groups = 1 if plan.name == "columns" else min(n_workers, layout.n_blocks)
        self.groups = layout.grouped(n_groups)  # blocks whose rows take a hop together
        self.n_estimated, self.n_sent, self.n_passes = 0, 0, 0
        self._lists: dict[str, tuple[list[Future], dict[tuple[int, int], Future]]] = {}
        self._halos: dict[str, list[Any]] = {}

    def smooth(
        self, given: ToSmooth, n_columns: int, operator: Operator, polynomial: Polynomial
    ) -> list[Future] | SmoothedPanels:
        """The smoothed matrix: in panels by columns first and where hops pass through files, else in blocks.

        It is given in blocks, in such panels, which stay where they are, or as a function that loads a panel from a file.
        """
        self.n_passes += 1
        self.n_estimated += self.estimate(given, n_columns, operator, len(polynomial) - 1)
        before = self.runner.measure()
        smoothed: list[Future] | SmoothedPanels
        if self.plan.name == "columns":
            smoothed = self._by_columns(given, n_columns, operator, polynomial)
        elif self.plan.keeps_panels:
            smoothed = self._by_groups(given, n_columns, operator, polynomial)
        else:
            assert isinstance(given, Sequence)
            smoothed = self._by_rows(given, n_columns, operator, polynomial)
        self.n_sent += self.runner.measure() - before
        return smoothed

    def blocks_of(self, panels: SmoothedPanels) -> list[Future]:
        """The blocks of rows of panels, near the anchors of the blocks."""
        homes, before = self.homes(), self.runner.measure()
        self.n_estimated += 0 if panels.files else self._to_panels(sum(panels.widths))
        blocks: list[Any] = [None] * self.layout.n_blocks
        for block in self.anchors.in_turn(len(blocks)):
            group, first, last = self._place_of(block)
            pieces = [self.runner.submit(tasks.rows_of, panel[group], first, last) for panel in panels.futures]
            join = tasks.from_files if panels.files else tasks.side_by_side
            blocks[block] = self.runner.submit(join, pieces, near=homes[block])
        self.runner.wait(blocks, "transpose")
        self.n_sent += self.runner.measure() - before
        return blocks

    def picks_of(
        self, panels: SmoothedPanels, nodes: NDArray[np.int64], carried: Callable[[Any], Any]
    ) -> NDArray[np.float32]:
        """The rows of some nodes, (k, c)."""
        owners, places = self.groups.locate(nodes)
        groups = np.unique(owners).tolist()
        wanted = [carried(places[owners == group].astype(np.int64)) for group in groups]
        picks = [
            self.runner.submit(tasks.pick, panel[group], rows)
            for group, rows in zip(groups, wanted, strict=True)
            for panel in panels.futures
        ]
        found, taken = iter(self.runner.collect(picks, "held-out edges")), np.empty((len(nodes), sum(panels.widths)), "f4")
        for group in groups:
            taken[owners == group] = np.concatenate([next(found) for _ in panels.futures], axis=1)
        return taken

    def homes(self) -> list[Future]:
        """For every block the anchor whose worker loads it."""
        return self.anchors.spread(self.layout.n_blocks)

    def estimate(self, given: Any, n_columns: int, operator: Operator, n_hops: int) -> int:
        """Bytes that a pass will move between workers: none by columns and through files, unless blocks become panels."""
        if self.plan.name == "columns" or self.plan.keeps_panels:
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

    def _by_columns(self, given: ToSmooth, n_columns: int, operator: Operator, polynomial: Polynomial) -> SmoothedPanels:
        submit, spans, panels = self.runner.submit, self._spans(n_columns), []
        files = [self._file(number) for number in range(len(spans))] if self.plan.keeps_panels else []
        for wave in range(0, len(spans), self.n_workers):  # a panel at a time in each worker: what it holds is bounded
            here = range(wave, min(wave + self.n_workers, len(spans)))
            homes: Sequence[Future | None] = [None] * len(here)
            if isinstance(given, SmoothedPanels):
                joined: Sequence[Future | tasks.FileColumns] = [given.futures[number][0] for number in here]
            elif isinstance(given, Sequence):
                joined = self._cut(given, [spans[number] for number in here], [f"{file}-first" for file in files[wave:]])
            else:
                joined, homes = [given(*spans[number]) for number in here], self.anchors.spread(len(here))
            for number, panel, home in zip(here, joined, homes, strict=True):
                call = (operator, polynomial, panel)
                if files:
                    panels.append(submit(tasks.smooth_file, *call, files[number], self.plan.holds_lists, near=home))
                else:
                    panels.append(submit(tasks.smooth_panel, *call, near=home))
            del joined, panel  # a worker frees results that no future refers to
            self.runner.wait(panels, "smoothing", len(spans))
            _remove(Path(f"{file}-first") for file in files)
        return SmoothedPanels(
            [[panel] for panel in panels], tuple(stop - start for start, stop in spans), tuple(map(Path, files))
        )

    def _by_groups(self, given: ToSmooth, n_columns: int, operator: Operator, polynomial: Polynomial) -> SmoothedPanels:
        """By rows, through files: a hop reads its own rows and those that it wants of others, and no worker sends any."""
        submit, groups = self.runner.submit, range(self.groups.n_blocks)
        lists, _ = self._group_lists(operator)
        panels, spans, files = [], self._spans(n_columns), []
        for number, span in enumerate(spans):
            cut = [self._file(number, group, "first") for group in groups]
            if isinstance(given, SmoothedPanels):
                first: Sequence[Future | tasks.FileColumns] = given.futures[number]
            elif isinstance(given, Sequence):
                parts = self._joined(given, *span)
                first = [submit(tasks.stacked_file, part, file) for part, file in zip(parts, cut, strict=True)]
                del parts
            else:
                first = [replace(given(*span), layout=self.groups, group=group) for group in groups]
            X, factor = first, polynomial[-1]
            smoothed: list[Future] = []
            held: list[str] = []
            for hop, coefficient in enumerate(reversed(polynomial[:-1])):
                written = [self._file(number, group, hop) for group in groups]
                smoothed = [
                    submit(tasks.hop_file, lists[group], group, X, factor, first[group], coefficient, written[group])
                    for group in groups
                ]
                self.runner.wait(smoothed, "smoothing")
                _remove(map(Path, held))
                X, held, factor = smoothed, written, 1.0
            _remove(map(Path, cut))
            files += held
            panels.append(smoothed)
        return SmoothedPanels(panels, tuple(stop - start for start, stop in spans), tuple(map(Path, files)))

    def _spans(self, n_columns: int) -> list[tuple[int, int]]:
        """The first column of every panel, and that of the next one."""
        return list(pairwise([0, *accumulate(self.plan.widths(n_columns, self.n_workers))]))

    def _file(self, *parts: int | str) -> str:
        """Where a panel is kept, or a part of it."""
        return str(self.folder / "-".join(map(str, (PANEL, self.n_passes, *parts))))

    def _cut(self, blocks: Sequence[Future], spans: Sequence[tuple[int, int]], files: Sequence[str]) -> list[Future]:
        """Panels of the columns of each span, from blocks of rows; in files where these are named."""
        parts = [[self.runner.submit(tasks.columns_of, block, *span) for block in blocks] for span in spans]
        # All workers have parts of every panel. Once none is busy with them, each takes a panel.
        self.runner.wait([part for panel in parts for part in panel], "cutting columns")
        if files:
            return [self.runner.submit(tasks.stacked_file, panel, file) for panel, file in zip(parts, files, strict=False)]
        return [self.runner.submit(tasks.stacked, panel) for panel in parts]

    def _by_rows(self, blocks: Sequence[Future], n_columns: int, operator: Operator, polynomial: Polynomial) -> list[Future]:
        submit = self.runner.submit
        self.halo_rows(operator)  # which rows are wanted, block by block
        pieces: list[list[Future]] = [[] for _ in blocks]
        for start, stop in self._spans(n_columns):
            parts = self._joined(blocks, start, stop)
            first = [part[0] if len(part) == 1 else submit(tasks.stacked, part) for part in parts]
            X = first
            if not any(polynomial[:-1]):
                first = []  # a power never comes back to it
            del parts
            if polynomial[-1] != 1:
                X = [submit(tasks.scaled, part, polynomial[-1]) for part in X]
            for coefficient in reversed(polynomial[:-1]):
                X = self._hop(operator, X, first, coefficient)
                self.runner.wait(X, "smoothing")  # a panel at a time, a hop at a time: what a worker holds is bounded
            for block, part in enumerate(self._parted(X)):
                pieces[block].append(part)
        smoothed = [parts[0] if len(parts) == 1 else submit(tasks.side_by_side, parts) for parts in pieces]
        self.runner.wait(smoothed, "joining panels")
        return smoothed

    def _joined(self, blocks: Sequence[Future], start: int, stop: int) -> list[list[Future]]:
        """Some columns of every group, in its blocks."""
        panels: list[list[Future]] = [[] for _ in range(self.groups.n_blocks)]
        for number, block in enumerate(blocks):
            panels[self._place_of(number)[0]].append(self.runner.submit(tasks.columns_of, block, start, stop))
        return panels

    def _parted(self, X: Sequence[Future]) -> list[Future]:
        """The blocks of groups."""
        if self.groups.n_blocks == self.layout.n_blocks:
            return list(X)
        places = map(self._place_of, range(self.layout.n_blocks))
        return [self.runner.submit(tasks.rows_of, X[group], first, last) for group, first, last in places]

    def _place_of(self, block: int) -> tuple[int, int, int]:
        """The group of a block, and its first and last row there."""
        starts = self.layout.starts
        group = bisect_right(self.groups.starts, starts[block]) - 1
        return group, starts[block] - self.groups.starts[group], starts[block + 1] - self.groups.starts[group]

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
                self.runner.submit(
                    tasks.lists_of, operator, self.groups, group, self._lists_file(operator, group), near=home
                )
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

    def _lists_file(self, operator: Operator, group: int) -> str | None:
        """Where the lists of a group are kept, if workers have no room for them."""
        return None if self.plan.holds_lists else str(self.folder / f"{PANEL}-lists-{operator.name}-{group}")


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
