"""Why two nodes are near: z_u·z_v as a sum over source nodes and features, exact.

    z_u = Σ_w Σ_f p_uw·(F_wf − m_f)·W_f + rest_u                            p_u = row u of Σ c_k P^k, m the mean row

for every channel; W_f is the row of W that a feature has, and mW is the offset, so that a feature counts by how far a node
is from the mean. Each end explains half of the score,

    z_u·z_v = ½ Σ_wf [p_uw·(F_wf − m_f)·(W_f·z_v) + p_vw·(F_wf − m_f)·(W_f·z_u)] + rest,

where p comes from walks that read a bounded number of edges (`source_walks`), and the rest is what these leave of vectors
that are known: sources further away, and what was rounded. Summed over w it is the share of a feature, over f that of a
source node; by first steps of the walks it is the share of the neighbours through which it comes.

A feature that is zero for every node would take Σ_w p_uw·F_wf·W_f = r_u off z_u and r_v off z_v: the score would change by
r_u·r_v − r_u·z_v − r_v·z_u, both ends at once, which is not the share of the feature.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_integer
from sparsecut.graph import Graph, as_graph, place_rows
from sparsecut.io.edges.node_lookup import Lookup
from sparsecut.links.channel_rows import ChannelRows
from sparsecut.links.smoothed_levels import Levels, SmoothedLevel
from sparsecut.links.source_walks import Walk, listed_rows, walk_from
from sparsecut.links.why_near import Shares, Why, Whys

MOST_EDGES = 20_000
MOST_NUMBERS = 400_000  # of the rows of a source around one node
TYPE = "type of the nodes"
N_KEPT = 64  # ends of walks that are remembered: one node is asked about with many others
ROWS_AT_ONCE = 1 << 16

Array = NDArray[np.float64]
Integers = NDArray[np.int64]


@dataclass(frozen=True)
class _Sources:
    """The rows that one end's walks have reached, of one level."""

    walk: Walk
    p: Array  # at the walk's nodes; 0 where the row was not read
    places: Integers  # of the nodes whose rows were read, among the walk's nodes
    rows: Any  # their rows
    smoothed: Array  # Σ p·rows, (f,)

    def values(self, level: SmoothedLevel, direction: Array) -> Array:
        """(F_w − m)·W·direction of the walk's nodes; 0 where the row was not read."""
        found = np.zeros(len(self.p))
        weights = level.W @ direction
        found[self.places] = np.asarray(self.rows @ weights).ravel() - level.centre @ weights
        return found


@dataclass
class _Sums:
    """Values by name while they are added up: positions and values, one after another."""

    names: list[Any] = field(default_factory=list)
    values: list[Array] = field(default_factory=list)

    def add(self, names: Any, values: Array) -> None:
        self.names.append(names)
        self.values.append(values)

    def by_position(self) -> tuple[Integers, Array]:
        names, place = np.unique(np.concatenate(self.names), return_inverse=True)
        sums = np.bincount(place, weights=np.concatenate(self.values), minlength=len(names))
        return names, np.asarray(sums, dtype=np.float64)


class Nearness:
    """Why nodes are near: which features, through which neighbours, in which channel.

    `model.why` keeps one of these. Use it by itself for vectors that a loaded model made of a graph.

    Parameters
    ----------
    model : SCE or MoSCE
        A fitted model, or one that was loaded. Those whose levels are aggregated by their maximum are no sum and are
        refused.
    graph : Graph, or an adjacency, optional
        The graph that the vectors are of; the model's own by default.
    vectors : array or frame (n, d), optional
        What the model made of the graph; the model's own by default, or `model.transform(graph)`.
    most_edges : int, default=20000
        How many edges a step of a walk reads. More leave a smaller rest and take longer.

    Examples
    --------
    >>> import sparsecut as sc
    >>> graph = sc.datasets.load("digits")
    >>> near = sc.Nearness(sc.SCE().fit(graph))
    >>> found = near.why(0, 1)
    >>> bool(abs(found.features.total + found.rest - found.score) < 1e-9)
    True
    """

    def __init__(self, model: Any, graph: Any = None, vectors: Any = None, *, most_edges: int = MOST_EDGES) -> None:
        self.most_edges = check_integer("Nearness", "most_edges", most_edges, 1)
        recipe, caller = model.recipe_, type(model).__name__
        if recipe.aggregation == "max" and len(recipe.filters) > 1:
            raise InputError(
                f"{caller} takes the maximum over its levels, so that a vector is no sum of what nodes bring. Fit with "
                "aggregation='concat' or 'mean' to ask why nodes are near."
            )
        given = None if graph is None else as_graph(graph)
        if given is not None and model.kind_ is not None:
            given = model.kind_.weighed(given, caller)
        graph = model.graph_ if given is None else given
        if given is not None and "features" in recipe.sources:
            graph = given.encoded_by(model.encoder_)
        if vectors is None:
            vectors = model.embedding_ if given is None else model.transform(given)
        else:
            vectors = place_rows(vectors, graph.node_ids, "The vectors")
        vectors = vectors.cpu().numpy() if hasattr(vectors, "cpu") else vectors
        n_columns = model.offset_.shape[-1]
        if np.shape(vectors) != (graph.n_nodes, n_columns):
            raise InputError(
                f"{caller} makes {n_columns} columns for each of the {graph.n_nodes:,} nodes of this graph. Got "
                f"vectors of shape {np.shape(vectors)}. Pass what the model made of the graph."
            )
        self.graph: Graph = graph
        self.vectors = vectors
        self.channels: dict[str, slice] = dict(model.channels_)
        self._rows = ChannelRows(graph, recipe, model.columns_)
        self._offsets = np.asarray(model.offset_, dtype=np.float64)  # one for each type of nodes where there are types
        codes = graph.type_codes if self._offsets.ndim == 2 else None
        self._codes = codes
        self._offset = self._offsets if codes is None else self._offsets[codes].mean(axis=0)
        self._weights = [np.asarray(matrix, dtype=np.float64) for matrix in model.weights_]
        self._ends: dict[int, list[_Sources]] = {}

    def why(self, node: Any, other: Any = None, *, k: int | None = None) -> Why | Whys:
        """Say why a node is near another, or several, or what made its own vector.

        Parameters
        ----------
        node : id
            A node of the graph.
        other : id or list of ids, optional
            The node or nodes it is compared with; the node itself where there is neither `other` nor `k`: the parts then
            add up to the squared length of its vector.
        k : int, optional
            In place of `other`: its k nearest nodes by cosine.

        Returns
        -------
        Why, or list of Why
            One for each other node where there are several; a notebook shows the list as a table.

        Examples
        --------
        >>> import sparsecut as sc
        >>> near = sc.Nearness(sc.SCE().fit(sc.datasets.load("digits")))
        >>> [found.nodes[0] for found in near.why(0, k=3)]
        [0, 0, 0]
        """
        if other is not None and k is not None:
            raise InputError("why takes either other nodes or k, the number of nearest ones. Got both.")
        if isinstance(node, list | tuple | np.ndarray):
            raise InputError(f"why takes one node, and others to compare it with: why(node, [other, …]). Got {node!r:.60}.")
        asked = self._find([node])[0]
        if k is not None:
            return Whys(self._explain(asked, int(one)) for one in self._nearest(asked, check_integer("why", "k", k, 1)))
        if other is None:
            return self._explain(asked, asked)
        if isinstance(other, str | bytes) or np.ndim(other) == 0:
            return self._explain(asked, int(self._find([other])[0]))
        return Whys(self._explain(asked, int(one)) for one in self._find(list(other)))

    @property
    def is_untyped(self) -> bool:
        """Whether one mean is taken off all vectors; where nodes have types each type has one of its own."""
        return self._codes is None

    def means_of_types(self, nodes: Integers) -> Array | None:
        """What the mean of all types is above that of each node's type, (b, d); None where there is one mean for all."""
        return None if self._codes is None else self._offset - self._offsets[self._codes[nodes]]

    def source_rows(self, source: str, nodes: Integers) -> Any:
        """The rows of nodes before any hop, by their source."""
        return self._rows.take(source, nodes)

    def _find(self, ids: Sequence[Any]) -> Integers:
        values = np.empty(len(ids), dtype=object)
        values[:] = [one.item() if isinstance(one, np.generic) else one for one in ids]
        return self._lookup.find(values, "The query", "the graph")

    @cached_property
    def _lookup(self) -> Lookup:
        return Lookup(self.graph.node_ids)

    def _nearest(self, node: int, k: int) -> Integers:
        """The nearest nodes by cosine, by comparing all."""
        z = np.asarray(self.vectors[node], dtype=np.float32)
        cosines = np.empty(self.graph.n_nodes, dtype=np.float32)
        for start in range(0, len(cosines), ROWS_AT_ONCE):
            rows = np.asarray(self.vectors[start : start + ROWS_AT_ONCE], dtype=np.float32)
            lengths = np.sqrt(np.einsum("nd,nd->n", rows, rows))
            cosines[start : start + ROWS_AT_ONCE] = (rows @ z) / np.maximum(lengths, 1e-30)
        cosines[node] = -np.inf
        k = min(k, len(cosines) - 1)
        best = np.argpartition(-cosines, k - 1)[:k] if k else np.empty(0, dtype=np.int64)
        return np.asarray(best[np.argsort(-cosines[best], kind="stable")], dtype=np.int64)

    @cached_property
    def levels(self) -> Levels:
        return Levels(self._rows, self._weights, self._offset)

    def _end(self, node: int) -> list[_Sources]:
        """The walks from a node and the rows that they reach, for each level."""
        if node in self._ends:
            return self._ends[node]
        matrices, n_hops = self.levels.matrices, self.levels.n_hops
        walks = [walk_from(one, node, hops, self.most_edges) for one, hops in zip(matrices, n_hops, strict=True)]
        taken: dict[tuple[str, int, int], tuple[Integers, Any]] = {}
        found = []
        for level in self.levels.listed:
            walk = walks[level.matrix]
            p = walk.row(level.coefficients)
            key = (level.source, level.matrix, len(level.coefficients))
            if key not in taken:
                chosen = self._affordable(level.source, walk.nodes, p)
                taken[key] = chosen, self._rows.take(level.source, walk.nodes[chosen])
            chosen, rows = taken[key]
            kept = np.zeros(len(p))
            kept[chosen] = p[chosen]
            smoothed = np.asarray(p[chosen] @ rows, dtype=np.float64).ravel()
            found.append(_Sources(walk, kept, chosen, rows, smoothed))
        if len(self._ends) >= N_KEPT:
            self._ends.pop(next(iter(self._ends)))
        self._ends[node] = found
        return found

    def _affordable(self, source: str, nodes: Integers, p: Array) -> Integers:
        """The places of the nodes whose rows are read: those that count, the largest for what they cost first."""
        places = np.flatnonzero(p)
        costs = self._rows.cost(source, nodes[places])
        if costs.sum() <= MOST_NUMBERS:
            return places
        order = np.argsort(-np.abs(p[places]) / costs, kind="stable")
        n_taken = max(int(np.searchsorted(np.cumsum(costs[order]), MOST_NUMBERS, side="right")), 1)
        return np.sort(places[order[:n_taken]])

    def _explain(self, u: int, v: int) -> Why:
        z = [np.asarray(self.vectors[node], dtype=np.float64) for node in (u, v)]
        features: dict[str, tuple[NDArray[Any], Array, Array]] = {}  # by source or channel: names, values, changes
        sources, steps = _Sums(), _Sums()
        levels = zip(self.levels.listed, self._end(u), self._end(v), strict=True)
        amounts = np.zeros((2, self.graph.n_features))
        for level, *ends in levels:
            key = "features" if level.source == "features" else level.channel
            if key not in features:
                names = self.feature_names(level)
                features[key] = names, np.zeros(len(names)), np.zeros(len(names))
            _, values, changes = features[key]
            for number, end in enumerate(ends):
                direction = z[1 - number][level.columns]
                weights = level.W @ direction
                values += self._by_name(level, 0.5 * weights * (end.smoothed - end.p.sum() * level.centre))
                changes -= self._by_name(level, weights * end.smoothed)
                own = end.values(level, direction) * 0.5
                sources.add(end.walk.nodes, end.p * own)
                # Through first steps: rows that were not read are worth nothing there either.
                steps.add(*end.walk.through(level.coefficients, own))
                if level.source == "features":
                    amounts[number] += end.smoothed - end.p.sum() * level.centre
        if self._codes is not None:  # the mean that was taken off is that of a node's type
            differences = [self._offset - self._offsets[self._codes[node]] for node in (u, v)]
            of_type = np.array([0.5 * differences[0] @ z[1], 0.5 * differences[1] @ z[0]])
            features["type"] = np.array([TYPE], dtype=object), of_type.sum(keepdims=True), np.zeros(1)
            sources.add(np.array([u, v]), of_type)
            steps.add(np.array([u, v]), of_type)
        for first in range(len(self.levels.listed)):  # r_u·r_v, levels that share columns together
            for second in range(len(self.levels.listed)):
                one, two = self.levels.listed[first], self.levels.listed[second]
                if one.source == two.source and one.columns == two.columns:
                    key = "features" if one.source == "features" else one.channel
                    features[key][2][:] += _both_changes(one, two, self._end(u)[first], self._end(v)[second])
        return self._result(u, v, z, features, sources, steps, amounts)

    def _by_name(self, level: SmoothedLevel, values: Array) -> Array:
        """Values of columns by their names: all columns of a place are one."""
        return np.array([values.sum()]) if level.source == "structure" else values

    def _linked(self, node: int) -> Integers:
        return listed_rows(self.graph.adjacency, np.array([node]))[1]

    def feature_names(self, level: SmoothedLevel) -> NDArray[Any]:
        """The names of a level's columns; all columns of a place have one."""
        known = self.__dict__.setdefault("_known_names", {})
        key = "features" if level.source == "features" else level.channel
        if key not in known:
            known[key] = self._rows.names(level.channel, level.source)
        return known[key]  # type: ignore[no-any-return]

    def _result(
        self, u: int, v: int, z: list[Array], features: dict[str, Any], sources: _Sums, steps: _Sums, amounts: Array
    ) -> Why:
        score = float(z[0] @ z[1])
        lengths = float(np.linalg.norm(z[0]) * np.linalg.norm(z[1]))
        names = np.concatenate([part[0] for part in features.values()])
        values, changes = (np.concatenate([part[place] for part in features.values()]) for place in (1, 2))
        higher = np.zeros((2, len(names)))
        if "features" in features:
            first = 0
            for key, part in features.items():
                if key == "features":
                    higher[:, first : first + len(part[0])] = amounts
                first += len(part[0])
        found, source_values = sources.by_position()
        reached, step_values = steps.by_position()
        ids = self.graph.node_ids
        return Why(
            nodes=(_plain(ids[u]), _plain(ids[v])),
            score=score,
            cosine=score / lengths if lengths > 0 else 0.0,
            channels={name: float(z[0][part] @ z[1][part]) for name, part in self.channels.items()},
            features=Shares.of(names, values, changes=changes, higher=higher),
            sources=Shares.of(ids[found], source_values),
            neighbors=Shares.of(ids[reached], step_values),
            shared=ids[np.intersect1d(self._linked(u), self._linked(v))],
            rest=score - float(values.sum()),
        )


def _both_changes(one: SmoothedLevel, two: SmoothedLevel, first: _Sources, second: _Sources) -> Array:
    """r_u·r_v of every name, where what it brings to both ends goes."""
    if one.source == "structure":
        return np.array([(first.smoothed @ one.W) @ (second.smoothed @ two.W)])
    return np.asarray(first.smoothed * second.smoothed * np.einsum("fd,fd->f", one.W, two.W))


def _plain(identity: Any) -> Any:
    return identity.item() if isinstance(identity, np.generic) else identity
