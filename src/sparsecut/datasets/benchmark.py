"""The .npz format of gnn-benchmark: adjacency and attributes as the parts of CSR matrices, and a label a node.

Amazon's co-purchases, the co-author graphs, DBLP, Cora Full and BlogCatalog come in it. Some of its adjacencies are directed
(who cites whom, what is bought after what); they are made undirected here, as everyone who uses these graphs does.
"""

from __future__ import annotations

from pathlib import Path

from sparsecut.datasets.reading import csr, read_arrays, reading
from sparsecut.graph import Graph
from sparsecut.io.graphs import undirected_adjacency

PARTS = ("data", "indices", "indptr", "shape")


def read_benchmark(file: str, root: Path, first_label: int = 0) -> Graph:
    """The graph of one file. Weights are not kept: they are all 1. Classes are counted from 0."""
    path = root / file
    names = [*(f"adj_{part}" for part in PARTS), *(f"attr_{part}" for part in PARTS), "labels"]
    arrays = read_arrays(path, *names)
    with reading(path):
        links = csr(*arrays[:4]).tocoo()
        links.eliminate_zeros()
        return Graph(
            undirected_adjacency(links.row, links.col, None, links.shape[0]),
            features=csr(*arrays[4:8]),
            labels=arrays[8] - first_label,
        )
