"""Any small graph, for property tests."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from sparsecut.graph import Graph


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Any small graph: isolated nodes, one node, weights, directions."""
    n_nodes = draw(st.integers(1, 9))
    weights = st.sampled_from([0, 0, 1]) if draw(st.booleans()) else st.sampled_from([0, 0, 0.5, 1, 3])
    A = np.array(draw(st.lists(weights, min_size=n_nodes**2, max_size=n_nodes**2))).reshape(n_nodes, n_nodes)
    directed = draw(st.sampled_from(["symmetrize", "out", "in"]))
    return Graph(np.maximum(A, A.T) if directed == "symmetrize" else A, directed=directed)
