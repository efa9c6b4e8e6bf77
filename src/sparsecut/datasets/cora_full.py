"""Cora Full: with features from its .npz, or, where that is absent, the graph and its labels alone from two text files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sparsecut.datasets.benchmark import BOJCHEVSKI, GRAPH2GAUSS, read_benchmark
from sparsecut.datasets.dataset import MIT, Dataset, GraphSizes, RawFile
from sparsecut.graph import Graph
from sparsecut.io import reading_published, undirected_adjacency

WITH_FEATURES = "CitationFull/cora/raw/cora.npz"
EDGES = "CitationFull/cora/raw/cora_full_edges.tsv"  # each edge and its reverse
LABELS = "CitationFull/cora/raw/cora_full_labels.txt"  # node, class

SHA256 = {
    # Not computed here: several projects publish it for this address.
    WITH_FEATURES: "62e054f93be00a3dedb15b7ac15a2a07168ceab68b40bf95f54d2289d024c6bc",
    EDGES: "e808a9b5cf12178a76c7f0228d7f6e071b50856d7858667077103688323330a8",
    LABELS: "8bae44d20695f94a0d3a8a9cf7027c4a65161f2220d41a2d8f46875e5c05803d",
}


def read_cora_full(root: Path) -> Graph:
    if (root / WITH_FEATURES).is_file():
        return read_benchmark(WITH_FEATURES, root)
    with reading_published(root / LABELS):
        nodes, labels = np.loadtxt(root / LABELS, dtype=np.int64, ndmin=2).T
        if not np.array_equal(nodes, np.arange(len(nodes))):
            raise ValueError("its nodes should be numbered from 0 on")
    with reading_published(root / EDGES):
        i, j = np.loadtxt(root / EDGES, dtype=np.int64, ndmin=2).T
        return Graph(
            undirected_adjacency(i, j, None, len(nodes)),
            labels=labels,
            notes=(f"Cora Full has no features here: {root / WITH_FEATURES}, which holds them, is absent.",),
        )


DATASETS = (
    Dataset(
        name="cora_full",
        about="computer science papers in 70 fields and their citations",
        sizes=GraphSizes(19793, 63421, 8710, 70),
        paper=GraphSizes(19793, 65311, 8710, 70),
        note="The paper counts directed edges. Where only the files of its graph are here, it loads without features.",
        origin=f"{GRAPH2GAUSS}, folder data",
        licence=MIT,
        citation=BOJCHEVSKI,
        raw=(RawFile(WITH_FEATURES, f"{GRAPH2GAUSS}/raw/master/data/cora.npz", SHA256[WITH_FEATURES]),),
        without_features=tuple(RawFile(path, None, SHA256[path]) for path in (EDGES, LABELS)),
        read=read_cora_full,
    ),
)
