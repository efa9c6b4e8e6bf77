"""HDF5 files, read by another process before they are read here.

A damaged one can make the library wait for ever, ask for all memory there is, or end the process. What that process has read
to its end is safe to be read again.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.io import hdf5_look
from sparsecut.io.guards import check_expansion, max_expansion

SECONDS = 10.0
BYTES_PER_SECOND = 4 * 2**20  # on top of that: a slow disk gives more


def check_hdf5(path: Path, kind: str) -> None:
    """Refuse a file that claims more than it can hold, or cannot be read to its end in reasonable time and memory."""
    deadline = SECONDS + path.stat().st_size / BYTES_PER_SECOND
    arguments = [sys.executable, hdf5_look.__file__, str(path), str(max_expansion(path))]
    # Without a buffer: what `readline` took in beyond its line would be lost to `communicate`.
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0) as looking:
        assert looking.stdout is not None
        if looking.stdout.readline().strip() != b"ready":  # the time that Python takes to start is no fault of the file
            raise InputError(f"The {kind} file {path} cannot be looked through: {sys.executable} did not start with h5py.")
        try:
            said, _ = looking.communicate(timeout=deadline)
        except subprocess.TimeoutExpired as error:
            looking.kill()
            raise InputError(
                f"The {kind} file {path} could not be read: "
                f"after {deadline:.0f} s the HDF5 library is not through with it. It is damaged or not what it claims to be."
            ) from error
    found: dict[str, Any] = json.loads(said) if said else {"reason": "the HDF5 library broke down over it. It is damaged."}
    if "bytes" in found:
        check_expansion(found["bytes"], path, kind)
    if "attribute" in found:
        raise InputError(
            f"The {kind} file {path} could not be read: its {found['attribute']} has an attribute larger than the file."
        )
    if "reason" in found:
        raise InputError(f"The {kind} file {path} could not be read: {found['reason']}")
