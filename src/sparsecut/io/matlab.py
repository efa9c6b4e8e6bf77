"""The matrices of a MATLAB v5 file (save -v6, -v7): full and sparse ones, and those that are fields of a struct.

scipy's reader ends the process on some damaged files, so it runs in the sandbox.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.io.guards import reading
from sparsecut.io.sandbox import read_matrices

HEADER_BYTES = 128
BYTE_ORDERS = (b"IM", b"MI")  # how the header of a v5 file ends


def read_matlab(path: Path) -> dict[str, Any]:
    """The matrices by name; a field is called STRUCT.FIELD. Text, cells and the like are left out."""
    with reading(path, "graph"), path.open("rb") as file:
        header = file.read(HEADER_BYTES)
    if header.startswith((b"MATLAB 7.3", b"\x89HDF")):
        raise InputError(
            f"The graph file {path} is MATLAB v7.3 (HDF5), which is not read. Save it in MATLAB with "
            "save(..., '-v7') instead."
        )
    if header[-2:] not in BYTE_ORDERS or len(header) < HEADER_BYTES:
        raise InputError(f"The graph file {path} is no MATLAB v5 file. Save it in MATLAB with save(..., '-v7').")
    return read_matrices(path, "graph", "mat")
