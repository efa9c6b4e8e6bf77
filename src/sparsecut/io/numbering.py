"""Number the nodes of an edge list: from columns of ids to 0..n−1 and the list of ids, without a loop over rows.

Integers are numbered ascending, words in the order they first appear, all sources before all targets.

Arrow's own dictionary encoding hashes a string at a time and takes several times as long as parsing the file. Here each id
is a few 64-bit words, and a whole block of rows looks them up in one table at once:

    h = mix(w₀ + mix(w₁ + …))     one to one in w₀ once the other words, the tail, are known

so two ids are equal just where h and the tail are, and no string is looked at again. A row whose place is taken by another
id tries the next table. What is left after the last one goes to Arrow, as do ids too long for this.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

WORD = 8  # bytes
ROWS = 2**13  # at a time: what is computed on the way stays in the cache, and in memory that is used again
MAX_WORDS = 8
FIRST_TABLE_BITS = (10, 21)  # from small to what fits a cache
MAX_TABLES = 6
MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)


def number_integers(columns: Sequence[NDArray[Any]]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """(positions of each column, ids ascending)."""
    if _is_dense(columns):
        return _number_small_integers(columns)
    encoded = _arrow_integers(np.concatenate(columns).astype(np.int64, copy=False)).dictionary_encode()
    found = np.asarray(encoded.dictionary)
    order = np.argsort(found)
    rank = np.empty(len(order), dtype=position_type(len(order)))
    rank[order] = np.arange(len(order), dtype=rank.dtype)
    positions = rank[np.asarray(encoded.indices)]
    return np.split(positions, np.cumsum([len(column) for column in columns])[:-1]), found[order]


def number_words(columns: Sequence[Any]) -> tuple[list[NDArray[Any]], Any]:
    """(positions of each column, Arrow array of ids in the order promised above) for Arrow columns of strings."""

    chunks = [chunk for column in columns for chunk in column.chunks if len(chunk)]
    n_words = -(-max(map(_longest, chunks)) // WORD)
    if not 1 <= n_words <= MAX_WORDS or any(map(_holds_nul, chunks)):
        positions, ids = _number_by_arrow(chunks)
    else:
        positions, ids = _number_by_table(chunks, n_words)
    return np.split(positions, np.cumsum([len(column) for column in columns])[:-1]), ids


def position_type(n_positions: int) -> type[np.signedinteger[Any]]:
    """Four bytes where they suffice to count that far, eight otherwise."""
    return np.int32 if n_positions <= np.iinfo(np.int32).max else np.int64


def _number_small_integers(columns: Sequence[NDArray[Any]]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """(positions of each column, ids ascending), by a list of all integers from the least on."""
    low = min(int(column.min()) for column in columns)
    span = max(int(column.max()) for column in columns) - low + 1
    occurs = np.zeros(span, dtype=bool)
    for column in columns:
        for start in range(0, len(column), ROWS):  # indices of 64 bits are the fast ones, and take room
            occurs[column[start : start + ROWS].astype(np.int64) - low] = True
    ids = np.flatnonzero(occurs)
    kind = position_type(len(ids))
    position_of = np.empty(span, dtype=kind)
    position_of[ids] = np.arange(len(ids), dtype=kind)
    positions = []
    for column in columns:
        numbered = np.empty(len(column), dtype=kind)
        for start in range(0, len(column), ROWS):
            block = slice(start, start + ROWS)
            numbered[block] = position_of.take(column[block].astype(np.int64) - low)
        positions.append(numbered)
    return positions, ids + low


def _is_dense(columns: Sequence[NDArray[Any]]) -> bool:
    """Whether a list of all integers between the least and the largest is short beside the columns."""
    low, high = min(int(column.min()) for column in columns), max(int(column.max()) for column in columns)
    return high - low < 4 * sum(map(len, columns)) + 1024


def _number_by_arrow(chunks: list[Any]) -> tuple[NDArray[Any], Any]:
    import pyarrow as pa

    encoded = pa.chunked_array(chunks).cast(pa.large_string()).dictionary_encode()
    positions = np.concatenate([np.asarray(chunk.indices) for chunk in encoded.chunks])
    return positions, encoded.chunk(0).dictionary


def _number_by_table(chunks: list[Any], n_words: int) -> tuple[NDArray[Any], Any]:
    chunks = [chunk.slice(start, ROWS) for chunk in chunks for start in range(0, len(chunk), ROWS)]
    starts = np.cumsum([0, *map(len, chunks)])
    places = np.empty(int(starts[-1]), dtype=np.int32)  # −1: left to Arrow
    tables = _Tables(len(places), n_words)
    for start, chunk in zip(starts, chunks, strict=False):
        places[start : start + len(chunk)] = tables.places_of(*_words(chunk, n_words), int(start))
    table_first_row = tables.first_row()

    left = np.flatnonzero(places < 0)
    used = np.flatnonzero(table_first_row >= 0)
    first_row = table_first_row[used]
    if len(left):
        encoded = _take(chunks, starts, left).dictionary_encode()
        left_codes = np.asarray(encoded.indices)
        first_left = np.empty(len(encoded.dictionary), dtype=np.int64)
        first_left[left_codes[::-1]] = left[::-1]
        first_row = np.concatenate([first_row, first_left])
    order = np.argsort(first_row)
    rank = np.empty(len(order), dtype=position_type(len(order)))
    rank[order] = np.arange(len(order), dtype=rank.dtype)

    position_at = np.zeros(len(table_first_row), dtype=rank.dtype)
    position_at[used] = rank[: len(used)]
    positions = np.empty(len(places), dtype=rank.dtype)
    for start, chunk in zip(starts, chunks, strict=False):  # block by block: indices of 64 bits are the fast ones
        rows = slice(start, start + len(chunk))
        positions[rows] = position_at.take(places[rows].astype(np.int64), mode="wrap")  # −1 is mended below
    if len(left):
        positions[left] = rank[len(used) :][left_codes]
    return positions, _take(chunks, starts, first_row[order])


def _take(chunks: list[Any], starts: NDArray[np.int64], rows: NDArray[np.int64]) -> Any:
    """The ids at some rows, ascending, in one array. Arrow's own take would first join all chunks."""
    import pyarrow as pa

    bounds = np.searchsorted(rows, starts)
    taken = [
        chunk.take(_arrow_integers(rows[low:high] - start))
        for chunk, start, low, high in zip(chunks, starts, bounds, bounds[1:], strict=False)
        if high > low
    ]
    return pa.chunked_array(taken).combine_chunks()


def _arrow_integers(values: NDArray[np.int64]) -> Any:
    """The same numbers as an Arrow array. `pa.array` would first import pandas, where that is installed."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])


class _Tables:
    """Tables tried one after the other. An id stays where it was put first, so it is found there ever after."""

    def __init__(self, n_rows: int, n_words: int) -> None:
        self.n_words = n_words
        self.bits = int(np.clip(n_rows // 16, 1, None)).bit_length()
        self.bits = min(max(self.bits, FIRST_TABLE_BITS[0]), FIRST_TABLE_BITS[1])
        self.tables: list[_Table] = []

    def places_of(self, hashes: NDArray[np.uint64], tails: list[NDArray[np.uint64]], start: int) -> NDArray[np.int64]:
        """The place of each row of a block that starts at row `start`, counted through all tables; −1 for none."""
        places = np.full(len(hashes), -1, dtype=np.int64)
        rows = np.flatnonzero(hashes)  # 0 marks a free place, so the rare id with that hash gets none
        offset = 0
        for attempt in range(MAX_TABLES):
            if attempt == len(self.tables):
                self._add_table()
            table = self.tables[attempt]
            if len(rows) < len(hashes):
                table_places, is_mine = table.look_up(hashes[rows], [tail[rows] for tail in tails], start + rows)
            else:
                table_places, is_mine = table.look_up(hashes, tails, start + rows)
            places[rows[is_mine]] = table_places[is_mine] + offset
            rows = rows[~is_mine]
            if not len(rows):
                break
            offset += table.size
        return places

    def _add_table(self) -> None:
        """One more table, larger than the last where that one is crowded."""
        if self.tables and 2 * self.tables[-1].n_held > self.tables[-1].size:
            self.bits += 3
        self.tables.append(_Table(self.bits, self.n_words, turn=11 * len(self.tables)))

    def first_row(self) -> NDArray[np.int64]:
        """The first row of the id at each place; −1 where it is free."""
        return np.concatenate([table.first_row for table in self.tables])


class _Table:
    """Places for ids: each holds the hash and the tail of the id that came first."""

    def __init__(self, bits: int, n_words: int, turn: int) -> None:
        self.size = 1 << bits
        self.n_held = 0
        self.shifts = np.uint64(turn), np.uint64(64 - bits)  # which bits of the hash tell the place
        self.hashes = np.zeros(self.size, dtype=np.uint64)
        self.tails = [np.zeros(self.size, dtype=np.uint64) for _ in range(n_words - 1)]
        self.first_row = np.full(self.size, -1, dtype=np.int64)

    def look_up(
        self, hashes: NDArray[np.uint64], tails: list[NDArray[np.uint64]], rows: NDArray[np.int64]
    ) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
        """(place of each row, whether it is that row's id that holds it); free places are taken on the way."""
        places = ((hashes << self.shifts[0]) >> self.shifts[1]).astype(np.int64)
        found = self.hashes.take(places)
        is_mine = found == hashes
        if not is_mine.all():
            free = np.flatnonzero(found == 0)[::-1]  # last to first, so that of several rows the first one gets the place
            if len(free):
                self.first_row[places[free]] = rows[free]
                holders = free[self.first_row[places[free]] == rows[free]]
                self.n_held += len(holders)
                for known, values in zip((self.hashes, *self.tails), (hashes, *tails), strict=True):
                    known[places[holders]] = values[holders]
                is_mine = self.hashes.take(places) == hashes
        for known, tail in zip(self.tails, tails, strict=True):
            is_mine &= known.take(places) == tail
        return places, is_mine


def _words(chunk: Any, n_words: int) -> tuple[NDArray[np.uint64], list[NDArray[np.uint64]]]:
    """(hash, tail) of each id, from its bytes padded with zeros to whole words."""
    import pyarrow.compute as pc

    padded = pc.ascii_rpad(chunk, n_words * WORD, "\0")
    words = np.frombuffer(padded.buffers()[2], dtype=np.uint64, count=len(chunk) * n_words).reshape(len(chunk), n_words)
    tails = [np.ascontiguousarray(words[:, column]) for column in range(1, n_words)]
    hashes = np.zeros(len(chunk), dtype=np.uint64)
    for word in [*tails[::-1], words[:, 0]]:
        hashes += word
        hashes *= MULTIPLIER
        hashes ^= hashes >> np.uint64(32)
    hashes *= MULTIPLIER
    hashes ^= hashes >> np.uint64(29)
    return hashes, tails


def _longest(chunk: Any) -> int:
    return int(np.diff(_offsets(chunk)).max())


def _holds_nul(chunk: Any) -> bool:
    """Whether an id holds a zero byte, which padding could not tell from its own."""
    offsets = _offsets(chunk)
    text = np.frombuffer(chunk.buffers()[2], dtype=np.uint8)[offsets[0] : offsets[-1]]
    return bool(np.count_nonzero(text) < len(text))


def _offsets(chunk: Any) -> NDArray[Any]:
    import pyarrow as pa

    kind = np.int64 if pa.types.is_large_string(chunk.type) else np.int32
    return np.frombuffer(chunk.buffers()[1], dtype=kind)[chunk.offset : chunk.offset + len(chunk) + 1]
