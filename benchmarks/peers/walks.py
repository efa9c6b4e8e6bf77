"""Node2Vec by three packages, and GRAPE's first-order LINE: all from the edges alone, with the defaults of each.

pecanpy's SparseOTF and NetworKit's Node2Vec have 128 columns and 10 walks of 80 steps from every node. GRAPE's, which its
core `ensmallen` computes, has 100 columns and 10 walks of 128; its 30 epochs take 30 times as long as the one here.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from sparsecut import Graph

N_THREADS = int(os.environ.get("OMP_NUM_THREADS", "1"))
# embiggen's, the Python side of GRAPE, which is not built for this Python.
GRAPE_WALKS: dict[str, Any] = {
    **{"embedding_size": 100, "window_size": 5, "number_of_negative_samples": 10, "walk_length": 128, "iterations": 10},
    **{"return_weight": 0.25, "explore_weight": 4.0, "max_neighbours": 100, "learning_rate": 0.01},
    **{"learning_rate_decay": 0.9, "clipping_value": 6.0, "epochs": 1, "verbose": False},
}
GRAPE_LINE: dict[str, Any] = {
    **{"embedding_size": 100, "epochs": 100, "learning_rate": 0.05, "learning_rate_decay": 0.9, "verbose": False}
}


def embed_pecanpy(graph: Graph, seed: int) -> Any:
    from pecanpy import pecanpy

    adjacency = sp.csr_array(graph.adjacency)
    adjacency.sort_indices()
    walks = pecanpy.SparseOTF(p=1, q=1, workers=N_THREADS, random_state=seed)
    walks.set_node_ids([str(node) for node in range(graph.n_nodes)])
    walks.indptr, walks.indices = (array.astype(np.uint32) for array in (adjacency.indptr, adjacency.indices))
    walks.data = adjacency.data.astype(np.float32)
    walks.preprocess_transition_probs()
    return walks.embed()


def embed_networkit(graph: Graph, seed: int) -> Any:
    """A node without edges, which it refuses, has a row of zeros."""
    import networkit

    from peers.network_kit import to_networkit

    networkit.setSeed(seed, useThreadId=False)
    connected = np.flatnonzero(np.diff(sp.csr_array(graph.adjacency).indptr))
    walks = networkit.embedding.Node2Vec(to_networkit(sp.csr_array(graph.adjacency)[connected][:, connected]))
    walks.run()
    found = np.array(walks.getFeatures(), dtype=np.float32)
    Z = np.zeros((graph.n_nodes, found.shape[1]), dtype=np.float32)
    Z[connected] = found
    return Z


def embed_grape(graph: Graph, seed: int) -> Any:
    from ensmallen import models

    return models.SkipGram(**GRAPE_WALKS, random_state=seed).fit_transform(_to_ensmallen(graph))[0]


def embed_line(graph: Graph, seed: int) -> Any:
    from ensmallen import models

    return models.FirstOrderLINE(**GRAPE_LINE, random_state=seed).fit_transform(_to_ensmallen(graph))


def _to_ensmallen(graph: Graph) -> Any:
    """Nodes are named by numbers of one width, so that its order of names is theirs."""
    import ensmallen
    import pandas as pd

    i, j = sp.triu(graph.adjacency, k=1).nonzero()
    width = len(str(graph.n_nodes))
    names = np.char.zfill(np.arange(graph.n_nodes).astype(str), width)
    built = ensmallen.Graph.from_pd(
        edges_df=pd.DataFrame({"from": names[i], "to": names[j]}),
        nodes_df=pd.DataFrame({"name": names}),
        node_name_column="name",
        edge_src_column="from",
        edge_dst_column="to",
        directed=False,
    )
    if built.get_node_names() != names.tolist():
        raise AssertionError("ensmallen has other nodes, or another order")
    return built
