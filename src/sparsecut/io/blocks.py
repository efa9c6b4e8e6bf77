"""Big edge lists whose ids are words: threads read the file block by block and number the ids.

This is the fast way through files that are as they should be. Whatever is out of the ordinary (comments, cells over several
lines, spaces around ids, rows of different lengths, integers) is left to the plain reader, which knows what to make of it.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.io.acceleration import n_threads, on_threads
from sparsecut.io.id_tables import MAX_WORDS, WORD, IdColumn, IdTable, Lines, UnusualError, unite
from sparsecut.io.ids import has_outer_space
from sparsecut.io.opening import is_packed
from sparsecut.io.text import TextLayout

BLOCK_BYTES = 2**20
MAX_LINE_BYTES = 2**16
MAX_READERS = 8  # threads: each has a table of ids, and the tables are united one after the other
BYTE_ORDER_MARK = b"\xef\xbb\xbf"
PADDING = 128  # bytes that may be looked at after the last line


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

    if is_packed(path) or layout.encoding is not None or layout.is_uneven:
        return None
    try:
        file = _BlockReader(path, layout, ends, rest)
        tables = [IdTable(loops, file.n_blocks) for _ in range(min(n_threads(), MAX_READERS))]
        on_threads(lambda number: file.read_into(tables[number]), len(tables))
        i, j, words = unite(loops, tables)
        words.validate(full=True)  # are they UTF-8? The ids once each, not the cells of the file
    except (UnusualError, pa.ArrowInvalid, OSError):
        return None
    if has_outer_space(words):
        return None
    others = [file.others[block] for block in sorted(file.others)]
    return NumberedFile(i, j, words, pa.concat_tables(others) if rest else None)


class _BlockReader:
    """Blocks of whole lines, read on threads: plain ones by compiled loops, the others parsed by pyarrow."""

    def __init__(self, path: Path, layout: TextLayout, ends: tuple[str, str], rest: list[str]) -> None:
        import pyarrow as pa
        from pyarrow import csv

        from sparsecut.io import text_loops  # needs numba, as `loops` do

        self.text_loops, self.path, self.ends, self.rest = text_loops, path, ends, rest
        self.others: dict[int, Any] = {}  # the other columns of each block
        n_skipped = layout.n_skipped + layout.has_header
        with path.open("rb") as file:
            head = b"".join(file.readline(MAX_LINE_BYTES) for _ in range(n_skipped))
        if head.count(b"\n") != n_skipped or head.count(b"\r") != head.count(b"\r\n"):
            raise UnusualError
        self.start, self.end = len(head), path.stat().st_size
        self.n_blocks = -(-(self.end - self.start) // BLOCK_BYTES)
        self.todo = iter(range(self.n_blocks))
        self.columns = ord(layout.separator), len(layout.names), (layout.names.index(ends[0]), layout.names.index(ends[1]))
        kept = [*ends, *rest]
        self.reading = csv.ReadOptions(
            column_names=list(layout.names), use_threads=False, block_size=BLOCK_BYTES + 2 * MAX_LINE_BYTES
        )
        self.parsing = csv.ParseOptions(delimiter=layout.separator)
        self.converting = csv.ConvertOptions(
            column_types=dict.fromkeys(kept, pa.string()), include_columns=kept, check_utf8=bool(rest)
        )

    def read_into(self, table: IdTable) -> None:
        """Blocks one after the other, as long as there are any: called on each thread, with a table of its own."""
        n_bytes = 1 + BLOCK_BYTES + MAX_LINE_BYTES + PADDING
        text = bytearray(n_bytes + -n_bytes % WORD)  # memory that is used again costs less than fresh memory
        try:
            while (block := next(self.todo, None)) is not None:
                self._read(block, text, table)
        finally:
            self.todo = iter(())  # nothing is left, or this is an error and the other threads may stop

    def _read(self, block: int, text: bytearray, table: IdTable) -> None:
        import pyarrow as pa
        from pyarrow import csv

        low, high = self._lines(self.start + block * BLOCK_BYTES, text)
        if low == high:
            return
        has_comments, has_quotes = self.text_loops.signs(
            np.frombuffer(text, dtype=np.uint64)[low // WORD : -(-high // WORD)]
        )
        if has_comments:
            raise UnusualError
        characters = np.frombuffer(text, dtype=np.uint8)
        is_plain = not has_quotes and not self.rest and (block > 0 or self._begins_with_words(text[low:high]))
        if is_plain and table.add_lines(block, Lines(characters, low, high, *self.columns)):
            return
        if has_quotes and self.text_loops.has_broken_cell(characters[low:high]):
            raise UnusualError
        lines = pa.py_buffer(text).slice(low, high - low)
        cells = csv.read_csv(pa.BufferReader(lines), self.reading, self.parsing, self.converting)
        if block == 0 and all(map(_is_integer, (cells.column(name)[0].as_buffer().to_pybytes() for name in self.ends))):
            raise UnusualError
        table.add_columns(block, [self._column(cells.column(name)) for name in self.ends])
        self.others[block] = cells.select(self.rest)

    def _begins_with_words(self, text: bytearray) -> bool:
        """Whether the first line shows at once that the ids are no integers."""
        separator, n_columns, ends = self.columns
        cells = text.split(b"\n", 1)[0].split(bytes([separator]))
        is_marked = text.startswith(BYTE_ORDER_MARK)
        return not is_marked and len(cells) == n_columns and not all(_is_integer(cells[end]) for end in ends)

    def _lines(self, start: int, text: bytearray) -> tuple[int, int]:
        """Read the lines that begin in one block of the file: from where to where in `text` they stand."""
        before = int(start > self.start)  # the byte that tells whether a line begins just here
        with self.path.open("rb", buffering=0) as file:
            file.seek(start - before)
            n_read = file.readinto(memoryview(text)[:-PADDING])
        text[n_read : n_read + PADDING] = b"\n" * PADDING
        high = text.find(b"\n", before + BLOCK_BYTES - 1, n_read) + 1
        if not high:
            if start - before + n_read < self.end:  # a line longer than one should be
                raise UnusualError
            high = n_read
        low = (text.find(b"\n", 0, high) + 1 or high) if before else 0
        return low, high

    def _column(self, column: Any) -> IdColumn:
        chunk = column.combine_chunks() if column.num_chunks != 1 else column.chunk(0)
        _, offsets, text = chunk.buffers()
        offsets = np.frombuffer(offsets, dtype=np.int32)[chunk.offset : chunk.offset + len(chunk) + 1]
        shortest, longest = self.text_loops.lengths(offsets)
        n_words = -(-longest // WORD)
        if shortest == 0 or n_words > MAX_WORDS:
            raise UnusualError
        return IdColumn(offsets, np.frombuffer(text, dtype=np.uint8), n_words)


def _is_integer(cell: bytes | bytearray) -> bool:
    """Only where both ids of the first row are integers can all ids of a file be."""
    return cell.lstrip(b"-").isdigit()
