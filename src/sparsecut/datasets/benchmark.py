"""Published graphs in the .npz format of gnn-benchmark (`sparsecut.io.formats.npz_graphs` reads it), used everywhere.

Amazon's co-purchases, the co-author graphs, DBLP, Cora Full and BlogCatalog come in it. Some of its adjacencies are directed
(who cites whom, what is bought after what); they are made undirected here, as everyone who uses these graphs does.
"""

from __future__ import annotations

from pathlib import Path

from sparsecut.graph import Graph
from sparsecut.io import published_arrays, read_gnn_benchmark, reading_published, undirected_adjacency


def read_benchmark(file: str, root: Path, first_label: int = 0) -> Graph:
    """The graph of one file. Weights are not kept: they are all 1. Classes are counted from 0."""
    archive = published_arrays(root / file)
    parts, labels = read_gnn_benchmark(archive), archive["labels"]
    with reading_published(archive.path):
        links = parts.adjacency.tocoo()
        links.eliminate_zeros()
        return Graph(
            undirected_adjacency(links.row, links.col, None, links.shape[0]),
            features=parts.features,
            labels=labels - first_label,
        )
