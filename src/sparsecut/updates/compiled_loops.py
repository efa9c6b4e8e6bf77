"""The compiled loops of updates, where numba is installed and a process makes enough updates to wait for them.

Importing numba takes half a second, more than a few updates take without it. Both ways give the same.
"""

from __future__ import annotations

from functools import cache
from typing import Any, NamedTuple

FEW_UPDATES = 16  # of a state: that many are made before numba is imported


class Loops(NamedTuple):
    """The modules of loops."""

    hops: Any
    lists: Any
    roles: Any


@cache
def compiled_loops() -> Loops | None:
    """The loops; None where numba is not installed, or finds no folder to keep what it compiles."""
    try:
        from sparsecut.updates import hop_loops, list_loops, role_loops
    except (ImportError, RuntimeError):
        return None
    return Loops(hop_loops, list_loops, role_loops)
