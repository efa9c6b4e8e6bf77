"""Tensors on disk: safetensors files, whose library tells of a full disk by an error of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray


def save_tensors(path: Path, tensors: dict[str, NDArray[Any]], metadata: dict[str, str]) -> None:
    """Write a safetensors file; what the system says about the disk is an OSError, as it is of any other file."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        save_file({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}, path, metadata=metadata)
    except SafetensorError as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), str(error)) from error
