"""What tasks read: arrays in files that every worker sees, named by path and place. No array travels with a task.

Data that a driver scatters is lost with the worker that holds it; a file is not, so a task that is run again on another
worker reads it again. An array that lies in a memory map already is named where it lies; any other is written once. What
tasks write are files of a known size, each task a place of its own (`Target`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.io.stores.numpy_files import write_npy, write_npy_header
from sparsecut.io.stores.workfolder import WorkFolder, fingerprint_of
from sparsecut.kernels.streaming import is_mapped, row_blocks

Nodes = slice | NDArray[np.int64]

MOST_CARRIED = 1 << 18  # bytes of an array that may travel with a task; larger ones go through a file


@dataclass(frozen=True)
class FileArray:
    """An array of plain numbers or words in a file, its rows one after another."""

    path: str
    dtype: str
    shape: tuple[int, ...]
    offset: int

    @property
    def row_bytes(self) -> int:
        return int(np.dtype(self.dtype).itemsize * np.prod(self.shape[1:], dtype=np.int64))

    def read(self, nodes: Nodes | None = None) -> NDArray[Any]:
        """Some rows, or all, in memory of their own."""
        if nodes is not None and not isinstance(nodes, slice):
            return np.asarray(self.map()[nodes])
        start, stop = (0, self.shape[0]) if nodes is None else (nodes.start, nodes.stop)
        shape = (stop - start, *self.shape[1:])
        if 0 in shape:
            return np.empty(shape, dtype=self.dtype)
        with Path(self.path).open("rb") as file:
            file.seek(self.offset + start * self.row_bytes)
            values = np.fromfile(file, dtype=self.dtype, count=int(np.prod(shape, dtype=np.int64)))
        return values.reshape(shape)

    def rows(self, start: int, stop: int) -> FileArray:
        """Some of its rows, which are not read."""
        return replace(self, shape=(stop - start, *self.shape[1:]), offset=self.offset + start * self.row_bytes)

    def __getitem__(self, nodes: Nodes) -> NDArray[Any]:
        if isinstance(nodes, slice):
            return self.read(slice(*nodes.indices(self.shape[0])[:2]))
        return self.read(nodes)

    def map(self) -> NDArray[Any]:
        if 0 in self.shape:
            return np.empty(self.shape, dtype=self.dtype)
        return np.memmap(self.path, dtype=self.dtype, mode="r", offset=self.offset, shape=self.shape)


@dataclass(frozen=True)
class SparseFile:
    """A CSR matrix as its three arrays; without `values` all entries are 1."""

    indptr: FileArray
    indices: FileArray
    values: FileArray | None
    shape: tuple[int, int]

    def read(self, nodes: Nodes) -> sp.csr_array:
        """Some rows."""
        starts, stops = self.bounds(nodes)
        offsets = np.concatenate([[0], np.cumsum(stops - starts)])
        indices, values = self.entries(nodes, starts, stops)
        data = np.ones(len(indices), dtype=np.float32) if values is None else values
        return sp.csr_array((data, indices, offsets), shape=(len(starts), self.shape[1]))

    def bounds(self, nodes: Nodes) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Where the entries of each node begin and end."""
        if isinstance(nodes, slice):
            ends = self.indptr.read(slice(nodes.start, nodes.stop + 1)).astype(np.int64)
            return ends[:-1], ends[1:]
        indptr = self.indptr.map()
        return np.asarray(indptr[nodes], dtype=np.int64), np.asarray(indptr[nodes + 1], dtype=np.int64)

    def entries(
        self, nodes: Nodes, starts: NDArray[np.int64], stops: NDArray[np.int64]
    ) -> tuple[NDArray[Any], NDArray[Any] | None]:
        """The columns and the values of the entries of some nodes, one node after another."""
        if isinstance(nodes, slice):
            where: Nodes = slice(int(starts[0]), int(stops[-1])) if len(starts) else slice(0, 0)
        else:
            where = positions_of_entries(starts, stops)
        return self.indices.read(where), None if self.values is None else self.values.read(where)


def positions_of_entries(starts: NDArray[np.int64], stops: NDArray[np.int64]) -> NDArray[np.int64]:
    """starts[0], …, stops[0] − 1, starts[1], …"""
    lengths = stops - starts
    first = np.repeat(starts - np.concatenate([[0], np.cumsum(lengths)[:-1]]), lengths) if len(starts) else lengths
    return np.asarray(np.arange(int(lengths.sum())) + first, dtype=np.int64)


@dataclass(frozen=True)
class Target:
    """An .npy file of a known size that tasks write parts of."""

    path: str
    dtype: str
    shape: tuple[int, ...]
    offset: int

    @classmethod
    def make(cls, path: Path, dtype: Any, shape: tuple[int, ...]) -> Target:
        kind = np.dtype(dtype)
        with path.open("wb") as file:
            write_npy_header(file, kind, shape)
            offset = file.tell()
            file.truncate(offset + kind.itemsize * int(np.prod(shape, dtype=np.int64)))
        return cls(str(path), kind.str, shape, offset)

    def write(self, first: int, values: NDArray[Any]) -> None:
        """Rows from the first on."""
        rows = np.ascontiguousarray(values, dtype=self.dtype)
        row_bytes = np.dtype(self.dtype).itemsize * int(np.prod(self.shape[1:], dtype=np.int64))
        with Path(self.path).open("r+b") as file:
            file.seek(self.offset + first * row_bytes)
            file.write(rows.reshape(-1).view(np.uint8).data)
            file.flush()
            os.fsync(file.fileno())


def share(array: Any, work: WorkFolder, name: str) -> FileArray:
    """An array as tasks find it: where it lies, or in a file of the work folder that is written now."""
    found = _place_of(array)
    if found is not None:
        return found
    file = f"{name}.npy"
    if not work.has(file):
        write_array(work, file, array)
    return in_file(work / file) or _empty(work / file, array)


def in_file(path: Path) -> FileArray | None:
    """The array of an .npy file; None where it is empty."""
    return _place_of(np.load(path, mmap_mode="r", allow_pickle=False))


def share_matrix(matrix: Any, work: WorkFolder, name: str) -> SparseFile:
    """A CSR matrix as tasks find it."""
    return SparseFile(
        share(matrix.indptr, work, f"{name}-indptr"),
        share(matrix.indices, work, f"{name}-indices"),
        share(matrix.data, work, f"{name}-values") if has_values(matrix) else None,
        (int(matrix.shape[0]), int(matrix.shape[1])),
    )


def share_graph(graph: Graph, work: WorkFolder) -> tuple[SparseFile, FileArray | SparseFile | None]:
    """Adjacency and features of a graph as tasks find them. What lies in files already is named, anything else written."""
    matrix, X = share_matrix(graph.adjacency, work, "adjacency"), graph.features
    if X is None or not (isinstance(X, np.ndarray) or sp.issparse(X)):
        return matrix, None
    return matrix, share_matrix(X, work, "features") if sp.issparse(X) else share(X, work, "features")


@contextmanager
def keeping(path: Path) -> Iterator[BinaryIO]:
    """A file for what a task computes instead of the worker's memory: whole or absent, however often the task runs."""
    unfinished = path.with_name(f"{path.name}-{os.getpid()}")
    try:
        with unfinished.open("wb") as out:
            yield out
        unfinished.replace(path)
    except OSError as error:
        unfinished.unlink(missing_ok=True)
        raise InputError(
            f"Rows could not be written to {path.parent}: {error.strerror}. The workers have too little memory to hold "
            "them: free some room there, or name a folder on another disk (Dask(scratch=…))."
        ) from error


def has_values(matrix: Any) -> bool:
    """Whether a matrix has a number for every entry; where it has not, all are 1."""
    data = matrix.data
    return bool(len(data)) and not (data.strides == (0,) and data[0] == 1)


def carried(array: NDArray[Any], work: WorkFolder) -> Any:
    """An array for a task: as it is, or in a file where it is large."""
    plain = np.ascontiguousarray(array)
    return plain if plain.nbytes <= MOST_CARRIED else share(plain, work, f"carried-{fingerprint_of(plain)}")


def write_array(work: WorkFolder, file: str, array: Any) -> None:
    """Anything with a shape whose slices of rows are arrays, block by block."""
    if isinstance(array, np.ndarray):
        plain = array.astype(np.str_) if array.dtype == object else array
        with work.writing(file) as out:
            write_npy(out, plain)
        return
    n_rows, n_columns = array.shape
    with work.writing(file) as out:
        write_npy_header(out, np.dtype(np.float32), (n_rows, n_columns))
        for rows in row_blocks(n_rows, 4 * n_columns):
            out.write(np.ascontiguousarray(array[rows], dtype=np.float32).data)


def _empty(path: Path, array: Any) -> FileArray:
    return FileArray(str(path), np.asarray(array).dtype.str, tuple(np.shape(array)), 0)


def _place_of(array: Any) -> FileArray | None:
    """The file behind a memory map that still exists, and where in it the array begins."""
    if not isinstance(array, np.ndarray) or not array.size or not is_mapped(array) or not array.flags.c_contiguous:
        return None
    root: Any = array
    while not isinstance(root, np.memmap) or isinstance(root.base, np.memmap):
        root = root.base
    if root.filename is None or not Path(root.filename).exists():
        return None
    start = array.ctypes.data - root.ctypes.data
    return FileArray(str(Path(root.filename).resolve()), array.dtype.str, array.shape, int(root.offset) + start)
