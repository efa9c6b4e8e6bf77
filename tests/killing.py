"""Work in a process of its own that kills itself at an event: a report of progress, or a file brought to the disk."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable
from pathlib import Path
from typing import Any


def run_killed(work: Callable[[Callable[..., None]], int], events: Path, kill_at: int | None = None) -> int:
    """The exit code of `work(event)` in a fork, −9 where it was killed; `events` says how many there were if it was not."""
    child = os.fork()
    if child:
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    n_events = 0

    def event(*_: Any) -> None:
        nonlocal n_events
        n_events += 1
        if n_events == kill_at:
            os.kill(os.getpid(), signal.SIGKILL)

    sync = os.fsync
    os.fsync = lambda handle: (event(), sync(handle), event())[1]
    code = work(event)
    events.write_text(str(n_events))
    os._exit(code)
