"""karateclub: TENE, which reads features and edges, and NetMF, which reads the edges. Defaults: 64 and 32 columns.

Its current release asks for versions of numpy, pandas and networkx that are not built for this Python; 1.2.2 asks for none.
"""

from __future__ import annotations

from typing import Any

import networkx as nx
import scipy.sparse as sp
from karateclub import TENE, NetMF

from sparsecut import Graph


def embed_tene(graph: Graph, seed: int) -> Any:
    model = TENE(seed=seed)
    model.fit(to_networkx(graph), sp.coo_matrix(graph.features))
    return model.get_embedding()


def embed_netmf(graph: Graph, seed: int) -> Any:
    model = NetMF(seed=seed)
    model.fit(to_networkx(graph))
    return model.get_embedding()


def to_networkx(graph: Graph) -> Any:
    return nx.from_scipy_sparse_array(sp.csr_array(graph.adjacency))
