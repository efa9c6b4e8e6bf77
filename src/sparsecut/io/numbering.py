"""Number the nodes of an edge list: from columns of ids to 0..n−1 and the list of ids, without a loop over rows.

Integers are numbered ascending, words in the order they first appear, all sources before all targets. Words are numbered by
Arrow's dictionary encoding. Integers that lie close together need no hashing: a list of all integers between the least and
the largest says where each one went.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

BLOCK = 2**13  # rows at a time: what is computed on the way stays in the cache, and in memory that is used again
MAX_TEXT = 2**31 - 1  # bytes of distinct words that an Arrow array with 32-bit offsets holds


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
    if len({chunk.type for chunk in chunks}) > 1 or sum(chunk.nbytes for chunk in chunks) > MAX_TEXT:
        chunks = [chunk.cast(pa.large_string()) for chunk in chunks]
    encoded = pa.chunked_array(chunks).dictionary_encode()
    positions = np.concatenate([np.asarray(chunk.indices) for chunk in encoded.chunks])
    ids = encoded.chunk(0).dictionary.cast(pa.large_string())  # all chunks share one dictionary
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
    """The same numbers as an Arrow array. `pa.array` would first import pandas, where that is installed."""
    import pyarrow as pa

    return pa.Array.from_buffers(pa.int64(), len(values), [None, pa.py_buffer(values)])
