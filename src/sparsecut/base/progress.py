"""Progress for anything that takes longer than two seconds, in Python and at the command line alike.

Long work calls `report(stage, done, total)`. A stage says what it counts after its last comma ("file, KiB"); the stages in
`UNITS` need not. Text after " · " may change from call to call ("smoothing · 2.1 GiB moved"): it is shown, and the stage
stays the same. `ProgressBar` is such a reporter. It shows nothing for the first two seconds; after that

- on a terminal, bars drawn by rich, which are removed when the work ends,
- in a notebook, bars in the cell, removed in the same way (rich would need ipywidgets there),
- in a log file, a pipe or a batch system, where rich draws nothing before the end, one line every ten seconds on standard
  error.

A thread draws while a long step reports nothing; in a notebook, whose cells belong to the main thread, only reports draw.
"""

from __future__ import annotations

import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import TracebackType
from typing import Any, NamedTuple

from sparsecut.base.notebook import CellBars, in_notebook

Reporter = Callable[[str, int, int], None]


UNITS = {
    "training": "epochs",
    "smoothing": "hops",
    "projection": "rows",
    "negative pairs": "rows",
    "reading features": "rows",
    "writing features": "rows",
    "reading times and signs": "edges",
    "reading the nodes of edges": "edges",
    "Gram matrix": "rows",
    "counting edges": "edges",
    "sorting edges": "edges",
    "merging edges": "parts",
    "unpacking edges": "edges",
    "unpacking features": "nodes",
    "structure": "blocks",
    "probe": "splits",
    "k-means": "runs",
    "links": "runs",
    "timing": "fits",
    "methods": "methods",
    "Improving borders": "borders",
    "Improving cuts": "cuts",
    "Improving the best": "cuts",
    "Cutting": "cuts",
    "nearest neighbours": "nodes",
    "index": "vectors",
    "findings": "sections",
    "layout by tsne": "iterations",
}


@dataclass
class Stage:
    """How much of a stage is done, and since when it runs."""

    name: str
    unit: str
    total: int
    done: int
    started: float  # the time of the report before its first one
    more: str = ""  # shown behind the count

    def left(self, now: float) -> float | None:
        """The seconds that are left at the pace so far; None before anything is done."""
        return (now - self.started) * (self.total - self.done) / self.done if self.done > 0 else None

    def __str__(self) -> str:
        more = f" · {self.more}" if self.more else ""
        if self.total <= 1:
            return f"{self.name}{more}"
        return f"{self.name}: {self.done:,} of {self.total:,}" + (f" {self.unit}" if self.unit else "") + more


class Pace(NamedTuple):
    """How many seconds pass before anything is shown, from one line to the next, and between two drawings by the thread."""

    silent: float = 2.0
    per_line: float = 10.0
    per_drawing: float = 0.5


PACE = Pace()

Display = Callable[[list[Stage], float], None]  # given the stages under way and the time; no stages where the work has ended


class ProgressBar:
    """A reporter that shows the stages under way once the work has taken two seconds.

    Parameters
    ----------
    is_enabled : bool, default=True
        False shows nothing, whatever is reported.
    on_end : callable, optional
        Called with a sentence when a stage has ended.
    clock : callable, default=time.monotonic
        Seconds.
    pace : Pace
        When something is shown.
    """

    def __init__(
        self,
        is_enabled: bool = True,
        on_end: Callable[[str], None] | None = None,
        clock: Callable[[], float] = time.monotonic,
        pace: Pace = PACE,
    ) -> None:
        self.is_enabled, self.on_end, self._clock, self._pace = is_enabled, on_end, clock, pace
        self._started = self._last = clock()
        self._display: Display | None = None
        self._stages: dict[str, Stage] = {}
        self._lock, self._closed = threading.Lock(), threading.Event()
        self._thread: threading.Thread | None = None

    def __call__(self, stage: str, done: int, total: int) -> None:
        with self._lock:
            self._report(stage, done, total, self._clock())
        if self._thread is None and self.is_enabled and self._clock is time.monotonic and not in_notebook():
            self._thread = threading.Thread(target=self._keep_drawing, daemon=True)
            self._thread.start()

    def _report(self, stage: str, done: int, total: int, now: float) -> None:
        stage, _, more = stage.partition(" · ")
        known = self._stages.get(stage)
        if known is None or done < known.done or total != known.total:  # a stage that begins, or begins again
            name, _, unit = stage.rpartition(", ")
            name, unit = (name, unit) if name else (stage, UNITS.get(stage, ""))
            known = self._stages[stage] = Stage(name, unit, total, done, self._last)
        known.done, known.more, self._last = done, more, now
        if done >= total:
            del self._stages[stage]
            if self.on_end is not None:
                self.on_end(f"{known}, {now - known.started:.1f} s")
        self._draw([*self._stages.values()] or [known], now)

    def _draw(self, stages: list[Stage], now: float) -> None:
        if not self.is_enabled or now - self._started < self._pace.silent:
            return
        if self._display is None:
            self._display = _choose_display(self._started, self._pace)
        self._display(stages, now)

    def _keep_drawing(self) -> None:
        while not self._closed.wait(self._pace.per_drawing):
            with self._lock:
                if self._stages and not self._closed.is_set():
                    self._draw([*self._stages.values()], self._clock())

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._closed.set()
        with self._lock:
            if self._display is not None:
                self._display([], self._clock())


@contextmanager
def reporting(progress: Reporter | None) -> Iterator[Reporter]:
    """The reporter that was passed in, or a progress bar that closes with the work."""
    if progress is not None:
        yield progress
    else:
        with ProgressBar() as bar:
            yield bar


def in_time(seconds: float) -> str:
    """Seconds as a clock shows them: 1:05, 2:00:00."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _choose_display(started: float, pace: Pace) -> Display:
    if in_notebook():
        return CellBars()
    return _TerminalBars() if sys.stderr.isatty() else _LogLines(started, pace.per_line)


class _LogLines:
    """One line every ten seconds: the stages under way, the time so far, the time left."""

    def __init__(self, started: float, seconds: float) -> None:
        self._started = self._last = started
        self._seconds = seconds

    def __call__(self, stages: list[Stage], now: float) -> None:
        if not stages or now - self._last < self._seconds:
            return
        self._last = now
        left = next((left for stage in stages if (left := stage.left(now)) is not None), None)
        rest = f", about {in_time(left)} left" if left else ""
        print(f"{'; '.join(map(str, stages))}. {in_time(now - self._started)} so far{rest}.", file=sys.stderr, flush=True)


class _TerminalBars:
    """Bars on the terminal, drawn by rich, which also estimates the time left."""

    def __init__(self) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            TimeRemainingColumn(compact=True),
        )
        self._bar = Progress(*columns, console=Console(stderr=True), transient=True)
        self._bar.start()
        self._tasks: dict[str, Any] = {}

    def __call__(self, stages: list[Stage], _now: float) -> None:
        if not stages:
            self._bar.stop()
            return
        for name in self._tasks.keys() - {stage.name for stage in stages}:
            self._bar.remove_task(self._tasks.pop(name))
        for stage in stages:
            if stage.name not in self._tasks:
                self._tasks[stage.name] = self._bar.add_task(str(stage), total=stage.total)
            self._bar.update(self._tasks[stage.name], description=str(stage), completed=stage.done, total=stage.total)
