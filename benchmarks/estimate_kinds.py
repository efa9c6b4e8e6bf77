"""Graphs of other kinds than dense features on plain edges, for which estimates are compared too: the same each time."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pandas as pd
import scipy.sparse as sp

import sparsecut as sc
from standins import stand_in

N_NODES, DEGREE, N_CLASSES = 100_000, 10, 8
N_COLUMNS, N_WORDS, WORDS_EACH = 64, 5_000, 20


def weighted() -> sc.Graph:
    graph, generator = _plain(N_COLUMNS), np.random.default_rng(0)
    upper = sp.triu(graph.adjacency).tocoo()
    weights = (generator.exponential(size=upper.nnz) + 0.01).astype(np.float32)
    adjacency = sp.csr_array((weights, (upper.row, upper.col)), shape=upper.shape)
    return sc.Graph(adjacency + adjacency.T, features=graph.features)


def words() -> sc.Graph:
    """Sparse features: twenty words per node, some far more frequent than others."""
    columns = (np.random.default_rng(0).random(N_NODES * WORDS_EACH) ** 2 * N_WORDS).astype(np.int64)
    starts = np.arange(0, len(columns) + 1, WORDS_EACH)
    features = sp.csr_array((np.ones(len(columns), dtype=np.float32), columns, starts), shape=(N_NODES, N_WORDS))
    features.sum_duplicates()
    return sc.Graph(_plain(1).adjacency, features=features)


def without_features() -> sc.Graph:
    return sc.Graph(_plain(1).adjacency)


def bipartite() -> sc.Graph:
    """A quarter of the nodes on one side, no features."""
    generator, n_edges = np.random.default_rng(0), N_NODES * DEGREE // 2
    i, j = generator.integers(0, N_NODES // 4, n_edges), generator.integers(N_NODES // 4, N_NODES, n_edges)
    adjacency = sp.csr_array((np.ones(n_edges, dtype=np.float32), (i, j)), shape=(N_NODES, N_NODES))
    adjacency.data[:] = 1
    return sc.Graph(adjacency + adjacency.T)


def typed() -> sc.Graph:
    """Authors who write papers, and papers that cite papers, each type with columns of its own."""
    generator, n_authors, n_edges = np.random.default_rng(0), N_NODES // 3, N_NODES * DEGREE // 4
    names = {"author": np.char.add("a", np.arange(n_authors).astype(str))}
    names["paper"] = np.char.add("p", np.arange(N_NODES - n_authors).astype(str))
    nodes = {}
    for kind, ids in names.items():
        columns = generator.standard_normal((len(ids), N_COLUMNS // 2), dtype=np.float32)
        nodes[kind] = pd.DataFrame(columns, columns=[f"{kind} {k}" for k in range(columns.shape[1])]).assign(id=ids)
    edges = {
        (one, word, "paper"): pd.DataFrame(
            {"from": generator.choice(names[one], n_edges), "to": generator.choice(names["paper"], n_edges)}
        )
        for one, word in (("author", "writes"), ("paper", "cites"))
    }
    return sc.from_tables(nodes=nodes, edges=edges)


def _plain(n_features: int) -> sc.Graph:
    return stand_in(n_nodes=N_NODES, n_edges=N_NODES * DEGREE // 2, n_features=n_features, n_classes=N_CLASSES)


KINDS: dict[str, Callable[[], sc.Graph]] = {
    "weighted": weighted,
    "sparse features": words,
    "no features": without_features,
    "bipartite, no features": bipartite,
    "typed": typed,
}
