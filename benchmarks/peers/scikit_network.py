"""scikit-network: spectral methods, random projections and communities of the edges. It does not read features.

Its default is two columns, for drawing. How many there are decides the score, so 32 and 128 are both rows; everything else
is its default.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import scipy.sparse as sp
from sknetwork import embedding

if TYPE_CHECKING:
    from sparsecut import Graph


def embed_with(name: str, width: int | None = None) -> Callable[[Graph, int], Any]:
    """The fit of one of its classes by name. LouvainEmbedding takes no width: it has one column per community."""

    def fit(graph: Graph, seed: int) -> Any:
        options = {} if width is None else {"n_components": width}
        if name in ("LouvainEmbedding", "RandomProjection"):
            options["random_state"] = seed
        return getattr(embedding, name)(**options).fit_transform(sp.csr_matrix(graph.adjacency))

    return fit
