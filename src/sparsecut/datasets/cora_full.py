"""Cora Full: with features from its .npz, or, where that is absent, the graph and its labels alone from two text files."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sparsecut.datasets.benchmark import read_benchmark
from sparsecut.graph import Graph
from sparsecut.io import reading_published, undirected_adjacency

WITH_FEATURES = "CitationFull/cora/raw/cora.npz"
EDGES = "CitationFull/cora/raw/cora_full_edges.tsv"  # each edge and its reverse
LABELS = "CitationFull/cora/raw/cora_full_labels.txt"  # node, class


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
