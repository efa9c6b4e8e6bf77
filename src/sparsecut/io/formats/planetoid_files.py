"""Planetoid's raw files: ind.NAME.x, .tx, .allx, .graph and so on, of which any one leads to the others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph, loop_notes
from sparsecut.io.edges.adjacency import build_adjacency
from sparsecut.io.files import check_readable
from sparsecut.io.formats.graph_format import GraphFormat, GraphRequest
from sparsecut.io.formats.unpickling import unpickle_planetoid
from sparsecut.io.published_files import reading_published

PLANETOID_PARTS = ("x", "y", "tx", "ty", "allx", "ally", "graph", "test.index")
N_VALIDATION = 500


def find_planetoid(path: Path) -> tuple[Path, str] | None:
    """(folder, name) of the graph that a Planetoid file or the folder of such files belongs to; None for other paths."""
    if path.is_dir():
        names = sorted(file.name[4:-6] for file in path.glob("ind.*.graph"))
        if len(names) > 1:
            raise InputError(f"The folder {path} holds several Planetoid graphs: {', '.join(names)}. Name a file of one.")
        return (path, names[0]) if names else None
    for part in PLANETOID_PARTS:
        if path.name.startswith("ind.") and path.name.endswith(f".{part}"):
            return path.parent, path.name[4 : -len(part) - 1]
    return None


def read_planetoid_split(folder: Path, name: str) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """Planetoid's own split: the nodes of `x` to train on, the next 500 to validate on, those of `test.index` to test on."""
    paths = {part: check_readable(folder / f"ind.{name}.{part}", "Planetoid") for part in ("x", "allx", "test.index")}
    n_train, n_known = (unpickle_planetoid(paths[part]).shape[0] for part in ("x", "allx"))
    with reading_published(paths["test.index"]):
        test_nodes = np.loadtxt(paths["test.index"], dtype=np.int64, ndmin=1)
    validation = np.arange(n_train, min(n_train + N_VALIDATION, n_known))
    return np.arange(n_train), validation, np.sort(test_nodes)


def read_planetoid_folder(folder: Path, name: str, directed: str = "symmetrize") -> Graph:
    """The whole graph. Citeseer's test nodes without a row get no features and class 0, as in the published splits."""
    paths = {part: check_readable(folder / f"ind.{name}.{part}", "Planetoid") for part in PLANETOID_PARTS}
    tx, allx, ty, ally, neighbors = (unpickle_planetoid(paths[part]) for part in ("tx", "allx", "ty", "ally", "graph"))
    with reading_published(paths["test.index"]):
        test_nodes = np.loadtxt(paths["test.index"], dtype=np.int64, ndmin=1)

    with reading_published(folder):
        n_known, n_nodes = allx.shape[0], len(neighbors)  # every node is a key of the graph, lonely ones too
        rows = np.concatenate([np.arange(n_known), test_nodes])  # the node behind each stacked row
        if rows.min() < 0 or rows.max() >= n_nodes:
            raise ValueError(f"its parts do not fit together: node {rows.max()} of {n_nodes}")
        stacked = sp.coo_array(sp.vstack([allx, tx]))
        features = sp.coo_array((stacked.data, (rows[stacked.row], stacked.col)), shape=(n_nodes, allx.shape[1]))
        one_hot = np.zeros((n_nodes, ally.shape[1]))
        one_hot[rows] = np.vstack([ally, ty])

        i = np.repeat(np.array(list(neighbors), dtype=np.int64), [len(others) for others in neighbors.values()])
        j = np.concatenate([np.asarray(others, dtype=np.int64) for others in neighbors.values()])
        if len(i) and (min(i.min(), j.min()) < 0 or max(i.max(), j.max()) >= n_nodes):
            raise ValueError(f"its graph names a node beyond the {n_nodes} there are")
        adjacency, n_loops = build_adjacency(i, j, None, n_nodes, directed)
        return Graph.from_canonical(
            adjacency,
            features=features,
            labels=one_hot.argmax(axis=1),
            node_ids=np.arange(n_nodes),
            directed=directed,
            notes=loop_notes(n_loops),
        )


def _read(request: GraphRequest) -> Graph:
    found = find_planetoid(request.path)
    assert found is not None  # or it would not have been recognised
    return read_planetoid_folder(*found, request.directed)


FORMATS = (GraphFormat((), _read, recognises=lambda path: find_planetoid(path) is not None),)
