"""Memory of the machine and of this process, as far as the system reports it.

Linux and macOS report it through `sysconf` and `getrusage`. Windows has neither, and macOS does not say what is free: what a
system does not report is None, and whoever asks decides what to do without it.
"""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import torch

GUESS = 4 << 30  # where the system does not report it: macOS, Windows


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


def available_memory(device: torch.device) -> int:
    """Bytes that can still be taken on a device."""
    if device.type == "cuda":
        import torch

        return int(torch.cuda.mem_get_info(device)[0])
    free = free_memory()  # a lower bound, which is what a plan needs
    return GUESS if free is None else free


def _pages(name: str) -> int | None:
    if name not in getattr(os, "sysconf_names", ()):
        return None
    return os.sysconf(name) * os.sysconf("SC_PAGE_SIZE")
