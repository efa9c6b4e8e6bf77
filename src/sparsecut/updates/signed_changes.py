"""Changes of a signed graph: weights below zero ask for distance, and an edge may change sides.

An edge with a weight above zero is one of the graph, one below zero a demand. Removing takes out either; a new weight of the
other sign takes the edge from one to the other. Without directions two nodes may have both, where each said something else
of the other: then removing takes out both, and a new weight holds for both directions.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.updates.changes import Changes, EdgeList
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.node_index import NodeIndex
from sparsecut.updates.placed_changes import PlacedChanges, added_up, keys_of, place, places_of, require_once


def place_signed(changes: Changes, index: NodeIndex, graph: ChangingGraph, *, adds_up: bool = False) -> PlacedChanges:
    """`place` for a signed graph: the edges above zero as ever, the others in `PlacedChanges.asked`."""
    demands = graph.demands
    assert demands is not None
    removed, changed, added = changes.edges_removed, changes.weights_changed, changes.edges_added
    was_asked, was_friendly = (_are_in(part, removed, index) for part in (demands, graph))
    now_asked, now_friendly = (_are_in(part, changed, index) for part in (demands, graph))
    turns_bad = (changed.weights < 0) & now_friendly
    turns_good = (changed.weights > 0) & now_asked
    stays_bad = (changed.weights < 0) & now_asked & ~now_friendly
    is_new = turns_good & ~now_friendly
    is_bad = added.weights < 0
    if not adds_up:
        _refuse_known(changes, index, graph, demands)
    friendly = replace(
        changes,
        edges_removed=_joined(_some(removed, ~was_asked | was_friendly), _some(changed, turns_bad)),
        edges_added=_joined(_some(added, ~is_bad), _some(changed, is_new)),
        weights_changed=_some(changed, ~(turns_bad | stays_bad | is_new)),
    )
    placed = place(friendly, index, graph, adds_up=adds_up)

    leaving = set(changes.nodes_removed)
    later = {identity: len(index) + number for number, identity in enumerate(placed.added_ids)}
    gone = _joined(_some(removed, was_asked), _some(changed, turns_good))
    gone_ends = places_of(gone, index, {}, set(), "edges_removed")
    bad = _some(changed, turns_bad | stays_bad)
    bad_ends = places_of(bad, index, later, leaving, "weights_changed")
    new, weights = places_of(_some(added, is_bad), index, later, leaving, "edges_added"), -added.weights[is_bad]
    joins = new[0] != new[1]
    new, weights = (new[0][joins], new[1][joins]), weights[joins]
    if adds_up:
        new, weights = added_up(demands, new, weights, keys_of(*gone_ends, graph.is_directed))
    else:
        require_once(new, _some(_some(added, is_bad), joins), graph.is_directed, "edges_added")
    zeros = np.zeros(len(gone), dtype=np.float32)
    sources, targets = (np.concatenate([gone_ends[side], new[side], bad_ends[side]]).astype(np.int64) for side in (0, 1))
    return replace(placed, asked=(sources, targets, np.concatenate([zeros, weights, -bad.weights]).astype(np.float32)))


def weight_between(graph: ChangingGraph, source: int, target: int) -> float:
    """The weight of an edge, below zero where it asks for distance; 0 where there is none."""
    weight = graph.weight_of(source, target)
    return weight if weight or graph.demands is None else -graph.demands.weight_of(source, target)


def _refuse_known(changes: Changes, index: NodeIndex, graph: ChangingGraph, demands: ChangingGraph) -> None:
    """An edge that is there already cannot be added, whichever sign it has."""
    added, removed = changes.edges_added, set(zip(*_ends(changes.edges_removed), strict=True))
    is_bad = added.weights < 0
    is_there = np.where(is_bad, _are_in(graph, added, index), _are_in(demands, added, index)) | (
        is_bad & _are_in(demands, added, index)
    )
    leaving = set(changes.nodes_removed)
    for number in np.flatnonzero(is_there).tolist():
        ends = added.sources[number], added.targets[number]
        is_gone = ends in removed or (not graph.is_directed and ends[::-1] in removed) or leaving & set(ends)
        if not is_gone:
            raise InputError(
                f"edges_added names an edge that the graph has already: {added.named(number)}. A new weight is one of "
                "weights_changed."
            )


def _are_in(graph: ChangingGraph, edges: EdgeList, index: NodeIndex) -> NDArray[np.bool_]:
    """Which edges a graph has; none with an unknown end, which `place` names."""
    if not len(edges):
        return np.zeros(0, dtype=bool)
    places = [np.asarray(index.find(ids)) for ids in _ends(edges)]
    is_known = (places[0] >= 0) & (places[1] >= 0)
    found = np.zeros(len(edges), dtype=bool)
    found[is_known] = graph.weights_of(places[0][is_known], places[1][is_known]) > 0
    return found


def _ends(edges: EdgeList) -> tuple[list[Any], list[Any]]:
    sources, targets = (ids.tolist() if isinstance(ids, np.ndarray) else list(ids) for ids in (edges.sources, edges.targets))
    return sources, targets


def _some(edges: EdgeList, is_taken: NDArray[np.bool_]) -> EdgeList:
    if not len(edges) or is_taken.all():
        return edges
    taken = np.flatnonzero(is_taken).tolist()
    sources, targets = _ends(edges)
    return EdgeList([sources[one] for one in taken], [targets[one] for one in taken], edges.weights[taken])


def _joined(first: EdgeList, second: EdgeList) -> EdgeList:
    if not len(first) or not len(second):
        return second if len(second) else first
    (sources, targets), (others, ends) = _ends(first), _ends(second)
    return EdgeList(sources + others, targets + ends, np.concatenate([first.weights, second.weights]))
