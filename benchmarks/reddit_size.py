"""A generated graph of Reddit's size for the benchmarks here, made once a folder: it takes half a minute."""

from __future__ import annotations

import os
from pathlib import Path
from tempfile import gettempdir

import numpy as np
import scipy.sparse as sp

from sparsecut.graph import Graph
from standins import stand_in

SIZES = {"n_nodes": 232_965, "n_edges": 11_606_919, "n_features": 602, "n_classes": 41}
FOLDER = Path(os.environ.get("SPARSECUT_BENCHMARKS", gettempdir())) / "sparsecut-reddit-size"
ARRAYS = ("indptr", "indices", "features", "labels")


def reddit_size(*, with_weights: bool = False) -> Graph:
    """Planted communities, shuffled ids, no edge weights unless asked for."""
    if not all((FOLDER / f"{name}.npy").exists() for name in ARRAYS):
        FOLDER.mkdir(parents=True, exist_ok=True)
        graph = stand_in(**SIZES)
        A = graph.adjacency
        arrays = (A.indptr.astype(np.int32), A.indices.astype(np.int32), graph.features, graph.labels)
        for name, array in zip(ARRAYS, arrays, strict=True):
            np.save(FOLDER / f"{name}.npy", array)
    indptr, indices, features, labels = (np.load(FOLDER / f"{name}.npy") for name in ARRAYS)
    weights = np.ones(len(indices), dtype=np.float32)
    if with_weights:
        rows = np.repeat(np.arange(len(indptr) - 1), np.diff(indptr))
        weights = (1 + (rows * indices.astype(np.int64)) % 7).astype(np.float32)  # the same in both directions
    adjacency = sp.csr_array((weights, indices, indptr), shape=(len(indptr) - 1,) * 2)
    return Graph.from_canonical(adjacency, features=features, labels=labels, node_ids=np.arange(adjacency.shape[0]))
