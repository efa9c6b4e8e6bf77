"""Edges held out before training, and pairs of nodes without an edge to tell them from."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from sparsecut.base.errors import InputError, check_integer, check_real
from sparsecut.graph import Graph, as_graph
from sparsecut.graph.linked_pairs import Pairs, linked_pairs, sample_non_edges, without_pairs
from sparsecut.links.form_choice import draw_others
from sparsecut.links.forms import weights_between
from sparsecut.links.node_kinds import find_ends


@dataclass(frozen=True)
class LinkSplit:
    """A graph with some edges held out: see `hold_out_edges`.

    Attributes
    ----------
    graph : Graph
        What a method may see.
    positive : array of shape (m, 2)
        The pairs of nodes whose edges are held out: i < j, or along the arc in a directed graph, or from one side to the
        other.
    negative : array of shape (m, 2)
        As many pairs that are no edges.
    one_way : array of shape (k, 2)
        Of a directed graph the held-out arcs whose nodes are not linked the other way round too; empty otherwise.
    """

    graph: Graph
    positive: Pairs
    negative: Pairs
    one_way: Pairs = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))


def hold_out_edges(graph: Graph, fraction: float = 0.1, random_state: int = 0) -> LinkSplit:
    """Take a fraction of the edges out of a graph, uniformly, and draw as many pairs that are no edges of it.

    All nodes stay, with their features, labels and ids; a node may lose all its edges. A directed graph stays directed. Of
    two nodes that point to each other both edges are held out or neither: most scores of i, j and j, i are equal, so an
    edge that stays would give the other away. Of a graph with two sides the pairs without an edge are between them.

    Parameters
    ----------
    graph : Graph
        The whole graph.
    fraction : float, default=0.1
        The fraction of pairs with an edge to hold out; at least one, and not all.
    random_state : int, default=0
        The seed.

    Returns
    -------
    LinkSplit

    Examples
    --------
    >>> import numpy as np
    >>> import sparsecut as sc
    >>> from sparsecut.evaluation import hold_out_edges
    >>> ring = sc.Graph(np.roll(np.eye(10), 1, axis=1) + np.roll(np.eye(10), -1, axis=1))
    >>> split = hold_out_edges(ring, fraction=0.2)
    >>> split.graph.n_edges, split.positive.shape, split.negative.shape
    (8, (2, 2), (2, 2))
    """
    graph = as_graph(graph)
    check_real("hold_out_edges", "fraction", fraction, above=0)
    check_integer("hold_out_edges", "random_state", random_state, 0)
    pairs = linked_pairs(graph)
    n_pairs = len(pairs)
    n_held_out = max(1, round(fraction * n_pairs))
    if n_held_out >= n_pairs:
        raise InputError(
            f"Held-out edges must leave some to train on. Got {fraction:g} of {n_pairs:,} edges. Use a smaller fraction."
        )
    generator = np.random.default_rng(random_state)
    is_held_out = np.zeros(n_pairs, dtype=bool)
    is_held_out[generator.choice(n_pairs, n_held_out, replace=False)] = True
    training = graph.replace(
        adjacency=without_pairs(graph.adjacency, pairs[is_held_out]),
        notes=(*graph.notes, f"{n_held_out:,} of {n_pairs:,} edges are held out."),
    )
    ends = find_ends(graph)
    if ends.has_sides:
        negative = draw_others(ends.oriented(pairs), n_held_out, ends, generator)
        return LinkSplit(training, ends.oriented(pairs[is_held_out]), negative)
    negative = sample_non_edges(pairs, graph.n_nodes, n_held_out, generator)
    if not graph.is_directed:
        return LinkSplit(training, pairs[is_held_out], negative)
    arcs = _along_arcs(graph, pairs[is_held_out])
    return LinkSplit(training, arcs, negative, arcs[weights_between(graph.adjacency, arcs[:, ::-1]) == 0])


def _along_arcs(graph: Graph, pairs: Pairs) -> Pairs:
    """Pairs of a directed graph with the source of the arc first, unless there are arcs both ways."""
    is_back = weights_between(graph.adjacency, pairs) == 0
    return np.where(is_back[:, None], pairs[:, ::-1], pairs)
