"""The matrices of a MATLAB v5 file (save -v6, -v7): full and sparse ones, and those that are fields of a struct.

scipy's own reader ends the process on some damaged files. This one takes every size from a slice of the bytes there are, and
costs less than running scipy's in a process of its own (`benchmarks/matrix_files.py`). The format: a header of 128 bytes,
then elements, each a tag (kind, size) and its bytes, padded to eight. A matrix is an element of elements: flags, dimensions,
name and numbers. Elements may be packed with zlib.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io.guards import check_claim, check_expansion, reading

HEADER = 128
MATRIX, PACKED = 14, 15  # kinds of elements
NUMBERS = {1: "i1", 2: "u1", 3: "i2", 4: "u2", 5: "i4", 6: "u4", 7: "f4", 9: "f8", 12: "i8", 13: "u8"}
STRUCT, SPARSE = 2, 5  # classes of matrices
CLASSES = {6: "f8", 7: "f4", 8: "i1", 9: "u1", 10: "i2", 11: "u2", 12: "i4", 13: "u4", 14: "i8", 15: "u8"}
COMPLEX = 0x0800


def read_matlab(path: Path) -> dict[str, Any]:
    """The matrices by name; a field is called STRUCT.FIELD. Text, cells and the like are left out."""
    with reading(path, "graph"):
        content = path.read_bytes()
        if content.startswith((b"MATLAB 7.3", b"\x89HDF")):
            raise InputError(
                f"The graph file {path} is MATLAB v7.3 (HDF5), which is not read. Save it in MATLAB with "
                "save(..., '-v7') instead."
            )
        if content[126:128] not in (b"IM", b"MI"):
            raise InputError(f"The graph file {path} is no MATLAB v5 file. Save it in MATLAB with save(..., '-v7').")
        return _File(path, "little" if content[126:128] == b"IM" else "big").matrices(content[HEADER:])


@dataclass
class _Element:
    kind: int
    content: bytes


class _File:
    def __init__(self, path: Path, order: Literal["little", "big"]) -> None:
        self.path, self.order, self.n_unpacked = path, order, 0

    def matrices(self, content: bytes) -> dict[str, Any]:
        found: dict[str, Any] = {}
        for element in self._elements(content):
            is_packed = element.kind == PACKED
            inner = next(self._elements(self._unpack(element.content)), element) if is_packed else element
            if inner.kind == MATRIX:
                found |= self._matrix(inner.content)
        return found

    def _elements(self, content: bytes) -> Iterator[_Element]:
        position = 0
        while position + 8 <= len(content):
            kind, size = (self._integer(content[at : at + 4]) for at in (position, position + 4))
            if kind >> 16:  # a small element: size and kind in one word, up to four bytes in the next
                yield _Element(kind & 0xFFFF, content[position + 4 : position + 4 + min(kind >> 16, 4)])
                position += 8
                continue
            if position + 8 + size > len(content):
                raise EOFError
            yield _Element(kind, content[position + 8 : position + 8 + size])
            position += 8 + (size if kind == PACKED else -(-size // 8) * 8)

    def _matrix(self, content: bytes, prefix: str = "") -> dict[str, Any]:
        parts = self._elements(content)
        flags, shape, name = (next(parts, _Element(0, b"")) for _ in range(3))
        word = self._integer(flags.content[:4])
        dimensions = tuple(int(size) for size in self._numbers(shape))
        label = prefix or name.content.decode("latin-1")
        is_complex = bool(word & COMPLEX)
        if word & 0xFF == STRUCT and not prefix and dimensions == (1, 1):
            return self._fields(label, parts)
        if len(dimensions) != 2 or min(dimensions) < 0 or is_complex:
            return {}
        if word & 0xFF == SPARSE:
            return {label: self._sparse(dimensions, parts)}
        if word & 0xFF in CLASSES:
            values = self._numbers(next(parts, _Element(9, b"")))
            if len(values) != dimensions[0] * dimensions[1]:
                raise EOFError
            return {label: values.astype(CLASSES[word & 0xFF]).reshape(dimensions, order="F")}
        return {}

    def _fields(self, name: str, parts: Iterator[_Element]) -> dict[str, Any]:
        length = int(self._numbers(next(parts, _Element(0, b"")))[0])
        text = next(parts, _Element(0, b"")).content
        if length <= 0:
            raise EOFError
        names = [text[at : at + length].split(b"\0")[0].decode("latin-1") for at in range(0, len(text), length)]
        found: dict[str, Any] = {}
        for field, element in zip(names, parts, strict=False):
            if element.kind == MATRIX:
                found |= self._matrix(element.content, prefix=f"{name}.{field}")
        return found

    def _sparse(self, dimensions: tuple[int, ...], parts: Iterator[_Element]) -> sp.csc_array:
        rows, starts, values = (self._numbers(next(parts, _Element(9, b""))) for _ in range(3))
        n_entries = int(starts[-1]) if len(starts) else 0
        check_claim(dimensions[0], dimensions[1], n_entries, self.path, "graph")
        if not 0 <= n_entries <= min(len(rows), len(values)) or rows.dtype.kind not in "iu" or starts.dtype.kind not in "iu":
            raise EOFError
        matrix = sp.csc_array((values[:n_entries], rows[:n_entries], starts), shape=dimensions)
        matrix.check_format(full_check=True)
        return matrix

    def _numbers(self, element: _Element) -> NDArray[Any]:
        if element.kind not in NUMBERS:
            raise ValueError("a matrix lacks its numbers")
        kind = np.dtype(NUMBERS[element.kind]).newbyteorder("<" if self.order == "little" else ">")
        return np.frombuffer(element.content, dtype=kind).astype(kind.newbyteorder("="))

    def _integer(self, content: bytes) -> int:
        return int.from_bytes(content, self.order)

    def _unpack(self, packed: bytes) -> bytes:
        unpacker, unpacked, rest = zlib.decompressobj(), [], packed
        while rest:
            block = unpacker.decompress(rest, 2**20)
            unpacked.append(block)
            self.n_unpacked += len(block)
            check_expansion(self.n_unpacked, self.path, "graph")
            rest = unpacker.unconsumed_tail
        return b"".join(unpacked)
