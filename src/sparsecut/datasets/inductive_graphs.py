"""Flickr and Reddit, the paper's inductive graphs, from the raw files their publishers serve.

Their nodes have roles: a model is trained on the subgraph of the training nodes and then embeds the others. `read_flickr`
and `read_reddit` return the whole graph, `read_flickr_roles` and `read_reddit_roles` the nodes of each role.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sparsecut.datasets.dataset import MIT, Dataset, GraphSizes, RawFile, Roles
from sparsecut.graph import Graph
from sparsecut.io import published_arrays, read_json, reading_published, undirected_adjacency

FLICKR = tuple(f"Flickr/raw/{name}" for name in ("adj_full.npz", "feats.npy", "class_map.json", "role.json"))
REDDIT = tuple(f"Reddit/raw/{name}" for name in ("reddit_data.npz", "reddit_graph.npz"))
HOST = "https://data.dgl.ai/dataset"
REDDIT_ARCHIVE = "9a16353c28f8ddd07148fc5ac9b57b818d7911ea0fbe9052d66d49fc32b372bf"  # as several projects publish it
REDDIT_ROLES = (1, 2, 3)  # training, validation, test in the array `node_types`


def read_flickr(root: Path) -> Graph:
    """GraphSAINT's format: the adjacency as CSR parts, dense features, and a class for each node in JSON."""
    adjacency, features, classes = (root / file for file in FLICKR[:3])
    with reading_published(adjacency):
        links = published_arrays(adjacency).sparse().tocoo()
        links.eliminate_zeros()
        n_nodes = links.shape[0]
    with reading_published(features):
        rows = np.load(features, mmap_mode="r", allow_pickle=False)  # float64, which `Graph` halves as it reads
    class_of = read_json(classes, dict)
    with reading_published(classes):
        labels = np.full(n_nodes, -1, dtype=np.int64)
        labels[np.array([int(node) for node in class_of], dtype=np.int64)] = list(class_of.values())
        if len(class_of) != n_nodes or labels.min() < 0:
            raise ValueError(f"it should name a class for each of the {n_nodes} nodes")
    with reading_published(adjacency.parent):
        return Graph(undirected_adjacency(links.row, links.col, None, n_nodes), features=rows, labels=labels)


def read_flickr_roles(root: Path) -> Roles:
    path = root / FLICKR[3]
    roles = read_json(path, dict)
    with reading_published(path):
        return Roles(*(np.array(sorted(roles[key]), dtype=np.int64) for key in ("tr", "va", "te")))


def read_reddit(root: Path) -> Graph:
    """DGL's format: features and labels in one file, the ends of the edges in the other (each edge in both directions)."""
    data, graph = (root / file for file in REDDIT)
    links, nodes = published_arrays(graph), published_arrays(data)
    i, j, shape = (links[name] for name in ("row", "col", "shape"))
    features, labels = nodes["feature"], nodes["label"]
    with reading_published(graph):
        if shape.tolist() != [len(features), len(features)]:
            raise ValueError(f"it has the shape {shape.tolist()} beside {len(features)} rows of features")
        return Graph(undirected_adjacency(i, j, None, len(features)), features=features, labels=labels)


def read_reddit_roles(root: Path) -> Roles:
    path = root / REDDIT[0]
    types = published_arrays(path)["node_types"]
    with reading_published(path):
        return Roles(*(np.flatnonzero(types == role) for role in REDDIT_ROLES))


DATASETS = (
    Dataset(
        name="flickr",
        about="photographs, joined where they share a place, a gallery or a commenter; inductive",
        sizes=GraphSizes(89250, 449878, 500, 7),
        paper=GraphSizes(89250, 899756, 500, 7),
        note="The paper counts each edge in both directions.",
        origin=f"https://github.com/GraphSAINT/GraphSAINT, served by {HOST}",
        licence=MIT,
        citation="Zeng et al., GraphSAINT: graph sampling based inductive learning method, ICLR 2020",
        raw=tuple(RawFile(path, f"{HOST}/flickr.zip", member=Path(path).name) for path in FLICKR),
        read=read_flickr,
        read_roles=read_flickr_roles,
        role_sizes=(44625, 22312, 22313),
    ),
    Dataset(
        name="reddit",
        about="posts on Reddit, joined where one user commented on both; inductive",
        sizes=GraphSizes(232965, 57307946, 602, 41),
        paper=GraphSizes(232965, 11606919, 602, 41),
        note="The registered graph is the 57 million edges of GraphSAGE's release. The paper counts 11.6 million, so its "
        "scores and seconds are of a graph with a fifth of the edges.",
        origin=f"GraphSAGE's data, served by {HOST}",
        citation="Hamilton et al., Inductive representation learning on large graphs, NeurIPS 2017",
        raw=tuple(
            RawFile(path, f"{HOST}/reddit.zip", member=Path(path).name, archive_sha256=REDDIT_ARCHIVE) for path in REDDIT
        ),
        read=read_reddit,
        read_roles=read_reddit_roles,
        role_sizes=(153431, 23831, 55703),
    ),
)
