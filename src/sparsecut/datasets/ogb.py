"""The Open Graph Benchmark's node graphs as its archives hold them: a folder each, numbers in gzipped CSV without headers.

    raw/num-node-list.csv.gz, num-edge-list.csv.gz      one number each, since there is one graph
    raw/edge.csv.gz                                     a pair of nodes per line
    raw/node-feat.csv.gz, node-label.csv.gz             a line per node
    split/KIND/train.csv.gz, valid.csv.gz, test.csv.gz  a node per line

ogbn-papers100M has the same splits and its arrays in .npz: `papers100m` reads it. Citations have a direction in the files;
the graphs are undirected here, as every named graph is. Nodes without a label get −1.

The sizes are those that OGB states. Edges, which it counts with their direction or with self-loops, are those that others
count in the undirected graphs without self-loops: 2,315,598, 123,718,024 and 3,228,124,712 entries, two per edge. Checksums
are not known here.
"""

from __future__ import annotations

import gzip
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.datasets.dataset import Dataset, GraphSizes, RawFile, Roles
from sparsecut.graph import Graph, loop_notes
from sparsecut.io import build_adjacency, reading_published

HOST = "https://snap.stanford.edu/ogb/data/nodeproppred"
HU = "Hu et al., Open Graph Benchmark: datasets for machine learning on graphs, NeurIPS 2020"
WANG = "Wang et al., Microsoft Academic Graph: when experts are not enough, Quantitative Science Studies 1(1), 2020"
DIRECTED = "Citations have a direction in the file, which is not kept: each counts once here, whichever way"
TABLES = ("num-node-list", "num-edge-list", "edge", "node-feat", "node-label")
PARTS = ("train", "valid", "test")
BLOCK_BYTES = 16 << 20  # of text parsed at a time
MAX_LINE_BYTES = 1 << 20


def ogb_files(folder: str, split: str) -> tuple[str, ...]:
    """The files of a graph whose arrays are text."""
    return (*(f"{folder}/raw/{table}.csv.gz" for table in TABLES), *split_files(folder, split))


def split_files(folder: str, split: str) -> tuple[str, ...]:
    return tuple(f"{folder}/split/{split}/{part}.csv.gz" for part in PARTS)


def read_ogb(folder: str, root: Path) -> Graph:
    """The graph of a folder of text."""
    paths = {table: root / folder / "raw" / f"{table}.csv.gz" for table in TABLES}
    n_nodes, n_edges = (_read_count(paths[table]) for table in ("num-node-list", "num-edge-list"))
    edges = read_numbers(paths["edge"], np.int64, n_edges)
    with reading_published(paths["edge"]):
        if edges.shape[1] != 2:
            raise ValueError(f"it should have two columns, and has {edges.shape[1]}")
        if len(edges) and (edges.min() < 0 or edges.max() >= n_nodes):
            raise ValueError(f"it names the nodes {edges.min()} to {edges.max()} of {n_nodes:,}")
        adjacency, n_loops = build_adjacency(edges[:, 0], edges[:, 1], None, n_nodes)
    del edges
    features = read_numbers(paths["node-feat"], np.float32, n_nodes)
    labels = class_numbers(read_numbers(paths["node-label"], np.float64, n_nodes), paths["node-label"])
    with reading_published(root / folder):
        return Graph.from_canonical(
            adjacency, features=features, labels=labels, node_ids=np.arange(n_nodes), notes=loop_notes(n_loops)
        )


def read_ogb_splits(folder: str, split: str, root: Path) -> tuple[Roles, ...]:
    """The one split of a graph."""
    parts = []
    for file in split_files(folder, split):
        nodes = read_numbers(root / file, np.int64)
        with reading_published(root / file):
            if nodes.shape[1] != 1:
                raise ValueError(f"it should name a node per line, and has {nodes.shape[1]} columns")
        parts.append(np.sort(nodes[:, 0]))
    return (Roles(*parts),)


def class_numbers(values: NDArray[Any], path: Path) -> NDArray[np.int64]:
    """Labels as OGB writes them, (n, 1) and not a number where a node has none, as classes from 0, and −1."""
    with reading_published(path):
        if values.ndim != 2 or values.shape[1] != 1:
            raise ValueError(f"it should hold one label per node, and has the shape {values.shape}")
        column = values[:, 0]
        is_known = ~np.isnan(column) if column.dtype.kind == "f" else np.ones(len(column), dtype=bool)
        labels = np.full(len(column), -1, dtype=np.int64)
        labels[is_known] = column[is_known]
        if (labels[is_known] != column[is_known]).any() or labels[is_known].min(initial=0) < 0:
            raise ValueError("its labels should be whole numbers from 0 on")
        return labels


def read_numbers(path: Path, kind: Any, n_rows: int | None = None, *, block_bytes: int = BLOCK_BYTES) -> NDArray[Any]:
    """A table of numbers without a header, a block at a time into an array of one type; so many rows, where it is known."""
    import pyarrow as pa
    from pyarrow import csv

    with reading_published(path):
        with gzip.open(path, "rb") as file:
            n_columns = file.readline(MAX_LINE_BYTES).count(b",") + 1
        types = {f"f{column}": pa.from_numpy_dtype(kind) for column in range(n_columns)}
        blocks: list[NDArray[Any]] = []
        whole = None if n_rows is None else np.empty((n_rows, n_columns), dtype=kind)
        n_read = 0
        with pa.input_stream(path, compression="gzip") as stream:
            reader = csv.open_csv(
                stream,
                csv.ReadOptions(autogenerate_column_names=True, block_size=block_bytes, use_threads=False),
                csv.ParseOptions(ignore_empty_lines=False),  # of one column, an empty cell
                csv.ConvertOptions(column_types=types),
            )
            for batch in reader:
                if batch.num_columns != n_columns:
                    raise ValueError(f"it has {batch.num_columns} columns after {n_columns}")
                block = np.empty((batch.num_rows, n_columns), dtype=kind)
                for place, column in enumerate(batch.columns):
                    if column.null_count and np.dtype(kind).kind != "f":
                        raise ValueError("it has an empty cell")
                    block[:, place] = column.to_numpy(zero_copy_only=False)
                if n_rows is not None and n_read + len(block) > n_rows:
                    raise ValueError(f"it has more than the {n_rows:,} lines it should have")
                if whole is None:
                    blocks.append(block)
                else:
                    whole[n_read : n_read + len(block)] = block
                n_read += len(block)
        if n_rows is not None and n_read < n_rows:
            raise ValueError(f"it has {n_read:,} lines, and should have {n_rows:,}")
        return np.concatenate(blocks) if whole is None else whole


def _read_count(path: Path) -> int:
    counts = read_numbers(path, np.int64)
    with reading_published(path):
        if counts.shape != (1, 1) or counts[0, 0] < 1:
            raise ValueError(f"it should hold one number above 0, and holds {counts.ravel()[:5].tolist()}")
        return int(counts[0, 0])


DATASETS = (
    Dataset(
        name="ogbn_arxiv",
        about="computer science papers on arXiv in 40 fields and their citations",
        sizes=GraphSizes(169343, 1157799, 128, 40),
        note=f"{DIRECTED}; OGB counts 1,166,243. The splits are by year.",
        origin=f"OGB, served by {HOST}",
        licence="ODC-BY",
        citation=f"{HU}; {WANG}",
        raw=tuple(RawFile(path, f"{HOST}/arxiv.zip", None, path.split("/")[-1]) for path in ogb_files("ogbn_arxiv", "time")),
        read=partial(read_ogb, "ogbn_arxiv"),
        read_splits=partial(read_ogb_splits, "ogbn_arxiv", "time"),
        split_sizes=((90941, 29799, 48603),),
    ),
    Dataset(
        name="ogbn_products",
        about="goods on Amazon in 47 categories, joined where they are bought together",
        sizes=GraphSizes(2449029, 61859012, 100, 47),
        note="OGB counts 61,859,140 edges, 128 self-loops among them. The splits are by sales rank.",
        origin=f"OGB, served by {HOST}",
        licence="Amazon license",
        citation=f"{HU}; Bhatia et al., The extreme classification repository, 2016",
        raw=tuple(
            RawFile(path, f"{HOST}/products.zip", None, path.split("/")[-1])
            for path in ogb_files("ogbn_products", "sales_ranking")
        ),
        read=partial(read_ogb, "ogbn_products"),
        read_splits=partial(read_ogb_splits, "ogbn_products", "sales_ranking"),
        split_sizes=((196615, 39323, 2213091),),
    ),
)
