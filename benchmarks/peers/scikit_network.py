"""scikit-network: spectral methods, random projections and communities of the edges. It does not read features.

Its default is two columns, for drawing; here there are 128, and everything else is its default.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import scipy.sparse as sp
from sknetwork import embedding

from sparsecut import Graph

WIDTH = 128


def embed_with(name: str) -> Callable[[Graph, int], Any]:
    """The fit of one of its classes by name."""

    def fit(graph: Graph, seed: int) -> Any:
        # LouvainEmbedding has as many columns as it finds communities.
        options = {} if name == "LouvainEmbedding" else {"n_components": WIDTH}
        if name in ("LouvainEmbedding", "RandomProjection"):
            options["random_state"] = seed
        return getattr(embedding, name)(**options).fit_transform(sp.csr_matrix(graph.adjacency))

    return fit
