"""Progress for anything that takes longer than two seconds: one bar, in Python as at the command line.

A long piece of work calls `report(stage, done, total)`. `ProgressBar` is such a reporter; it stays silent for the first two
seconds and where nobody is looking (no terminal), and leaves nothing on the screen when it closes.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

Reporter = Callable[[str, int, int], None]

SILENT_SECONDS = 2.0


class ProgressBar:
    """A reporter that draws one line on standard error once the work has taken two seconds."""

    def __init__(self, is_enabled: bool | None = None) -> None:
        self.is_enabled = sys.stderr.isatty() if is_enabled is None else is_enabled
        self._started = time.monotonic()
        self._bar: Any = None
        self._tasks: dict[str, Any] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        if not self.is_enabled or time.monotonic() - self._started < SILENT_SECONDS:
            return
        if self._bar is None:
            self._bar = _start_bar()
        name = stage.partition(" · ")[0]  # what follows may change from call to call: "smoothing · 2.1 GiB moved"
        if name not in self._tasks:
            self._tasks[name] = self._bar.add_task(stage, total=total)
        self._bar.update(self._tasks[name], completed=done, total=total, description=stage)

    def __enter__(self) -> ProgressBar:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._bar is not None:
            self._bar.stop()


@contextmanager
def reporting(progress: Reporter | None) -> Iterator[Reporter]:
    """The reporter that was passed in, or a progress bar that closes with the work."""
    if progress is not None:
        yield progress
    else:
        with ProgressBar() as bar:
            yield bar


def _start_bar() -> Any:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    bar = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    bar.start()
    return bar
