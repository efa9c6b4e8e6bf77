"""Graphs and splits that the tests of the baselines share."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import torch

from sparsecut import Graph
from sparsecut.evaluation import Split


def labelled(graph: Graph, labels: object = None) -> Graph:
    """The graph with labels; three classes in turn where none are given."""
    return graph.replace(labels=np.arange(graph.n_nodes) % 3 if labels is None else labels)


def a_split(n_nodes: int = 40) -> Split:
    nodes = np.random.default_rng(1).permutation(n_nodes)
    return Split(nodes[: n_nodes // 3], nodes[n_nodes // 3 : n_nodes // 2], nodes[n_nodes // 2 :])


def large_graph(n_nodes: int = 50_000) -> Graph:
    """So many nodes that n² single bytes would be 2.5 GB, with few edges, 16 features and three classes."""
    generator = np.random.default_rng(0)
    ends = generator.integers(0, n_nodes, (2, 2 * n_nodes))
    adjacency = sp.coo_array((np.ones(2 * n_nodes), ends), shape=(n_nodes, n_nodes)).tocsr()
    features = generator.random((n_nodes, 16), dtype=np.float32)
    return Graph(adjacency + adjacency.T, features=features, labels=np.arange(n_nodes) % 3)


def edge_tensors(graph: Graph) -> tuple[torch.Tensor, torch.Tensor]:
    """The edges as torch_geometric's layers take them, (2, entries) from source to target, and their weights."""
    entries = graph.adjacency.tocoo()
    ends = np.stack([entries.col, entries.row]).astype(np.int64)  # the row draws from the column
    return torch.from_numpy(ends), torch.from_numpy(entries.data)
