"""Flickr and Reddit, the paper's inductive graphs, from the raw files their publishers serve.

Their nodes have roles: a model is trained on the subgraph of the training nodes and then meets the others. `read_flickr` and
`read_reddit` give the whole graph, `read_flickr_roles` and `read_reddit_roles` who is who.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sparsecut.datasets.dataset import Roles
from sparsecut.graph import Graph
from sparsecut.io import published_arrays, read_json, reading_published, undirected_adjacency

FLICKR = tuple(f"Flickr/raw/{name}" for name in ("adj_full.npz", "feats.npy", "class_map.json", "role.json"))
REDDIT = tuple(f"Reddit/raw/{name}" for name in ("reddit_data.npz", "reddit_graph.npz"))
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
