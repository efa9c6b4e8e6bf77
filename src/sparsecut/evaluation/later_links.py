"""Edges held out by time: what a graph was at one moment, and the edges that came after it.

An edge is as old as the first time at which its two nodes met. The later share of them is held out, the graph is made again
of the edges before, aged as of the latest of these, and nodes that had no edge by then are left out: of them nothing was
known but what stands in their tables. Edges of one time are all held out, or all kept: whichever is nearer to the share.
Later repeats of edges that are kept are dropped too, and edges of a type without times are always kept.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph
from sparsecut.graph.clock import Clock
from sparsecut.graph.linked_pairs import Pairs, number_pairs, pairs_of
from sparsecut.graph.timeline import Timeline
from sparsecut.graph.times import say_moment
from sparsecut.io.edges.weighing import chosen_half_life, weighed


@dataclass(frozen=True)
class LaterLinks:
    """The graph of earlier edges, which pairs of its nodes came later, and all pairs that are or will be edges: i < j."""

    graph: Graph
    later: Pairs
    linked: Pairs
    arcs: sp.csr_array  # which node points to which, at any time


def hold_out_later(graph: Graph, fraction: float) -> LaterLinks:
    """The graph without the later share of its edges."""
    timeline = graph.timeline
    if timeline is None:
        raise InputError(
            "A split by time needs the times of the edges, and the graph does not hold them. Read it from its edges with "
            "time=… (--time COLUMN): a graph on disk, one that updates made and one without times have none."
        )
    n_nodes = graph.n_nodes
    parts = [(part, part.where(part.is_friendly)) for part in timeline.parts]
    numbers = [number_pairs(part.i, part.j, n_nodes) for _, part in parts]
    times = [np.full(len(part.i), -np.inf) if part.times is None else part.times for _, part in parts]
    known, place = np.unique(np.concatenate(numbers), return_inverse=True)
    first = np.full(len(known), np.inf)
    np.minimum.at(first, place, np.concatenate(times))
    moment = _moment_of(first, fraction, timeline)

    kept = tuple(part if part.times is None else part.where(part.times < moment) for part in timeline.parts)
    earlier = _made_of(graph, replace(timeline, parts=kept))
    is_later = first >= moment
    has_edge = np.zeros(n_nodes, dtype=bool)
    has_edge[np.unique(pairs_of(known[~is_later], n_nodes))] = True
    nodes = np.flatnonzero(has_edge)
    number = np.cumsum(has_edge) - 1
    later, linked = (pairs_of(one, n_nodes) for one in (known[is_later], known))
    is_known = has_edge[later].all(axis=1)
    if not is_known.any():
        raise InputError(
            "A split by time holds out edges between nodes that had edges before, and there are none: every later edge has "
            "an end that is new. Use a smaller fraction."
        )
    since = say_moment(moment, is_calendar=timeline.is_calendar)
    note = (
        f"{is_later.sum():,} of {len(known):,} edges came from {since} on and are held out; "
        f"{(~is_known).sum():,} of them have an end that had no edge before, and are not scored."
    )
    taken = earlier.subgraph(positions=nodes)
    entries = np.concatenate([np.stack([part.i, part.j]) for _, part in parts], axis=1)
    arcs = sp.coo_array((np.ones(entries.shape[1], dtype=bool), (entries[0], entries[1])), shape=(n_nodes, n_nodes)).tocsr()
    return LaterLinks(
        taken.replace(notes=(*graph.notes, note)),
        number[later[is_known]],
        number[linked[has_edge[linked].all(axis=1)]],
        sp.csr_array(arcs[nodes][:, nodes]),
    )


def _moment_of(first: NDArray[np.float64], fraction: float, timeline: Timeline) -> float:
    """The first moment that is held out: edges of one time are not torn apart."""
    moments, counts = np.unique(first, return_counts=True)
    if len(moments) < 2:
        at = say_moment(float(moments[0]), is_calendar=timeline.is_calendar)
        raise InputError(f"A split by time needs edges of two times at least. All came first at {at}.")
    n_later = np.cumsum(counts[::-1])[::-1][1:]  # edges from each moment on, but for the first of all
    wanted = max(1, round(fraction * len(first)))
    return float(moments[1 + np.abs(n_later - wanted).argmin()])


def _made_of(graph: Graph, timeline: Timeline) -> Graph:
    """The graph of fewer edges, its weights as of the latest of them; a half-life that edges chose is chosen by these."""
    assert graph.clock is not None
    dated = [part.times for part in timeline.parts if part.times is not None and len(part.times)]
    now = max((float(times.max()) for times in dated), default=graph.clock.now)
    half_life = graph.clock.half_life
    if timeline.is_chosen and dated:
        half_life, _ = chosen_half_life(timeline.parts, timeline.is_calendar)
    clock = Clock(half_life, now, timeline.is_calendar)
    made = [weighed(part, clock, graph.n_nodes, is_directed=graph.is_directed) for part in timeline.parts]
    brought: dict[str, Any] = {"clock": clock, "timeline": timeline, "adjacency": made[0][0]}
    if graph.relations is not None:
        relations = replace(graph.relations, matrices=tuple(adjacency for adjacency, _, _ in made))
        brought |= {"relations": relations, "adjacency": relations.added_up()}
    if graph.demands is not None:
        demands = sp.csr_array(sum((one for _, one, _ in made[1:]), start=made[0][1]), dtype=np.float32)
        demands.has_canonical_format = True
        brought["demands"] = demands
    return graph.replace(**brought)
