"""What is known about pairs of nodes beforehand, as an array (m, 2) of positions or (m, 3) with a weight each.

In the sparsest cut, supply over demand, pairs that must differ are demands: `sparsecut.negatives` adds them to the negative
graph. Pairs to keep close are supply, which is the graph itself: `keep_close` adds them to its edges.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.errors import InputError, check_real, parameter_error
from sparsecut.graph import Graph

PAIRS_RULE = "an array of node pairs (m, 2) or weighted pairs (m, 3)"


def keep_close(graph: Graph, pairs: Any, *, weight: float | None = None) -> Graph:
    """The graph with an edge more for each pair of nodes that belong together.

    Each edge weighs `weight`, times the pair's own where the pairs are weighted (m, 3). By default that is the mean strength
    of a closed neighbourhood, 1 + the mean weighted degree: a node of average strength then takes half of its average from
    its partner, as much as from itself and all its neighbours together. Weights add up, with an edge that is there already
    and over repeated pairs. In a directed graph the edge goes both ways.
    """
    adjacency = graph.adjacency
    ends, weights = check_pairs(pairs, graph.n_nodes, caller="keep_close", name="pairs")
    if weight is None:
        weight = 1 + float(adjacency.sum(dtype=np.float64)) / graph.n_nodes
    scale = check_real("keep_close", "weight", weight, above=0)
    i, j = ends.T
    added = sp.coo_array((scale * weights, (i, j)), shape=adjacency.shape).tocsr()
    edges = (adjacency + (added + added.T)).tocsr().astype(np.float32)
    edges.eliminate_zeros()  # a pair of weight 0
    edges.sort_indices()
    return graph.replace(
        adjacency=edges, notes=(*graph.notes, f"{len(ends):,} pairs to keep close were added to the edges.")
    )


def check_pairs(
    pairs: Any, n_nodes: int, *, caller: str, name: str, rule: str = PAIRS_RULE, with_same: bool = False
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Positions (m, 2) and weights (m,) of pairs that a user gave, 1 where they have none.

    A node paired with itself says nothing, and is refused unless `with_same`.
    """
    try:
        table = np.asarray(pairs, dtype=np.float64)
    except (TypeError, ValueError):
        raise parameter_error(caller, name, rule, pairs) from None
    if table.ndim != 2 or table.shape[0] == 0 or table.shape[1] not in (2, 3):
        raise InputError(f"The {name} parameter of {caller} must be {rule}. Got shape {table.shape}.")
    ends, weights = table[:, :2], table[:, 2] if table.shape[1] == 3 else np.ones(len(table))
    if not (np.isfinite(table).all() and (ends == np.floor(ends)).all()):
        raise InputError(f"The {name} of {caller} must be whole node positions and finite weights.")
    if ends.min() < 0 or ends.max() >= n_nodes:
        raise InputError(
            f"The {name} of {caller} must be positions from 0 to {n_nodes - 1}. "
            f"Got positions from {ends.min():g} to {ends.max():g}."
        )
    if (weights < 0).any():
        raise InputError(f"The weights of the {name} of {caller} must be zero or more. Got {weights.min():g}.")
    is_same = ends[:, 0] == ends[:, 1]
    if is_same.any() and not with_same:
        raise InputError(
            f"The {name} of {caller} must be pairs of two different nodes. "
            f"Got the node at position {ends[is_same][0, 0]:g} with itself."
        )
    return ends.astype(np.int64), weights
