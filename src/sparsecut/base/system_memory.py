"""Memory of the machine and of this process, as far as the system reports it.

Linux and macOS report it through `sysconf` and `getrusage`. Windows has neither, and macOS does not say what is free: what a
system does not report is None, and whoever asks decides what to do without it.
"""

from __future__ import annotations

import os
import sys


def total_memory() -> int | None:
    """Bytes of memory that the machine has."""
    return _pages("SC_PHYS_PAGES")


def free_memory() -> int | None:
    """Bytes of memory that nothing uses: a lower bound, for the system would also give up its cache of files."""
    return _pages("SC_AVPHYS_PAGES")


def peak_memory() -> int | None:
    """The most bytes that this process has had in memory."""
    try:
        import resource
    except ImportError:  # not on Windows
        return None
    peak = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return peak if sys.platform == "darwin" else peak * 1024


def _pages(name: str) -> int | None:
    if name not in getattr(os, "sysconf_names", ()):
        return None
    return os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
