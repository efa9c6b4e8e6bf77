"""An experiment's plan: jobs to run and cells that must stay empty, before any work is done."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from sparsecut.base.progress import Reporter
from sparsecut.lab.paper.results import Cell


@dataclass(frozen=True)
class Request:
    """What to run: some rows and columns, or all (None).

    How many splits or runs, or as many as the paper (None); how many seeds from `seed` on, or as many as the experiment has
    (None).
    """

    datasets: Sequence[str] | None = None
    methods: Sequence[str] | None = None
    n_splits: int | None = None
    seed: int = 0
    n_seeds: int | None = None

    def made_quick(self, datasets: Sequence[str], methods: Sequence[str], n_splits: int = 2) -> Request:
        """The request with one seed, few splits and few cells, except where it names others itself."""
        return replace(
            self,
            datasets=self.datasets or datasets,
            methods=self.methods or methods,
            n_splits=self.n_splits or n_splits,
            n_seeds=self.n_seeds or 1,
        )

    def columns(self, known: Sequence[str]) -> list[str]:
        return [name for name in known if self.datasets is None or name in self.datasets]

    def seeds(self, known: int) -> range:
        """The seeds to run, of an experiment that has `known` of them."""
        return range(self.seed, self.seed + min(self.n_seeds or known, known))

    def rows(self, known: Sequence[str]) -> list[str]:
        return [name for name in known if self.methods is None or name in self.methods]


@dataclass(frozen=True)
class CellJob:
    """Work whose cells end together. `cells` say what they are before it is done; `run` gives what each measured.

    `code` are the modules it starts from: with all that they import, the code that can change what is measured.
    """

    cells: list[Cell]
    run: Callable[[Reporter], list[Cell]]
    code: Sequence[str]


@dataclass(frozen=True)
class Absent:
    """A cell that cannot be run, and why."""

    cell: Cell
    reason: str


Plan = list[CellJob | Absent]
