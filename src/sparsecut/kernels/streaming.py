"""Arrays larger than memory are read in blocks of rows, and a memory map gives each block back once it is done with.

A page of a memory map counts as the process's memory from its first use. `release` hands the pages back; the system
keeps them as long as it has room, so a second use reads no disk either.
"""

from __future__ import annotations

import mmap
import re
from collections.abc import Iterator
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, parameter_error

BLOCK_BYTES = 16 << 20
_UNITS = {"": 1, "B": 1, "KB": 10**3, "MB": 10**6, "GB": 10**9, "TB": 10**12} | {
    f"{letter}IB": 1024**power for power, letter in enumerate("KMGT", start=1)
}


def parse_bytes(caller: str, name: str, value: object) -> int:
    """A number of bytes, or a word such as "2GiB", "500 MB" or "1.5 TiB"."""
    rule = "a number of bytes above 0, such as '2GiB' or '500MB'"
    words = re.fullmatch(r"([0-9]+(?:\.[0-9]+)?)\s*([A-Za-z]*)", str(value).strip())
    is_number = isinstance(value, int | float | np.integer) and not isinstance(value, bool)
    if words is None or not (is_number or isinstance(value, str)) or words[2].upper() not in _UNITS:
        raise parameter_error(caller, name, rule, value)
    n_bytes = int(float(words[1]) * _UNITS[words[2].upper()])
    if n_bytes <= 0:
        raise parameter_error(caller, name, rule, value)
    return n_bytes


def in_words(n_bytes: int) -> str:
    """Bytes for a message."""
    return f"{n_bytes / 2**30:.2f} GiB" if n_bytes >= 2**30 else f"{-(-n_bytes // 2**20):,} MiB"


def row_blocks(n_rows: int, row_bytes: int, block_bytes: int = BLOCK_BYTES) -> Iterator[slice]:
    """Slices of as many rows as fit a block, at least one."""
    step = max(1, block_bytes // max(1, row_bytes))
    for start in range(0, n_rows, step):
        yield slice(start, min(start + step, n_rows))


def dense_blocks(matrix: Any, block_bytes: int = BLOCK_BYTES) -> Iterator[tuple[slice, NDArray[Any]]]:
    """Blocks of rows of a dense or sparse matrix as dense arrays, not to be kept: the next one may take their place."""
    n_rows, n_columns = matrix.shape
    for rows in row_blocks(n_rows, 4 * n_columns, block_bytes):
        block = matrix[rows]
        yield rows, block.toarray() if sp.issparse(block) else block
        release(matrix, rows)


def value_blocks(matrix: Any, block_bytes: int = BLOCK_BYTES) -> Iterator[NDArray[Any]]:
    """The stored values of a dense or sparse matrix, block by block."""
    if sp.issparse(matrix):
        for part in row_blocks(len(matrix.data), matrix.data.itemsize, block_bytes):
            yield matrix.data[part]
            release(matrix.data, part)
    else:
        for rows in row_blocks(len(matrix), matrix.dtype.itemsize * matrix.shape[1], block_bytes):
            yield matrix[rows]
            release(matrix, rows)


def blocks_of_entries(indptr: Any, block_bytes: int = BLOCK_BYTES, row_bytes: int = 0) -> list[slice]:
    """Slices of rows of a CSR matrix, as many as fit a block by their entries (8 bytes each) and by `row_bytes` a row.

    A row with more entries than that is a block of its own.
    """
    n_rows, start, blocks = len(indptr) - 1, 0, []
    most_rows = max(1, block_bytes // max(row_bytes, 16))
    while start < n_rows:
        ends = indptr[start : start + most_rows + 1]
        goal = min(int(ends[0]) + block_bytes // 8, int(ends[-1]))  # of the type of the ends, or numpy copies them all
        n_fit = int(np.searchsorted(ends, ends.dtype.type(goal), side="right")) - 1
        stop = min(start + max(n_fit, 1), n_rows)
        blocks.append(slice(start, stop))
        start = stop
    return blocks


def neighbour_sums(adjacency: Any) -> NDArray[np.float64]:
    """The weighted degrees A·1, in float64 and block by block."""
    if adjacency.nnz and adjacency.data.strides == (0,):  # one weight for all
        return np.asarray(np.diff(adjacency.indptr) * np.float64(adjacency.data[0]))
    sums = np.zeros(adjacency.shape[0])
    for rows in blocks_of_entries(adjacency.indptr):
        starts = np.array(adjacency.indptr[rows.start : rows.stop + 1], dtype=np.int64)
        entries = slice(int(starts[0]), int(starts[-1]))
        terms = np.zeros(entries.stop - entries.start + 1)  # one more, for rows without entries at the end
        terms[:-1] = adjacency.data[entries]
        sums[rows] = np.where(np.diff(starts) > 0, np.add.reduceat(terms, starts[:-1] - starts[0]), 0.0)
        release(adjacency, rows)
    return sums


def is_mapped(array: Any) -> bool:
    """Whether an array, or the columns of a sparse one, lie in a file."""
    if sp.issparse(array):
        return _mapping(getattr(array, "indices", None)) is not None
    return _mapping(array) is not None


def release(array: Any, rows: slice | None = None) -> None:
    """Give back the memory of some rows of a memory map, or of all of it; nothing to do for any other array."""
    if sp.issparse(array):
        first, last = (0, array.nnz) if rows is None else (int(array.indptr[rows.start]), int(array.indptr[rows.stop]))
        for part in (array.indices, array.data):
            release(part, slice(first, last))
        return
    mapping = _mapping(array)
    if mapping is None or not hasattr(mapping, "madvise"):
        return
    part = array if rows is None else array[rows]
    if not part.size or 0 in part.strides:
        return
    start = part.ctypes.data - np.frombuffer(mapping, dtype=np.uint8).ctypes.data
    stop = start + part.nbytes
    start -= start % mmap.PAGESIZE
    mapping.madvise(mmap.MADV_DONTNEED, start, min(stop, len(mapping)) - start)


def _mapping(array: Any) -> mmap.mmap | None:
    """The memory map an array is a view of; not one of a private copy, whose changes would be lost with its pages."""
    while array is not None:
        if isinstance(array, np.memmap) and array.mode != "c":
            return array._mmap  # type: ignore[attr-defined, no-any-return]
        array = getattr(array, "base", None)
    return None


def check_mapped(adjacency: Any, *, is_symmetric: bool) -> None:
    """Refuse a CSR adjacency that is not canonical: sorted, without repeats, loops and zeros, and symmetric if asked.

    It is read once, block by block. Whether it is symmetric is found without transposing it: the sum of hashes of the
    entries above the diagonal must be that of the entries below.
    """
    rule = _broken_rule(adjacency, is_symmetric)
    if rule is not None:
        raise InputError(
            f"An adjacency in a memory map must be {rule}, since it is not copied. Make one of its edges with "
            "sparsecut.build_store, or read it into memory first."
        )


def _broken_rule(adjacency: Any, is_symmetric: bool) -> str | None:
    if adjacency.format != "csr" or adjacency.data.dtype != np.float32:
        return "a CSR matrix of float32"
    if adjacency.shape[0] != adjacency.shape[1] or adjacency.shape[0] == 0:
        return "square, one row and one column a node"
    n_nodes, indptr, n_entries = adjacency.shape[0], adjacency.indptr, len(adjacency.indices)
    if int(indptr[0]) != 0 or not int(indptr[-1]) == n_entries == len(adjacency.data):
        return "whole"
    sides = np.zeros(2, dtype=np.uint64)  # the hashes of the entries above the diagonal, and of those below
    for nodes in row_blocks(n_nodes, 64 * (1 + n_entries // n_nodes)):
        starts = np.asarray(indptr[nodes.start : nodes.stop + 1], dtype=np.int64)
        if (np.diff(starts) < 0).any() or starts[-1] > n_entries:
            return "whole"
        entries = slice(int(starts[0]), int(starts[-1]))
        columns, weights = np.asarray(adjacency.indices[entries], dtype=np.int64), adjacency.data[entries]
        rows = np.repeat(np.arange(nodes.start, nodes.stop), np.diff(starts))
        if len(columns) and (columns.min() < 0 or columns.max() >= n_nodes):
            return "whole"
        if not (np.diff(columns)[np.diff(rows) == 0] > 0).all():
            return "sorted and without repeats"
        if (columns == rows).any():
            return "without self-loops"
        if not (np.isfinite(weights) & (weights > 0)).all():
            return "of finite weights above zero"
        if is_symmetric:
            for side, is_there in enumerate((columns > rows, columns < rows)):
                low, high = np.minimum(rows, columns)[is_there], np.maximum(rows, columns)[is_there]
                sides[side] += _hash_pairs(low, high, weights[is_there]).sum(dtype=np.uint64)
        release(adjacency, nodes)
    return "symmetric" if sides[0] != sides[1] else None


def _hash_pairs(low: NDArray[Any], high: NDArray[Any], weights: NDArray[np.float32]) -> NDArray[np.uint64]:
    """64 bits per weighted pair, so that sums of them agree where two lists hold the same pairs."""
    from sparsecut.kernels.hashing import mixed  # which imports this module

    hashes = mixed(low.astype(np.int64))
    for part in (high, np.ascontiguousarray(weights).view(np.uint32)):
        hashes = mixed(hashes + part.astype(np.int64))
    return np.asarray(hashes.view(np.uint64))
