"""Whether compiled loops are used: where numba is installed, can keep what it compiles, and the work is worth it.

numba takes half a second to import in each process that needs it, about what it saves on 100 MB of text, and once on each
machine some seconds to compile. The plain way, by pyarrow and numpy alone, gives the same bits.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from importlib import import_module
from typing import Any

MIN_BYTES = 2**27  # of text
MIN_EDGES = 2**23


def loops_for(module: str, amount: int, least: int) -> Any:
    """The module of compiled loops of that name, or None where the plain way is to be taken."""
    return _loops(module) if amount >= least else None


def n_threads() -> int:
    """As many as pyarrow takes: OMP_NUM_THREADS, or all cores."""
    import pyarrow as pa

    return int(pa.cpu_count())


def on_threads(work: Callable[[int], None], n_calls: int | None = None) -> None:
    """Call work(0), work(1), … at once, one call a thread, or so many."""
    n_calls = n_threads() if n_calls is None else n_calls
    with ThreadPoolExecutor(n_calls) as pool:
        list(pool.map(work, range(n_calls)))


def thread_parts(n_rows: int) -> list[slice]:
    """As many equal parts of some rows."""
    n_parts = n_threads()
    return [slice(n_rows * part // n_parts, n_rows * (part + 1) // n_parts) for part in range(n_parts)]


@cache
def _loops(module: str) -> Any:
    try:
        return import_module(f"sparsecut.io.{module}")
    except (ImportError, RuntimeError):  # not installed, or no folder to keep what it compiles
        return None
