"""The best cut of a very small graph, by computing the value of all of them.

The cuts of the sets without the last node are built by doubling: a node i added to a set cuts its degree, less twice its
weight into the set. So 2ⁿ⁻¹ sets cost a few array operations.
"""

from __future__ import annotations

import numpy as np

from sparsecut.cuts.objective import CutProblem, Mask

ENUMERATED = 16  # nodes: 32,768 sets, some milliseconds


def best_of_all(problem: CutProblem, count: int = 1) -> list[Mask]:
    """The `count` sets of least value, the best first; fewer where fewer cuts are allowed."""
    n = problem.n_nodes
    A = problem.adjacency.toarray()
    cut, inside = np.zeros(1), np.zeros(1)
    for node in range(n - 1):
        into = np.zeros(1)
        for other in range(node):
            into = np.concatenate([into, into + A[node, other]])
        cut = np.concatenate([cut, cut + problem.degrees[node] - 2 * into])
        inside = np.concatenate([inside, inside + problem.measure[node]])
    values = problem.values(np.maximum(cut, 0.0)[1:], inside[1:])
    codes = np.argsort(values, kind="stable")[:count]
    return [((code + 1) >> np.arange(n) & 1).astype(bool) for code in codes if np.isfinite(values[code])]
