"""Libraries that a damaged file can crash, run in a process of their own: `sandbox_child`, with limits of time and memory.

scipy's readers of .mtx and .mat and the HDF5 library may wait for ever over a damaged file, ask for all memory there is, or
end the process. There they end a child. The matrices that the child sends back are read as .npy, which holds no code.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import scipy.sparse as sp

from sparsecut.base.errors import InputError
from sparsecut.io.hostile import sandbox_child
from sparsecut.io.hostile.guards import check_claim, check_expansion, max_expansion, reading
from sparsecut.io.stores.numpy_files import read_array

SECONDS = 30.0
BYTES_PER_SECOND = 4 * 2**20  # on top of that: a slow disk gives more
ONE_THREAD = {"OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}  # each thread would take from the memory that is allowed


def check_hdf5(path: Path, kind: str, *, child: str = sandbox_child.__file__, seconds: float = SECONDS) -> None:
    """Refuse a file that claims more than it can hold, or cannot be read to its end in reasonable time and memory."""
    _read(path, kind, "hdf5", "h5py", "the HDF5 library", child=child, seconds=seconds)


def read_matrices(
    path: Path,
    kind: str,
    format_name: str,
    content: bytes | None = None,
    *,
    child: str = sandbox_child.__file__,
    seconds: float = SECONDS,
) -> dict[str, Any]:
    """The matrices of a file by name, as scipy reads them. The child gets the `content`, or opens the file itself."""
    return _read(path, kind, format_name, "scipy", "scipy", content, child=child, seconds=seconds)


def _read(
    path: Path,
    kind: str,
    format_name: str,
    module: str,
    library: str,
    content: bytes | None = None,
    *,
    child: str,
    seconds: float,
) -> dict[str, Any]:
    limit = max_expansion(path)
    deadline = seconds + path.stat().st_size / BYTES_PER_SECOND
    command = [sys.executable, child, format_name, str(path), str(limit)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **ONE_THREAD}
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        if process.stdout.readline().strip() != b"ready":  # the time that Python takes to start is no fault of the file
            raise InputError(
                f"The {kind} file {path} cannot be looked through: {sys.executable} did not start with {module}."
            )
        is_late = threading.Event()

        def end() -> None:
            is_late.set()
            process.kill()

        timer = threading.Timer(deadline, end)
        timer.start()
        try:
            with reading(path, kind):
                return _answer(process, content, path, kind, limit)
        except InputError as error:
            if is_late.is_set() or isinstance(error.__cause__, BrokenPipeError | EOFError | json.JSONDecodeError):
                late = f"after {deadline:.0f} s {library} is not through with it. It is damaged or not what it claims to be."
                reason = late if is_late.is_set() else f"{library} broke down over it. It is damaged."
                raise InputError(f"The {kind} file {path} could not be read: {reason}") from error
            raise
        finally:
            timer.cancel()
            process.kill()


def _answer(child: Any, content: bytes | None, path: Path, kind: str, limit: int) -> dict[str, Any]:
    """What the child says of the file: one line of JSON, then the arrays that it names."""
    if content is not None:
        child.stdin.write(content)
    child.stdin.close()
    found = json.loads(child.stdout.readline())
    if "bytes" in found:
        check_expansion(found["bytes"], path, kind)
    if "attribute" in found:
        raise ValueError(f"its {found['attribute']} has an attribute larger than the file.")
    if "reason" in found:
        raise ValueError(found["reason"])
    matrices: dict[str, Any] = {}
    for name, shape in found.get("matrices", ()):
        if shape is None:
            matrices[name] = read_array(child.stdout, limit)
            continue
        data, indices, indptr = (read_array(child.stdout, limit) for _ in range(3))
        check_claim(shape[0], shape[1], len(data), path, kind)
        matrices[name] = sp.csc_array((data, indices, indptr), shape=shape)
        matrices[name].check_format(full_check=True)
    return matrices
