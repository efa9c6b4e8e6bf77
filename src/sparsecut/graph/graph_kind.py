"""What kind of graph a model was fitted on: with directions or without, with weights or without.

Features that were averaged over other edges are other features: a model fitted on a directed, weighted graph that is given
the same graph without directions or without weights moves the median vector by a third of its length. Directions are a
choice of whoever reads the graph, so another choice is refused. Weights are data, and a later graph may happen to have only
ones, so a difference is a warning. An update names its weights one by one: the graph that a model follows may get its first.

Types are part of the kind too. A later graph has its types of edges added up by the factors of the fitted one; a type that
was not fitted is refused, since nothing says how much it weighs, and one that is missing has no edges.

So is the clock by which edges age. A later graph is brought to the moment of the fitted one, by one factor for all weights:
the vectors of a graph in which nothing happens stay as they are.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sparsecut.base.errors import InputError, OtherWeightsWarning, first_few
from sparsecut.graph.clock import Clock
from sparsecut.graph.graph import Graph
from sparsecut.graph.node_types import codes_of
from sparsecut.graph.relations import Relations


@dataclass(frozen=True)
class GraphKind:
    """Whether edges have directions, and weights other than 1; the types of nodes and edges."""

    is_directed: bool
    is_weighted: bool
    node_types: tuple[str, ...] | None = None
    relations: Relations | None = None  # the types of edges and their factors
    clock: Clock | None = None  # the half-life of edges, and the moment at which one weighs 1

    @classmethod
    def of(cls, graph: Graph) -> GraphKind:
        relations = None if graph.relations is None else replace(graph.relations, matrices=())
        return cls(graph.is_directed, graph.is_weighted, graph.node_types, relations, graph.clock)

    def to_header(self) -> dict[str, Any]:
        header: dict[str, Any] = {"is_directed": self.is_directed, "is_weighted": self.is_weighted}
        if self.node_types is not None:
            header["node_types"] = self.node_types
        if self.relations is not None:
            header["relations"] = self.relations.to_header()
        if self.clock is not None:
            header["clock"] = self.clock.to_header()
        return header

    def weighed(self, graph: Graph, caller: str) -> Graph:
        """A graph to transform with the weights that its edges would have in the fitted one."""
        return self._at_its_moment(self._of_types(graph, caller), caller)

    def _of_types(self, graph: Graph, caller: str) -> Graph:
        """The types in the fitted order, and the types of edges added up as the fitted ones."""
        if self.node_types is None or (self.relations is None and graph.node_types is None):
            return graph
        if graph.node_types is None:
            raise InputError(
                f"This {caller} was fitted on a graph with the node types {first_few(list(self.node_types), 10)}. Got a "
                "graph without types. Read it as the fitted one was: with from_tables, or bipartite=True."
            )
        strange = [name for name in graph.node_types if name not in self.node_types]
        if strange:
            raise InputError(
                f"This {caller} was fitted on the node types {first_few(list(self.node_types), 10)}. Got a graph with "
                f"{first_few(strange)} too. Leave these nodes out, or fit a model on such a graph."
            )
        if graph.node_types != self.node_types:
            graph = graph.replace(node_types=self.node_types)
        if self.relations is None or graph.relations is None:
            return graph
        known = dict(zip(self.relations.edge_types, self.relations.factors, strict=True))
        new = [":".join(kind) for kind in graph.relations.edge_types if kind not in known]
        if new:
            fitted = [":".join(kind) for kind in known]
            raise InputError(
                f"This {caller} was fitted on the edge types {first_few(fitted, 10)}, and does not know how much others "
                f"weigh. Got {first_few(new)}. Leave these edges out, or fit a model on such a graph."
            )
        return graph.weighed([known[kind] for kind in graph.relations.edge_types])

    def _at_its_moment(self, graph: Graph, caller: str) -> Graph:
        """The weights of the edges at the moment of the fitted graph."""
        if (self.clock is None) != (graph.clock is None):
            if graph.n_edges:
                warnings.warn(
                    f"This {caller} was fitted on edges {_ageing(self.clock)}. The graph to transform has edges "
                    f"{_ageing(graph.clock)}: averages by other weights give vectors that may not be comparable. Read it as "
                    "the fitted one was.",
                    OtherWeightsWarning,
                    stacklevel=4,
                )
            return graph
        if self.clock is None or graph.clock is None or graph.clock == self.clock:
            return graph
        self.check_clock(graph.clock, caller)
        return graph.at(self.clock.now)

    def check_clock(self, clock: Clock, caller: str) -> None:
        """Refuse another half-life than the fitted one."""
        assert self.clock is not None
        same = self.clock.half_life == clock.half_life or abs(self.clock.half_life / clock.half_life - 1) < 1e-9
        if not same or self.clock.is_calendar != clock.is_calendar:
            raise InputError(
                f"This {caller} was fitted on a graph whose edges {self.clock}. Got one whose edges {clock}. Read it with "
                f"half_life={self.clock.half_life!r}, or fit a model on such a graph."
            )

    def check(self, graph: Graph, caller: str) -> None:
        """Refuse a graph with other directions than the fitted one, and warn of other weights; no edges, no kind."""
        if not graph.n_edges:
            return
        if graph.is_directed != self.is_directed:
            fitted, given = _direction(self.is_directed), _direction(graph.is_directed)
            remedy = "'out' or 'in', as the fitted graph was" if self.is_directed else "'symmetrize'"
            raise InputError(
                f"This {caller} was fitted on {fitted} graph. Got {given} one: averages over other neighbours give vectors "
                f"that cannot be compared. Read the graph with directed={remedy}, or fit a model on {given} graph."
            )
        if graph.is_weighted != self.is_weighted:
            fitted, given = ("with weights", "none") if self.is_weighted else ("without weights", "some")
            remedy = "Name the column of weights" if self.is_weighted else "Leave the weights out"
            warnings.warn(
                f"This {caller} was fitted on a graph {fitted}. The graph to transform has {given}: averages by other "
                f"weights give vectors that may not be comparable. {remedy}, or fit a model on such a graph.",
                OtherWeightsWarning,
                stacklevel=3,
            )

    def relations_between(
        self, sources: ArrayLike, targets: ArrayLike, relation: str | Sequence[str | None] | None, caller: str
    ) -> NDArray[np.int64]:
        """The type of each new edge between typed nodes, as its place in `relations.edge_types`.

        `relation` names the type of all edges or of each; needed where several join the same two types of nodes.
        """
        if self.relations is None or self.node_types is None:
            raise InputError(f"{caller} was given a relation of edges, and the graph that was fitted has no types of edges.")
        first, second = (codes_of(np.asarray(ids), self.node_types).tolist() for ids in (sources, targets))
        named = [relation] * len(first) if relation is None or isinstance(relation, str) else relation
        numbers: dict[tuple[int, int, str | None], int] = {}
        kinds = [numbers.setdefault(kind, len(numbers)) for kind in zip(first, second, named, strict=True)]
        return np.array([self._relation_of(*kind, caller) for kind in numbers], dtype=np.int64)[kinds]

    def joined_by_several(self, sources: ArrayLike, targets: ArrayLike) -> NDArray[np.bool_]:
        """Which edges join two types of nodes that several types of edges join."""
        is_shared = np.zeros(len(np.asarray(sources)), dtype=bool)
        if self.relations is None or self.node_types is None:
            return is_shared
        pairs = [frozenset((source, target)) for source, _, target in self.relations.edge_types]
        first, second = (codes_of(np.asarray(ids), self.node_types) for ids in (sources, targets))
        for pair in {pair for pair in pairs if pairs.count(pair) > 1}:
            codes = [self.node_types.index(name) for name in pair]
            is_shared |= np.isin(first, codes) & np.isin(second, codes) & ((first != second) | (len(codes) == 1))
        return is_shared

    def _relation_of(self, first: int, second: int, relation: str | None, caller: str) -> int:
        assert self.relations is not None
        assert self.node_types is not None
        names = [self.node_types[code] if code >= 0 else "" for code in (first, second)]
        found = [
            place
            for place, kind in enumerate(self.relations.edge_types)
            if sorted((kind[0], kind[2])) == sorted(names) and relation in (None, kind[1], ":".join(kind))
        ]
        if len(found) == 1:
            return found[0]
        known = [":".join(kind) for kind in self.relations.edge_types]
        called = "" if relation is None else f" called {relation!r}"
        fault = "several types of edges join them: name one as the relation" if found else f"no fitted type{called} does"
        raise InputError(
            f"{caller} was given edges between {names[0]!r} and {names[1]!r}, and {fault}. The fitted types of edges are "
            f"{first_few(known, 10)}."
        )

    def with_weights(self, weights: NDArray[np.float32]) -> GraphKind:
        """The kind of the graph once some of its edges have these weights."""
        return replace(self, is_weighted=True) if not self.is_weighted and bool((weights != 1).any()) else self


def with_relations(graph: Graph) -> Graph:
    """The graph with the edges of each type by themselves, where it has them added up and their ends tell the type."""
    relations = graph.relations
    if relations is None or relations.matrices or graph.node_types is None:
        return graph
    return graph.replace(
        adjacency=graph.adjacency, relations=relations.taken_apart(graph.adjacency, graph.type_codes, graph.node_types)
    )


def read_kind(header: dict[str, Any] | None) -> GraphKind | None:
    """What `to_header` wrote; None of a file that was saved before kinds were."""
    if header is None:
        return None
    types = header.get("node_types")
    relations = Relations.read(header.get("relations"))
    return GraphKind(
        bool(header["is_directed"]),
        bool(header["is_weighted"]),
        None if types is None else tuple(types),
        relations,
        Clock.read(header.get("clock")),
    )


def _ageing(clock: Clock | None) -> str:
    return "without times" if clock is None else "that age"


def _direction(is_directed: bool) -> str:
    return "a directed" if is_directed else "an undirected"
