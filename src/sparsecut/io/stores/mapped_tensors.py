"""Large tensors of a safetensors file where they are: read when they are needed, written to in memory alone.

The file may be replaced by another under its name (`write_whole`) while it is mapped; it may not be written to.
"""

from __future__ import annotations

import json
import mmap
import os
import struct
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

LEAST = 1 << 20  # bytes: smaller tensors are read
DTYPES = {"F32": np.float32, "F64": np.float64, "I32": np.int32, "I64": np.int64, "U8": np.uint8, "I8": np.int8}


def map_tensors(path: Path, least: int = LEAST) -> dict[str, NDArray[Any]]:
    """The tensors of a whole file that take at least so many bytes; none where systems cannot replace a mapped file."""
    if os.name != "posix":
        return {}
    with path.open("rb") as file:
        (n_bytes,) = struct.unpack("<Q", file.read(8))
        header = json.loads(file.read(n_bytes))
        header.pop("__metadata__", None)
        whole: Any = None
        found: dict[str, NDArray[Any]] = {}
        for name, about in header.items():
            start, end = (8 + n_bytes + offset for offset in about["data_offsets"])
            dtype = DTYPES.get(about["dtype"])
            if dtype is None or end - start < least or start % np.dtype(dtype).itemsize:
                continue
            if whole is None:
                whole = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)
            count = (end - start) // np.dtype(dtype).itemsize
            found[name] = np.frombuffer(whole, dtype, count, start).reshape(about["shape"])
    return found
