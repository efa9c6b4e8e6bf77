"""nodevectors' ProNE with its defaults: 32 columns, and for the rest the paper's settings."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import csrgraph
import nodevectors
import numpy as np
import scipy.sparse as sp

if TYPE_CHECKING:
    from sparsecut import Graph


def embed(graph: Graph, seed: int) -> Any:
    np.random.seed(seed)  # noqa: NPY002 - the SVD inside it draws from this generator alone
    model = nodevectors.ProNE(verbose=False)
    return model.fit_transform(csrgraph.csrgraph(sp.csr_matrix(graph.adjacency, copy=True)))
