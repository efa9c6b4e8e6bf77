"""Where the rows live: the only room that touches n of them.

`contract` says what an engine is. `Memory` keeps the rows in the memory of one device or several, `Disk` in files under a
limit of memory, `Dask` on the workers of a cluster. Nothing outside this room knows where the rows are.
"""

from typing import TYPE_CHECKING

from sparsecut.base.lazy_names import lazy_names

if TYPE_CHECKING:
    from sparsecut.engines.contract import Block as Block
    from sparsecut.engines.contract import Engine as Engine
    from sparsecut.engines.contract import EngineChoice as EngineChoice
    from sparsecut.engines.contract import Job as Job
    from sparsecut.engines.contract import Moments as Moments
    from sparsecut.engines.in_process import InProcess as InProcess
    from sparsecut.engines.memory import MemoryEngine as MemoryEngine
    from sparsecut.engines.memory_choice import Memory as Memory
    from sparsecut.engines.memory_choice import resolve_device as resolve_device
else:
    __getattr__, __dir__ = lazy_names(__name__)
