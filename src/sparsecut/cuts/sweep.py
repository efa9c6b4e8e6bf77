"""Threshold cuts: the nodes in some order, and the best prefix of it.

An edge is cut by exactly the prefixes that end between its two ends. So one pass over the edges adds +w where the first end
enters and −w where the second does, and running sums give the cut of all n − 1 prefixes at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError
from sparsecut.cuts.cut_input import graph_to_cut
from sparsecut.cuts.objective import CutProblem, Real, ratio, smaller_side
from sparsecut.graph import place_values


@dataclass(frozen=True)
class SweepCut:
    """All prefixes of an ordering and the best of them, as `sweep_cut` returns it.

    Attributes
    ----------
    nodes : array
        The ids of the best set, the smaller side of its cut.
    value : float
        Its objective.
    order : array (n,)
        The positions of the nodes, in the order of the vector. Prefix k holds the first k + 1 of them.
    cut : array (n - 1,)
        The weight of the edges each prefix cuts.
    ratio, expansion, conductance : array (n - 1,)
        φ′ = n·cut/(|S||S̄|), φ = cut/min(|S|, |S̄|) and cut/min(vol S, vol S̄) of each prefix. The conductance of a prefix
        without volume on one side is infinite.
    """

    nodes: NDArray[Any]
    value: float
    order: NDArray[np.int64]
    cut: Real
    ratio: Real
    expansion: Real
    conductance: Real


def sweep_cut(graph: Any, vector: ArrayLike, *, objective: str = "ratio", balance: float = 0.0) -> SweepCut:
    """Find the best cut between the nodes above and below a threshold of a vector.

    Parameters
    ----------
    graph : Graph, an adjacency, a networkx or igraph graph, or a path
        At least two nodes, undirected; weights count.
    vector : array (n,), or series
        One number per node: an eigenvector, a column of an embedding, a score. Equal values keep the graph's order. A series
        is matched to the nodes by its index.
    objective : {"ratio", "conductance"}, default="ratio"
        The value that the best prefix minimises; see `sparsest_cut`.
    balance : float, default=0.0
        The smallest allowed share of the smaller side, of the nodes or, for conductance, of the volume. At most 0.5.

    Returns
    -------
    SweepCut
        The best set, and cut, φ′, φ and conductance of every prefix.

    Raises
    ------
    InputError
        If the vector does not have one finite number per node, or no prefix keeps the balance.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> path = sc.Graph(np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1))
    >>> found = sc.sweep_cut(path, [0.1, 0.2, 0.3, 0.4])
    >>> found.nodes.tolist(), found.value, found.cut.tolist()
    ([2, 3], 1.0, [1.0, 1.0, 1.0])
    """
    graph = graph_to_cut(graph)
    problem = CutProblem.of(graph, objective, balance, caller="sweep_cut")
    x = _checked(place_values(vector, graph.node_ids, graph.n_nodes, "The vector of sweep_cut"), graph.n_nodes)
    order, cut, inside = prefixes(problem, x)
    values = problem.values(cut, inside)
    best = int(np.argmin(values))
    if not np.isfinite(values[best]):
        raise InputError(
            f"No prefix of this ordering keeps the balance of {balance:g}"
            + (" with edges on both sides" if objective == "conductance" else "")
            + ". Ask for a smaller one."
        )
    side = np.zeros(graph.n_nodes, dtype=bool)
    side[order[: best + 1]] = True
    sizes = np.arange(1, graph.n_nodes)
    volumes = np.cumsum(problem.degrees[order])[:-1]
    return SweepCut(
        nodes=graph.node_ids[problem.smaller(side)],
        value=float(values[best]),
        order=order,
        cut=cut,
        ratio=ratio(cut, sizes, graph.n_nodes),
        expansion=smaller_side(cut, sizes, graph.n_nodes),
        conductance=smaller_side(cut, volumes, float(problem.degrees.sum())),
    )


def prefixes(problem: CutProblem, x: Real) -> tuple[NDArray[np.int64], Real, Real]:
    """The order, and the cut and the measure of each prefix but the whole."""
    n = problem.n_nodes
    order = np.argsort(x, kind="stable")
    position = np.empty(n, dtype=np.int64)
    position[order] = np.arange(n)
    A = sp.csr_array(problem.adjacency)
    rows = np.repeat(position, np.diff(A.indptr))
    columns = position[A.indices]
    # Each edge is stored twice, once from its first end (+w) and once from its second (−w).
    change = np.bincount(rows, np.where(rows < columns, A.data, -A.data), n)
    return order, np.maximum(np.cumsum(change)[:-1], 0.0), np.cumsum(problem.measure[order])[:-1]


def _checked(vector: ArrayLike, n_nodes: int) -> Real:
    try:
        x = np.asarray(vector, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"The vector of sweep_cut must be numbers, one per node. {str(error).capitalize()}.") from error
    if x.shape != (n_nodes,):
        raise InputError(
            f"The vector of sweep_cut must have one number for each of the {n_nodes:,} nodes. Got shape {x.shape}."
        )
    if not np.isfinite(x).all():
        raise InputError("The vector of sweep_cut must be finite. Got NaN or infinity.")
    if n_nodes < 2:
        raise InputError("A cut needs at least two nodes. The graph has one.")
    return x
