"""Where the rows live: the only room that touches n of them.

`contract` says what an engine is. `Memory` keeps the rows in the memory of one device, `Disk` in files under a limit of
memory, `Dask` on the workers of a cluster. Nothing outside this room knows where the rows are.
"""

from sparsecut.engines.contract import Block, Engine, EngineChoice, Job, Moments
from sparsecut.engines.in_process import InProcess
from sparsecut.engines.memory import Memory, MemoryEngine, resolve_device

__all__ = [
    "Block",
    "Engine",
    "EngineChoice",
    "InProcess",
    "Job",
    "Memory",
    "MemoryEngine",
    "Moments",
    "resolve_device",
]
