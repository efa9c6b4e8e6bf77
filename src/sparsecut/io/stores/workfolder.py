"""A folder for the finished pieces of a long computation, so that it goes on where it was killed.

The folder's name is a fingerprint of what is computed: the same call finds its pieces again, any other call has a folder of
its own. A piece is written under a temporary name, brought to the disk (at once, or in the background) and renamed: it is
whole or absent. The folder goes away with the work, whether that ends well, fails or is interrupted; only a killed process
or a lost machine leaves it.
"""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO, TypeVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.base.file_lock import try_lock
from sparsecut.io.files import check_writable, refuse_url, write_error
from sparsecut.io.stores.background_sync import BOOT, JOURNAL, LOCK, BackgroundSync
from sparsecut.kernels import in_words, is_mapped, row_blocks

N_ATTEMPTS = 100  # to take the lock while other runs come and go

Value = TypeVar("Value")


class WorkFolder:
    """`beside` are files elsewhere that belong to the work and go away with the folder.

    `is_resumed` tells whether an earlier run of the same work, which was killed, left something in it. With a `boot`, the
    time since the machine was started, nobody waits until a piece is on the disk (`io.background_sync`).
    """

    def __init__(self, path: Path, boot: str | None = None) -> None:
        self.path = path
        self.beside: list[Path] = []
        with telling_where(path):
            self.syncing = None if boot is None else BackgroundSync(path, boot)
        self.is_resumed = any(file.name not in (LOCK, BOOT, JOURNAL) for file in path.iterdir())

    def __truediv__(self, name: str) -> Path:
        return self.path / name

    def has(self, name: str) -> bool:
        """Whether a piece is finished."""
        return (self.path / name).exists()

    def remove(self, name: str) -> None:
        (self.path / name).unlink(missing_ok=True)

    @contextmanager
    def writing(self, name: str, *, at_once: bool = False) -> Iterator[BinaryIO]:
        """A file that becomes the piece `name` when the block ends well; `at_once` it is on the disk then."""
        temporary, syncing = self.path / f"{name}.part", self.syncing
        with telling_where(self.path), temporary.open("wb") as file:
            if syncing is not None:
                syncing.check()
            yield file
            file.flush()
            if syncing is None or at_once:
                os.fsync(file.fileno())
        temporary.replace(self.path / name)
        if syncing is not None:
            syncing.add(name)

    def remembered(self, name: str, compute: Callable[[], Value]) -> Value:
        """What is computed once: a dictionary of arrays, or anything that JSON holds.

        Always as it was read back, so that a resumed run sees the same bits.
        """
        if not self.has(name):
            value = compute()
            with self.writing(name) as file:
                if isinstance(value, dict):
                    np.savez(file, **value)
                else:
                    file.write(json.dumps(value).encode())
        with (self.path / name).open("rb") as file:
            if file.read(2) != b"PK":  # as a zip archive begins, and no JSON
                return json.loads((self.path / name).read_text())  # type: ignore[no-any-return]
        with np.load(self.path / name) as archive:
            return {key: archive[key] for key in archive.files}  # type: ignore[return-value]

    @property
    def n_bytes(self) -> int:
        return sum(file.stat().st_size for file in self.path.rglob("*") if file.is_file())


@contextmanager
def work_folder(parent: str | Path | None, name: str, *, boot: str | None = None) -> Iterator[WorkFolder]:
    """The folder `.sparsecut-NAME` in `parent`, the system's temporary folder by default. No other process may enter it.

    With a `boot` (`boot_id()`) its pieces are brought to the disk in the background.
    """
    parent = Path(tempfile.gettempdir() if parent is None else parent)
    refuse_url(parent, "The scratch folder")
    if not parent.is_dir():
        kind = "is not a folder" if parent.exists() else "does not exist"
        raise InputError(f"The scratch folder {parent} {kind}. Name a folder that can be written to (scratch).")
    path = parent / f".sparsecut-{name}"
    lock, work = _lock(path), None
    try:
        work = WorkFolder(path, boot)
        yield work
    finally:
        if work is not None and work.syncing is not None:
            work.syncing.close()
        for file in () if work is None else work.beside:
            file.unlink(missing_ok=True)
        shutil.rmtree(path, ignore_errors=True)
        os.close(lock)
        if os.name == "nt":  # Windows does not remove a file that is open
            shutil.rmtree(path, ignore_errors=True)


def check_room(needed: dict[Path, int], remedy: str) -> None:
    """Refuse work for which a disk has not the room; folders on one disk share it."""
    by_disk: dict[int, tuple[Path, int]] = {}
    for folder, n_bytes in needed.items():
        disk = folder.stat().st_dev
        by_disk[disk] = (folder, by_disk.get(disk, (folder, 0))[1] + n_bytes)
    for folder, n_bytes in by_disk.values():
        free = shutil.disk_usage(folder).free
        if n_bytes > free:
            raise InputError(
                f"The disk of {folder} has {in_words(free)} free, and {in_words(n_bytes)} are needed. "
                f"Free some, or {remedy}."
            )


def fingerprint_of(*things: Any) -> str:
    """A name for a computation: files by path, size and time, other arrays by their content, the rest as it prints."""
    digest = hashlib.blake2b(digest_size=12)
    for thing in things:
        _digest(thing, digest)
    return digest.hexdigest()


@contextmanager
def telling_where(path: Path, kind: str = "scratch folder") -> Iterator[None]:
    """An error of the disk as one that says where, and what to do."""
    try:
        yield
    except OSError as error:
        remedy = "name another folder (scratch)" if kind == "scratch folder" else "write to another disk"
        raise write_error(f"The {kind} {path}", error, remedy) from error


class RowWriter:
    """An .npy file of rows beside the place it goes to, written in order, continued where a killed run left it."""

    def __init__(self, path: Path, shape: tuple[int, int], work: WorkFolder) -> None:
        self.path, self.shape, self.work = check_writable(path), shape, work
        self.temporary = unfinished(path, work)
        self.n_rows = int(json.loads((work / "rows").read_text())) if work.has("rows") and self.temporary.exists() else 0

    def __enter__(self) -> RowWriter:
        with telling_where(self.path, "output"):
            self._file = self.temporary.open("r+b" if self.n_rows else "wb")
            np.lib.format.write_array_header_1_0(self._file, {"descr": "<f4", "fortran_order": False, "shape": self.shape})
            self._file.seek(self.n_rows * self.shape[1] * 4, os.SEEK_CUR)
        return self

    def write(self, rows: NDArray[np.float32]) -> None:
        with telling_where(self.path, "output"):
            self._file.write(np.ascontiguousarray(rows, dtype="<f4").data)
            self._file.flush()
            os.fsync(self._file.fileno())
        self.n_rows += len(rows)
        with self.work.writing("rows", at_once=True) as file:
            file.write(json.dumps(self.n_rows).encode())

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._file.close()
        if kind is None and self.n_rows == self.shape[0]:
            with telling_where(self.path, "output"):
                self.temporary.replace(self.path)


def unfinished(path: Path, work: WorkFolder) -> Path:
    """Where an output is kept until it is whole: beside its place, for a rename does not cross disks."""
    return path.parent / f"{work.path.name}-{path.name}"


def _lock(path: Path) -> int:
    """Make the folder and take its lock, which the system lets go of however the process ends."""
    for attempt in range(N_ATTEMPTS):
        try:
            path.mkdir(exist_ok=True)
            lock = os.open(path / LOCK, os.O_RDWR | os.O_CREAT, 0o600)
        except OSError as error:
            if isinstance(error, FileNotFoundError) and attempt + 1 < N_ATTEMPTS:
                continue  # the run that had it has just ended and took it away
            raise InputError(
                f"The scratch folder {path.parent} cannot be written: {error.strerror}. Name another one (scratch)."
            ) from error
        if not try_lock(lock):
            os.close(lock)
            break
        if (path / LOCK).exists() and os.fstat(lock).st_ino == (path / LOCK).stat().st_ino:
            return lock
        os.close(lock)  # it was removed between opening and locking
    raise InputError(f"Another run computes the same in {path}. Wait for it, or name another scratch folder (scratch).")


def _digest(thing: Any, digest: Any) -> None:
    if sp.issparse(thing):
        for part in (thing.shape, thing.indptr, thing.indices, thing.data):
            _digest(part, digest)
    elif isinstance(thing, np.ndarray):
        digest.update(repr((thing.shape, thing.dtype.str, thing.strides)).encode())
        if thing.size and 0 in thing.strides:
            digest.update(repr(thing.flat[0]).encode())
        elif (place := _place_of(thing)) is not None:
            digest.update(repr(place).encode())
        else:
            flat = np.ascontiguousarray(thing).reshape(-1)
            for part in row_blocks(len(flat), flat.itemsize):
                digest.update(flat[part].astype("U").tobytes() if flat.dtype == object else flat[part].data)
    elif isinstance(thing, Path):
        status = thing.stat()
        digest.update(repr((str(thing.resolve()), status.st_size, status.st_mtime_ns)).encode())
    elif isinstance(thing, dict | list | tuple):
        digest.update(type(thing).__name__.encode())
        for part in thing.items() if isinstance(thing, dict) else thing:
            _digest(part, digest)
    else:
        digest.update(f"{type(thing).__name__} {thing!r};".encode())


def _place_of(array: Any) -> tuple[Any, ...] | None:
    """The file behind a memory map, as it is now, and where in it the array begins; None where there is none any more."""
    root = array
    while root is not None and not isinstance(root, np.memmap):
        root = getattr(root, "base", None)
    if not is_mapped(array) or root is None or root.filename is None or not Path(root.filename).exists():
        return None
    status = Path(root.filename).stat()
    start = array.ctypes.data - root.ctypes.data
    return str(Path(root.filename).resolve()), status.st_size, status.st_mtime_ns, root.offset, start
