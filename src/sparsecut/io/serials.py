"""Ids that are a word and a number, such as user_17 or Q42: the commonest kind of words, and numbered like integers.

Eight digits are one 64-bit word, and three multiplications turn them into a number: no id is hashed or compared. All ids of
a column must have one prefix, and numbers without leading zeros or all of one length; other columns are left to `numbering`.
"""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORD = 8
MAX_PREFIX = 40  # bytes
ROWS = 2**13  # at a time: what is computed on the way stays in the cache, and in memory that is used again


@dataclass(frozen=True)
class Serials:
    """A column of ids taken apart: one prefix, and a number each; `width` digits where these begin with zeros."""

    prefix: str
    numbers: NDArray[np.int32]
    width: int = 0

    def spell(self, numbers: NDArray[Any]) -> Any:
        """An Arrow array of the ids with these numbers."""
        import pyarrow as pa
        import pyarrow.compute as pc

        content = np.ascontiguousarray(numbers, dtype=np.int64)
        words = pc.cast(pa.Array.from_buffers(pa.int64(), len(content), [None, pa.py_buffer(content)]), pa.string())
        if self.width:
            words = pc.ascii_lpad(words, self.width, "0")
        return pc.binary_join_element_wise(pa.scalar(self.prefix), words, "")


def as_serials(column: Any) -> Serials | None:
    """The prefix and the numbers of a chunked column of strings, or None if it is not made so."""
    first = next(chunk for chunk in column.chunks if len(chunk))[0].as_py()
    found = re.fullmatch(r"(.*?)([0-9]{1,8})", first, re.ASCII | re.DOTALL)
    if found is None or not 0 < len(found.group(1).encode()) <= MAX_PREFIX:
        return None
    prefix = found.group(1).encode()
    numbers = np.empty(len(column), dtype=np.int32)
    starts = np.cumsum([0, *(len(chunk) for chunk in column.chunks)])

    def parse(index: int) -> tuple[int, int, bool] | None:
        return _parse_chunk(column.chunk(index), prefix, numbers[starts[index] : starts[index + 1]])

    with ThreadPoolExecutor(min(4, os.cpu_count() or 1)) as pool:
        shapes = []
        for shape in pool.map(parse, range(column.num_chunks)):
            if shape is None:
                pool.shutdown(cancel_futures=True)
                return None
            shapes.append(shape)
    shortest, longest, has_zeros = _joined(shapes)
    if has_zeros and shortest < longest:
        return None
    return Serials(found.group(1), numbers, longest if has_zeros else 0)


def number_serials(columns: Sequence[Serials]) -> tuple[list[NDArray[Any]], Any]:
    """(positions of each column, Arrow array of ids): prefixes in the order they appear, numbers ascending."""
    import pyarrow as pa

    positions: list[Any] = [None] * len(columns)
    ids: list[Any] = []
    for kind in dict.fromkeys((column.prefix, column.width) for column in columns):
        group = [index for index, column in enumerate(columns) if (column.prefix, column.width) == kind]
        numbers, found = number_small_integers([columns[index].numbers for index in group], sum(map(len, ids)))
        for index, numbered in zip(group, numbers, strict=True):
            positions[index] = numbered
        ids.append(columns[group[0]].spell(found))
    return positions, pa.concat_arrays(ids)


def number_small_integers(columns: Sequence[NDArray[Any]], offset: int = 0) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """(positions of each column, from `offset` on; ids ascending), by a list of all integers from the least on."""
    low = min(int(column.min()) for column in columns)
    span = max(int(column.max()) for column in columns) - low + 1
    occurs = np.zeros(span, dtype=bool)
    for column in columns:
        for start in range(0, len(column), ROWS):  # indices of 64 bits are the fast ones, and take room
            occurs[column[start : start + ROWS].astype(np.int64) - low] = True
    ids = np.flatnonzero(occurs)
    kind = np.int32 if len(ids) + offset <= np.iinfo(np.int32).max else np.int64
    position_of = np.empty(span, dtype=kind)
    position_of[ids] = np.arange(offset, offset + len(ids), dtype=kind)
    positions = []
    for column in columns:
        numbered = np.empty(len(column), dtype=kind)
        for start in range(0, len(column), ROWS):
            block = slice(start, start + ROWS)
            numbered[block] = position_of.take(column[block].astype(np.int64) - low)
        positions.append(numbered)
    return positions, ids + low


def is_dense(columns: Sequence[NDArray[Any]]) -> bool:
    """Whether a list of all integers between the least and the largest is short beside the columns."""
    low, high = min(int(column.min()) for column in columns), max(int(column.max()) for column in columns)
    return high - low < 4 * sum(map(len, columns)) + 1024


def _parse_chunk(chunk: Any, prefix: bytes, numbers: NDArray[np.int32]) -> tuple[int, int, bool] | None:
    shapes = []
    for start in range(0, len(chunk), ROWS):
        shape = _parse(chunk.slice(start, ROWS), prefix, numbers[start : start + ROWS])
        if shape is None:
            return None
        shapes.append(shape)
    return _joined(shapes)


def _joined(shapes: list[tuple[int, int, bool]]) -> tuple[int, int, bool]:
    """(fewest digits, most digits, whether any number begins with 0) of several parts."""
    shortest, longest, zeros = zip(*(shapes or [(WORD, 1, False)]), strict=True)
    return min(shortest), max(longest), any(zeros)


def _parse(chunk: Any, prefix: bytes, numbers: NDArray[np.int32]) -> tuple[int, int, bool] | None:
    """(fewest digits, most digits, whether any number begins with 0), the numbers written; None where an id is otherwise."""
    import pyarrow.compute as pc

    offsets = np.frombuffer(chunk.buffers()[1], dtype=np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
    n_digits = (np.diff(offsets) - len(prefix)).astype(np.uint64)
    shortest, longest = int(n_digits.min()), int(n_digits.max())
    if shortest < 1 or longest > WORD:  # a shorter id wraps around to a huge number
        return None
    width = -(-(len(prefix) + WORD) // WORD) * WORD
    content = pc.ascii_rpad(chunk, width, "\0").buffers()[2]
    rows = np.ndarray((len(chunk), width // WORD), dtype="<u8", buffer=content)
    wanted = np.frombuffer(prefix.ljust(width, b"\0"), dtype="<u8")
    mask = np.frombuffer((b"\xff" * len(prefix)).ljust(width, b"\0"), dtype="<u8")
    for column in range(-(-len(prefix) // WORD)):
        if ((rows[:, column] & mask[column]) != wanted[column]).any():
            return None
    digits = np.ndarray((len(chunk),), dtype="<u8", buffer=content, offset=len(prefix), strides=(width,)).astype(np.uint64)
    empty = (np.uint64(WORD) - n_digits) << np.uint64(3)  # bits before the first digit once the last one is at the top
    digits <<= empty
    digits ^= np.uint64(0x3030303030303030) << empty
    above_nine = digits + np.uint64(0x7676767676767676)
    above_nine |= digits
    if np.bitwise_or.reduce(above_nine) & np.uint64(0x8080808080808080):
        return None
    first_digit = (digits >> empty) & np.uint64(0xFF)
    has_zeros = bool(((first_digit == 0) & (n_digits > 1)).any())
    digits *= np.uint64(2561)  # two digits, then four, then eight become one number
    digits >>= np.uint64(8)
    digits &= np.uint64(0x00FF00FF00FF00FF)
    digits *= np.uint64(6553601)
    digits >>= np.uint64(16)
    digits &= np.uint64(0x0000FFFF0000FFFF)
    digits *= np.uint64(42949672960001)
    digits >>= np.uint64(32)
    numbers[:] = digits
    return shortest, longest, has_zeros
