"""Tables of ids, one for each thread, and how they become one: nodes numbered in the order of first appearance.

A thread looks up the ids of the blocks it reads in a table of its own, so none waits for another, and keeps the place of
each id. In the end the tables are united, and places become numbers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.io.acceleration import on_threads, thread_parts

WORD = 8  # bytes
MIN_WORDS, MAX_WORDS = 2, 8  # an id
MIN_BITS, FAST_BITS, MAX_TABLE_BITS = 5, 20, 30  # a table is made four times as large up to the second, then twice
MAX_LOAD = 0.6
MANY = 2**62
DONE, WIDE, ODD, FULL, CROWDED = range(5)  # how compiled loops say that they ended: `id_loops` explains each
ROWS = 2**11  # looked up at a time: what is computed on the way stays in the cache


class UnusualError(Exception):
    """The file is not for this reader."""


@dataclass(frozen=True)
class IdColumn:
    """The ids of a block: one after the other, and where each begins."""

    offsets: NDArray[np.int32]
    text: NDArray[np.uint8]
    n_words: int


@dataclass(frozen=True)
class Lines:
    """A block as it stands in the file: from where to where in the text, and which columns have the ids."""

    text: NDArray[np.uint8]
    start: int
    end: int
    separator: int
    n_columns: int
    ends: tuple[int, int]


class IdTable:
    """All ids that one thread has seen, and for each row of its blocks the places of both ids."""

    def __init__(self, loops: Any, n_blocks: int) -> None:
        self.loops, self.n_blocks = loops, n_blocks
        self.places = [np.empty(0, dtype=np.int32) for _ in range(2)]  # of sources and of targets, with room for more
        self.n_held = self.n_rows = 0
        self.blocks: dict[int, slice] = {}  # the rows of each block, by its number in the file
        self.room, self.wanted = np.empty((3, ROWS), dtype=np.int64), np.empty(ROWS, dtype=np.int32)
        self._clear(MIN_BITS, MIN_WORDS)

    def add_columns(self, block: int, columns: Sequence[IdColumn]) -> None:
        """The rows of a block as the parser has them."""
        n_rows = len(columns[0].offsets) - 1
        rows = slice(self.n_rows, self.n_rows + n_rows)
        self._make_room(n_rows)
        self._enlarge(2 * n_rows, max(column.n_words for column in columns), self.n_rows)
        for side, column in enumerate(columns):
            self.n_held = self.loops.look_up(
                *(column.offsets, column.text, self.ids, self._shift, self.n_held),
                *(self.places[side][rows], self.words[side], self.room),
            )
            if self.n_held < 0:
                raise UnusualError
        self.n_rows, self.blocks[block] = rows.stop, rows

    def add_lines(self, block: int, lines: Lines) -> bool:
        """The rows of a block straight from its text. Whether that was possible; nothing is added where it was not."""
        self._make_room((lines.end - lines.start) // (lines.n_columns + 2) + 1)
        at, n_rows = lines.start, self.n_rows
        while True:
            state, at, n_rows, self.n_held = self.loops.look_up_lines(
                *(lines.text, at, lines.end, lines.separator, lines.n_columns, *lines.ends),
                *(self.ids, self._shift, self._max_held, self.n_held, *self.places, n_rows, self.words, self.room),
            )
            if state == FULL:
                self._enlarge(2 * ROWS, MIN_WORDS, n_rows)
            elif state == WIDE and self.ids.shape[1] < MAX_WORDS:
                self._enlarge(0, self.ids.shape[1] + 1, n_rows)
            else:
                break
        if state == ODD:
            return False
        if state != DONE:
            raise UnusualError
        self.n_rows, self.blocks[block] = n_rows, slice(self.n_rows, n_rows)
        return True

    def take_in(self, other: IdTable) -> NDArray[np.int32]:
        """All ids of another table too. Where each of its places went."""
        self._enlarge(0, other.ids.shape[1], self.n_rows)
        moved = np.zeros(len(other.ids), dtype=np.int32)
        while (n_held := self._move(other.ids, moved, self._max_held, self.n_held)) < 0:
            self._rebuild(self.bits + 1, self.ids.shape[1], self.n_rows)
        self.n_held = n_held
        return moved

    def spelt(self, places: NDArray[np.int32]) -> Any:
        """The ids at some places, as an Arrow array."""
        import pyarrow as pa

        parts = thread_parts(len(places))
        offsets = np.zeros(len(places) + 1, dtype=np.int64)
        on_threads(lambda part: self.loops.measure(self.ids, places[parts[part]], offsets[1:][parts[part]]))
        np.cumsum(offsets, out=offsets)
        text = np.empty(int(offsets[-1]), dtype=np.uint8)

        def spell(part: int) -> None:
            start, stop = parts[part].start, parts[part].stop
            self.loops.spell(self.ids, places[start:stop], offsets[start : stop + 1], text)

        on_threads(spell)
        return pa.Array.from_buffers(pa.large_string(), len(places), [None, pa.py_buffer(offsets), pa.py_buffer(text)])

    def _make_room(self, n_rows: int) -> None:
        """Room for so many rows more, and for the rest of the file at once. Memory that no row needs is never touched."""
        if self.n_rows + n_rows <= len(self.places[0]):
            return
        expected = self.n_rows // max(len(self.blocks), 1) * self.n_blocks
        for side, places in enumerate(self.places):
            self.places[side] = np.empty(max(self.n_rows + self.n_rows // 2, expected) + n_rows, dtype=np.int32)
            self.places[side][: self.n_rows] = places[: self.n_rows]

    def _enlarge(self, n_new: int, width: int, n_rows: int) -> None:
        """A larger table, or one for longer ids, where the next ids could need it."""
        bits, width = self.bits, max(width, self.ids.shape[1])
        while self.n_held + n_new > MAX_LOAD * (1 << bits):
            bits += 2 if bits < FAST_BITS else 1
        if (bits, width) != (self.bits, self.ids.shape[1]):
            self._rebuild(bits, width, n_rows)

    def _rebuild(self, bits: int, width: int, n_rows: int) -> None:
        """Put all ids into a new table, and the new places of so many rows where the old ones were."""
        if bits > MAX_TABLE_BITS:
            raise UnusualError
        old = self.ids
        self._clear(bits, width)
        moved = np.zeros(len(old), dtype=np.int32)
        self.n_held = self._move(old, moved, MANY, 0)
        for places in self.places:
            self.loops.translate(places[:n_rows], moved, places[:n_rows])

    def _clear(self, bits: int, width: int) -> None:
        self.bits, self.ids = bits, np.zeros((1 << bits, width), dtype=np.uint64)
        self.words = np.empty((2, ROWS, width), dtype=np.uint64)

    def _move(self, old: NDArray[np.uint64], moved: NDArray[np.int32], max_held: int, n_held: int) -> int:
        n_held = self.loops.move(old, self.ids, self._shift, max_held, n_held, moved, self.words[0], self.wanted, self.room)
        if n_held == -2:
            raise UnusualError
        return int(n_held)

    @property
    def _max_held(self) -> int:
        return int(MAX_LOAD * (1 << self.bits))

    @property
    def _shift(self) -> Any:
        return np.uint64(64 - self.bits)


def unite(loops: Any, tables: Sequence[IdTable]) -> tuple[NDArray[np.int32], NDArray[np.int32], Any]:
    """(sources, targets, ids) of the whole file. Ids in the order of first appearance, all sources before all targets."""
    whole = tables[0]
    held = None
    while held is not whole.ids:  # where it had to grow, places are others now
        held = whole.ids
        moves = [np.arange(len(whole.ids), dtype=np.int32), *(whole.take_in(table) for table in tables[1:])]
    owners = {block: number for number, table in enumerate(tables) for block in table.blocks}
    firsts: dict[tuple[int, int], NDArray[np.int32]] = {}  # of each block, by side
    on_threads(lambda number: firsts.update(_firsts(loops, tables[number])), len(tables))
    numbers = np.full(len(whole.ids), -1, dtype=np.int32)
    place_of = np.empty(whole.n_held, dtype=np.int32)
    n_known = 0
    for side in range(2):
        for block in sorted(owners):
            n_known = loops.settle(firsts[side, block], moves[owners[block]], numbers, place_of, n_known)

    n_rows = 0
    rows = {}
    for block in sorted(owners):
        there = tables[owners[block]].blocks[block]
        rows[block] = slice(n_rows, n_rows + there.stop - there.start)
        n_rows = rows[block].stop
    ends = np.empty((2, n_rows), dtype=np.int32)

    def translate(number: int) -> None:
        own = numbers.take(moves[number])
        for block, there in tables[number].blocks.items():
            for side, places in enumerate(tables[number].places):
                loops.translate(places[there], own, ends[side, rows[block]])

    on_threads(translate, len(tables))
    return ends[0], ends[1], whole.spelt(place_of[:n_known])


def _firsts(loops: Any, table: IdTable) -> dict[tuple[int, int], NDArray[np.int32]]:
    """The places that each block has first, in the order of its rows, sources of all blocks before targets."""
    is_seen = np.zeros(len(table.ids), dtype=np.uint8)
    firsts = np.empty(table.n_held + 1, dtype=np.int32)
    found, n_firsts = {}, 0
    for side, places in enumerate(table.places):
        for block in sorted(table.blocks):
            before = n_firsts
            n_firsts = loops.list_firsts(places[table.blocks[block]], is_seen, firsts, n_firsts)
            found[side, block] = firsts[before:n_firsts]
    return found
