"""Number the nodes of an edge list: from columns of ids to 0..n−1 and the list of ids, without a loop over rows.

Integers are numbered ascending, words in the order they first appear, all sources before all targets. Words are numbered by
Arrow's dictionary encoding; many of them by one compiled loop, where numba is installed, which takes less than half of the
time and gives the same numbers. Integers that lie close together need no hashing: a list of all integers between the least
and the largest says where each one went.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.lazy_names import without_collector

BLOCK = 2**13  # rows at a time: what is computed on the way stays in the cache, and in memory that is used again
MAX_TEXT = 2**31 - 1  # bytes of distinct words that an Arrow array with 32-bit offsets holds
MIN_LOOP_ROWS = 2**23  # fewer are numbered by Arrow before numba is imported, which takes half a second
MAX_LOOP_BYTES = 63  # of a word in the loop's table
TABLE_ROWS = 2**16  # of the loop's table at first, at least
MAX_FIRST_BYTES = 2**26  # and at most, with a row for every fourth word: a table that grows is filled again


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
    import pyarrow as pa

    chunks = [chunk for column in columns for chunk in column.chunks if len(chunk)]
    numbered = None
    if sum(map(len, chunks)) >= MIN_LOOP_ROWS:
        with without_collector():  # numba is imported, and loads the rest of itself when it is first called
            loop = _word_loop()
            numbered = None if loop is None else _number_by_loop(loop, chunks)
    if numbered is not None:
        return np.split(numbered[0], np.cumsum([len(column) for column in columns])[:-1]), numbered[1]
    if len({chunk.type for chunk in chunks}) > 1 or sum(chunk.nbytes for chunk in chunks) > MAX_TEXT:
        chunks = [chunk.cast(pa.large_string()) for chunk in chunks]
    encoded = pa.chunked_array(chunks).dictionary_encode()
    positions = np.concatenate([np.asarray(chunk.indices) for chunk in encoded.chunks])
    ids = encoded.chunk(0).dictionary.cast(pa.large_string())  # all chunks share one dictionary
    return np.split(positions, np.cumsum([len(column) for column in columns])[:-1]), ids


def position_type(n_positions: int) -> type[np.signedinteger[Any]]:
    """Four bytes where they suffice to count that far, eight otherwise."""
    return np.int32 if n_positions <= np.iinfo(np.int32).max else np.int64


@cache
def _word_loop() -> Any:
    try:
        from sparsecut.io.edges import word_loop
    except (ImportError, RuntimeError):  # numba is not installed, or finds no folder to keep what it compiles
        return None
    return word_loop


def _number_by_loop(loop: Any, chunks: Sequence[Any]) -> tuple[NDArray[np.int32], Any] | None:
    """(positions, ids) as `number_words` promises them, from Arrow arrays; None for words that are not for this loop."""
    import pyarrow as pa

    texts = [_text_of(chunk) for chunk in chunks]
    longest = max(int(np.diff(offsets).max()) for offsets, _ in texts)
    if longest > MAX_LOOP_BYTES:
        return None
    width = longest // 8 + 1
    n_wanted = min(sum(map(len, chunks)) // 4, MAX_FIRST_BYTES // (8 * width))
    n_places = max(TABLE_ROWS, 1 << n_wanted.bit_length() >> 1)  # a power of two
    table, numbers = np.zeros((n_places, width), dtype=np.uint64), np.empty(n_places, dtype=np.int32)
    block = np.empty((min(BLOCK, n_places // 8), width), dtype=np.uint64)
    n_known, positions, found = 0, [], []
    for chunk, (offsets, text) in zip(chunks, texts, strict=True):
        places, row = np.empty(len(chunk), dtype=np.int32), 0
        while row < len(chunk):
            firsts, n_before = np.empty(len(chunk) - row, dtype=np.int64), n_known
            row, n_known = loop.number_rows(offsets, text, row, table, numbers, n_known, block, places, firsts)
            if n_known < 0:
                return None
            found.append(chunk.take(_arrow_integers(firsts[: n_known - n_before])).cast(pa.large_string()))
            if row < len(chunk):
                table, numbers = _enlarged(loop, table, numbers)
        positions.append(places)
    return np.concatenate(positions), pa.concat_arrays(found)


def _text_of(chunk: Any) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
    """(where each word begins, and the last one ends; the bytes of all) of an Arrow array of strings."""
    _, offsets, text = chunk.buffers()
    kind = np.int64 if str(chunk.type).startswith("large") else np.int32
    starts = np.frombuffer(offsets, dtype=kind)[chunk.offset : chunk.offset + len(chunk) + 1].astype(np.int64)
    return starts, np.frombuffer(text, dtype=np.uint8) if text is not None and text.size else np.empty(0, dtype=np.uint8)


def _enlarged(
    loop: Any, table: NDArray[np.uint64], numbers: NDArray[np.int32]
) -> tuple[NDArray[np.uint64], NDArray[np.int32]]:
    """The words of a table in one four times as large."""
    larger = np.zeros((4 * len(table), table.shape[1]), dtype=np.uint64), np.empty(4 * len(table), dtype=np.int32)
    loop.move(table, numbers, *larger)
    return larger


def _number_small_integers(columns: Sequence[NDArray[Any]]) -> tuple[list[NDArray[Any]], NDArray[Any]]:
    """(positions of each column, ids ascending), by a list of all integers from the least on."""
    low = min(int(column.min()) for column in columns)
    span = max(int(column.max()) for column in columns) - low + 1
    occurs = np.zeros(span, dtype=bool)
    for column in columns:
        for start in range(0, len(column), BLOCK):  # indices of 64 bits are the fast ones, and take room
            occurs[column[start : start + BLOCK].astype(np.int64) - low] = True
    ids = np.flatnonzero(occurs)
    kind = position_type(len(ids))
    position_of = np.empty(span, dtype=kind)
    position_of[ids] = np.arange(len(ids), dtype=kind)
    positions = []
    for column in columns:
        numbered = np.empty(len(column), dtype=kind)
        for start in range(0, len(column), BLOCK):
            block = slice(start, start + BLOCK)
            numbered[block] = position_of.take(column[block].astype(np.int64) - low)
        positions.append(numbered)
    return positions, ids + low


def _is_dense(columns: Sequence[NDArray[Any]]) -> bool:
    """Whether a list of all integers between the least and the largest is short beside the columns."""
    low, high = min(int(column.min()) for column in columns), max(int(column.max()) for column in columns)
    return high - low < 4 * sum(map(len, columns)) + 1024


def _arrow_integers(values: NDArray[np.int64]) -> Any:
    """Integers as an Arrow array, without a copy. `pa.array` would first import pandas, where that is installed."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])
