"""Links held out of a graph, and pairs without one: what forms are judged by.

A tenth of the links is taken out, at most 20,000. As many other pairs are drawn uniformly among those that could be links;
of a directed graph held-out links turned round are kept beside them. Probabilities are calibrated on more other pairs, at
least 20,000: links are few among all pairs, and of few others a handful would decide what the largest probabilities are.

Links are drawn by a hash of the ids of their ends, other pairs from the nodes in the order of such a hash: nodes and lines
in another order give the same pairs, in the same order.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.graph.edge_sample import sample_links
from sparsecut.graph.linked_pairs import number_pairs
from sparsecut.kernels.hashing import hash_order
from sparsecut.links.graph_edges import IN_PROCESS, GraphEdges
from sparsecut.links.node_kinds import LinkEnds

HELD_OUT = 0.1
MAX_HELD_OUT = 20_000
N_CALIBRATING = 20_000

Pairs = NDArray[np.int64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class HeldOut:
    """Links taken out of a graph, and pairs without one, all with the source first."""

    graph: Graph
    positive: Pairs
    others: Pairs  # drawn uniformly
    turned: Pairs  # held-out links of a directed graph, turned round
    calibrating: Pairs  # more others, for shares of links among all pairs
    order: NDArray[np.int64]  # all nodes, in an order that follows from their ids: what is drawn from nodes is drawn by it

    @property
    def negative(self) -> Pairs:
        """Pairs that links are to rank above: other pairs, of a directed graph links turned round among them."""
        turned = self.turned[: len(self.positive) // 2]
        return np.concatenate([turned, self.others[: max(len(self.others) - len(turned), 1)]])


def hold_out_links(graph: Graph, ends: LinkEnds, seed: int, edges: GraphEdges = IN_PROCESS) -> HeldOut:
    """Take some links out of a graph, and draw as many pairs of sources and targets without one."""
    generator, order = np.random.default_rng(seed), hash_order(graph.node_ids)
    adjacency = graph.adjacency
    count = min(MAX_HELD_OUT, int(HELD_OUT * graph.n_edges))
    if count < 1:
        raise InputError(
            f"Links are judged by a tenth of them that is held out: at least 10 edges are needed. Got {graph.n_edges:,}."
        )
    chosen = ends.oriented(sample_links(edges.passes(graph), count, seed).T)
    if ends.is_directed:  # an arc that points back would give the other away
        is_lone = ~are_linked(adjacency, chosen[:, ::-1])
        chosen = chosen[is_lone] if is_lone.sum() >= max(1, count // 2) else chosen
    rest = edges.without(graph, np.sort(chosen, axis=1))
    turned = chosen[:, ::-1] if ends.is_directed else chosen[:0]
    turned = turned[~are_linked(adjacency, turned)]

    def others(n_drawn: int) -> Pairs:
        return draw_others(partial(are_linked, adjacency), n_drawn, ends, order, generator)

    return HeldOut(rest, chosen, others(len(chosen)), turned, others(max(N_CALIBRATING, len(chosen))), order)


def draw_others(
    is_linked: Callable[[Pairs], Mask],
    count: int,
    ends: LinkEnds,
    order: NDArray[np.int64],
    generator: np.random.Generator,
) -> Pairs:
    """Pairs of a source and a target without a link between them, uniformly; `order` is that of `HeldOut`."""
    sources, targets = order[ends.is_source[order]], order[ends.is_target[order]]
    found: list[Pairs] = []
    n_found = 0
    for _ in range(100):
        if n_found >= count:
            break
        n_drawn = 2 * (count - n_found) + 64
        drawn = np.column_stack([generator.choice(sources, n_drawn), generator.choice(targets, n_drawn)])
        found.append(drawn[ends.are_possible(drawn) & ~is_linked(drawn)])
        n_found += len(found[-1])
    if not n_found:
        raise InputError("Links cannot be told from other pairs: every pair of nodes that could be linked is.")
    return np.concatenate(found)[:count]


def are_linked(adjacency: sp.csr_array, pairs: Pairs) -> Mask:
    """Whether the first node of each pair has an entry for the second, by halving the rows, whose columns ascend."""
    low, high = (np.asarray(adjacency.indptr[pairs[:, 0] + one], dtype=np.int64) for one in (0, 1))
    end = high.copy()
    while (open_ := np.flatnonzero(low < high)).size:
        middle = (low[open_] + high[open_]) // 2
        is_below = adjacency.indices[middle] < pairs[open_, 1]
        low[open_[is_below]] = middle[is_below] + 1
        high[open_[~is_below]] = middle[~is_below]
    found = np.flatnonzero(low < end)
    result = np.zeros(len(pairs), dtype=np.bool_)
    result[found] = adjacency.indices[low[found]] == pairs[found, 1]
    return result


def are_among(links: Pairs, n_nodes: int, pairs: Pairs, *, has_order: bool) -> Mask:
    """Whether pairs are among listed links, either way round where pairs have no order."""
    number = _numbers if has_order else lambda one, n: number_pairs(one[:, 0], one[:, 1], n)
    return np.isin(number(pairs, n_nodes), number(links, n_nodes))


def draw_alike(
    links: Pairs,
    alike: Pairs,
    codes: NDArray[np.integer],
    order: NDArray[np.int64],
    generator: np.random.Generator,
    *,
    is_directed: bool,
) -> Pairs:
    """Pairs without a link, for each of some pairs one between nodes of the same two types; in that order if directed."""
    both = np.concatenate([links, links[:, ::-1]])
    kinds = codes[alike] if is_directed else np.sort(codes[alike], axis=1)
    drawn = []
    for first, second in np.unique(kinds, axis=0):
        count = int(((kinds[:, 0] == first) & (kinds[:, 1] == second)).sum())
        ends = LinkEnds(codes == first, codes == second)
        among = partial(are_among, both, len(codes), has_order=ends.has_order)
        drawn.append(draw_others(among, count, ends, order, generator))
    return np.concatenate(drawn)


def _numbers(pairs: Pairs, n_nodes: int) -> NDArray[np.int64]:
    """One number per ordered pair."""
    return np.asarray(pairs[:, 0] * n_nodes + pairs[:, 1])
