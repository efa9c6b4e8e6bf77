"""`build_store`: a graph on disk from edges and features larger than memory, the same graph that `read_graph` would hold.

    count        one pass over the edges: how many entries each node may have, both directions of every edge
    distribute   a second pass: every entry goes to the file of its range of nodes; a range is as much as fits into memory
    merge        a range at a time: sorted, repeats united, appended to the neighbours

Each stage is written down when it is done, so a build that was killed goes on from there.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import astuple
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, ReadingWarning, check_choice
from sparsecut.base.progress import Reporter, reporting
from sparsecut.features import Scale
from sparsecut.graph import DIRECTIONS, loop_notes
from sparsecut.io.adjacency import offset_type
from sparsecut.io.files import refuse_url
from sparsecut.io.numpy_files import write_npy, write_npy_header
from sparsecut.io.record_batches import EdgeFile, FeatureFile
from sparsecut.io.row_positions import RowPositions, is_range
from sparsecut.io.sides import Meeting, check_side_ids, meeting_of, side_doubts
from sparsecut.io.store import check_place, is_store, move_store, write_header
from sparsecut.io.workfolder import WorkFolder, check_room, fingerprint_of, telling_where, work_folder
from sparsecut.kernels import in_words, parse_bytes

BASE_BYTES = 450 << 20  # the interpreter, its libraries and the batches in hand
NODE_BYTES = 40  # counts, offsets, and an id with its place where ids are not row numbers
ENTRY_BYTES = 48  # of a range in memory: the entry, its order, and sorted copies
MAX_RANGES = 500  # files open at a time
COLUMN_BITS = 32
MAX_NODES = 1 << 30  # an entry, row, column and direction, is one number of 64 bits


def build_store(
    folder: str | Path,
    edges: str | Path,
    *,
    features: str | Path,
    source: str | None = None,
    target: str | None = None,
    weight: str | None = None,
    bipartite: bool | None = None,
    directed: str = "symmetrize",
    memory_limit: int | str = "2GiB",
    link_features: bool = False,
    scale: Scale = "auto",
    encoder: Any = None,
    id_column: str | None = None,
    overwrite: bool = False,
    progress: Reporter | None = None,
) -> None:
    """Make a folder that `open_store` opens as a graph, without ever holding the graph in memory.

    The graph is the one that `read_graph` would hold. A build that was killed goes on where it was when it is called again.

    Parameters
    ----------
    folder : str or Path
        Where the store goes.
    edges : str or Path
        Parquet, Feather, Arrow, or .npy (m, 2).
    features : str or Path
        .npy, whose rows are the nodes 0..n−1, or Parquet, Feather or Arrow with a column of ids.
    source, target, weight : str, default=None
        Columns of the edges; chosen by their names and values where not given (docs/files.md).
    bipartite : bool, default=None
        True: the two columns hold two kinds of nodes, and the ids of the features say which: "user:7", "movie:7" (see
        `read_graph`). False: both hold one kind.
    directed : {"symmetrize", "out", "in"}, default="symmetrize"
        "out" and "in" keep the directions (see `Graph`).
    memory_limit : int or str, default="2GiB"
        What the build may hold at a time, in bytes or as a string. A limit that is too small raises an error naming the
        smallest one that works.
    link_features : bool, default=False
        Leave float32 features of an .npy file where they are, and only point to them. Saves a copy; the file must then stay.
    scale : {"auto", "standard", "log", "rank"}, bool or dict, default="auto"
        The scale of the numbers of a table of named columns; arrays are always taken as they are. "auto", or True,
        standardises them, on a log scale where the tail of a column asks for it; False takes them as they are, where
        the columns share a unit already. A dict has the scale of some columns, {"balance": "log"}; others are "auto".
    encoder : fitted model or Encoder, default=None
        A fitted model, or its `encoder_`: the table is encoded as the one it was fitted on, so that the model can transform
        the store.
    id_column : str, default=None
        The column of the features that holds the node ids; where not given, the one that has the nodes of the edges, as by
        `read_graph`.
    overwrite : bool, default=False
        Whether to replace a store that exists, once the new one is whole.
    progress : callable, default=None
        Called with (stage, done, total); a progress bar where not given.

    Raises
    ------
    InputError
        Where the store exists, the limit is too small, the disk has not enough room, or a file is damaged.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> folder = Path(tempfile.mkdtemp())
    >>> np.save(folder / "edges.npy", np.array([[0, 1], [1, 2]]))
    >>> np.save(folder / "features.npy", np.eye(3, dtype=np.float32))
    >>> sc.build_store(folder / "store", folder / "edges.npy", features=folder / "features.npy")
    >>> sc.open_store(folder / "store")
    Graph(3 nodes, 2 edges, 3 features)
    """
    check_choice("build_store", "directed", directed, DIRECTIONS)
    limit = parse_bytes("build_store", "memory_limit", memory_limit)
    refuse_url(folder, "The store", is_output=True)
    folder = Path(folder)
    check_place(folder, overwrite)
    encoder = getattr(encoder, "encoder_", encoder)
    edge_file = EdgeFile(edges, {"source": source, "target": target, "weight": weight}, bipartite)
    feature_file = FeatureFile(features, scale=scale, encoder=encoder, id_column=id_column, edge_ids=edge_file.some_ids())
    if edge_file.columns is not None:
        check_side_ids(edge_file.columns, feature_file.ids is not None, feature_file.what)
        for doubt in edge_file.columns.doubts:
            warnings.warn(doubt, ReadingWarning, stacklevel=2)
    if feature_file.shape[0] > MAX_NODES:
        raise InputError(
            f"A store holds at most {MAX_NODES:,} nodes. {feature_file.what} has {feature_file.shape[0]:,} rows."
        )
    n_entries = edge_file.n_edges * (2 if directed == "symmetrize" else 1)
    range_entries = _range_entries(feature_file.shape[0], n_entries, limit)
    described = None if feature_file.encoder is None else feature_file.encoder.to_header()
    columns = (source, target, weight, bipartite, feature_file.id_name)
    asked = (edge_file.path, feature_file.path, *columns, directed, limit, link_features, described)
    with (
        reporting(progress) as report,
        work_folder(folder.absolute().parent, fingerprint_of("store", *asked, str(folder))) as work,
    ):
        is_linked = link_features and feature_file.is_as_stored
        feature_bytes = 0 if is_linked else 4 * feature_file.shape[0] * feature_file.shape[1]
        check_room(
            {work.path: max(0, (20 if edge_file.has_weights else 12) * n_entries + feature_bytes - work.n_bytes)},
            "build the store on another disk",
        )
        (work / "store").mkdir(exist_ok=True)
        doubts = _Build(work, edge_file, feature_file, directed, range_entries, report).run(is_linked)
        move_store(work / "store", folder)
    for doubt in doubts:
        warnings.warn(doubt, ReadingWarning, stacklevel=2)


class _Build:
    def __init__(
        self,
        work: WorkFolder,
        edges: EdgeFile,
        features: FeatureFile,
        directed: str,
        range_entries: int,
        report: Reporter,
    ) -> None:
        self.work, self.edges, self.features, self.directed = work, edges, features, directed
        self.range_entries, self.report = range_entries, report
        self.n_nodes = features.shape[0]
        self.positions = RowPositions(features, edges)

    def run(self, is_linked: bool) -> tuple[str, ...]:
        """Write the store; what is doubtful about its sides."""
        if is_store(self.work / "store"):  # killed between its last line and its move
            return ()
        self._write_features(is_linked)
        counted = self.work.remembered("counts", self._count)
        starts = _ranges(counted["counts"], self.range_entries)
        self.work.remembered("distributed", lambda: self._distribute(starts))
        n_entries = self._merge(starts)
        columns = self.edges.columns
        n_edges, n_shared, n_both, n_products = counted["meeting"].tolist()
        meeting = Meeting(int(n_edges), int(n_shared), int(n_both), n_products)
        doubts = side_doubts(columns, meeting, self.edges.is_integer, self.edges.what)
        notes = (*self.edges.notes, *doubts, *loop_notes(int(counted["n_loops"])))
        with telling_where(self.work.path):
            write_header(
                self.work / "store",
                n_nodes=self.n_nodes,
                n_entries=n_entries,
                directed=self.directed,
                encoder=self.features.encoder,
                notes=notes,
                sides=None if columns is None else columns.sides,
            )
        return doubts

    def _write_features(self, is_linked: bool) -> None:
        path = self.work / "store" / "features.npy"
        if self.features.ids is not None and not is_range(self.features.ids):
            with self.work.writing("store/ids.npy") as file:
                ids = self.features.ids
                write_npy(file, ids.astype(np.str_) if ids.dtype == object else ids)
        if is_linked:
            path.unlink(missing_ok=True)
            path.symlink_to(self.features.path.absolute())
        elif not path.exists():
            with self.work.writing("store/features.npy") as file:
                write_npy_header(file, np.dtype(np.float32), self.features.shape)
                n_rows = 0
                for block in self.features.blocks():
                    file.write(block.data)
                    n_rows += len(block)
                    self.report("reading features", n_rows, self.n_nodes)
        if is_linked:
            for _ in self.features.blocks():  # looked through all the same
                pass

    def _count(self) -> dict[str, NDArray[Any]]:
        """How many entries each node may have, repeats counted, how many nodes had a self-loop, what both columns share."""
        counts = np.zeros(self.n_nodes, dtype=np.int64)
        has_loop = np.zeros(self.n_nodes, dtype=bool)
        may_be_sides = self.edges.columns is not None and self.edges.columns.may_be_sides
        ends = [np.zeros(self.n_nodes if may_be_sides else 0, dtype=np.int32) for _ in range(2)]
        n_loops = 0
        for i, j, _ in self._numbered("counting edges"):
            is_loop = i == j
            has_loop[i[is_loop]] = True
            n_loops += int(is_loop.sum())
            for end, rows in zip(ends, (i, j) if may_be_sides else (), strict=False):
                np.add.at(end, rows, 1)
            for rows, _ in entry_keys(i[~is_loop], j[~is_loop], self.directed):
                np.add.at(counts, rows, 1)
        meeting = np.array(astuple(meeting_of(ends[0], ends[1], n_loops)), dtype=np.float64)
        return {"counts": counts, "n_loops": np.asarray(has_loop.sum()), "meeting": meeting}

    def _distribute(self, starts: NDArray[np.int64]) -> int:
        """Entries as numbers that sort by row, then by column, then by direction, in a file a range."""
        with ExitStack() as stack:
            files = [stack.enter_context(self.work.writing(f"range-{number}")) for number in range(len(starts))]
            weight_files = [
                stack.enter_context(self.work.writing(f"weights-{number}"))
                for number in (range(len(starts)) if self.edges.has_weights else ())
            ]
            for i, j, weights in self._numbered("sorting edges"):
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
        n_done, n_entries = self.work.remembered("merged", lambda: [0, 0])
        bounds = [*starts.tolist(), self.n_nodes]
        kinds: dict[str, np.dtype[Any]] = {"indices": np.dtype(offset_type(self.n_nodes, 0)), "counts": np.dtype(np.int64)}
        if self.edges.has_weights:
            kinds["weights"] = np.dtype(np.float32)
        while n_done < len(starts):
            parts = self._range(n_done, bounds[n_done], bounds[n_done + 1])
            for name, kind in kinds.items():
                before = bounds[n_done] if name == "counts" else n_entries
                self._append(name, kind, before, parts[name])
            n_done, n_entries = n_done + 1, n_entries + len(parts["indices"])
            with self.work.writing("merged") as file:
                file.write(f"[{n_done}, {n_entries}]".encode())
            self.work.remove(f"range-{n_done - 1}")
            self.work.remove(f"weights-{n_done - 1}")
            self.report("merging edges", n_done, len(starts))
        indptr = np.zeros(self.n_nodes + 1, dtype=offset_type(self.n_nodes, n_entries))
        np.cumsum(np.load(self.work / "counts.npy"), out=indptr[1:])
        with self.work.writing("store/indptr.npy") as file:
            write_npy(file, indptr)
        for name in kinds.keys() - {"counts"}:
            if self.work.has(f"{name}.npy"):
                (self.work / f"{name}.npy").replace(self.work / f"store/{name}.npy")
        return int(n_entries)

    def _append(self, name: str, kind: np.dtype[Any], n_before: int, values: NDArray[Any]) -> None:
        """Values at the end of an array on disk, of which so many are known to be whole."""
        path = self.work / f"{name}.npy"
        with telling_where(self.work.path), path.open("r+b" if path.exists() else "w+b") as file:
            write_npy_header(file, kind, (n_before + len(values),))  # as long for any number
            file.seek(n_before * kind.itemsize, os.SEEK_CUR)
            file.truncate()
            file.write(np.ascontiguousarray(values, dtype=kind).data)
            file.flush()
            os.fsync(file.fileno())

    def _range(self, number: int, first: int, last: int) -> dict[str, NDArray[Any]]:
        """The columns, the weights and the number of entries of each row of a range, sorted and without repeats."""
        keys = np.fromfile(self.work / f"range-{number}", dtype=np.int64)
        weights = None
        if self.edges.has_weights:
            weights = np.fromfile(self.work / f"weights-{number}", dtype=np.float32)
        return merge_entries(keys, weights, first, last)

    def _numbered(self, stage: str) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float32] | None]]:
        n_edges = 0
        for sources, targets, weights in self.edges.batches():
            yield self.positions(sources), self.positions(targets), weights
            n_edges += len(sources)
            self.report(stage, n_edges, self.edges.n_edges)


def entry_keys(
    i: NDArray[np.int64], j: NDArray[np.int64], directed: str
) -> list[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """The entries that edges from i to j make: rows, and numbers that sort by row, then by column, then by direction."""
    both = {"out": [(i, j)], "in": [(j, i)], "symmetrize": [(i, j), (j, i)]}[directed]
    return [(rows, ((rows << COLUMN_BITS) | columns) << 1 | direction) for direction, (rows, columns) in enumerate(both)]


def merge_entries(
    keys: NDArray[np.int64], weights: NDArray[np.float32] | None, first: int, last: int
) -> dict[str, NDArray[Any]]:
    """The columns, the weights and the number of entries of each row from `first` to `last`, sorted and without repeats."""
    if weights is not None:
        order = np.argsort(keys, kind="stable")
        keys, weights = keys[order], weights[order]
        del order
        # Repeats in one direction are summed; of the two directions the larger counts.
        keys, weights = _reduce(np.add, keys, weights)
        keys, weights = keys[weights > 0], weights[weights > 0]
        keys, weights = _reduce(np.maximum, keys >> 1, weights)
    else:
        keys.sort()
        keys >>= 1
        is_new = np.ones(len(keys), dtype=bool)
        np.not_equal(keys[1:], keys[:-1], out=is_new[1:])
        keys = keys[is_new]
    counts = np.bincount((keys >> COLUMN_BITS) - first, minlength=last - first)
    keys &= (1 << COLUMN_BITS) - 1
    return {"indices": keys, "counts": counts} | ({} if weights is None else {"weights": weights})


def _range_entries(n_nodes: int, n_entries: int, limit: int) -> int:
    """The entries of a range that fit into the limit."""
    fixed = BASE_BYTES + NODE_BYTES * n_nodes
    least = ENTRY_BYTES * max(n_entries // (MAX_RANGES // 2), 1 << 16)
    if limit < fixed + least:
        raise InputError(
            f"The memory_limit of build_store is too small for this graph: {in_words(limit)}. It needs at least "
            f"{in_words(fixed + least + (1 << 20))}, of which {in_words(BASE_BYTES)} are the interpreter and its libraries."
        )
    return int((limit - fixed) // ENTRY_BYTES)


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


def _reduce(operation: Any, keys: NDArray[np.int64], values: NDArray[np.float32]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Values with the same key, which follow one another, made one."""
    if not len(keys):
        return keys, values
    first = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]]))
    return keys[first], operation.reduceat(values, first)
