"""Cora, Citeseer and Pubmed from the Planetoid repository's raw files."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from sparsecut.datasets.reading import reading
from sparsecut.datasets.unpickling import load_planetoid
from sparsecut.graph import Graph
from sparsecut.io.graphs import undirected_adjacency

PARTS = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")


def planetoid_files(name: str, folder: str) -> tuple[str, ...]:
    return tuple(f"Planetoid/{folder}/raw/ind.{name}.{part}" for part in PARTS)


def read_planetoid(name: str, folder: str, root: Path) -> Graph:
    """The whole graph. Citeseer's test nodes without a row get no features and class 0, as in the published splits."""
    paths = {part: root / file for part, file in zip(PARTS, planetoid_files(name, folder), strict=True)}
    tx, allx, ty, ally, neighbors = (load_planetoid(paths[part]) for part in ("tx", "allx", "ty", "ally", "graph"))
    with reading(paths["test.index"]):
        test_nodes = np.loadtxt(paths["test.index"], dtype=np.int64, ndmin=1)

    with reading(paths["graph"].parent):
        n_known, n_nodes = allx.shape[0], len(neighbors)  # every node is a key of the graph, lonely ones too
        rows = np.concatenate([np.arange(n_known), test_nodes])  # the node behind each stacked row
        if rows.min() < 0 or rows.max() >= n_nodes:
            raise ValueError(f"its parts do not fit together: node {rows.max()} of {n_nodes}")
        stacked = sp.coo_array(sp.vstack([allx, tx]))
        features = sp.coo_array((stacked.data, (rows[stacked.row], stacked.col)), shape=(n_nodes, allx.shape[1]))
        one_hot = np.zeros((n_nodes, ally.shape[1]))
        one_hot[rows] = np.vstack([ally, ty])

        i = np.repeat(list(neighbors), [len(others) for others in neighbors.values()])
        j = np.concatenate([np.asarray(others, dtype=np.int64) for others in neighbors.values()])
        return Graph(
            undirected_adjacency(i, j, None, n_nodes),
            features=features,
            labels=one_hot.argmax(axis=1),
        )
