"""Where the rows live: the only room that touches n of them.

`contract` says what an engine is. `Memory` keeps the rows in the memory of one device, `Disk` in files under a limit of
memory, `Dask` on the workers of a cluster. Nothing outside this room knows where the rows are.
"""

from typing import Literal

from sparsecut.engines.contract import Block, Engine, EngineChoice, Job, Moments
from sparsecut.engines.dask import Dask
from sparsecut.engines.disk import Disk
from sparsecut.engines.memory import Memory, MemoryEngine, resolve_device

EngineWord = Literal["memory", "disk", "dask"]

__all__ = [
    "Block",
    "Dask",
    "Disk",
    "Engine",
    "EngineChoice",
    "EngineWord",
    "Job",
    "Memory",
    "MemoryEngine",
    "Moments",
    "resolve_device",
]
