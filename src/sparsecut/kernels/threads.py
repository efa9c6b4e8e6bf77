"""How many threads a fit takes, and how it shares out what is worth it.

Torch and BLAS start a team of threads for every call, and a thread of a team that waits for the others spins. That gains
nothing where a call takes microseconds, and beside a busy process every call waits for the thread that is not running. So
within `using` each of their calls stays on the thread that makes it, and large work is cut into blocks here: a few threads
take one block after another, whoever is free, and what has nothing to do sleeps. Blocks are cut by size alone, so the
number of threads does not change a bit of the result.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import ContextVar
from functools import lru_cache
from threading import Lock
from typing import Any, TypeVar

import torch

Item = TypeVar("Item")
Result = TypeVar("Result")

WORTH = 1 << 20  # multiply-adds, about a quarter of a millisecond: waking a thread takes a tenth of that
_chosen: ContextVar[int | None] = ContextVar("n_threads", default=None)


def n_threads() -> int:
    """How many threads the caller may take: those of `using`, or as many as torch would."""
    chosen = _chosen.get()
    return torch.get_num_threads() if chosen is None else chosen


def n_threads_of(n_jobs: int | None) -> int:
    """scikit-learn's `n_jobs` as a number of threads: −1 is every core.

    None is as many as torch would take: one per core, or what `OMP_NUM_THREADS`, `torch.set_num_threads`, `threadpoolctl`
    or the worker of joblib or Dask around it leaves.
    """
    if n_jobs is None:
        return n_threads()
    return n_jobs if n_jobs > 0 else _n_cores()


@contextmanager
def using(n_jobs: int | None) -> Iterator[None]:
    """Within it, work is shared out between so many threads by `each` alone; torch and BLAS start none of their own."""
    outer = torch.get_num_threads()
    token = _chosen.set(n_threads_of(n_jobs))
    torch.set_num_threads(1)
    try:
        with _libraries().limit(limits=1, user_api="blas"):
            yield
    finally:
        torch.set_num_threads(outer)
        _chosen.reset(token)


@contextmanager
def of_torch() -> Iterator[None]:
    """Within `using`, lets torch start threads again: for loops whose every call is large."""
    outer = torch.get_num_threads()
    torch.set_num_threads(n_threads())
    try:
        yield
    finally:
        torch.set_num_threads(outer)


def each(function: Callable[[Item], Result], items: Sequence[Item], *, work: float) -> list[Result]:
    """The function of every item, in their order, by several threads where an item is worth it.

    `work` is how many multiply-adds an item takes, about.
    """
    n_helpers = min(n_threads(), len(items)) - 1 if work >= WORTH else 0
    if n_helpers < 1:
        return [function(item) for item in items]
    results: list[Any] = [None] * len(items)
    left, lock = iter(range(len(items))), Lock()

    def take_and_work() -> None:
        while True:
            with lock:
                number = next(left, None)
            if number is None:
                return
            results[number] = function(items[number])

    helpers: list[Future[None]] = []
    try:
        helpers = [_pool(n_helpers, os.getpid()).submit(take_and_work) for _ in range(n_helpers)]
        take_and_work()
    finally:
        for _ in left:  # where an item has failed, the others are left out
            pass
        for helper in helpers:
            if not helper.cancel():  # one that never got a processor is not waited for
                helper.result()
    return results


@lru_cache(maxsize=4)
def _pool(n_helpers: int, process: int) -> ThreadPoolExecutor:
    """Threads that stay, asleep, for the next call; those of a process are not there in its fork."""
    kept = torch.get_num_threads()
    pool = ThreadPoolExecutor(n_helpers, "sparsecut", initializer=torch.set_num_threads, initargs=(1,))
    for helper in [pool.submit(lambda: None) for _ in range(n_helpers)]:
        helper.result()
    torch.set_num_threads(kept)  # torch gives the last number that was set to threads it has not seen
    return pool


def _libraries() -> Any:
    return _libraries_of(len(sys.modules))


@lru_cache(maxsize=1)
def _libraries_of(n_modules: int) -> Any:
    """The libraries with threads of their own; looked for again when modules were imported, which may have brought some."""
    from threadpoolctl import ThreadpoolController

    return ThreadpoolController()


def _n_cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
