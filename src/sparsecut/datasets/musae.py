"""MUSAE's graphs of Facebook pages and Twitch users: edges.csv, target.csv, and features.json (node → list of feature ids).

The nodes are those of target.csv. A feature id listed twice for a node counts once. The Twitch graphs number their features
alike, so a model trained on one of them embeds the others: all get as many columns as the vocabulary has words.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.graph import Graph
from sparsecut.io import read_json, reading_published, undirected_adjacency

CITATION = "Rozemberczki et al., Multi-scale attributed node embedding, Journal of Complex Networks 9(2), 2021"
PARTS = ("edges.csv", "target.csv", "features.json")


@dataclass(frozen=True)
class MusaeColumns:
    """The names of the columns that count."""

    source: str
    target: str
    node: str
    label: str


FACEBOOK = MusaeColumns("id_1", "id_2", "id", "page_type")
TWITCH = MusaeColumns("from", "to", "new_id", "mature")  # `id` is the number of the account, not of the node


def musae_files(folder: str) -> tuple[str, ...]:
    return tuple(f"musae/{folder}/{part}" for part in PARTS)


def read_musae(folder: str, columns: MusaeColumns, n_features: int, root: Path) -> Graph:
    edges, target, features = (root / file for file in musae_files(folder))
    nodes, labels = _read_columns(target, columns.node, columns.label)
    with reading_published(target):
        nodes, first = np.unique(nodes, return_index=True)  # the French file repeats rows
        labels = labels[first]
        if not np.array_equal(nodes, np.arange(len(nodes))):
            raise ValueError(f"its nodes, in column {columns.node!r}, should be numbered from 0 on")
    matrix, notes = _read_features(features, len(nodes), n_features)
    i, j = _read_columns(edges, columns.source, columns.target)
    with reading_published(edges):
        return Graph(
            undirected_adjacency(i, j, None, len(nodes)),
            features=matrix,
            labels=labels.astype(np.int64) if labels.dtype == bool else labels.astype(np.str_),
            notes=notes,
        )


def _read_columns(path: Path, *names: str) -> list[NDArray[Any]]:
    from pyarrow import csv

    with reading_published(path):
        table = csv.read_csv(path, convert_options=csv.ConvertOptions(include_columns=list(names)))
        columns = [table.column(name) for name in names]
        if any(column.null_count for column in columns):
            raise ValueError(f"it has an empty cell in column {' or '.join(map(repr, names))}")
        return [column.to_numpy() for column in columns]


def _read_features(path: Path, n_nodes: int, n_features: int) -> tuple[sp.csr_array, tuple[str, ...]]:
    listed = read_json(path, dict)
    with reading_published(path):
        known = {int(node): ids for node, ids in listed.items() if 0 <= int(node) < n_nodes}
        if len(known) < n_nodes:
            absent = next(node for node in range(n_nodes) if node not in known)
            raise ValueError(f"it has no entry for {n_nodes - len(known)} nodes, the first of them {absent}")
        rows = np.repeat(np.arange(n_nodes), [len(known[node]) for node in range(n_nodes)])
        ids = np.array([word for node in range(n_nodes) for word in known[node]], dtype=np.int64)
        if ids.min(initial=0) < 0 or ids.max(initial=0) >= n_features:
            raise ValueError(f"it names a feature {ids.max()}, beyond the {n_features} there are")
        matrix = sp.coo_array((np.ones(len(ids), dtype=np.float32), (rows, ids)), shape=(n_nodes, n_features)).tocsr()
        matrix.data[:] = 1
    n_unknown = len(listed) - n_nodes
    return matrix, (f"{n_unknown} entries of {path.name} are for nodes that do not exist.",) if n_unknown else ()
