"""Graphs whose neighbours often differ in class: four .npz of Platonov et al., and the pages of Wiki in MATLAB's format.

- the .npz: `node_features`, `node_labels`, `edges` (each once), and masks with a row per split
- wiki.mat: `W` (links counted in both directions), `fea` (tf-idf) and `gnd` (classes from 1)
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import scipy.sparse as sp

from sparsecut.datasets.dataset import Roles
from sparsecut.graph import Graph
from sparsecut.io import published_arrays, read_matlab, reading_published, undirected_adjacency

FOLDER = "heterophilous"
WIKI = f"{FOLDER}/wiki.mat"
MASKS = ("train_masks", "val_masks", "test_masks")
DENSE_FROM = 0.1  # the share of entries that are not zero from which features are kept dense


def read_heterophilous(file: str, root: Path) -> Graph:
    """The graph of one .npz. Bags of words become sparse."""
    archive = published_arrays(root / file)
    features, labels, edges = (archive[name] for name in ("node_features", "node_labels", "edges"))
    with reading_published(archive.path):
        if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
            raise ValueError(f"its edges should be pairs of nodes, and are {edges.dtype} of shape {edges.shape}")
        if edges.size and (edges.min() < 0 or edges.max() >= len(features)):
            raise ValueError(f"it names the nodes {edges.min()} to {edges.max()} of {len(features)}")
        is_sparse = np.count_nonzero(features) < DENSE_FROM * features.size
        return Graph(
            undirected_adjacency(edges[:, 0], edges[:, 1], None, len(features)),
            features=sp.csr_array(features) if is_sparse else features,
            labels=labels,
        )


def read_mask_splits(file: str, root: Path) -> tuple[Roles, ...]:
    """The splits that the masks of one .npz are."""
    archive = published_arrays(root / file)
    masks = [archive[name] for name in MASKS]
    with reading_published(archive.path):
        if len({mask.shape for mask in masks}) != 1 or any(mask.ndim != 2 or mask.dtype != bool for mask in masks):
            shapes = ", ".join(f"{mask.dtype} {mask.shape}" for mask in masks)
            raise ValueError(f"its masks should say yes or no for every split and node, and are {shapes}")
        return tuple(Roles(*map(np.flatnonzero, rows)) for rows in zip(*masks, strict=True))


def read_wiki(root: Path) -> Graph:
    """Pages joined where either links to the other. How many links there are between two pages is not kept."""
    path = root / WIKI
    with reading_published(path):
        parts = read_matlab(path)
        absent = [name for name in ("W", "fea", "gnd") if name not in parts]
        if absent:
            raise ValueError(f"it has no matrix {absent[0]!r}, only {', '.join(map(repr, parts))}")
        links = sp.coo_array(parts["W"])
        links.eliminate_zeros()
        return Graph(
            undirected_adjacency(links.row, links.col, None, links.shape[0]),
            features=parts["fea"],
            labels=parts["gnd"].ravel().astype(np.int64) - 1,
        )
