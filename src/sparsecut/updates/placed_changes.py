"""Changes checked against the graph as it is, before anything is written: a batch is applied whole or not at all.

Removals come first, then new nodes, then new edges, weights and features. So a batch may remove an edge or a node and add it
again; it may not add an edge that is there, or name one that is not.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, first_few
from sparsecut.updates.changes import Changes, EdgeList, Ids
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.node_index import NodeIndex

Integers = NDArray[np.int64]
NONE = np.empty(0, dtype=np.int64)


@dataclass(frozen=True)
class PlacedChanges:
    """Changes by the places of nodes; new nodes stand behind all others."""

    removed_nodes: Integers
    added_ids: list[Any]
    added_rows: Any
    sources: Integers  # of the edges that change, removed ones first
    targets: Integers
    weights: NDArray[np.float32]  # 0 for those that go
    row_places: Integers  # nodes with new features
    rows: Any
    notes: list[str] = field(default_factory=list)
    now: float | None = None
    asked: tuple[Integers, Integers, NDArray[np.float32]] | None = None  # edges of a signed graph that ask for distance


def place(changes: Changes, index: NodeIndex, graph: ChangingGraph, *, adds_up: bool = False) -> PlacedChanges:
    """The places of what changes; an error names what is not there, or there already.

    Where weights add up, an edge that is added again gets heavier.
    """
    removed_nodes = _find(changes.nodes_removed, index, "nodes_removed")
    leaving = set(changes.nodes_removed)
    added = _check_new(changes.nodes_added.ids, index, leaving)
    later = {identity: len(index) + number for number, identity in enumerate(added)}
    notes: list[str] = []

    gone = places_of(changes.edges_removed, index, {}, set(), "edges_removed")
    _require_there(graph, gone, changes.edges_removed, "edges_removed")
    keys_gone = keys_of(*gone, graph.is_directed) if len(gone[0]) else NONE
    ends = places_of(changes.weights_changed, index, later, leaving, "weights_changed")
    require_once(ends, changes.weights_changed, graph.is_directed, "weights_changed")
    _require_there(graph, ends, changes.weights_changed, "weights_changed", keys_gone)
    new, weights = places_of(changes.edges_added, index, later, leaving, "edges_added"), changes.edges_added.weights
    if adds_up:
        new, weights = added_up(graph, new, weights, keys_gone)
    else:
        require_once(new, changes.edges_added, graph.is_directed, "edges_added")
    if not adds_up:
        _require_absent(graph, new, changes.edges_added, keys_gone)
    is_loop = new[0] == new[1]
    if is_loop.any():
        n_loops = int(is_loop.sum())
        notes.append(f"{n_loops:,} self-loops were left out: filters count each node in its own neighbourhood once.")
        new, weights = (new[0][~is_loop], new[1][~is_loop]), weights[~is_loop]
    lost = graph.edges_of(removed_nodes) if len(removed_nodes) else (NONE, NONE)

    rows = changes.features_changed
    row_places = _find(rows.ids, index, "features_changed", later, leaving)
    return PlacedChanges(
        removed_nodes=removed_nodes,
        added_ids=added,
        added_rows=changes.nodes_added.matrix,
        sources=np.concatenate([gone[0], lost[0], new[0], ends[0]]),
        targets=np.concatenate([gone[1], lost[1], new[1], ends[1]]),
        weights=np.concatenate(
            [np.zeros(len(gone[0]) + len(lost[0]), dtype=np.float32), weights, changes.weights_changed.weights]
        ),
        row_places=row_places,
        rows=rows.matrix,
        notes=notes,
        now=changes.now,
    )


def _find(
    ids: Ids, index: NodeIndex, name: str, later: dict[Any, int] | None = None, leaving: set[Any] | None = None
) -> Integers:
    if not len(ids):
        return NONE
    places = index.find(ids)
    if leaving or later:
        listed = ids.tolist() if isinstance(ids, np.ndarray) else ids
        known = (
            -1 if identity in (leaving or ()) else place for identity, place in zip(listed, places.tolist(), strict=True)
        )
        new = later or {}
        places = np.array([new.get(identity, place) for identity, place in zip(listed, known, strict=True)], dtype=np.int64)
    if (places < 0).any():
        listed = ids.tolist() if isinstance(ids, np.ndarray) else ids
        unknown = list(dict.fromkeys(listed[number] for number in np.flatnonzero(places < 0)))
        kind = "integers" if index.takes is int else "words"
        other = "" if all(type(identity) is index.takes for identity in unknown) else f" Its ids are {kind}."
        new_ones = " New nodes come with their features: nodes_added={id: row}."
        known = index.ids[[int(np.argmax(index.is_present))]].tolist()  # as it is written: with its type, say
        remedy = new_ones if name in ("edges_added", "features_changed") else f" One that it has is {first_few(known)}."
        raise InputError(f"{name} names nodes that the graph does not have: {first_few(unknown)}.{other}{remedy}")
    return places


def places_of(
    edges: EdgeList, index: NodeIndex, later: dict[Any, int], leaving: set[Any], name: str
) -> tuple[Integers, Integers]:
    if not len(edges):
        return NONE, NONE
    if isinstance(edges.sources, np.ndarray) and isinstance(edges.targets, np.ndarray):
        ids: Ids = np.concatenate([edges.sources, edges.targets])
    else:
        ids = [*edges.sources, *edges.targets]
    places = _find(ids, index, name, later, leaving)
    return places[: len(edges)], places[len(edges) :]


def _check_new(ids: list[Any], index: NodeIndex, leaving: set[Any]) -> list[Any]:
    if not ids:
        return ids
    wrong = [identity for identity in ids if type(identity) is not index.takes]
    if wrong:
        kind = "integers" if index.takes is int else "words"
        raise InputError(f"The node ids of the graph are {kind}. Got {first_few(wrong)} in nodes_added.")
    places = index.find(ids)
    known = [identity for identity, place in zip(ids, places, strict=True) if place >= 0 and identity not in leaving]
    if known:
        raise InputError(
            f"nodes_added names nodes that the graph has already: {first_few(known)}. New features of a node are "
            "features_changed."
        )
    return ids


def keys_of(sources: Integers, targets: Integers, is_directed: bool) -> Integers:
    if not is_directed:
        sources, targets = np.minimum(sources, targets), np.maximum(sources, targets)
    return np.asarray((sources << 32) | targets)


def require_once(ends: tuple[Integers, Integers], edges: EdgeList, is_directed: bool, name: str) -> None:
    if len(edges) < 2:
        return
    _, first = np.unique(keys_of(*ends, is_directed), return_index=True)
    if len(first) < len(edges):
        again = int(np.setdiff1d(np.arange(len(edges)), first)[0])
        raise InputError(f"{name} names the edge {edges.named(again)} twice. Name it once.")


def added_up(
    graph: ChangingGraph, ends: tuple[Integers, Integers], weights: NDArray[np.float32], gone: Integers
) -> tuple[tuple[Integers, Integers], NDArray[np.float32]]:
    """Each edge once, with what it has already and all that is added to it."""
    if not len(ends[0]):
        return ends, weights
    keys, first, number = np.unique(keys_of(*ends, graph.is_directed), return_index=True, return_inverse=True)
    sums = np.bincount(number, weights, len(keys)).astype(np.float64)
    ends = ends[0][first], ends[1][first]
    is_there = _are_there(graph, ends, gone)
    sums[is_there] += graph.weights_of(ends[0][is_there], ends[1][is_there])
    return ends, sums.astype(np.float32)


def _are_there(graph: ChangingGraph, ends: tuple[Integers, Integers], gone: Integers = NONE) -> NDArray[np.bool_]:
    """Whether each edge is in the graph, less those that go before."""
    is_old = (ends[0] < len(graph)) & (ends[1] < len(graph))
    if is_old.all():
        is_there = graph.weights_of(*ends) > 0
    else:
        is_there = np.zeros(len(ends[0]), dtype=bool)
        is_there[is_old] = graph.weights_of(ends[0][is_old], ends[1][is_old]) > 0
    return is_there & ~np.isin(keys_of(*ends, graph.is_directed), gone) if len(gone) else is_there


def _require_there(
    graph: ChangingGraph, ends: tuple[Integers, Integers], edges: EdgeList, name: str, gone: Integers = NONE
) -> None:
    if not len(ends[0]):
        return
    is_there = _are_there(graph, ends, gone)
    if not is_there.all():
        remedy = " A new edge is one of edges_added." if name == "weights_changed" else ""
        missing = edges.named(int(np.argmin(is_there)))
        raise InputError(f"{name} names an edge that the graph does not have: {missing}.{remedy}")


def _require_absent(graph: ChangingGraph, ends: tuple[Integers, Integers], edges: EdgeList, gone: Integers) -> None:
    if not len(ends[0]):
        return
    is_there = _are_there(graph, ends, gone)
    if is_there.any():
        raise InputError(
            f"edges_added names an edge that the graph has already: {edges.named(int(np.argmax(is_there)))}. "
            "A new weight is one of weights_changed."
        )
