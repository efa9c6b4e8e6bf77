"""A matrix on disk from numbered edges that are never held whole: counted, sorted out by ranges of rows, merged.

    count        one pass over the edges: how many entries each node may have, both directions of every edge
    distribute   a second pass: every entry goes to the file of its range of nodes; a range is as much as fits into memory
    merge        a range at a time: sorted, repeats united, appended to the neighbours

Each stage is written down when it is done, so a build that was killed goes on from there. What an edge becomes is what
`sparsecut.io.edges.adjacency` makes of it, with the same bits.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import astuple, dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.base.progress import Reporter
from sparsecut.io.edges.adjacency import offset_type
from sparsecut.io.edges.sides import Meeting, meeting_of
from sparsecut.io.stores.numpy_files import write_npy, write_npy_header
from sparsecut.io.stores.workfolder import WorkFolder, telling_where
from sparsecut.kernels import in_words

BASE_BYTES = 450 << 20  # the interpreter, its libraries and the batches in hand
NODE_BYTES = 40  # counts, offsets, and an id with its place where ids are not row numbers
ENTRY_BYTES = 48  # of a range in memory: the entry, its order, and sorted copies
MAX_RANGES = 500  # files open at a time
COLUMN_BITS = 32
MAX_NODES = 1 << 30  # an entry, row, column and direction, is one number of 64 bits

NumberedBatch = tuple[NDArray[np.int64], NDArray[np.int64], NDArray[Any] | None]


@dataclass(frozen=True)
class NumberedEdges:
    """Edges by the positions of their nodes: `batches(stage)` goes through all of them, as often as it is called."""

    batches: Callable[[str], Iterator[NumberedBatch]]
    value_type: type[np.floating[Any]] | None = None  # of the weights; None where every edge weighs 1
    with_meeting: bool = False  # whether the two columns may be two kinds of nodes


@dataclass(frozen=True)
class MatrixSizes:
    """What was found while a matrix was made."""

    n_entries: int
    n_loops: int  # nodes with an edge to themselves
    meeting: Meeting


class MatrixBuild:
    """The matrix of numbered edges in the folder `place` of the store that a work folder holds."""

    def __init__(
        self,
        work: WorkFolder,
        edges: NumberedEdges,
        n_nodes: int,
        directed: str,
        range_entries: int,
        report: Reporter,
        place: str = "",
    ) -> None:
        self.work, self.edges, self.n_nodes, self.directed = work, edges, n_nodes, directed
        self.range_entries, self.report = range_entries, report
        self.folder = f"store/{place}/" if place else "store/"
        self.mark = f"{place.replace('/', '-')}-" if place else ""  # of its pieces in the work folder

    def run(self) -> MatrixSizes:
        (self.work / self.folder).mkdir(parents=True, exist_ok=True)
        counted = self.work.remembered(f"{self.mark}counts", self._count)
        starts = _ranges(counted["counts"], self.range_entries)
        self.work.remembered(f"{self.mark}distributed", lambda: self._distribute(starts))
        n_entries = self._merge(starts)
        n_edges, n_shared, n_both, n_products = counted["meeting"].tolist()
        meeting = Meeting(int(n_edges), int(n_shared), int(n_both), n_products)
        return MatrixSizes(n_entries, int(counted["n_loops"]), meeting)

    def _count(self) -> dict[str, NDArray[Any]]:
        """How many entries each node may have, repeats counted, how many nodes had a self-loop, what both columns share."""
        counts = np.zeros(self.n_nodes, dtype=np.int64)
        has_loop = np.zeros(self.n_nodes, dtype=bool)
        with_meeting = self.edges.with_meeting
        ends = [np.zeros(self.n_nodes if with_meeting else 0, dtype=np.int32) for _ in range(2)]
        n_loops = 0
        for i, j, _ in self.edges.batches("counting edges"):
            is_loop = i == j
            has_loop[i[is_loop]] = True
            n_loops += int(is_loop.sum())
            for end, rows in zip(ends, (i, j) if with_meeting else (), strict=False):
                np.add.at(end, rows, 1)
            for rows, _ in entry_keys(i[~is_loop], j[~is_loop], self.directed):
                np.add.at(counts, rows, 1)
        meeting = np.array(astuple(meeting_of(ends[0], ends[1], n_loops)), dtype=np.float64)
        return {"counts": counts, "n_loops": np.asarray(has_loop.sum()), "meeting": meeting}

    def _distribute(self, starts: NDArray[np.int64]) -> int:
        """Entries as numbers that sort by row, then by column, then by direction, in a file a range."""
        has_weights = self.edges.value_type is not None
        with ExitStack() as stack:
            files = [stack.enter_context(self.work.writing(f"{self.mark}range-{number}")) for number in range(len(starts))]
            weight_files = [
                stack.enter_context(self.work.writing(f"{self.mark}weights-{number}"))
                for number in (range(len(starts)) if has_weights else ())
            ]
            for i, j, weights in self.edges.batches("sorting edges"):
                kept = np.flatnonzero(i != j)
                for rows, keys in entry_keys(i[kept], j[kept], self.directed):
                    ranges = np.searchsorted(starts, rows, side="right") - 1
                    order = np.argsort(ranges, kind="stable")
                    bounds = np.searchsorted(ranges[order], np.arange(len(starts) + 1))
                    ordered = keys[order]
                    values = None if weights is None else weights[kept][order]
                    for number in np.flatnonzero(np.diff(bounds)):
                        part = slice(bounds[number], bounds[number + 1])
                        files[number].write(ordered[part].data)
                        if values is not None:
                            weight_files[number].write(values[part].data)
        return len(starts)

    def _merge(self, starts: NDArray[np.int64]) -> int:
        """The ranges one after another at the end of the neighbours; where that was left off is written down."""
        n_done, n_entries = self.work.remembered(f"{self.mark}merged", lambda: [0, 0])
        bounds = [*starts.tolist(), self.n_nodes]
        kinds: dict[str, np.dtype[Any]] = {"indices": np.dtype(offset_type(self.n_nodes, 0)), "counts": np.dtype(np.int64)}
        if self.edges.value_type is not None:
            kinds["weights"] = np.dtype(np.float32)
        while n_done < len(starts):
            parts = self._range(n_done, bounds[n_done], bounds[n_done + 1])
            for name, kind in kinds.items():
                before = bounds[n_done] if name == "counts" else n_entries
                self._append(name, kind, before, parts[name])
            n_done, n_entries = n_done + 1, n_entries + len(parts["indices"])
            with self.work.writing(f"{self.mark}merged") as file:
                file.write(f"[{n_done}, {n_entries}]".encode())
            self.work.remove(f"{self.mark}range-{n_done - 1}")
            self.work.remove(f"{self.mark}weights-{n_done - 1}")
            self.report("merging edges", n_done, len(starts))
        indptr = np.zeros(self.n_nodes + 1, dtype=offset_type(self.n_nodes, n_entries))
        np.cumsum(np.load(self.work / f"{self.mark}counts.npy"), out=indptr[1:])
        with self.work.writing(f"{self.folder}indptr.npy") as file:
            write_npy(file, indptr)
        for name in kinds.keys() - {"counts"}:
            if self.work.has(f"{self.mark}{name}.npy"):
                (self.work / f"{self.mark}{name}.npy").replace(self.work / f"{self.folder}{name}.npy")
        return int(n_entries)

    def _append(self, name: str, kind: np.dtype[Any], n_before: int, values: NDArray[Any]) -> None:
        """Values at the end of an array on disk, of which so many are known to be whole."""
        path = self.work / f"{self.mark}{name}.npy"
        with telling_where(self.work.path), path.open("r+b" if path.exists() else "w+b") as file:
            write_npy_header(file, kind, (n_before + len(values),))  # as long for any number
            file.seek(n_before * kind.itemsize, os.SEEK_CUR)
            file.truncate()
            file.write(np.ascontiguousarray(values, dtype=kind).data)
            file.flush()
            os.fsync(file.fileno())

    def _range(self, number: int, first: int, last: int) -> dict[str, NDArray[Any]]:
        """The columns, the weights and the number of entries of each row of a range, sorted and without repeats."""
        keys = np.fromfile(self.work / f"{self.mark}range-{number}", dtype=np.int64)
        weights = None
        if self.edges.value_type is not None:
            weights = np.fromfile(self.work / f"{self.mark}weights-{number}", dtype=self.edges.value_type)
        return merge_entries(keys, weights, first, last)


def check_node_count(n_nodes: int, what: str) -> None:
    if n_nodes > MAX_NODES:
        raise InputError(f"A store holds at most {MAX_NODES:,} nodes. {what} has {n_nodes:,} rows.")


def range_size(n_nodes: int, n_entries: int, limit: int) -> int:
    """The entries of a range that fit into the limit."""
    fixed = BASE_BYTES + NODE_BYTES * n_nodes
    least = ENTRY_BYTES * max(n_entries // (MAX_RANGES // 2), 1 << 16)
    if limit < fixed + least:
        raise InputError(
            f"The memory_limit of build_store is too small for this graph: {in_words(limit)}. It needs at least "
            f"{in_words(fixed + least + (1 << 20))}, of which {in_words(BASE_BYTES)} are the interpreter and its libraries."
        )
    return int((limit - fixed) // ENTRY_BYTES)


def entry_keys(
    i: NDArray[np.int64], j: NDArray[np.int64], directed: str
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The entries that edges from i to j make: rows, and numbers that sort by row, then by column, then by direction."""
    both = {"out": [(i, j)], "in": [(j, i)], "symmetrize": [(i, j), (j, i)]}[directed]
    return [(rows, ((rows << COLUMN_BITS) | columns) << 1 | direction) for direction, (rows, columns) in enumerate(both)]


def merge_entries(keys: NDArray[np.int64], weights: NDArray[Any] | None, first: int, last: int) -> dict[str, NDArray[Any]]:
    """The columns, the weights and the number of entries of each row from `first` to `last`, sorted and without repeats."""
    if weights is not None:
        order = np.argsort(keys, kind="stable")
        keys, weights = keys[order], weights[order]
        del order
        # Repeats in one direction are summed; of the two directions the larger counts.
        keys, weights = _summed(keys, weights)
        keys, weights = keys[weights > 0], weights[weights > 0]
        keys, weights = _largest(keys >> 1, weights)
        weights = weights.astype(np.float32, copy=False)
    else:
        keys.sort()
        keys >>= 1
        is_new = np.ones(len(keys), dtype=bool)
        np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
        keys = keys[is_new]
    counts = np.bincount((keys >> COLUMN_BITS) - first, minlength=last - first)
    keys &= (1 << COLUMN_BITS) - 1
    return {"indices": keys, "counts": counts} | ({} if weights is None else {"weights": weights})


def _ranges(counts: NDArray[np.int64], range_entries: int) -> NDArray[np.int64]:
    """The first node of each range, of about as many entries as fit; a node with more has a range of its own."""
    ends = np.cumsum(counts)
    starts, first = [0], 0
    while True:
        before = int(ends[first - 1]) if first else 0
        first = max(int(np.searchsorted(ends, before + range_entries, side="right")), first + 1)
        if first >= len(counts):
            return np.array(starts, dtype=np.int64)
        starts.append(first)


def _summed(keys: NDArray[np.int64], values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Values with the same key, which follow one another, added up one by one, as scipy adds up repeats."""
    first = _firsts(keys)
    sums = values[first]
    if len(first) < len(keys):
        group = np.repeat(np.arange(len(first)), np.diff(first, append=len(keys)))
        is_more = np.ones(len(keys), dtype=bool)
        is_more[first] = False
        np.add.at(sums, group[is_more], values[is_more])
    return keys[first], sums


def _largest(keys: NDArray[np.int64], values: NDArray[Any]) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """The largest of the values with the same key, which follow one another."""
    first = _firsts(keys)
    return keys[first], np.maximum.reduceat(values, first) if len(first) else values


def _firsts(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Where each key stands first."""
    return np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else np.empty(0, dtype=np.int64)
