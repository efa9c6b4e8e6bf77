"""nodevectors' ProNE with the paper's 128 columns, where its default is 32; the rest of its defaults are the paper's."""

from __future__ import annotations

from typing import Any

import csrgraph
import nodevectors
import numpy as np
import scipy.sparse as sp

from sparsecut import Graph

WIDTH = 128


def embed(graph: Graph, seed: int) -> Any:
    np.random.seed(seed)  # noqa: NPY002 - the SVD inside it draws from this generator alone
    model = nodevectors.ProNE(n_components=WIDTH, verbose=False)
    return model.fit_transform(csrgraph.csrgraph(sp.csr_matrix(graph.adjacency, copy=True)))
