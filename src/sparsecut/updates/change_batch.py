"""Changes in the order in which they were made, folded into one batch: what is different when all of them are made.

An edge that was added and removed again is no change; a node that goes takes its edges along, and may come again. Each
change is checked when it comes, against the graph and the changes before it, and one that cannot be made is refused then:
the others stay.

Where edges have times, that of a change is the edge's: all weights here are as of the moment of the state's clock, an edge
that is added again gets heavier, and `now` is the latest moment that the changes have come to.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from sparsecut.base.errors import InputError
from sparsecut.features.type_encoders import Encoder, TypeEncoders
from sparsecut.graph.graph_kind import GraphKind
from sparsecut.graph.node_types import SEPARATOR
from sparsecut.graph.times import as_moment
from sparsecut.updates.change_files import NEEDS_FEATURES, RELATION, Change
from sparsecut.updates.changes import RowList, check_edges, check_rows
from sparsecut.updates.live import LiveState
from sparsecut.updates.signed_changes import weight_between

Key = tuple[Any, Any]


class ChangeBatch:
    """Changes of the graph of a state; `arguments` are those of `update`."""

    def __init__(self, state: LiveState, encoder: Encoder | None, kind: GraphKind | None = None) -> None:
        self._state, self._encoder, self._kind = state, encoder, kind
        self._edges: dict[Key, float | None] = {}  # the weight that an edge will have; None: it will not be there
        self._relations: dict[Key, tuple[int, str | None]] = {}  # the types of edges: their places, and as they were named
        self._heavier: dict[Key, float] = {}  # what is added to edges of the graph that do not change otherwise
        self._removed: dict[Any, None] = {}  # nodes of the graph that go, whether they come again or not
        self._added: dict[Any, Any] = {}
        self._features: dict[Any, Any] = {}
        self.n_changes = 0
        self.time: Any = None
        self.now = None if state.clock is None else state.now

    def add(self, change: Change) -> None:
        """Take a change in; raises where it cannot be made."""
        if change.node is not None:
            self._change_node(change)
        else:
            self._change_edge(change)
        self.n_changes += 1
        self.time = change.time if change.time is not None else self.time

    def arguments(self) -> dict[str, Any]:
        """What is different in the end."""
        batch: dict[str, Any] = {
            "edges_removed": [],
            "nodes_removed": list(self._removed),
            "nodes_added": self._added if self._state.features.n_columns else list(self._added),
            "edges_added": [],
            "weights_changed": [],
            "features_changed": self._features,
        }
        for (source, target), weight in self._edges.items():
            known = self._weight_before(source, target)
            if weight is None and known:
                batch["edges_removed"].append((source, target))
            elif weight is not None:
                batch["weights_changed" if known else "edges_added"].append((source, target, weight))
        batch["edges_added"] += [(*ends, weight) for ends, weight in self._heavier.items()]
        if any(name is not None for _, name in self._relations.values()):
            weighed = {name: batch[name] for name in ("edges_added", "weights_changed")}
            batch["relation"] = {name: [self._relations[edge[:2]][1] for edge in edges] for name, edges in weighed.items()}
        return batch

    def _change_node(self, change: Change) -> None:
        node, is_there = change.node, self._has(change.node)
        if change.op == "add" and is_there:
            raise InputError(f"the graph has the node {node!r} already")
        if change.op != "add" and not is_there:
            raise InputError(f"the graph has no node {node!r}")
        if change.op == "remove":
            self._edges = {ends: weight for ends, weight in self._edges.items() if node not in ends}
            self._heavier = {ends: weight for ends, weight in self._heavier.items() if node not in ends}
            self._features.pop(node, None)
            if node in self._added:
                del self._added[node]
            else:
                self._removed[node] = None
            return
        if type(node) is not self._state.index.takes:
            raise InputError(f"the node id {node!r} is not of the kind that the graph has")
        given = self._own_features(change)
        fitted = [] if self._encoder is None else [str(name).rpartition(":")[2] for name in self._encoder.names_in or ()]
        for name in ("weight", "time"):
            is_given = isinstance(change.features, Mapping) and name in change.features
            if getattr(change, name) is not None and name in fitted and not is_given:
                raise InputError(f"{name!r} is a column of the features too: give it in 'features': {{'{name}': …}}")
        into = self._added if change.op == "add" or node in self._added else self._features
        features = self._over(into.get(node), given)
        # Checked alone, so that a bad row is the line's and not the batch's.
        present = None if into is self._added else lambda ids: self._state.present_rows(ids, RowList())
        rows = [node] if features is None else {node: features}
        check_rows(rows, "update", "features", self._encoder, self._state.features.n_columns, present)
        into[node] = features

    def _own_features(self, change: Change) -> Any:
        """The features of a change of a node; None for a node without, where its type or the whole graph has none.

        A row of a table has empty cells in the columns of other types of nodes, and in that of the types of edges.
        """
        given, encoder = change.features, self._encoder
        parts = encoder.parts if isinstance(encoder, TypeEncoders) else ()
        own = next((part for part in parts if str(change.node).startswith(f"{part.type}{SEPARATOR}")), None)
        columns = own if isinstance(encoder, TypeEncoders) else encoder
        names = () if columns is None else columns.names_in or ()
        empty = {RELATION, *(name for part in parts for name in part.names_in)}.difference(names)
        if isinstance(given, Mapping):
            given = {name: value for name, value in given.items() if value is not None or name not in empty}
        if not self._state.features.n_columns or (parts and (own is None or not own.n_columns)):
            if given or change.op == "change":
                which = "nodes of its type" if parts else "the nodes of this graph"
                raise InputError(f"{which} have no features to be embedded from: {change.node!r} is added by its id alone")
            return None
        if not given:
            raise InputError(NEEDS_FEATURES.format(op=change.op))
        return given

    def _over(self, before: Any, features: Any) -> Any:
        """Some columns over those that an earlier change of the batch has given."""
        if before is None or not isinstance(features, Mapping):
            return features
        names = None if self._encoder is None else self._encoder.names_in
        known = before if isinstance(before, Mapping) else dict(zip(names or (), before, strict=True))
        return {**known, **features}

    def _change_edge(self, change: Change) -> None:
        source, target = change.source, change.target
        for end in (source, target):
            if not self._has(end):
                raise InputError(f"the graph has no node {end!r}")
        if source == target:
            raise InputError(f"an edge joins two different nodes. Got {source!r} twice")
        turned = (target, source)
        is_turned = not self._state.graph.is_directed and (turned in self._edges or turned in self._heavier)
        key = turned if is_turned else (source, target)
        known = self._edges[key] if key in self._edges else self._weight_before(source, target)
        if change.op == "add" and known and self.now is None:
            is_shared = self._kind is not None and self._kind.joined_by_several(np.array([source]), np.array([target]))[0]
            which = ", of one type or another: a state has the sum of all types" if is_shared else ""
            raise InputError(f"the graph has the edge {source!r}, {target!r} already{which}")
        if change.op != "add" and not known:
            raise InputError(f"the graph has no edge {source!r}, {target!r}")
        weight = 1.0 if change.weight is None else change.weight
        if change.op != "remove" and change.weight is not None:
            check_edges([(source, target, weight)], "update", "edges", is_signed=self._state.is_signed)
        if change.op != "remove" and self._kind is not None and (self._kind.relations is not None or change.relation):
            weight *= self._of_relation(change, key, self._kind)
        else:
            weight *= self._ageing(change)
        if change.op == "add" and known:
            into: dict[Key, Any] = self._edges if key in self._edges else self._heavier
            into[key] = into.get(key, 0.0) + weight
            return
        self._heavier.pop(key, None)
        if weight or change.op != "add":  # an edge of too long ago is left out, as where a graph is read
            self._edges[key] = None if change.op == "remove" else weight

    def _of_relation(self, change: Change, key: Key, kind: GraphKind) -> float:
        """What a weight is multiplied with for its type of edges: its age where such edges age.

        Where it is added to one of another type that came before it in the batch, also by how much more this type weighs.
        """
        place = int(kind.relations_between([key[0]], [key[1]], change.relation, "update")[0])
        assert kind.relations is not None
        ageing, factors = self._ageing(change) if kind.relations.ages[place] else 1.0, kind.relations.factors
        waits = change.op == "add" and (key in self._heavier or self._edges.get(key) is not None)
        before = self._relations[key][0] if waits else place
        if waits and not factors[before]:  # what came before weighs nothing
            waits, before = False, place
            into: dict[Key, Any] = self._edges if key in self._edges else self._heavier
            into[key] = 0.0
        if not waits:
            self._relations[key] = place, change.relation
        return ageing * (factors[place] / factors[before] if before != place else 1.0)

    def _ageing(self, change: Change) -> float:
        """What a weight is multiplied with for its moment: that of the edge, or the one that the graph has come to."""
        clock = self._state.clock
        if clock is None or self.now is None:
            return 1.0
        moment = self.now
        if change.time is not None:
            moment = as_moment(_as_number(change.time), "The time of an edge", is_calendar=clock.is_calendar)
            self.now = max(self.now, moment)
        return float(clock.weights_of(np.array(moment if change.op == "add" else self.now)))

    def _has(self, node: Any) -> bool:
        if node in self._added:
            return True
        return node not in self._removed and self._state.index.find_one(node) >= 0

    def _weight_before(self, source: Any, target: Any) -> float:
        """The weight of an edge in the graph, of which removed nodes are no part."""
        if {source, target} & self._removed.keys():
            return 0.0
        first, second = self._state.index.find_one(source), self._state.index.find_one(target)
        return 0.0 if first < 0 or second < 0 or first == second else weight_between(self._state.graph, first, second)


def _as_number(time: Any) -> Any:
    """A time as it stands in a cell of text: an epoch or a number where it is one."""
    try:
        return float(time) if isinstance(time, str) else time
    except ValueError:
        return time
