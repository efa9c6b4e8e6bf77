"""ogbn-papers100M: 111 million papers and 1.6 billion citations, from OGB's .npz, in a few GiB of memory.

    raw/data.npz          edge_index (2, m), node_feat (n, 128), num_nodes_list, num_edges_list
    raw/node-label.npz    node_label (n, 1), not a number where a paper has none

An array of an .npz is a member of a zip archive, mostly packed, and cannot be mapped into memory. So the first time the
arrays are copied out a block at a time, the ends of the edges side by side, and made into a store (`build_store`). It is
kept under `processed` beside the raw files, as OGB keeps its own, or in the user's cache where that folder cannot be
written. From then on the graph is opened, not read. What was copied out before a process was killed is not copied again.
"""

from __future__ import annotations

import os
from functools import partial
from pathlib import Path

import numpy as np

from sparsecut.base.progress import Reporter
from sparsecut.datasets.dataset import Dataset, GraphSizes, RawFile
from sparsecut.datasets.lookup import roots
from sparsecut.datasets.ogb import DIRECTED, HOST, HU, WANG, class_numbers, read_ogb_splits, split_files
from sparsecut.graph import Graph
from sparsecut.io import (
    Archive,
    check_room,
    fingerprint_of,
    is_store,
    open_store,
    published_arrays,
    reading_published,
    write_npy_header,
    write_whole,
)
from sparsecut.io.stores.workfolder import telling_where

FOLDER = "ogbn_papers100M"
DATA, LABELS = f"{FOLDER}/raw/data.npz", f"{FOLDER}/raw/node-label.npz"
PAPERS100M = (DATA, LABELS, *split_files(FOLDER, "time"))
MEMORY_LIMIT = "8GiB"  # of building the store
BLOCK_BYTES = 16 << 20


def build_papers100m(root: Path, report: Reporter) -> None:
    """Make the store, unless it is there."""
    from sparsecut.io import build_store  # which loads what reads tables: no other dataset needs it

    if _find_store(root) is not None:
        return
    archive = published_arrays(root / DATA)
    folder = _make_place(root)
    edges, features = folder / "edges.npy", folder / "node_feat.npy"
    n_nodes = _only_number(archive, "num_nodes_list")
    missing = {edges: "edge_index", features: "node_feat"}
    needed = sum(archive.n_bytes(name) for path, name in missing.items() if not path.exists())
    check_room({folder: needed}, f"set XDG_CACHE_HOME to a folder on a larger disk and make {root / FOLDER} read-only")
    if not edges.exists():
        _copy_pairs(archive, n_nodes, edges, report)
    if not features.exists():
        _copy_rows(archive, n_nodes, features, report)
    build_store(folder / "graph", edges, features=features, memory_limit=MEMORY_LIMIT, link_features=True, progress=report)
    edges.unlink()
    if not (folder / "graph" / "features.npy").is_symlink():  # they were of another type, and the store has a copy
        features.unlink()


def read_papers100m(root: Path) -> Graph:
    """The graph of the store, whose arrays stay on disk, with its labels."""
    store = _find_store(root)
    if store is None:
        build_papers100m(root, lambda *_: None)
        return read_papers100m(root)
    labels = class_numbers(published_arrays(root / LABELS)["node_label"], root / LABELS)
    graph = open_store(store)
    with reading_published(root / LABELS):
        if len(labels) != graph.n_nodes:
            raise ValueError(f"it has {len(labels):,} labels for {graph.n_nodes:,} nodes")
    return graph.replace(labels=labels, notes=graph.notes[1:])  # the first one names the file that the edges were copied to


def _places(root: Path) -> list[Path]:
    """Where the store may be: beside the raw files, or in the cache; under the name of this very file of arrays."""
    status = (root / DATA).stat()
    name = f"sparsecut-{fingerprint_of(status.st_size, status.st_mtime_ns)}"
    return [parent / FOLDER / "processed" / name for parent in (root, roots()[-1])]


def _make_place(root: Path) -> Path:
    """The first of the places that can be made."""
    beside, cached = _places(root)
    try:
        beside.mkdir(parents=True, exist_ok=True)
        if os.access(beside, os.W_OK):
            return beside
    except OSError:  # a disk that is not to be written to
        pass
    with telling_where(cached, "output"):
        cached.mkdir(parents=True, exist_ok=True)
    return cached


def _find_store(root: Path) -> Path | None:
    return next((place / "graph" for place in _places(root) if is_store(place / "graph")), None)


def _only_number(archive: Archive, name: str) -> int:
    numbers = archive[name]
    with reading_published(archive.path):
        if numbers.size != 1 or numbers.dtype.kind not in "iu" or int(numbers.ravel()[0]) < 1:
            raise ValueError(f"its {name} should be one number above 0")
        return int(numbers.ravel()[0])


def _copy_pairs(archive: Archive, n_nodes: int, path: Path, report: Reporter) -> None:
    """The two rows of `edge_index`, read side by side, as rows of two: (m, 2)."""
    n_edges = _only_number(archive, "num_edges_list")
    index_type = np.dtype(np.int32 if n_nodes <= np.iinfo(np.int32).max else np.int64)
    opened = partial(archive.opened, "edge_index")
    with (
        write_whole(path) as temporary,
        reading_published(archive.path),
        opened() as sources,
        opened() as targets,
        temporary.open("wb") as file,
    ):
        if sources.shape != (2, n_edges) or sources.dtype.kind not in "iu" or sources.is_fortran:
            raise ValueError(f"its edge_index should be integers of shape (2, {n_edges}), and is {sources}")
        targets.skip(n_edges)
        write_npy_header(file, index_type, (n_edges, 2))
        step = BLOCK_BYTES // sources.dtype.itemsize
        for start in range(0, n_edges, step):
            length = min(step, n_edges - start)
            pairs = np.stack([sources.read(length), targets.read(length)], axis=1)
            if pairs.min() < 0 or pairs.max() >= n_nodes:
                raise ValueError(f"it names the nodes {pairs.min()} to {pairs.max()} of {n_nodes:,}")
            with telling_where(path, "output"):  # a full disk is no damaged archive
                file.write(np.ascontiguousarray(pairs, dtype=index_type).data)
            report("unpacking edges", start + length, n_edges)


def _copy_rows(archive: Archive, n_nodes: int, path: Path, report: Reporter) -> None:
    with (
        write_whole(path) as temporary,
        reading_published(archive.path),
        archive.opened("node_feat") as rows,
        temporary.open("wb") as file,
    ):
        if len(rows.shape) != 2 or rows.shape[0] != n_nodes or rows.dtype.kind != "f" or rows.is_fortran:
            raise ValueError(f"its node_feat should be numbers, a row for each of {n_nodes:,} nodes, and is {rows}")
        write_npy_header(file, rows.dtype, rows.shape)
        step = max(1, BLOCK_BYTES // (rows.dtype.itemsize * rows.shape[1]))
        for start in range(0, n_nodes, step):
            length = min(step, n_nodes - start)
            block = rows.read(length * rows.shape[1])
            with telling_where(path, "output"):
                file.write(block.data)
            report("unpacking features", start + length, n_nodes)


DATASETS = (
    Dataset(
        name="ogbn_papers100M",
        about="111 million papers and their citations, of which those on arXiv have one of 172 labels",
        sizes=GraphSizes(111059956, 1614062356, 128, 172),
        note=f"{DIRECTED}; OGB counts 1,615,685,872. 1,546,782 nodes have a label, the others −1. Its arrays are made into "
        "a store on disk the first time, which takes 8 GiB of memory and 110 GB of disk, of which 71 stay. The splits are "
        "by year.",
        origin=f"OGB, served by {HOST}",
        licence="ODC-BY",
        citation=f"{HU}; {WANG}",
        raw=tuple(RawFile(path, f"{HOST}/papers100M-bin.zip", None, path.split("/")[-1]) for path in PAPERS100M),
        by_hand=f"their archive has 57 GB; it unpacks to papers100M-bin, to be renamed {FOLDER}",
        build=build_papers100m,
        read=read_papers100m,
        read_splits=partial(read_ogb_splits, FOLDER, "time"),
        split_sizes=((1207179, 125265, 214338),),
    ),
)
