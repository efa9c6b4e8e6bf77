"""What the readers of raw files share: a damaged file becomes one sentence, and arrays are never unpickled."""

from __future__ import annotations

import json
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from sparsecut.io.hostile.guards import reason_of, telling
from sparsecut.io.stores.numpy_files import Archive


@contextmanager
def reading_published(path: Path) -> Iterator[None]:
    """Whatever goes wrong while a file is read is said about that file."""
    # A number too large for float32 becomes infinite, which `Graph` refuses.
    with np.errstate(over="ignore"), warnings.catch_warnings():
        # Published files cannot be saved again by a later Python, as numpy asks for.
        warnings.filterwarnings("ignore", "Reading `.npy` or `.npz` file required additional header parsing")
        with telling(lambda error: f"{path} is damaged: {reason_of(error)} Remove it and fetch it again."):
            yield


def published_arrays(path: Path) -> Archive:
    """The arrays of a published .npz. Those that nobody asks for, some of which hold pickled objects, are not touched."""
    return Archive(path, "dataset", lambda: reading_published(path))


def csr(data: Any, indices: Any, indptr: Any, shape: Any) -> sp.csr_array:
    """A sparse matrix from its parts, every index of which is known to lie inside it."""
    matrix = sp.csr_array((data, indices, indptr), shape=tuple(int(size) for size in shape))
    matrix.check_format(full_check=True)
    return matrix


def read_json(path: Path, kind: type) -> Any:
    with reading_published(path):
        content = json.loads(path.read_bytes())
        if not isinstance(content, kind):
            raise ValueError(f"it should hold a {kind.__name__}, and holds a {type(content).__name__}")
        return content
