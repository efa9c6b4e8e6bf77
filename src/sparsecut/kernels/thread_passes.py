"""Passes of numpy over large arrays, on as many threads as torch and pyarrow take: numpy lets go of the interpreter."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

Part = TypeVar("Part")
Result = TypeVar("Result")


def on_threads(work: Callable[[Part], Result], parts: Iterable[Part]) -> list[Result]:
    """work(part) for every part, some at once, the results in order."""
    if n_threads() == 1:
        return list(map(work, parts))
    with ThreadPoolExecutor(n_threads()) as pool:
        return list(pool.map(work, parts))


def n_threads() -> int:
    """OMP_NUM_THREADS where it is set, or the cores that this process may run on."""
    asked = os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    if asked.isdigit() and int(asked) > 0:
        return int(asked)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1)
