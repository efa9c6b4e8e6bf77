"""An index on disk: one safetensors file, arrays as tensors and everything else as JSON in its header."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io import check_readable, save_tensors, write_whole

FORMAT = "sparsecut-neighbors"
FORMAT_VERSION = "1"


def index_beside(embedding: Path, metric: str) -> Path:
    """Where the index of an embedding's file for a metric lies."""
    return embedding.with_name(f"{embedding.name}.{metric}.neighbors.safetensors")


def write_index(path: str | Path, header: dict[str, Any], arrays: dict[str, NDArray[Any]], overwrite: bool = False) -> None:
    """Write an index whole; a file that exists is replaced only with `overwrite`."""
    metadata = {"format": FORMAT, "format_version": FORMAT_VERSION, "index": json.dumps(header)}
    with write_whole(path, overwrite) as temporary:
        save_tensors(temporary, arrays, metadata)


def read_index(path: str | Path) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
    """The header and the arrays of a file that `write_index` wrote; anything else is refused."""
    from safetensors import SafetensorError, safe_open

    path = check_readable(path, "index")
    try:
        with safe_open(path, framework="numpy") as file:
            metadata = file.metadata() or {}
            if metadata.get("format") != FORMAT or metadata.get("format_version") != FORMAT_VERSION:
                raise InputError(f"{path} is not an index of this version of sparsecut. Build the index again.")
            header = json.loads(metadata["index"])
            arrays = {name: file.get_tensor(name) for name in file.keys()}  # noqa: SIM118 - not a mapping
    except (SafetensorError, KeyError, ValueError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"{path} is damaged or not an index: {error}. Build the index again.") from error
    if not isinstance(header, dict):
        raise InputError(f"{path} has a damaged header. Build the index again.")
    return header, arrays
