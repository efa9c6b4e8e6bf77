"""Links held out of a graph, and pairs without one: what forms are judged by.

A tenth of the links is taken out, at most 20,000. As many other pairs are drawn uniformly among those that could be links;
of a directed graph held-out links turned round are kept beside them. Probabilities are calibrated on more other pairs, at
least 20,000: links are few among all pairs, and of few others a handful would decide what the largest probabilities are.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.graph.linked_pairs import number_pairs, without_links
from sparsecut.links.node_kinds import LinkEnds

HELD_OUT = 0.1
MAX_HELD_OUT = 20_000
N_CALIBRATING = 20_000

Pairs = NDArray[np.int64]


@dataclass(frozen=True)
class HeldOut:
    """Links taken out of a graph, and pairs without one, all with the source first."""

    graph: Graph
    positive: Pairs
    others: Pairs  # drawn uniformly
    turned: Pairs  # held-out links of a directed graph, turned round
    calibrating: Pairs  # more others, for shares of links among all pairs

    @property
    def negative(self) -> Pairs:
        """Pairs that links are to rank above: other pairs, of a directed graph links turned round among them."""
        turned = self.turned[: len(self.positive) // 2]
        return np.concatenate([turned, self.others[: max(len(self.others) - len(turned), 1)]])


def hold_out_links(graph: Graph, ends: LinkEnds, seed: int, fraction: float = HELD_OUT) -> HeldOut:
    """Take some links out of a graph, and draw as many pairs of sources and targets without one."""
    generator = np.random.default_rng(seed)
    entries = graph.adjacency.tocoo()
    links = np.column_stack([entries.row, entries.col]).astype(np.int64)
    if not ends.is_directed:
        links = ends.oriented(links[links[:, 0] < links[:, 1]])
    count = min(MAX_HELD_OUT, int(fraction * len(links)))
    if count < 1:
        raise InputError(
            f"Links are judged by a tenth of them that is held out: at least 10 edges are needed. Got {graph.n_edges:,}."
        )
    chosen = links[np.sort(generator.choice(len(links), count, replace=False))]
    if ends.is_directed:  # an arc that points back would give the other away
        is_lone = ~np.isin(_numbers(chosen[:, ::-1], graph.n_nodes), _numbers(links, graph.n_nodes))
        chosen = chosen[is_lone] if is_lone.sum() >= max(1, count // 2) else chosen
    rest = without_links(graph, np.sort(chosen, axis=1))
    turned = chosen[:, ::-1] if ends.is_directed else chosen[:0]
    turned = turned[~np.isin(_numbers(turned, graph.n_nodes), _numbers(links, graph.n_nodes))]
    others = draw_others(links, len(chosen), ends, generator)
    return HeldOut(rest, chosen, others, turned, draw_others(links, max(N_CALIBRATING, len(chosen)), ends, generator))


def draw_others(links: Pairs, count: int, ends: LinkEnds, generator: np.random.Generator) -> Pairs:
    """Pairs of a source and a target without a link between them, uniformly."""
    n_nodes = len(ends.is_source)
    sources, targets = np.flatnonzero(ends.is_source), np.flatnonzero(ends.is_target)
    taken = _numbers(links, n_nodes) if ends.has_order else number_pairs(links[:, 0], links[:, 1], n_nodes)
    found: list[Pairs] = []
    n_found = 0
    for _ in range(100):
        if n_found >= count:
            break
        n_drawn = 2 * (count - n_found) + 64
        drawn = np.column_stack([generator.choice(sources, n_drawn), generator.choice(targets, n_drawn)])
        numbers = _numbers(drawn, n_nodes) if ends.has_order else number_pairs(drawn[:, 0], drawn[:, 1], n_nodes)
        found.append(drawn[ends.are_possible(drawn) & ~np.isin(numbers, taken)])
        n_found += len(found[-1])
    if not n_found:
        raise InputError("Links cannot be told from other pairs: every pair of nodes that could be linked is.")
    return np.concatenate(found)[:count]


def draw_alike(
    links: Pairs, alike: Pairs, codes: NDArray[np.int16], generator: np.random.Generator, *, is_directed: bool
) -> Pairs:
    """Pairs without a link, for each of some pairs one between nodes of the same two types; in that order if directed."""
    both = np.concatenate([links, links[:, ::-1]])
    kinds = codes[alike] if is_directed else np.sort(codes[alike], axis=1)
    drawn = []
    for first, second in np.unique(kinds, axis=0):
        count = int(((kinds[:, 0] == first) & (kinds[:, 1] == second)).sum())
        drawn.append(draw_others(both, count, LinkEnds(codes == first, codes == second), generator))
    return np.concatenate(drawn)


def _numbers(pairs: Pairs, n_nodes: int) -> NDArray[np.int64]:
    """One number per ordered pair."""
    return np.asarray(pairs[:, 0] * n_nodes + pairs[:, 1])
