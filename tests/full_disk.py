"""Disks that are full: a small file system where this process may mount one, else a limit on the length of files."""

from __future__ import annotations

import contextlib
import os
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOM = 96 << 10  # bytes


@contextlib.contextmanager
def full_disk(folder: Path, kind: str) -> Iterator[Path]:
    """A folder in which there is no room for what is larger than `ROOM`: "mounted", or "limited" by the system's ulimit."""
    folder.mkdir(exist_ok=True)
    if kind == "limited":
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (ROOM, before[1]))
        try:
            yield folder
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        return
    mount = ["mount", "-t", "tmpfs", "-o", f"size={ROOM}", "sparsecut-test", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode:
        pytest.skip("this process may not mount a file system")
    try:
        yield folder
    finally:
        subprocess.run(["umount", "-l", str(folder)], check=True)


REASONS = {"mounted": "No space left on device", "limited": "File too large"}


@contextlib.contextmanager
def no_room_left(folder: Path, kind: str) -> Iterator[None]:
    """Nothing more fits on a disk of `full_disk`."""
    if kind == "limited":
        before = resource.getrlimit(resource.RLIMIT_FSIZE)
        resource.setrlimit(resource.RLIMIT_FSIZE, (16, before[1]))
        try:
            yield
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, before)
        return
    filler = folder / "filler"
    with contextlib.suppress(OSError), filler.open("wb", buffering=0) as file:
        while True:
            file.write(bytes(4096))
    yield
    filler.unlink()
