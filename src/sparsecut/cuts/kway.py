"""k parts: the graph is cut in two by the sparsest allowed cut, and each side again.

At the end the border of every two parts that touch is improved.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, check_integer, check_real
from sparsecut.base.progress import Reporter, reporting
from sparsecut.cuts.cut_input import Material, material
from sparsecut.cuts.improve import band
from sparsecut.cuts.local import local_search
from sparsecut.cuts.objective import CutProblem, ratio
from sparsecut.cuts.solve import LIGHT, THOROUGH, Effort, solve
from sparsecut.graph import Graph, as_graph

N_ROUNDS = 2  # over all pairs of parts that touch
WIDTHS = (2, 6)

Members = NDArray[np.int64]
Bounds = tuple[float, float]
Efforts = tuple[Effort, Effort]


@dataclass(frozen=True, repr=False)
class Partition:
    """A graph in k parts, as `partition` returns it.

    Attributes
    ----------
    parts : int array (n,)
        The part of every node, 0 … k - 1, the largest part first.
    sizes : int array (k,)
        The nodes of each part.
    cut : float
        The weight of the graph's edges between different parts.
    values : array (k,)
        φ′ of each part against the rest of the graph.
    modularity : float
        Newman's modularity, on the graph's own edges.
    graph : Graph
        The graph that was cut.
    """

    parts: Members
    sizes: NDArray[np.int64]
    cut: float
    values: NDArray[np.float64]
    modularity: float
    graph: Graph = field(compare=False)

    def nodes(self, part: int) -> NDArray[Any]:
        """Return the ids of the nodes of one part.

        Parameters
        ----------
        part : int
            The number of the part, 0 … k - 1; 0 is the largest.

        Returns
        -------
        array
            The ids, in the order of the graph.

        Examples
        --------
        >>> import numpy as np, sparsecut as sc
        >>> parts = sc.partition(sc.Graph(np.kron(np.eye(2), np.ones((2, 2))), node_ids=["a", "b", "c", "d"]), 2)
        >>> parts.nodes(1).tolist()
        ['c', 'd']
        """
        return np.asarray(self.graph.node_ids[self.parts == part])

    def __repr__(self) -> str:
        return (
            f"Partition({len(self.sizes)} parts of {self.sizes.min():,} to {self.sizes.max():,} nodes, cut {self.cut:g}, "
            f"modularity {self.modularity:.3f})"
        )


def partition(
    graph: Any,
    parts: int,
    *,
    balance: float | None = None,
    use: str = "structure",
    embedding: ArrayLike | None = None,
    random_state: int = 0,
    progress: Reporter | None = None,
) -> Partition:
    """Cut a graph into k parts with few edges between them.

    Parameters
    ----------
    graph : Graph, or an adjacency
        Undirected; weights count.
    parts : int
        The number of parts, at most the number of nodes.
    balance : float, optional
        The smallest share of the nodes that a part may have, at most 1/parts. The largest part is bounded by the same
        factor: n/parts times 1/(parts·balance), rounded to whole nodes. By default half of 1/parts: parts have between half
        and twice the equal share. 0 leaves the sizes free; 1/(1.03·parts) is the usual bound of METIS and KaHIP.
    use : {"structure", "embedding", "both"}, default="structure"
        What is cut: the graph's edges; the graph that joins each node to its ten nearest neighbours in the embedding; or
        the sum of the two, scaled to the same total weight. Use "both" where features say more than the edges.
    embedding : array or frame (n, d), optional
        One vector per node, for use="embedding" and use="both"; a frame is matched to the nodes by the ids it brings. By
        default `SCE` embeds the graph, which must have features.
    random_state : int, default=0
        Seed of the clustering and of the eigensolver's start. The same seed gives the same parts.
    progress : callable, optional
        Called as progress(stage, done, total) in place of the progress bar, which appears after two seconds.

    Returns
    -------
    Partition
        `parts`, their `sizes`, `cut`, `values` and `modularity`, measured on the graph's own edges whatever was cut.

    Raises
    ------
    InputError
        If there are more parts than nodes, or the balance is above 1/parts.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> A = np.kron(np.eye(3), np.ones((3, 3)))  # three triangles
    >>> A[2, 3] = A[3, 2] = A[5, 6] = A[6, 5] = 1  # in a row
    >>> sc.partition(sc.Graph(A), 3).parts.tolist()
    [0, 0, 0, 1, 1, 1, 2, 2, 2]
    """
    graph = as_graph(graph)
    count = check_integer("partition", "parts", parts, minimum=1)
    seed = check_integer("partition", "random_state", random_state, minimum=0)
    n = graph.n_nodes
    if count > n:
        raise InputError(f"The parts parameter of partition must be at most the number of nodes, {n:,}. Got {count}.")
    bounds = _bounds(n, count, balance)
    with reporting(progress) as report:
        cut_from = material(graph, use, embedding, "partition")
        members = split_into(cut_from, count, bounds, np.random.default_rng(seed), report)
    return measured(graph, members)


def split_into(
    source: Material,
    count: int,
    bounds: Bounds,
    random: np.random.Generator,
    report: Reporter,
    efforts: Efforts = (THOROUGH, LIGHT),
) -> Members:
    """The part of every node. efforts : for the first cut, and for the later ones."""
    members = np.zeros(source.adjacency.shape[0], dtype=np.int64)
    _split(source, np.arange(len(members)), count, 0, bounds, members, random, report, efforts)
    if count > 2:
        improve_pairs(source.adjacency, members, bounds, report)
    return members


def measured(graph: Graph, members: Members) -> Partition:
    """Parts in order of size, and what they are worth on the graph's own edges."""
    sizes = np.bincount(members)
    first = np.full(len(sizes), graph.n_nodes)
    np.minimum.at(first, members, np.arange(graph.n_nodes))
    order = np.lexsort((first, -sizes))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    members, sizes = rank[members], sizes[order]
    A = graph.adjacency
    rows = np.repeat(members, np.diff(A.indptr))
    weights = A.data.astype(np.float64)
    within = np.bincount(rows, np.where(rows == members[A.indices], weights, 0.0), len(sizes))
    volumes = np.bincount(rows, weights, len(sizes))
    total = max(float(volumes.sum()), 1e-300)
    return Partition(
        parts=members,
        sizes=sizes,
        cut=float((volumes - within).sum() / 2),
        values=ratio(volumes - within, sizes, graph.n_nodes),
        modularity=float((within / total - (volumes / total) ** 2).sum()),
        graph=graph,
    )


def _bounds(n: int, parts: int, balance: float | None) -> Bounds:
    """The least and the most nodes of a part: whole numbers that leave room."""
    share = 0.5 / parts if balance is None else check_real("partition", "balance", balance)
    if share > 1 / parts + 1e-12:
        raise InputError(f"The balance parameter of partition must be at most 1/parts = {1 / parts:.4g}. Got {balance!r}.")
    if not share:
        return 1.0, float(n)
    low = min(np.ceil(share * n - 1e-9), n // parts)
    high = max(np.floor(n / parts / (parts * share) + 1e-9), -(-n // parts))
    return max(1.0, float(low)), float(high)


def _split(
    source: Material,
    nodes: Members,
    count: int,
    first: int,
    bounds: Bounds,
    members: Members,
    random: np.random.Generator,
    report: Reporter,
    efforts: Efforts,
) -> None:
    """Number the parts of some nodes from `first` on."""
    members[nodes] = first
    if count == 1:
        return
    low, high = bounds
    size = len(nodes)
    pairs = [(k, max(k * low, size - (count - k) * high), min(k * high, size - (count - k) * low)) for k in range(1, count)]
    A = source.adjacency[nodes][:, nodes] if size < source.adjacency.shape[0] else source.adjacency
    problem = replace(CutProblem.of_adjacency(A, "ratio"), allowed=tuple((a, b) for _, a, b in pairs if a <= b))
    vectors = None if source.vectors is None else source.vectors[nodes]
    effort = efforts[0] if size == source.adjacency.shape[0] else efforts[1]
    side = solve(problem, random, report, vectors=vectors, effort=effort, with_certificate=False).cuts[0].side
    inside = int(side.sum())
    # As many parts for a side as its size asks for, among the numbers its size allows.
    options = [k for k, a, b in pairs if a <= inside <= b]
    n_inside = min(options, key=lambda k: abs(k - count * inside / size))
    _split(source, nodes[side], n_inside, first, bounds, members, random, report, efforts)
    _split(source, nodes[~side], count - n_inside, first + n_inside, bounds, members, random, report, efforts)


def improve_pairs(A: sp.csr_array, members: Members, bounds: Bounds, report: Reporter) -> None:
    """Move the borders between parts that touch, where that makes the cut between the two sparser (in place)."""
    for number in range(N_ROUNDS):
        rows = np.repeat(members, np.diff(A.indptr))
        columns = members[A.indices]
        across = rows < columns
        count = int(members.max()) + 1
        weights = np.bincount(rows[across] * count + columns[across], A.data[across], count * count)
        pairs = np.flatnonzero(weights)
        improved = False
        for step, pair in enumerate(pairs[np.argsort(-weights[pairs], kind="stable")].tolist()):
            report("Improving borders", number * len(pairs) + step, N_ROUNDS * len(pairs))
            improved |= _improve_pair(A, members, pair // count, pair % count, bounds)
        if not improved:
            break


def _improve_pair(A: sp.csr_array, members: Members, one: int, other: int, bounds: Bounds) -> bool:
    nodes = np.flatnonzero((members == one) | (members == other))
    size = len(nodes)
    problem = CutProblem.of_adjacency(A[nodes][:, nodes], "ratio")
    problem = replace(problem, allowed=((max(bounds[0], size - bounds[1]), min(bounds[1], size - bounds[0])),))
    side = members[nodes] == one
    before = problem.value(side)
    for width in WIDTHS:
        side = band(problem, side, width)
    side = local_search(problem, side)
    if not problem.value(side) < before * (1 - 1e-12):
        return False
    members[nodes] = np.where(side, one, other)
    return True
