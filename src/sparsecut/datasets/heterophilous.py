"""Graphs whose neighbours often differ in class: four .npz of Platonov et al., and the pages of Wiki in MATLAB's format.

- the .npz: `node_features`, `node_labels`, `edges` (each once), and masks with a row per split
- wiki.mat: `W` (links counted in both directions), `fea` (tf-idf) and `gnd` (classes from 1)
"""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np
import scipy.sparse as sp

from sparsecut.datasets.dataset import MIT, Dataset, GraphSizes, RawFile, Roles
from sparsecut.datasets.musae import CITATION as ROZEMBERCZKI
from sparsecut.graph import Graph
from sparsecut.io import published_arrays, read_matlab, reading_published, undirected_adjacency

FOLDER = "heterophilous"
WIKI = f"{FOLDER}/wiki.mat"
MASKS = ("train_masks", "val_masks", "test_masks")
ORIGIN = "https://github.com/yandex-research/heterophilous-graphs"
PEI = "Pei et al., Geom-GCN: geometric graph convolutional networks, ICLR 2020"
PLATONOV = "Platonov et al., A critical look at the evaluation of GNNs under heterophily, ICLR 2023"
SHA256 = {
    "heterophilous/actor.npz": "c350eef06b2c2a9bf8218be2b57cac6d4003d0922eb597a039e9123f75817816",
    "heterophilous/chameleon_filtered.npz": "bf46f07e1fb5249280447e5fe3100f3e82fc4b93ad1e13ffcfdec924b6ac0bb5",
    "heterophilous/cornell.npz": "684c54ba3daa13b0ba1f04a3d6dd1b1175c1ae9bdeb982851fd4ff96d3aac298",
    "heterophilous/tolokers.npz": "dacf3ac94cec53d03cd2adb5255c08b33dee1656c33ca8164a464bd9450a1667",
    "heterophilous/wiki.mat": "1b59b0b19cbf398bbc5c1c940f3c262300bcd56dae04890094666f9d220533b3",
}
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


def _heterophilous(
    name: str, about: str, *, sizes: GraphSizes, split_sizes: tuple[tuple[int, int, int], ...], citation: str, note: str = ""
) -> Dataset:
    path = f"{FOLDER}/{name}.npz"
    return Dataset(
        name=name,
        about=about,
        sizes=sizes,
        note=note,
        origin=f"{ORIGIN}, folder data",
        licence=MIT,
        citation=f"{citation}; {PLATONOV}",
        raw=(RawFile(path, f"{ORIGIN}/raw/main/data/{name}.npz", SHA256[path]),),
        read=partial(read_heterophilous, path),
        read_splits=partial(read_mask_splits, path),
        split_sizes=split_sizes,
    )


DATASETS = (
    Dataset(
        name="wiki",
        about="Wikipedia pages in 17 categories, their words, and the links between them",
        sizes=GraphSizes(2405, 11596, 4973, 17),
        note="In its file classes are numbered from 1, here from 0, and edges count links; here they are there or not.",
        origin="wiki.mat, in the format that https://github.com/karenlatong/AGC-master reads",
        citation="Yang et al., Network representation learning with rich text information, IJCAI 2015; "
        "Zhang et al., Attributed graph clustering via adaptive graph convolution, IJCAI 2019",
        raw=(RawFile(WIKI, None, SHA256[WIKI]),),
        read=read_wiki,
    ),
    _heterophilous(
        "actor",
        "actors, joined where they occur on the same Wikipedia page, and the keywords of their pages",
        sizes=GraphSizes(7600, 26659, 932, 5),
        split_sizes=((3648, 2432, 1520),) * 10,
        citation=f"Tang et al., Social influence analysis in large-scale networks, KDD 2009; {PEI}",
    ),
    _heterophilous(
        "chameleon_filtered",
        "Wikipedia pages on chameleons, the links between them, and their traffic in five classes",
        sizes=GraphSizes(890, 8854, 2325, 5),
        split_sizes=(
            *((409, 287, 194), (427, 302, 161), (422, 290, 178), (412, 294, 184), (440, 268, 182)),
            *((434, 292, 164), (418, 284, 188), (421, 310, 159), (431, 287, 172), (426, 278, 186)),
        ),
        citation=ROZEMBERCZKI,
        note="Pages that an earlier release of 2,277 nodes held several times are left out by its publishers.",
    ),
    _heterophilous(
        "cornell",
        "web pages of a department of computer science, their words, and the links between them",
        sizes=GraphSizes(183, 277, 1703, 5),
        split_sizes=((87, 59, 37),) * 10,
        citation=f"Craven et al., Learning to extract symbolic knowledge from the World Wide Web, AAAI 1998; {PEI}",
    ),
    _heterophilous(
        "tolokers",
        "workers of a crowdsourcing platform, joined where they did the same task, and whether they were banned",
        sizes=GraphSizes(11758, 519000, 10, 2),
        split_sizes=((5879, 2939, 2940),) * 10,
        citation="Likhobaba et al., Toloker Graph: interaction of crowd annotators, 2023",
        note="78 percent of the nodes are of one class. Its publishers score it by the area under the ROC curve, not by "
        "accuracy.",
    ),
)
