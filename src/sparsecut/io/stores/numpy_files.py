"""numpy's files, read without trust: no Python objects, and no array larger than the bytes there are for it."""

from __future__ import annotations

import zipfile
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import scipy.sparse as sp
from numpy.lib import format as npy_format
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io.hostile.guards import check_claim, check_expansion, reading

SKIP_BYTES = 1 << 20
SPARSE_FORMATS = ("csr", "csc", "coo")


def read_npy(path: Path, kind: str) -> NDArray[Any]:
    """The array of an .npy file."""
    with reading(path, kind), path.open("rb") as file:
        return read_array(file, path.stat().st_size)


def write_npy_header(file: Any, kind: np.dtype[Any], shape: tuple[int, ...]) -> None:
    """The beginning of an .npy file whose numbers, row by row, the caller writes next."""
    header = {"descr": npy_format.dtype_to_descr(kind), "fortran_order": False, "shape": tuple(map(int, shape))}
    npy_format.write_array_header_1_0(file, header)


def write_npy(file: BinaryIO, array: NDArray[Any]) -> None:
    """An array as np.save writes it; np.save itself does not say why the disk did not take it."""
    whole = np.ascontiguousarray(array)
    write_npy_header(file, whole.dtype, array.shape)
    file.write(whole.reshape(-1).view(np.uint8).data)


class Archive:
    """The arrays of an .npz file, each read when it is requested.

    Parameters
    ----------
    path : Path
    kind : str
        What the file is called in errors.
    guard : callable, optional
        Makes the context in which the file is read, which turns errors into a sentence about the file; `guards.reading` of
        `path` and `kind` where not given.
    """

    def __init__(self, path: Path, kind: str, guard: Callable[[], AbstractContextManager[None]] | None = None) -> None:
        self.path, self.kind = path, kind
        self._reading = partial(reading, path, kind) if guard is None else guard
        with self._reading(), zipfile.ZipFile(path) as archive:
            members = archive.infolist()
            check_expansion(sum(member.file_size for member in members), path, kind)
        self._members = {member.filename.removesuffix(".npy"): member for member in members}
        if not self._members:
            raise InputError(f"The {kind} file {path} holds no array.")

    @property
    def names(self) -> list[str]:
        return list(self._members)

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def __getitem__(self, name: str) -> NDArray[Any]:
        with self._reading():
            if name not in self:
                raise ValueError(f"it has no array {name!r}, only {', '.join(map(repr, self.names))}")
            member = self._members[name]
            with zipfile.ZipFile(self.path) as archive, archive.open(member) as file:
                return read_array(file, member.file_size)

    def n_bytes(self, name: str) -> int:
        """How large an array is when it is unpacked."""
        return self._members[name].file_size if name in self else 0

    @contextmanager
    def opened(self, name: str) -> Iterator[ArrayStream]:
        """An array that is read from its beginning on, piece by piece: it may be larger than memory."""
        with self._reading():
            if name not in self:
                raise ValueError(f"it has no array {name!r}, only {', '.join(map(repr, self.names))}")
            with zipfile.ZipFile(self.path) as archive, archive.open(self._members[name]) as file:
                yield ArrayStream(file, self._members[name].file_size)

    def get(self, name: str) -> NDArray[Any] | None:
        return self[name] if name in self else None  # noqa: SIM401 - this is that method

    def sparse(self, prefix: str = "") -> sp.csr_array:
        """The sparse matrix whose parts have names that begin with `prefix`: `prefix`data, `prefix`indices, …"""
        with self._reading():
            return self._sparse(prefix)

    def _sparse(self, prefix: str) -> sp.csr_array:
        layout = _as_word(self[f"{prefix}format"]) if f"{prefix}format" in self else "csr"
        if layout not in SPARSE_FORMATS:
            raise InputError(
                f"The {self.kind} file {self.path} holds a sparse matrix as {layout!r}. Save it as one of "
                f"{', '.join(SPARSE_FORMATS)}."
            )
        names = ("data", "row", "col") if layout == "coo" else ("data", "indices", "indptr")
        missing = [prefix + name for name in (*names, "shape") if prefix + name not in self]
        if missing:
            raise InputError(f"The {self.kind} file {self.path} holds a sparse matrix without its {missing[0]!r}.")
        data, first, second = (self[prefix + name] for name in names)
        shape = tuple(int(size) for size in self[f"{prefix}shape"].ravel())
        if data.dtype.kind not in "biuf" or first.dtype.kind not in "iu" or second.dtype.kind not in "iu":
            raise InputError(f"The {self.kind} file {self.path} must hold a matrix of real numbers. Got {data.dtype}.")
        if len(shape) != 2:
            raise InputError(f"The {self.kind} file {self.path} must hold a two-dimensional matrix. Got shape {shape}.")
        check_claim(*shape, len(data), self.path, self.kind)
        if layout == "coo":
            return sp.coo_array((data, (first, second)), shape=shape).tocsr()
        matrix = (sp.csr_array if layout == "csr" else sp.csc_array)((data, first, second), shape=shape)
        matrix.check_format(full_check=True)
        return matrix.tocsr()


class ArrayStream:
    """The numbers of an array in the order of its file."""

    def __init__(self, file: BinaryIO | Any, size: int) -> None:
        self._file = file
        self.shape, self.is_fortran, self.dtype, _ = _read_header(file, size)

    def read(self, count: int) -> NDArray[Any]:
        """The next numbers."""
        n_bytes = count * self.dtype.itemsize
        content = self._file.read(n_bytes)
        if len(content) < n_bytes:
            raise EOFError
        return np.frombuffer(content, dtype=self.dtype)

    def skip(self, count: int) -> None:
        """Pass over the next numbers, in small pieces: what is packed has to be unpacked for it."""
        step = SKIP_BYTES // self.dtype.itemsize
        for start in range(0, count, step):
            self.read(min(step, count - start))

    def __str__(self) -> str:
        return f"{self.dtype} of shape {self.shape}"


def read_array(file: BinaryIO | Any, size: int) -> NDArray[Any]:
    """The array of an open .npy file, for which there are `size` bytes."""
    shape, is_fortran, dtype, n_bytes = _read_header(file, size)
    content = file.read(n_bytes)
    if len(content) < n_bytes:
        raise EOFError
    return np.frombuffer(content, dtype=dtype).reshape(shape, order="F" if is_fortran else "C")


def _read_header(file: BinaryIO | Any, size: int) -> tuple[tuple[int, ...], bool, np.dtype[Any], int]:
    """(shape, whether columns come first, type, bytes) of an array, which its file has the room for."""
    version = npy_format.read_magic(file)
    header = npy_format.read_array_header_1_0 if version == (1, 0) else npy_format.read_array_header_2_0
    shape, is_fortran, dtype = header(file)
    if dtype.hasobject:
        raise ValueError("it holds Python objects, which are never loaded")
    n_bytes = dtype.itemsize
    for length in shape:
        n_bytes *= int(length)
    if n_bytes < 0 or n_bytes > size:
        raise ValueError(f"it claims an array of {n_bytes:,} bytes and has {size:,}")
    return shape, is_fortran, dtype, n_bytes


def _as_word(value: NDArray[Any]) -> str:
    item = value.item() if value.size == 1 else ""
    return item.decode("ascii", "replace") if isinstance(item, bytes) else str(item)
