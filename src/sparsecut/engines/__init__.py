"""Engines: `smooth`, `gram` and `project`, the only three operations that touch n rows.

Nothing outside an engine knows where the rows are. `MemoryEngine` keeps them in the memory of one device.
"""

from sparsecut.engines.memory import MemoryEngine, resolve_device

__all__ = ["MemoryEngine", "resolve_device"]
