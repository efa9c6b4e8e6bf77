"""HDF5 files, looked through before they are read: the library makes room for whatever sizes a damaged file claims."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

from sparsecut.errors import InputError
from sparsecut.io.guards import check_expansion, reading


def check_hdf5(path: Path, kind: str) -> None:
    """Refuse a file whose arrays or attributes claim more than it can hold."""
    import h5py

    n_bytes = 0

    def look_at(name: str, item: Any) -> None:
        nonlocal n_bytes
        for number in range(h5py.h5a.get_num_attrs(item.id)):
            attribute = h5py.h5a.open(item.id, index=number)
            if _size(attribute) > path.stat().st_size:  # attributes are stored as they are
                raise InputError(
                    f"The {kind} file {path} could not be read: its {name or '/'} has an attribute larger than the file."
                )
        if isinstance(item, h5py.Dataset):
            n_bytes += _size(item.id)
            check_expansion(n_bytes, path, kind)

    with reading(path, kind), h5py.File(path, "r") as file:
        look_at("", file)
        file.visititems(look_at)


def _size(values: Any) -> int:
    """Bytes of an array, as its shape and type claim."""
    return math.prod(values.shape or ()) * int(values.dtype.itemsize)
