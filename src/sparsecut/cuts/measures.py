"""How sparse the cut around a given set is, in the paper's two measures.

    φ(S)  = |E(S, S̄)| / min(|S|, |S̄|)         the edge expansion
    φ′(S) = |E(S, S̄)| / (|S|·|S̄|)             its variant, xᵀL_G x / xᵀL_K x for the indicator x of S

With weights |E(S, S̄)| is their sum over the edges cut. |S|·|S̄|/n ≤ min(|S|, |S̄|) ≤ 2·|S|·|S̄|/n, so φ ≤ n·φ′ ≤ 2·φ.

`sparsest_cut` minimises n·φ′ (`objective="ratio"`), which does not shrink as the graph grows; the functions here are the
paper's own, without n.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.cuts.cut_input import graph_to_cut
from sparsecut.cuts.objective import Mask, cut_weight, smaller_side, undirected_adjacency
from sparsecut.graph import Graph
from sparsecut.graph.node_ids import choose_nodes


def edge_expansion(graph: Any, nodes: Any) -> float:
    """Measure `φ(S) = |E(S, S̄)| / min(|S|, |S̄|)` of a set of nodes.

    Parameters
    ----------
    graph : Graph, an adjacency, a networkx or igraph graph, or a path
        At least two nodes, undirected; weights count.
    nodes : list or array of node ids, or boolean mask
        The set S: some of the nodes, not all. Ids, never positions; an id given twice counts once. A mask has one entry per
        node.

    Returns
    -------
    float
        φ(S), the same for S and for the rest of the graph; 0 where no edge leaves S.

    Raises
    ------
    InputError
        If S is empty or all of the graph, an id is unknown, or the graph is directed.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> path = sc.Graph(np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1), node_ids=["a", "b", "c", "d", "e"])
    >>> sc.edge_expansion(path, ["a", "b"])  # one edge is cut; two nodes against three
    0.5
    """
    graph = graph_to_cut(graph)
    cut, size = _cut_and_size(graph, nodes, "edge_expansion")
    return float(smaller_side(cut, size, graph.n_nodes))


def sparsity(graph: Any, nodes: Any) -> float:
    """Measure `φ′(S) = |E(S, S̄)| / (|S|·|S̄|)` of a set of nodes: the share of pairs across the cut that are edges.

    Parameters
    ----------
    graph : Graph, an adjacency, a networkx or igraph graph, or a path
        At least two nodes, undirected; weights count.
    nodes : list or array of node ids, or boolean mask
        The set S: some of the nodes, not all. Ids, never positions; an id given twice counts once. A mask has one entry per
        node.

    Returns
    -------
    float
        φ′(S), the same for S and for the rest of the graph. `sparsest_cut(graph).value` is n times the φ′ of its nodes.

    Raises
    ------
    InputError
        If S is empty or all of the graph, an id is unknown, or the graph is directed.

    Examples
    --------
    >>> import numpy as np, sparsecut as sc
    >>> path = sc.Graph(np.diag(np.ones(4), 1) + np.diag(np.ones(4), -1), node_ids=["a", "b", "c", "d", "e"])
    >>> round(sc.sparsity(path, ["a", "b"]), 4)  # one edge is cut, of 2·3 pairs
    0.1667
    >>> round(sc.sparsest_cut(path).value, 4)  # 5·φ′
    0.8333
    """
    graph = graph_to_cut(graph)
    cut, size = _cut_and_size(graph, nodes, "sparsity")
    return float(cut / (size * (graph.n_nodes - size)))


def _cut_and_size(graph: Graph, nodes: Any, caller: str) -> tuple[float, int]:
    """|E(S, S̄)| and |S|."""
    adjacency = undirected_adjacency(graph, caller)
    side: Mask = np.zeros(graph.n_nodes, dtype=bool)
    side[choose_nodes(nodes, None, graph.node_ids, caller)] = True
    size = int(side.sum())
    if not 0 < size < graph.n_nodes:
        raise InputError(
            f"{caller} needs a set with nodes inside and outside it: a cut has two sides. Got {size:,} of the graph's "
            f"{graph.n_nodes:,} nodes. Name some of them, not none and not all."
        )
    return cut_weight(adjacency, side), size
