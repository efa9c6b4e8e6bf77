"""Edges held out before training, and pairs of nodes without an edge to tell them from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial

import numpy as np
import scipy.sparse as sp

from sparsecut.base.errors import InputError, check_choice, check_integer, check_real
from sparsecut.evaluation.later_links import hold_out_later
from sparsecut.graph import Graph, as_graph
from sparsecut.graph.linked_pairs import Pairs, in_order, linked_pairs, sample_non_edges, turned_to, without_links
from sparsecut.kernels.hashing import hash_order
from sparsecut.links.forms import weights_between
from sparsecut.links.held_out_links import are_among, draw_alike, draw_others
from sparsecut.links.node_kinds import LinkEnds, find_ends

WAYS = ("random", "time")


@dataclass(frozen=True)
class LinkSplit:
    """A graph with some edges held out: see `hold_out_edges`.

    Attributes
    ----------
    graph : Graph
        What a method may see.
    positive : array of shape (m, 2)
        The pairs of nodes whose edges are held out: i < j, or along the arc in a directed graph (along either where there
        are two), or from one side to the other.
    negative : array of shape (m, 2)
        As many pairs that are no edges.
    one_way : array of shape (k, 2)
        Of a directed graph the held-out arcs whose nodes are not linked the other way round too; empty otherwise.
    """

    graph: Graph
    positive: Pairs
    negative: Pairs
    one_way: Pairs = field(default_factory=lambda: np.empty((0, 2), dtype=np.int64))


def hold_out_edges(graph: Graph, fraction: float = 0.1, random_state: int = 0, by: str = "random") -> LinkSplit:
    """Take a fraction of the edges out of a graph, and draw as many pairs that are no edges of it.

    All nodes stay, with their features, labels and ids; a node may lose all its edges. A directed graph stays directed. Of
    two nodes that point to each other both edges are held out or neither: most scores of i, j and j, i are equal, so an
    edge that stays would give the other away. The pairs without an edge are between nodes of the types, or sides, that the
    held-out ones are between. Both are drawn by the ids of the nodes: another order of nodes and lines changes nothing.

    Parameters
    ----------
    graph : Graph
        The whole graph.
    fraction : float, default=0.1
        The fraction of pairs with an edge to hold out; at least one, and not all.
    random_state : int, default=0
        The seed.
    by : {"random", "time"}, default="random"
        Which edges: drawn uniformly, or the later ones of a graph that was read with time=…, each as old as the first time
        at which its two nodes met. Then the graph is that of the edges before, aged as of the latest of these, less the
        nodes that had no edge by then; held-out edges with such an end are left out, and later repeats of earlier edges
        too. Edges of one time are all held out, or all kept. A half-life that was "auto" is chosen by the earlier edges.

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
    check_choice("hold_out_edges", "by", by, WAYS)
    generator = np.random.default_rng(random_state)
    if by == "time":
        cut = hold_out_later(graph, fraction)
        return _split(cut.graph, cut.later, cut.linked, cut.arcs, generator)
    pairs = in_order(linked_pairs(graph), hash_order(graph.node_ids))
    n_pairs = len(pairs)
    n_held_out = max(1, round(fraction * n_pairs))
    if n_held_out >= n_pairs:
        raise InputError(
            f"Held-out edges must leave some to train on. Got {fraction:g} of {n_pairs:,} edges. Use a smaller fraction."
        )
    is_held_out = np.zeros(n_pairs, dtype=bool)
    is_held_out[generator.choice(n_pairs, n_held_out, replace=False)] = True
    training = without_links(graph, pairs[is_held_out])
    training = training.replace(notes=(*graph.notes, f"{n_held_out:,} of {n_pairs:,} edges are held out."))
    return _split(training, pairs[is_held_out], pairs, graph.adjacency, generator, find_ends(graph))


def _split(
    training: Graph,
    held_out: Pairs,
    linked: Pairs,
    arcs: sp.csr_array,
    generator: np.random.Generator,
    ends: LinkEnds | None = None,
) -> LinkSplit:
    """The split, with pairs that are not linked, drawn; `arcs` are those of the whole graph among the nodes of this one."""
    ends, order = ends or find_ends(training), hash_order(training.node_ids)
    if ends.has_sides:
        among = partial(are_among, ends.oriented(linked), training.n_nodes, has_order=True)
        negative = draw_others(among, len(held_out), ends, order, generator)
        return LinkSplit(training, ends.oriented(held_out), negative)
    oriented = _along_arcs(arcs, turned_to(held_out, order)) if training.is_directed else held_out
    if training.node_types is not None:
        codes = np.argsort(np.argsort(training.node_types))[training.type_codes]  # by name, in whatever order types came
        negative = draw_alike(linked, oriented, codes, order, generator, is_directed=training.is_directed)
    else:
        negative = sample_non_edges(linked, order, len(held_out), generator)
    if not training.is_directed:
        return LinkSplit(training, held_out, negative)
    if training.node_types is None:
        negative = turned_to(negative, order)  # i < j would say which came first
    return LinkSplit(training, oriented, negative, oriented[weights_between(arcs, oriented[:, ::-1]) == 0])


def _along_arcs(arcs: sp.csr_array, pairs: Pairs) -> Pairs:
    """Pairs of a directed graph with the source of the arc first, unless there are arcs both ways."""
    is_back = weights_between(arcs, pairs) == 0
    return np.where(is_back[:, None], pairs[:, ::-1], pairs)
