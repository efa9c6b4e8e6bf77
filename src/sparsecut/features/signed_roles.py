"""Roles in a signed graph: how many friendly and unfriendly edges a node has, out and in where edges have directions.

    log (1 + f) and log (1 + u)              f friendly edges, u unfriendly ones
    log (u + kμ) − log (f + k(1 − μ))        balance: the log-odds that an edge of the node is unfriendly

μ is the share of unfriendly edges in the fitted graph, and k edges of that kind are counted in: of a node with one edge the
balance says little, and of a node without any what holds for all. Other counts are left out: triangles and amounts predict
signs no better than these, and the fewer columns, the better a probe learns from few edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.kernels.either import log, side_by_side

USUAL_EDGES = 2.0  # k; from 1 to 5 it hardly matters

UNDIRECTED_SIGNED = ("log friendly degree", "log unfriendly degree", "unfriendly balance")
DIRECTED_SIGNED = (
    *("log friendly out-degree", "log friendly in-degree"),
    *("log unfriendly out-degree", "log unfriendly in-degree"),
    *("unfriendly out-balance", "unfriendly in-balance"),
)


def unfriendly_share(graph: Any) -> float | None:
    """μ of a graph, between 0 and 1; None for one without signs."""
    demands = getattr(graph, "demands", None)
    if demands is None:
        return None
    n_asked = int(demands.nnz) // (1 if graph.is_directed else 2)
    return (n_asked + 1) / (n_asked + int(graph.n_edges) + 2)


def counts_by_sign(friendly: Any, unfriendly: Any, share: float) -> Any:
    """The counts of some nodes, (m, 3) or (m, 6), from the numbers of their edges, a column per direction; not rounded."""
    usual, n_sides = USUAL_EDGES * share, friendly.shape[1]
    unfriendly = unfriendly[:, :n_sides]
    balance = log(unfriendly + usual) - log(friendly + (USUAL_EDGES - usual))
    parts = (log(1 + friendly), log(1 + unfriendly), balance)
    return side_by_side([part[:, side] for part in parts for side in range(n_sides)])


def demand_ends(demands: Any, n_nodes: int) -> NDArray[np.float64]:
    """How many edges that ask for distance leave each node, and how many arrive, (n, 2); zeros where a graph has none."""
    if demands is None:
        return np.zeros((n_nodes, 2))
    return np.stack([np.diff(demands.indptr), np.bincount(demands.indices, minlength=n_nodes)], axis=1).astype(np.float64)
