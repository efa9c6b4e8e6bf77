"""Run as a script, in a process of its own, by `sandbox`: reads a file that may be damaged.

    python sandbox_child.py FORMAT FILE MAX_BYTES

A library that makes room for whatever a damaged file claims meets a limit of memory here, and whoever waits for this process
can end it. It writes "ready", and then one line of JSON:

    {}                          hdf5: all of the file was read, and is safe to be read again
    {"matrices": […]}           mtx, mat: [name, null] for an array, [name, shape] for a sparse one; then their parts as .npy
    {"bytes": …}                that the arrays claim: more than allowed
    {"attribute": …}            the owner of an attribute that is larger than the file
    {"reason": …}               what the library says is wrong

Only the standard library and the library that reads are imported, so that it starts in a moment.
"""

from __future__ import annotations

import contextlib
import importlib
import io
import json
import math
import sys
from pathlib import Path
from typing import Any, BinaryIO

OWN_BYTES = 2**30  # of addresses, for Python and its libraries
NUMBERS = {"double": "f8", "single": "f4", "logical": "u1"}
NUMBERS |= {f"{sign}int{bits}": f"{sign or 'i'}{bits // 8}" for sign in ("", "u") for bits in (8, 16, 32, 64)}


def main() -> None:
    format_name, path, max_bytes = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    del sys.path[0]  # this folder: its files are no modules for others
    importlib.import_module("h5py" if format_name == "hdf5" else "scipy.io")
    with contextlib.suppress(ImportError):
        if format_name == "hdf5":
            importlib.import_module("hdf5plugin")  # more ways to unpack, where they are installed
    _limit_memory(OWN_BYTES + max_bytes)
    print("ready", flush=True)
    matrices: dict[str, Any] = {}
    try:
        if format_name == "hdf5":
            found = look_through(path, max_bytes)
        else:
            matrices = read_mtx(sys.stdin.buffer) if format_name == "mtx" else read_mat(path)
            found = described(matrices, max_bytes)
    except MemoryError:
        found = {"reason": "it asks for more memory than there is."}
    except Exception as error:
        line = (str(error).strip().splitlines() or [type(error).__name__])[0]
        found = {"reason": line if line.endswith(".") else f"{line}."}
    print(json.dumps(found), flush=True)
    if "matrices" in found:
        send(matrices, sys.stdout.buffer)


def look_through(path: Path, max_bytes: int) -> dict[str, Any]:
    """Read all that an HDF5 file holds and throw it away: first all sizes, then all values."""
    import h5py

    with h5py.File(path, "r") as file:
        items = {"/": file}
        file.visititems(items.__setitem__)
        n_bytes = 0
        for name, item in items.items():
            for number in range(h5py.h5a.get_num_attrs(item.id)):
                if size(h5py.h5a.open(item.id, index=number)) > path.stat().st_size:  # attributes are stored as they are
                    return {"attribute": name}
            if isinstance(item, h5py.Dataset):
                n_bytes += size(item.id)
                if n_bytes > max_bytes:
                    return {"bytes": n_bytes}
        for item in items.values():
            for attribute in item.attrs:
                with contextlib.suppress(TypeError):  # of a type that numpy has not
                    item.attrs[attribute]
            if isinstance(item, h5py.Dataset):
                with contextlib.suppress(TypeError):
                    item[()]
    return {}


def size(values: Any) -> int:
    """Bytes of an array, as its shape and type claim."""
    return math.prod(values.shape or ()) * int(values.dtype.itemsize)


def read_mtx(file: BinaryIO) -> dict[str, Any]:
    """The matrix of a Matrix Market file, in float64, repeated entries summed."""
    import scipy.io

    matrix = scipy.io.mmread(io.BytesIO(file.read())).astype("f8")
    return {"matrix": matrix.tocsc() if _is_sparse(matrix) else matrix}


def read_mat(path: Path) -> dict[str, Any]:
    """The matrices of real numbers of a MATLAB file; a field of a struct is called STRUCT.FIELD."""
    import scipy.io

    kinds = {name: NUMBERS.get(kind) for name, _, kind in scipy.io.whosmat(path)}
    found: dict[str, Any] = {}
    for name, value in scipy.io.loadmat(path).items():
        fields = getattr(getattr(value, "dtype", None), "names", None)
        if fields and value.shape == (1, 1):
            found |= {f"{name}.{field}": value[field].item() for field in fields}
        elif kinds.get(name) and _is_matrix(value):  # MATLAB stores whole numbers in fewer bytes than they have in memory
            found[name] = value.astype(kinds[name])
        else:
            found[name] = value
    matrices = {name: value for name, value in found.items() if _is_matrix(value)}
    return {name: value.tocsc() if _is_sparse(value) else value for name, value in matrices.items()}


def _is_matrix(value: Any) -> bool:
    return getattr(value, "ndim", 0) == 2 and value.dtype.kind in "biuf"


def described(matrices: dict[str, Any], max_bytes: int) -> dict[str, Any]:
    """The line about some matrices."""
    n_bytes = sum(part.nbytes for matrix in matrices.values() for part in _parts(matrix))
    if n_bytes > max_bytes:
        return {"bytes": n_bytes}
    return {"matrices": [[name, list(matrix.shape) if _is_sparse(matrix) else None] for name, matrix in matrices.items()]}


def send(matrices: dict[str, Any], file: BinaryIO) -> None:
    """The arrays of some matrices, one after the other."""
    import numpy as np

    for matrix in matrices.values():
        for part in _parts(matrix):
            number = np.uint8 if part.dtype == bool else part.dtype
            np.lib.format.write_array(file, np.asarray(part, dtype=number), allow_pickle=False)
    file.flush()


def _is_sparse(matrix: Any) -> bool:
    return hasattr(matrix, "tocsc")


def _parts(matrix: Any) -> list[Any]:
    return [matrix.data, matrix.indices, matrix.indptr] if _is_sparse(matrix) else [matrix]


def _limit_memory(n_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system: the time is limited still
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes if hard == resource.RLIM_INFINITY else min(n_bytes, hard), hard))


if __name__ == "__main__":
    main()
