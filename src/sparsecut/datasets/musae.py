"""MUSAE's graphs of Facebook pages and Twitch users: edges.csv, target.csv, and features.json (node → list of feature ids).

The nodes are those of target.csv. A feature id listed twice for a node counts once. The Twitch graphs number their features
alike, so a model trained on one of them embeds the others: all get as many columns as the vocabulary has words.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.datasets.dataset import Dataset, GraphSizes, RawFile
from sparsecut.graph import Graph
from sparsecut.io import read_json, reading_published, undirected_adjacency

CITATION = "Rozemberczki et al., Multi-scale attributed node embedding, Journal of Complex Networks 9(2), 2021"
ORIGIN = "https://github.com/benedekrozemberczki/MUSAE"
N_TWITCH_WORDS = 3170  # one vocabulary for all Twitch graphs
PARTS = ("edges.csv", "target.csv", "features.json")

# Of the other files it is not known.
SHA256 = {
    "musae/DE/edges.csv": "54feaf3e3e70a485fe07f8611e4d2677841b97f77b8358204bcf4a48cc884d86",
    "musae/DE/features.json": "7b39c42570f05cd46017c765df8d8a1bc03f19787c3eb0f9684f50a52476ae3a",
    "musae/DE/target.csv": "2188f58a093bb9db363d3eaf7c3a52c2adc8ff6b23cbcb4f53875f87061c0321",
    "musae/ENGB/edges.csv": "5ea4d7f7267454e9523577eb2a9b4dcb7a22dd660a548240f01b815d08e0e3cc",
    "musae/ENGB/features.json": "d55948bd911ab28e0a89c4946562d5a8b363b9a7e4216e1a4986f37c74caa777",
    "musae/ENGB/target.csv": "e9d51399878216d2dd662b0a152b602cccde7b5cbb8452cb91d9379f64114443",
    "musae/ES/edges.csv": "17801d2cc45fc4909a431ce7a190c0565d4af87b0548ca7705cf2bef7da4c884",
    "musae/ES/features.json": "dec4b672183f9cb04524ee605b763cc14244ed88eb766147a3f954e9abe30d59",
    "musae/ES/target.csv": "f843427bae58289100e78c6c211fa4a1ae0d5fbf2c665841df9e390b00dcffb5",
    "musae/facebook/edges.csv": "7c50d8f02a75cc0829577814a1fc14535164daa38d79c3612340c9e9cdbd4022",
    "musae/facebook/features.json": "ea870537646a93642a0008d38aa9bfeff02018070ba97b1f3f469d9622626436",
    "musae/facebook/target.csv": "7bd96eafea3c2ca40f44bfa9e73642194696c21e38c7b29ed409c32ad14075cd",
}


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


def _musae(name: str, folder: str, about: str, *, sizes: GraphSizes, columns: MusaeColumns, note: str) -> Dataset:
    served = (f"edges/{folder}_edges.csv", f"target/{folder}_target.csv", f"features/{folder}.json")
    return Dataset(
        name=name,
        about=about,
        sizes=sizes,
        note=note,
        origin=f"{ORIGIN}, folder input",
        licence="MIT (the LICENSE of the repository that publishes it; its README says GNU)",
        citation=CITATION,
        raw=tuple(
            RawFile(path, f"{ORIGIN}/raw/master/input/{file}", SHA256.get(path))
            for path, file in zip(musae_files(folder), served, strict=True)
        ),
        read=partial(read_musae, folder, columns, sizes.features),
    )


def _twitch(name: str, folder: str, language: str, n_nodes: int, n_edges: int, note: str = "") -> Dataset:
    return _musae(
        name,
        folder,
        f"Twitch users who stream in {language}, their friendships, and whether their content is for adults",
        sizes=GraphSizes(n_nodes, n_edges, N_TWITCH_WORDS, 2),
        columns=TWITCH,
        note=f"All Twitch graphs have the same features: a model trained on one embeds the others.{note}",
    )


DATASETS = (
    _musae(
        "facebook",
        "facebook",
        "verified Facebook pages of four kinds and the likes between them",
        sizes=GraphSizes(22470, 170823, 4714, 4),
        columns=FACEBOOK,
        note="179 self-loops in the raw file are not counted.",
    ),
    _twitch("twitch_de", "DE", "German", 9498, 153138),
    _twitch("twitch_engb", "ENGB", "English", 7126, 35324),
    _twitch("twitch_es", "ES", "Spanish", 4648, 59382),
    _twitch("twitch_fr", "FR", "French", 6549, 112666, note=" Its target.csv repeats rows; the first of each counts."),
    _twitch("twitch_pt", "PTBR", "Portuguese", 1912, 31299),
    _twitch("twitch_ru", "RU", "Russian", 4385, 37304),
)
