"""Updates on disk before they are made: a log beside a model's file, whole record by whole record.

    model.safetensors        the model with its state, as of some update; replaced as a whole or not at all
    model.safetensors.log    the updates since, each brought to the disk before it is made

A record is a header (mark, length, number, the state's key, checksum) and the changes. A record that a killed process left
unfinished is cut off when the log is opened next; records that the file holds already, by their number, and those of another
state, by its key, are passed over. So a killed update has happened or has not, and nothing between.
"""

from __future__ import annotations

import json
import os
import struct
import weakref
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import numpy as np
import scipy.sparse as sp

from sparsecut.base.errors import InputError
from sparsecut.base.file_lock import try_lock
from sparsecut.io.stores.workfolder import telling_where
from sparsecut.updates.changes import Changes, EdgeList, RowList
from sparsecut.updates.resuming import Position

MARK = b"SCUP"
HEADER = struct.Struct("<4sQQ16sI")  # mark, length, number, key, checksum
LONG_BYTES = 64 << 20  # a longer log is taken into the file
LONG_SECONDS = 5.0  # that its updates took: what a load would take to make them again
EDGES = ("edges_removed", "edges_added", "weights_changed")
ROWS = ("nodes_added", "features_changed")


class Logged(NamedTuple):
    """An update as it was written down."""

    changes: Changes
    tolerance: float
    position: Position | None  # None where it came from no stream


class UpdateLog:
    """The log of one model's file, held by one process."""

    long_bytes: int = LONG_BYTES

    def __init__(self, path: str | Path, key: bytes) -> None:
        self.path, self.key = Path(path), key
        binary = getattr(os, "O_BINARY", 0)  # without it Windows writes two bytes for one that is a line's end
        with telling_where(log_path(path), "log"):
            self._handle = os.open(log_path(path), os.O_RDWR | os.O_CREAT | os.O_APPEND | binary, 0o644)
        self.close = weakref.finalize(self, os.close, self._handle)  # and the lock with it, when the model goes
        if not try_lock(self._handle):
            self.close()
            raise InputError(f"Another process updates {path} in place. Wait for it, or load without in_place.")
        self.number = 0
        self._n_bytes = 0
        self.seconds = 0.0  # that the updates of the log took
        self.lacks_hops = False  # the file has the model as it was fitted, and a load would compute its hops

    def replay(self, after: int) -> Iterator[Logged]:
        """The updates that were written down behind a number, and from now on new ones at the end of them."""
        end, self.number = 0, after
        with log_path(self.path).open("rb") as file:
            for number, payload, stop in _records(file, self.key):
                end = stop
                if payload is not None and number > after:
                    self.number, self._n_bytes = number, stop
                    yield _unpacked(payload)
        # Records that the file holds already are of no use, and may be of nodes that it has forgotten.
        os.ftruncate(self._handle, end if self._n_bytes else 0)

    def append(self, changes: Changes, tolerance: float, position: Position | None = None) -> None:
        """Bring an update to the disk; when this returns, it will be made. `position` is that of the stream it came from."""
        payload = _packed(changes, tolerance, position)
        header = HEADER.pack(MARK, len(payload), self.number + 1, self.key, zlib.crc32(payload))
        end = os.fstat(self._handle).st_size
        with telling_where(log_path(self.path), "log"):
            try:
                _write_all(self._handle, header + payload)
                os.fsync(self._handle)
            except BaseException:  # a full disk: half a record would hide those behind it
                os.ftruncate(self._handle, end)
                raise
        self.number += 1
        self._n_bytes += len(header) + len(payload)

    @property
    def is_long(self) -> bool:
        """Whether a load that makes its updates again takes longer than it should."""
        return self._n_bytes > self.long_bytes or self.seconds > LONG_SECONDS or self.lacks_hops

    def clear(self) -> None:
        """The model's file holds all of it."""
        os.ftruncate(self._handle, 0)
        os.fsync(self._handle)
        self._n_bytes, self.seconds = 0, 0.0


def log_path(path: str | Path) -> Path:
    return Path(f"{path}.log")


def refuse_followed(path: str | Path) -> None:
    """Refuse to put another model in place of one that is updated: what follows it would write to a log that is gone."""
    if not log_path(path).exists():
        return
    with telling_where(log_path(path), "log"):
        handle = os.open(log_path(path), os.O_RDWR)
    try:
        if not try_lock(handle):
            raise InputError(
                f"Another process, or another model of this one, updates {path} in place. Wait for it, or save under "
                "another name."
            )
    finally:
        os.close(handle)


def read_log(path: str | Path, key: bytes, after: int) -> Iterator[Logged]:
    """The updates behind a number, of a log that may be another process's: nothing is locked or cut off."""
    if log_path(path).exists():
        with log_path(path).open("rb") as file:
            for number, payload, _ in _records(file, key):
                if payload is not None and number > after:
                    yield _unpacked(payload)


def _records(file: BinaryIO, key: bytes) -> Iterator[tuple[int, bytes | None, int]]:
    """(number, changes or None for another state's, where it ends) of every whole record."""
    while len(header := file.read(HEADER.size)) == HEADER.size:
        mark, length, number, owner, checksum = HEADER.unpack(header)
        if mark != MARK or length > _left(file):
            return
        payload = file.read(length)
        if zlib.crc32(payload) != checksum:
            return
        yield number, payload if owner == key else None, file.tell()


def _write_all(handle: int, content: bytes) -> None:
    left = memoryview(content)
    while left:
        left = left[os.write(handle, left) :]


def _left(file: BinaryIO) -> int:
    return os.fstat(file.fileno()).st_size - file.tell()


def _packed(changes: Changes, tolerance: float, position: Position | None) -> bytes:
    """JSON with what is small, a line, then the arrays one after the other."""
    arrays: list[np.ndarray[Any, Any]] = []

    def held(array: Any) -> dict[str, Any]:
        array = np.ascontiguousarray(array)
        arrays.append(array)
        return {"dtype": array.dtype.str, "shape": array.shape}

    def ids(values: Any) -> Any:
        return held(values) if isinstance(values, np.ndarray) else list(values)

    def matrix(values: Any) -> Any:
        if values is None:
            return None
        if sp.issparse(values):
            return {"columns": values.shape[1], "csr": [held(part) for part in (values.indptr, values.indices, values.data)]}
        return held(values)

    content: dict[str, Any] = {"tolerance": tolerance, "position": position, "nodes_removed": changes.nodes_removed}
    if changes.now is not None:
        content["now"] = changes.now
    for name in EDGES:
        edges: EdgeList = getattr(changes, name)
        content[name] = [ids(edges.sources), ids(edges.targets), held(edges.weights)]
    for name in ROWS:
        rows: RowList = getattr(changes, name)
        content[name] = [rows.ids, matrix(rows.matrix)]
    return json.dumps(content).encode() + b"\n" + b"".join(array.tobytes() for array in arrays)


def _unpacked(payload: bytes) -> Logged:
    text, _, rest = payload.partition(b"\n")
    content = json.loads(text)
    start = 0

    def held(about: dict[str, Any]) -> Any:
        nonlocal start
        dtype = np.dtype(about["dtype"])
        n_bytes = dtype.itemsize * int(np.prod(about["shape"], dtype=np.int64))
        array = np.frombuffer(rest[start : start + n_bytes], dtype=dtype).reshape(about["shape"]).copy()
        start += n_bytes
        return array

    def matrix(about: Any) -> Any:
        if about is None or "csr" not in about:
            return None if about is None else held(about)
        indptr, indices, data = (held(part) for part in about["csr"])
        return sp.csr_array((data, indices, indptr), shape=(len(indptr) - 1, about["columns"]))

    edges: dict[str, Any] = {
        name: EdgeList(*(held(part) if isinstance(part, dict) else part for part in content[name])) for name in EDGES
    }
    rows: dict[str, Any] = {name: RowList(content[name][0], matrix(content[name][1])) for name in ROWS}
    changes = Changes(nodes_removed=content["nodes_removed"], now=content.get("now"), **edges, **rows)
    position = None if content["position"] is None else Position(*content["position"])
    return Logged(changes, float(content["tolerance"]), position)
