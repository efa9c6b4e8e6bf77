"""Big edge lists whose ids are words: threads parse the file block by block, one table numbers the ids.

This is the fast way through files that are as they should be. Whatever is out of the ordinary (comments, cells over several
lines, spaces around ids, rows of different lengths, integers) is left to the plain reader, which knows what to make of it.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.io.acceleration import n_threads
from sparsecut.io.text import COMMENTS, TextLayout

BLOCK_BYTES = 2**20
MAX_LINE_BYTES = 2**16
WORD = 8  # bytes
MIN_WORDS, MAX_WORDS = 2, 8  # an id
MAX_TABLE_BITS = 30
MAX_LOAD = 0.6
ROWS = 2**12  # looked up at a time
READ_AHEAD = 2  # blocks a thread
SIGNS = (*(sign.encode() for sign in COMMENTS), b"\0")  # a zero byte could not be told from the end of an id


@dataclass(frozen=True)
class NumberedFile:
    """The edges of a file between numbered ids, and the columns that hold no ids."""

    i: NDArray[np.int32]
    j: NDArray[np.int32]
    words: Any
    rest: Any


def number_file(loops: Any, path: Path, layout: TextLayout, ends: tuple[str, str], rest: list[str]) -> NumberedFile | None:
    """A file of words as `number_words` would number them; None where it is left to the plain reader."""
    import pyarrow as pa

    if path.suffix.lower() == ".gz" or layout.is_uneven:
        return None
    try:
        file = _BlockReader(loops, path, layout, ends, rest)
        table = _Table(loops, file.n_blocks)
        kept = []
        for columns, others in file.blocks():
            table.add(columns)
            kept.append(others)
        i, j, words = table.numbered()
        words.validate(full=True)  # are they UTF-8? The ids once each, not the cells of the file
    except (_UnusualError, pa.ArrowInvalid, OSError):
        return None
    if _has_outer_space(words):
        return None
    return NumberedFile(i, j, words, pa.concat_tables(kept))


class _UnusualError(Exception):
    """The file is not for this reader."""


@dataclass(frozen=True)
class _Column:
    """The ids of a block: one after the other, and where each begins."""

    offsets: NDArray[np.int32]
    text: NDArray[np.uint8]
    n_words: int


class _BlockReader:
    """Blocks of whole lines, parsed on threads, in the order of the file."""

    def __init__(self, loops: Any, path: Path, layout: TextLayout, ends: tuple[str, str], rest: list[str]) -> None:
        import pyarrow as pa
        from pyarrow import csv

        self.loops, self.path, self.ends, self.rest = loops, path, ends, rest
        self.room = threading.local()
        n_skipped = layout.n_skipped + layout.has_header
        with path.open("rb") as file:
            head = b"".join(file.readline(MAX_LINE_BYTES) for _ in range(n_skipped))
        if head.count(b"\n") != n_skipped or head.count(b"\r") != head.count(b"\r\n"):
            raise _UnusualError
        self.start, self.end = len(head), path.stat().st_size
        self.n_blocks = -(-(self.end - self.start) // BLOCK_BYTES)
        kept = [*ends, *rest]
        self.reading = csv.ReadOptions(
            column_names=list(layout.names), use_threads=False, block_size=BLOCK_BYTES + 2 * MAX_LINE_BYTES
        )
        self.parsing = csv.ParseOptions(delimiter=layout.separator)
        self.converting = csv.ConvertOptions(
            column_types=dict.fromkeys(kept, pa.string()), include_columns=kept, check_utf8=bool(rest)
        )

    def blocks(self) -> Iterator[tuple[list[_Column], Any]]:
        """(sources and targets, the other columns) of each block."""
        starts = iter(range(self.start, self.end, BLOCK_BYTES))
        with ThreadPoolExecutor(n_threads()) as pool:
            waiting = deque(pool.submit(self._read, start) for start in islice(starts, READ_AHEAD * n_threads()))
            while waiting:
                block = waiting.popleft().result()
                waiting.extend(pool.submit(self._read, start) for start in islice(starts, 1))
                if block is not None:
                    yield block

    def _read(self, start: int) -> tuple[list[_Column], Any] | None:
        """What `blocks` yields; None where no line begins."""
        import pyarrow as pa
        from pyarrow import csv

        text, low, high = self._lines(start)
        if low == high:
            return None
        if any(text.find(sign, low, high) >= 0 for sign in SIGNS):
            raise _UnusualError
        lines = pa.py_buffer(text).slice(low, high - low)
        if text.find(b'"', low, high) >= 0 and self.loops.has_broken_cell(np.frombuffer(lines, dtype=np.uint8)):
            raise _UnusualError
        table = csv.read_csv(pa.BufferReader(lines), self.reading, self.parsing, self.converting)
        if start == self.start and all(_is_integer(table.column(name)) for name in self.ends):
            raise _UnusualError
        return [self._column(table.column(name)) for name in self.ends], table.select(self.rest)

    def _lines(self, start: int) -> tuple[bytearray, int, int]:
        """(text, from where, to where) of the lines that begin in one block of the file."""
        before = int(start > self.start)  # the byte that tells whether a line begins just here
        if not hasattr(self.room, "text"):
            self.room.text = bytearray(1 + BLOCK_BYTES + MAX_LINE_BYTES)
        text: bytearray = self.room.text  # each thread's own: memory that is used again costs less than fresh memory
        with self.path.open("rb", buffering=0) as file:
            file.seek(start - before)
            n_read = file.readinto(text)
        if n_read < len(text):
            text = text[:n_read]
        high = text.find(b"\n", before + BLOCK_BYTES - 1) + 1
        if not high:
            if start - before + len(text) < self.end:  # a line longer than one should be
                raise _UnusualError
            high = len(text)
        low = (text.find(b"\n", 0, high) + 1 or high) if before else 0
        return text, low, high

    def _column(self, column: Any) -> _Column:
        chunk = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        _, offsets, text = chunk.buffers()
        offsets = np.frombuffer(offsets, dtype=np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        shortest, longest = self.loops.lengths(offsets)
        n_words = -(-longest // WORD)
        if shortest == 0 or n_words > MAX_WORDS:
            raise _UnusualError
        return _Column(offsets, np.frombuffer(text, dtype=np.uint8), n_words)


class _Table:
    """All ids seen, and for each row the place of its id."""

    def __init__(self, loops: Any, n_blocks: int) -> None:
        self.loops, self.n_blocks = loops, n_blocks
        self.bits, self.n_held = 4, 0
        self.ids = np.zeros((1 << self.bits, MIN_WORDS), dtype=np.uint64)
        self.words = np.empty((ROWS, MIN_WORDS), dtype=np.uint64)
        self.places = [np.empty(0, dtype=np.int32) for _ in range(2)]  # of sources and of targets, with room for more
        self.n_rows = 0

    def add(self, columns: list[_Column]) -> None:
        """The next rows of both columns."""
        n_rows = len(columns[0].offsets) - 1
        end = self.n_rows + n_rows
        if end > len(self.places[0]):
            self._make_room(max(end + end // 2, n_rows * self.n_blocks))
        self._enlarge(2 * n_rows, max(column.n_words for column in columns))
        for places, column in zip(self.places, columns, strict=True):
            self.n_held = self.loops.look_up(
                *(column.offsets, column.text, self.ids, self._shift, self.n_held),
                *(places[self.n_rows : end], self.words),
            )
            if self.n_held < 0:
                raise _UnusualError
        self.n_rows = end

    def numbered(self) -> tuple[NDArray[np.int32], NDArray[np.int32], Any]:
        """(sources, targets, ids) in the order of first appearance, all sources before all targets."""
        position = np.full(len(self.ids), -1, dtype=np.int32)
        place_of = np.empty(self.n_held, dtype=np.int32)
        i, j = (places[: self.n_rows] for places in self.places)
        n_known = 0
        for column in (i, j):
            n_known = self.loops.renumber(column, position, place_of, n_known)
        return i, j, self._spelt(place_of)

    def _spelt(self, places: NDArray[np.int32]) -> Any:
        import pyarrow as pa

        offsets = np.zeros(len(places) + 1, dtype=np.int64)
        self.loops.measure(self.ids, places, offsets)
        text = np.empty(int(offsets[-1]) + WORD, dtype=np.uint8)
        self.loops.spell(self.ids, places, offsets, text)
        return pa.Array.from_buffers(pa.large_string(), len(places), [None, pa.py_buffer(offsets), pa.py_buffer(text)])

    def _make_room(self, n_rows: int) -> None:
        """Room for so many rows. Memory that no row comes to need is never touched."""
        for side, places in enumerate(self.places):
            self.places[side] = np.empty(n_rows, dtype=np.int32)
            self.places[side][: self.n_rows] = places[: self.n_rows]

    def _enlarge(self, n_new: int, width: int) -> None:
        """A larger table, or one for longer ids, where the next ids could need it."""
        bits, width = self.bits, max(width, self.ids.shape[1])
        while self.n_held + n_new > MAX_LOAD * (1 << bits):
            bits += 1
        if bits > MAX_TABLE_BITS:
            raise _UnusualError
        if (bits, width) == (self.bits, self.ids.shape[1]):
            return
        old, self.bits = self.ids, bits
        self.ids = np.zeros((1 << bits, width), dtype=np.uint64)
        self.words = np.empty((ROWS, width), dtype=np.uint64)
        moved = np.zeros(len(old), dtype=np.int32)
        self.loops.move(old, self.ids, self._shift, moved)
        for places in self.places:
            places[: self.n_rows] = moved.take(places[: self.n_rows])

    @property
    def _shift(self) -> Any:
        return np.uint64(64 - self.bits)


def _is_integer(column: Any) -> bool:
    """Whether a column begins with an integer: only then are all ids of a file integers."""
    return bool(column[0].as_buffer().to_pybytes().lstrip(b"-").isdigit())


def _has_outer_space(words: Any) -> bool:
    import pyarrow.compute as pc

    return not pc.all(pc.equal(words, pc.utf8_trim_whitespace(words))).as_py()
