"""A real graph made larger without making it artificial: a random lift.

Every node becomes `n_copies` nodes. Every edge (i, j) becomes `n_copies` edges, which join the copies of i to the copies of
j by a random permutation, so that each copy keeps the degree of its original. Every copy keeps a random 80% of its
original's features. What an embedding of a real graph has, and vectors drawn at random have not, is kept: a spectrum that
falls, dense and empty regions, hubs, near-duplicates.
"""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from sparsecut import SCE, datasets
from sparsecut.graph import Graph

KEPT = 0.8  # of every copy's features


def lift(graph: Graph, n_nodes: int, seed: int = 0) -> Graph:
    """The first `n_nodes` nodes of a random lift."""
    generator = np.random.default_rng(seed)
    n_copies = -(-n_nodes // graph.n_nodes)
    edges = sp.triu(graph.adjacency, k=1).tocoo()
    rows = [edges.row + copy * graph.n_nodes for copy in range(n_copies)]
    # One permutation of the copies per edge: argsort of random numbers, a column per edge.
    partner = generator.random((n_copies, edges.nnz)).argsort(axis=0)
    columns = [edges.col + partner[copy] * graph.n_nodes for copy in range(n_copies)]
    i, j = np.concatenate(rows), np.concatenate(columns)
    keep = (i < n_nodes) & (j < n_nodes)
    i, j = i[keep], j[keep]
    ones = np.ones(2 * len(i), dtype=np.float32)
    adjacency = sp.csr_array((ones, (np.concatenate([i, j]), np.concatenate([j, i]))), shape=(n_nodes, n_nodes))
    features = sp.vstack([sp.csr_array(graph.features)] * n_copies, format="csr")[:n_nodes]
    features.data = features.data * (generator.random(features.nnz) < KEPT)
    features.eliminate_zeros()
    labels = np.tile(np.asarray(graph.labels), n_copies)[:n_nodes]
    return Graph(adjacency, features=sp.csr_array(features, dtype=np.float32), labels=labels)


def lifted_embedding(name: str, n_nodes: int, dimension: int = 128) -> tuple[np.ndarray, Graph]:
    """The embedding of a lifted dataset by a model fitted on the dataset itself, and the lifted graph."""
    original = datasets.load(name)
    graph = lift(original, n_nodes)
    return SCE(dimension=dimension).fit(original).transform(graph), graph
