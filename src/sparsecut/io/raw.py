"""What the readers of raw files share: a damaged file becomes one sentence, and arrays are never unpickled."""

from __future__ import annotations

import json
import math
import warnings
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy

from sparsecut.io.guards import first_line, telling


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Whatever goes wrong while a file is read is said about that file."""
    # A number too large for float32 becomes infinite, which `Graph` refuses.
    with np.errstate(over="ignore"), warnings.catch_warnings():
        # Published files cannot be saved again by a later Python, as numpy asks for.
        warnings.filterwarnings("ignore", "Reading `.npy` or `.npz` file required additional header parsing")
        with telling(lambda error: f"{path} is damaged: {first_line(error)} Remove it and fetch it again."):
            yield


def read_arrays(path: Path, *names: str) -> list[Any]:
    """Arrays of an .npz by name. Others in it, some of which hold pickled objects, are not touched."""
    with reading(path), zipfile.ZipFile(path) as archive:
        held = [name.removesuffix(".npy") for name in archive.namelist()]
        absent = [name for name in names if name not in held]
        if absent:
            raise ValueError(f"it has no array {absent[0]!r}, only {', '.join(map(repr, held))}")
        return [_read_array(archive, f"{name}.npy") for name in names]


def csr(data: Any, indices: Any, indptr: Any, shape: Any) -> sp.csr_array:
    """A sparse matrix from its parts, every index of which is known to lie inside it."""
    matrix = sp.csr_array((data, indices, indptr), shape=tuple(int(size) for size in shape))
    matrix.check_format(full_check=True)
    return matrix


def read_json(path: Path, kind: type) -> Any:
    with reading(path):
        content = json.loads(path.read_bytes())
        if not isinstance(content, kind):
            raise ValueError(f"it should hold a {kind.__name__}, and holds a {type(content).__name__}")
        return content


def _read_array(archive: zipfile.ZipFile, name: str) -> Any:
    with archive.open(name) as file:
        version = npy.read_magic(file)
        read_header = npy.read_array_header_1_0 if version == (1, 0) else npy.read_array_header_2_0
        shape, _, dtype = read_header(file)
        # numpy makes room for the shape a header claims before it finds that the values are not there.
        if math.prod(shape) * dtype.itemsize > archive.getinfo(name).file_size:
            raise ValueError(f"its array {name!r} claims the shape {shape} and holds fewer values")
    with archive.open(name) as file:
        return npy.read_array(file, allow_pickle=False)
