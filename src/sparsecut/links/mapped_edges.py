"""Edges that lie in memory maps: less some links, and turned round, written to files block by block.

A graph of a store is larger than memory, perhaps, and so is what is left of it without its held-out links. Both are read
and written some rows at a time, and stay in files as the graph does.
"""

from __future__ import annotations

import shutil
import tempfile
import weakref
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.kernels.streaming import BLOCK_BYTES, blocks_of_entries, release

Integers = NDArray[np.int64]


def without_entries(adjacency: sp.csr_array, pairs: Integers, folder: Path, block_bytes: int = BLOCK_BYTES) -> sp.csr_array:
    """The adjacency less the entries between some pairs, in both directions, in files of a folder."""
    n_nodes = adjacency.shape[0]
    both = np.concatenate([pairs, pairs[:, ::-1]])
    gone = np.unique(both[:, 0] * n_nodes + both[:, 1])
    counts = np.empty(n_nodes, dtype=np.int64)
    for rows, starts, columns, _ in _blocks(adjacency, block_bytes):
        stays = _stays(gone, rows, starts, columns, n_nodes)
        counts[rows] = np.diff(np.concatenate([[0], np.cumsum(stays)])[starts])
    made = _Made(folder, adjacency, counts)
    for rows, starts, columns, weights in _blocks(adjacency, block_bytes):
        stays = _stays(gone, rows, starts, columns, n_nodes)
        part = slice(int(made.starts[rows.start]), int(made.starts[rows.stop]))
        made.indices[part] = columns[stays]
        if made.weights is not None:
            made.weights[part] = weights[stays]
        made.release()
    return made.matrix(adjacency)


def turned_round(adjacency: sp.csr_array, folder: Path, block_bytes: int = BLOCK_BYTES) -> sp.csr_array:
    """The transposed adjacency in files of a folder, its rows in ascending order."""
    n_nodes = adjacency.shape[0]
    counts = np.zeros(n_nodes, dtype=np.int64)
    for _, _, columns, _ in _blocks(adjacency, block_bytes):
        counts += np.bincount(columns, minlength=n_nodes)
    made = _Made(folder, adjacency, counts)
    places = made.starts[:-1].copy()  # where the next entry of a row goes
    for rows, starts, columns, weights in _blocks(adjacency, block_bytes):
        sources = np.repeat(np.arange(rows.start, rows.stop), np.diff(starts))
        order = np.argsort(columns, kind="stable")
        ordered = columns[order]
        is_first = np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)]
        first = np.flatnonzero(is_first)
        lengths = np.diff(np.append(first, len(ordered)))
        to = places[ordered] + np.arange(len(ordered)) - np.repeat(first, lengths)
        made.indices[to] = sources[order]
        if made.weights is not None:
            made.weights[to] = weights[order]
        places[ordered[first]] += lengths
        made.release()
    return made.matrix(adjacency)


def in_folder(matrix_of: Callable[[Path], sp.csr_array], parent: Path | None = None) -> sp.csr_array:
    """What a function of a folder makes, in a temporary folder that goes with the last user of the matrix."""
    folder = tempfile.mkdtemp(prefix="sparsecut-links-", dir=parent)
    try:
        matrix: sp.csr_array = matrix_of(Path(folder))
    except BaseException:
        shutil.rmtree(folder, ignore_errors=True)
        raise
    weakref.finalize(_root(matrix.indices), shutil.rmtree, folder, ignore_errors=True)
    return matrix


class _Made:
    """The arrays of an adjacency that is being written."""

    def __init__(self, folder: Path, like: sp.csr_array, counts: Integers) -> None:
        self.folder = folder
        self.starts = np.concatenate([[0], np.cumsum(counts)])
        n_entries = int(self.starts[-1])
        self.indices = self._open("indices", like.indices.dtype, n_entries)
        self.weights = None if _is_one_number(like) else self._open("weights", np.float32, n_entries)

    def _open(self, name: str, dtype: Any, length: int) -> NDArray[Any]:
        if not length:  # no file can be mapped that holds nothing
            return np.empty(0, dtype=dtype)
        return np.lib.format.open_memmap(self.folder / f"{name}.npy", mode="w+", dtype=dtype, shape=(length,))

    def release(self) -> None:
        """What was written goes to its file, and its memory back."""
        for array in (self.indices, self.weights):
            if isinstance(array, np.memmap):
                array.flush()
                release(array)

    def matrix(self, like: sp.csr_array) -> sp.csr_array:
        """The adjacency, as memory maps that nobody writes to."""
        made = sp.csr_array(like.shape, dtype=np.float32)
        made.indptr = self.starts.astype(like.indptr.dtype)
        if not len(self.indices):
            return made
        made.indices = np.load(self.folder / "indices.npy", mmap_mode="r")
        if self.weights is None:
            made.data = np.broadcast_to(np.float32(like.data[0]), len(self.indices))
        else:
            made.data = np.load(self.folder / "weights.npy", mmap_mode="r")
        return made


def _blocks(adjacency: sp.csr_array, block_bytes: int) -> Iterator[tuple[slice, Integers, Integers, NDArray[Any]]]:
    """Some rows at a time: which, where each begins among the entries of the block, their columns and weights."""
    for rows in blocks_of_entries(adjacency.indptr, block_bytes):
        ends = np.asarray(adjacency.indptr[rows.start : rows.stop + 1], dtype=np.int64)
        entries = slice(int(ends[0]), int(ends[-1]))
        yield rows, ends - ends[0], np.asarray(adjacency.indices[entries], dtype=np.int64), adjacency.data[entries]
        release(adjacency, rows)


def _stays(gone: Integers, rows: slice, starts: Integers, columns: Integers, n_nodes: int) -> NDArray[np.bool_]:
    """Which entries of a block are not among sorted numbers row·n + column."""
    here = gone[slice(*np.searchsorted(gone, [rows.start * n_nodes, rows.stop * n_nodes]))]
    if not len(here):
        return np.ones(len(columns), dtype=np.bool_)
    numbers = np.repeat(np.arange(rows.start, rows.stop), np.diff(starts)) * n_nodes + columns
    places = np.minimum(np.searchsorted(here, numbers), len(here) - 1)
    return np.asarray(here[places] != numbers)


def _is_one_number(matrix: sp.csr_array) -> bool:
    return not len(matrix.data) or matrix.data.strides == (0,)


def _root(array: NDArray[Any]) -> Any:
    """The memory map at the end of a chain of views."""
    while isinstance(array.base, np.ndarray):
        array = array.base
    return array
