"""Run as a script, in a process of its own, by `hdf5`: reads all that an HDF5 file holds and throws it away.

    python hdf5_look.py FILE MAX_BYTES

HDF5 makes room for whatever a damaged file claims, and follows a damaged heap of texts without end. Here that meets a limit
of memory, and whoever waits for this process can end it. It writes "ready" and then one line of JSON: {} where all is well,
or {"bytes": …} that the arrays claim, {"attribute": …}, whose owner has one larger than the file, or {"reason": …}.

Only the standard library and h5py are imported, so that it starts in a moment.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import math
import sys
from pathlib import Path
from typing import Any

OWN_BYTES = 2**30  # of addresses, for Python and its libraries


def main() -> None:
    path, max_bytes = Path(sys.argv[1]), int(sys.argv[2])
    del sys.path[0]  # this folder: its files are no modules for others
    import h5py

    with contextlib.suppress(ImportError):
        importlib.import_module("hdf5plugin")  # more ways to unpack, where they are installed
    _limit_memory(OWN_BYTES + max_bytes)
    print("ready", flush=True)
    try:
        with h5py.File(path, "r") as file:
            found = look_through(file, path.stat().st_size, max_bytes)
    except MemoryError:
        found = {"reason": "it asks for more memory than there is."}
    except Exception as error:
        line = (str(error).strip().splitlines() or [type(error).__name__])[0]
        found = {"reason": line if line.endswith(".") else f"{line}."}
    print(json.dumps(found))


def look_through(file: Any, file_bytes: int, max_bytes: int) -> dict[str, Any]:
    """First all sizes, then all values: what is to be printed."""
    import h5py

    items = {"/": file}
    file.visititems(items.__setitem__)
    n_bytes = 0
    for name, item in items.items():
        for number in range(h5py.h5a.get_num_attrs(item.id)):
            if size(h5py.h5a.open(item.id, index=number)) > file_bytes:  # attributes are stored as they are
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


def _limit_memory(n_bytes: int) -> None:
    try:
        import resource
    except ImportError:  # not on this system: the time is limited still
        return
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    resource.setrlimit(resource.RLIMIT_AS, (n_bytes if hard == resource.RLIM_INFINITY else min(n_bytes, hard), hard))


if __name__ == "__main__":
    main()
