"""The state of a model whose graph changes: the graph, its features, and the hops of the embedding's columns.

    Z = aggregate(Σ c_k P^k F·W⁽¹⁾, …) − offset

W, the offset and what weights the features stay as they were fitted, so Z is what `transform` gives of the graph as it is.
For every level F·W and its K hops are kept (`sparsecut.updates.hop_terms`): n·(K + 1)·d numbers; beside them Z, as it
was fitted, of which an update writes the rows that it reaches: all others stay, to the bit. A batch of changes is checked
first (`placed_changes`), and only then applied.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, OverflowInputError
from sparsecut.features.type_encoders import Encoder
from sparsecut.graph import Graph, Ids
from sparsecut.graph.node_types import codes_of
from sparsecut.operators.aggregation import aggregate
from sparsecut.operators.filters import Filter, is_served_by
from sparsecut.operators.recipe import Recipe
from sparsecut.updates.changes import Changes, RowList
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.compiled_loops import FEW_UPDATES, compiled_loops
from sparsecut.updates.drift import N_BESIDE, DriftMeter, Scatter, columns_beside, leftover_probes, sampled_rows
from sparsecut.updates.feature_rows import FeatureRows
from sparsecut.updates.graph_rows import RowsOfGraph
from sparsecut.updates.growing import GrowingArray
from sparsecut.updates.hop_terms import DISTINCT_SHARE, ROW_BLOCK, HopTerms, Lacking
from sparsecut.updates.local_filters import is_local, keeps_lengths
from sparsecut.updates.matrix_diagonals import MatrixDiagonals
from sparsecut.updates.node_index import NodeIndex
from sparsecut.updates.placed_changes import PlacedChanges, place
from sparsecut.updates.signed_changes import place_signed

FARTHEST = 64  # half-lives from the moment of all weights
LARGE = 1e15  # features below it cannot overflow
PACKED_SHARE = 2  # places for each node: from there on the empty ones are taken out

Integers = NDArray[np.int64]
Rows = NDArray[np.float32]


@dataclass(frozen=True)
class Changed:
    """What an update changed; unpacks as `ids, rows`.

    Parameters
    ----------
    ids : numpy.ndarray of shape (m,)
        The nodes whose vectors changed, in the order of the graph; new nodes last.
    rows : numpy.ndarray of shape (m, dimension)
        Their new vectors.
    removed : list
        The ids of the nodes that went.
    notes : list of str
        Sentences about how it was done: whether hops were computed for the whole graph, what was left out.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(filter=sc.Power(order=1)).fit(sc.datasets.load("digits"))
    >>> ids, rows = model.update(edges_added=[(0, 1000)])
    >>> ids.tolist()
    [0, 1000]
    """

    ids: Ids
    rows: Rows
    removed: list[Any] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)

    def __iter__(self) -> Iterator[Any]:
        return iter((self.ids, self.rows))

    def __len__(self) -> int:
        return len(self.ids)


class LiveState:
    """A graph with its hops, of every level those of F·W."""

    def __init__(
        self,
        graph: Graph,
        recipe: Recipe,
        weights: Sequence[Rows],
        offset: Rows,
        embedding: Rows,
        *,
        rank: float,
        columns: RowsOfGraph,
        n_beside: int = N_BESIDE,
        levels: Sequence[tuple[list[Rows], Lacking, list[Rows]]] | None = None,
        length: float | None = None,
        learned: Sequence[tuple[NDArray[np.float64], NDArray[np.float64]]] | None = None,
    ) -> None:
        """`levels` (terms, what they lack, bounds), `length` and `learned` are those of a saved state; else computed."""
        self.columns, self.n_beside = columns, n_beside
        self.recipe, self.offset, self.weights = recipe, np.asarray(offset), [np.asarray(matrix) for matrix in weights]
        self.sources = recipe.sources
        self.encoder: Encoder | None = graph.encoder
        self.node_types, self.relations = graph.node_types, graph.relations
        self.clock = graph.clock  # of all weights, as long as the state is
        self.now = 0.0 if graph.clock is None else graph.clock.now  # what updates have come to
        self.index = NodeIndex(graph.node_ids)
        self.graph = ChangingGraph(graph.adjacency, is_directed=graph.is_directed, demands=graph.demands)
        self.features = FeatureRows(_features_of(graph, recipe))
        diagonals = self._diagonals()
        rows: dict[str, Any] = {}
        if levels is None:
            rows = _rows_of(graph, recipe, columns)
            sources = [_times(rows[source], matrix) for source, matrix in zip(recipe.sources, self.weights, strict=True)]
            self.levels = [
                HopTerms(self.graph, filter, filter.coefficients(), X, shared)
                for filter, X, shared in zip(self.filters, sources, diagonals, strict=True)
            ]
        else:
            self.levels = [
                HopTerms.restored(self.graph, filter.coefficients(), *level, shared)
                for filter, level, shared in zip(self.filters, levels, diagonals, strict=True)
            ]
        # Z of all places; that of a file is nobody else's.
        self.vectors = GrowingArray(np.array(embedding, dtype=np.float32) if levels is None else embedding)
        # Fixed for the life of the state, so that what a tolerance allows does not move with the graph.
        self.length = _length(self.vectors.rows) if length is None else length
        self.n_batches, self.n_entries_fitted, self._n_followed = 0, self.graph.n_entries, 0
        self._keeps_lengths = False  # known once an update has a tolerance
        self.drift = DriftMeter(self.weights, recipe.aggregation, list(recipe.channels.values()), rank)
        if learned is None:
            given = (lambda level: self._left_out_of(level, rows[self.sources[level]])) if n_beside else None
            self.drift.learn(self.columns_of, given)
        else:
            for gauge, known in zip(self.drift.gauges, learned, strict=True):
                gauge.first, gauge.first_mean = known

    @classmethod
    def of(
        cls,
        graph: Graph,
        recipe: Recipe,
        weights: Sequence[Rows],
        offset: Rows,
        embedding: Rows,
        rank: float,
        columns: RowsOfGraph,
        n_beside: int = N_BESIDE,
    ) -> LiveState:
        """The state of a model for a graph with its encoded features, and the vectors that they were given."""
        for filter in recipe.filters:
            if not is_local(filter):
                raise InputError(
                    f"The diagonals of {filter!r} depend on all degrees, so every change changes every row. Use transform."
                )
        return cls(graph, recipe, weights, offset, embedding, rank=rank, columns=columns, n_beside=n_beside)

    @property
    def filters(self) -> tuple[Filter, ...]:
        return tuple(filter.on(is_directed=self.graph.is_directed) for filter in self.recipe.filters)

    def _diagonals(self) -> list[MatrixDiagonals]:
        """The diagonals of the matrix of each filter; filters of one matrix share theirs."""
        found: list[tuple[Filter, MatrixDiagonals]] = []
        for filter in self.filters:
            shared = next((kept for other, kept in found if is_served_by(filter, other)), None)
            found.append((filter, MatrixDiagonals(self.graph, filter) if shared is None else shared))
        return [kept for _, kept in found]

    @property
    def n_bytes(self) -> int:
        """Bytes of memory that the hops take."""
        return sum(level.n_bytes for level in self.levels)

    @property
    def n_edges_since_fit(self) -> tuple[int, int]:
        """Edges when the graph was fitted, and now."""
        entries = 1 if self.graph.is_directed else 2  # of an edge
        return self.n_entries_fitted // entries, self.graph.n_entries // entries

    def embedding(self) -> Rows:
        """Z of all nodes, in the order of the graph: a new array."""
        return np.take(self.vectors.rows, self.index.places(), axis=0)

    def _computed(self, places: Integers) -> Rows:
        """Z of some places, from their hops."""
        parts = [level.level(places) for level in self.levels]
        if len(parts) == 1:
            Z = parts[0]
        elif self.recipe.aggregation == "concat":
            Z = np.concatenate(parts, axis=1)
        else:
            Z = aggregate([torch.from_numpy(part) for part in parts], self.recipe.aggregation).numpy()
        return Z - (self.offset if self.offset.ndim == 1 else self.offset[self._types_of(places)])

    def _types_of(self, places: Integers) -> NDArray[np.int16]:
        """The types of the nodes at some places, as offsets are ordered by them."""
        return codes_of(np.array(self.index.ids[places].tolist()), self.node_types or ())

    def columns_of(self, level: int) -> Rows:
        """S·W of all nodes at a level."""
        return self.levels[level].level(None if self.index.is_full else self.index.places())

    def span_drift(self) -> float:
        """How far the closed form has moved (`sparsecut.updates.drift`)."""
        if not self.n_beside:
            return self.drift.drift(self.columns_of)
        return self.drift.drift(self.columns_of, self._left_out_of, self._beside)

    def _left_out_of(self, level: int, weighted: Any = None) -> float:
        """The trace of the scatter of what the weights leave out of smoothed features, estimated; 0 of other sources."""
        if self.sources[level] != "features":
            return 0.0
        places = self.index.places()
        weighted = self.recipe.weighting.apply(self.features.take(places)) if weighted is None else weighted
        probes = leftover_probes(self.weights[level]).astype(np.float32)
        return Scatter(self._smoothed(level, places, weighted @ probes)).total

    def _smoothed(self, level: int, places: Integers, rows: Any) -> Rows:
        X = np.zeros((len(self.index), rows.shape[1]), dtype=np.float32)
        X[places] = rows
        return self.levels[level].smoothed(X)[places]

    def _beside(self, level: int) -> tuple[NDArray[np.float64], Rows]:
        """Columns of features beside those of W, and what they are smoothed to, of all nodes; none of other sources."""
        W, places = self.weights[level], self.index.places()
        if self.sources[level] != "features":
            return np.zeros((len(W), 0)), np.zeros((len(places), 0), dtype=np.float32)
        weighted = self.recipe.weighting.apply(self.features.take(places))
        basis = columns_beside(weighted[sampled_rows(len(places))], W, self.n_beside)
        return basis, self._smoothed(level, places, weighted @ basis.astype(np.float32))

    def to_graph(self) -> Graph:
        """The graph as it is now, its weights as of the moment of `clock`."""
        places = self.index.places()
        return Graph.from_canonical(
            self.graph.packed(places),
            features=self.features.take(places) if self.features.n_columns else None,
            node_ids=self.ids_of(places),
            directed="out" if self.graph.is_directed else "symmetrize",  # the rows are oriented already
            encoder=self.encoder,
            node_types=self.node_types,
            relations=None if self.relations is None else replace(self.relations, matrices=()),  # changed by then
            clock=self.clock,
            demands=None if self.graph.demands is None else self.graph.demands.packed(places),
        )

    def present_rows(self, ids: list[Any], added: RowList) -> Any:
        """The encoded features of nodes, new ones among them; of unknown ones, which `check` refuses, any."""
        places = self.index.find(ids)
        rows = self.features.take(np.where(places >= 0, places, np.argmax(self.index.is_present)))
        rows = sp.lil_array(rows) if sp.issparse(rows) else np.array(rows)
        number = {identity: row for row, identity in enumerate(added.ids)}
        for row, identity in enumerate(ids):
            if identity in number:
                new = added.matrix[[number[identity]]]
                rows[[row]] = new.toarray() if sp.issparse(new) else new
        return rows

    @property
    def is_signed(self) -> bool:
        """Whether weights may be below zero."""
        return self.graph.demands is not None

    def check(self, changes: Changes) -> PlacedChanges:
        """The changes, placed; raises where they cannot be made, and changes nothing."""
        placing = place_signed if self.is_signed else place
        placed = placing(changes, self.index, self.graph, adds_up=self.clock is not None)
        if self.index.n_present - len(placed.removed_nodes) + len(placed.added_ids) < 1:
            raise InputError("The changes leave no node. A graph needs at least one.")
        for rows in (placed.added_rows, placed.rows):
            self._check_magnitude(rows)
        return placed

    def apply(self, placed: PlacedChanges, tolerance: float) -> Changed:
        """Make the changes that `check` has placed, and follow them."""
        n_before, n_added = len(self.index), len(placed.added_ids)
        removed = [self._id_of(identity) for identity in self.index.ids[placed.removed_nodes]]
        self._n_followed += 1
        if self._n_followed >= FEW_UPDATES and self.graph.loops is None:
            self.graph.compile(compiled_loops())
        if len(placed.removed_nodes):
            self.index.remove(placed.removed_nodes)
        new = np.arange(n_before, n_before + n_added)
        if n_added:
            self.index.add(placed.added_ids)
            self.graph.extend(n_added)
            self.features.extend(placed.added_rows)
            self.vectors.extend(np.zeros((n_added, self.offset.shape[-1]), dtype=np.float32))
            for level in self.levels:
                level.extend(n_added)
        if len(placed.row_places):
            self.features.replace(placed.row_places, placed.rows)
        relinked = self.graph.change(placed.sources, placed.targets, placed.weights)
        ends, changed = np.concatenate([placed.sources, placed.targets, new]), placed.row_places
        if n_added:
            relinked, changed = np.union1d(relinked, new), np.concatenate([new, changed])
        if placed.asked is not None and self.graph.demands is not None:
            turned = self.graph.demands.change(*placed.asked)
            ends = np.union1d(ends, turned[self.index.is_present[turned]])
        if len(placed.removed_nodes):
            unasked = self.graph.drop_demands(placed.removed_nodes)
            relinked = relinked[self.index.is_present[relinked]]
            ends = np.concatenate([ends, unasked[self.index.is_present[unasked]]])
        moved = self._moved(ends, np.unique(changed) if len(changed) else changed)
        # Squares of what levels lack add up; those with many hops are given most of it, for they reach most.
        share, followed = tolerance * self.length / (math.hypot(*(level.n_hops for level in self.levels)) or 1), []
        for source, level, matrix in zip(self.sources, self.levels, self.weights, strict=True):
            rows_moved, rows = moved[source]
            X = level.terms[0][:0] if rows is None else np.asarray(rows @ matrix)
            followed.append(level.update(relinked, rows_moved, X, share * level.n_hops))
        places = self._distinct([new, *(part.places for part in followed)])
        notes, n_whole = list(placed.notes), sum(part.n_whole for part in followed)
        if n_whole:
            n_hops = sum(level.n_hops for level in self.levels)
            notes.append(
                f"{n_whole} of {n_hops} hops were computed for the whole graph, for what changed reaches most of it."
            )
        rows = self._computed(places)
        is_changed = (rows != np.take(self.vectors.rows, places, axis=0)).any(axis=1)
        if n_added:
            is_changed |= places >= n_before
        if not is_changed.all():
            places, rows = places[is_changed], rows[is_changed]
        self.vectors.rows[places] = rows
        self.n_batches += 1
        self.now = self.now if placed.now is None else placed.now
        outcome = Changed(self.ids_of(places), rows, removed, notes)
        if len(self.index) > PACKED_SHARE * self.index.n_present + 1024:
            self._pack()
        return outcome

    @property
    def moment(self) -> float:
        """The moment to bring all weights to: the present one, or that of `clock` where types do not tell ages."""
        is_told = self.clock is None or self.relations is None or self.relations.tells_ages
        return self.now if is_told or self.clock is None else self.clock.now

    @property
    def is_far(self) -> bool:
        """Whether the moment of the weights is so long ago that new ones would soon be too large for float32."""
        return self.clock is not None and self.moment - self.clock.now > FARTHEST * self.clock.half_life

    def renewed(self) -> LiveState:
        """The state with all weights as of the moment that updates have come to; every row is computed again."""
        graph = self.to_graph().at(self.moment)
        learned: Any = [(gauge.first, gauge.first_mean) for gauge in self.drift.gauges]
        rank, before = self.drift.gauges[0].rank, self.embedding()
        given = graph, self.recipe, self.weights, self.offset, before
        known: Any = {"columns": self.columns, "n_beside": self.n_beside, "length": self.length, "learned": learned}
        state = LiveState(*given, rank=rank, **known)
        state.n_batches, state.n_entries_fitted = self.n_batches, self.n_entries_fitted
        places = state.index.places()
        state.vectors.rows[places] = state._computed(places)
        return state

    def _moved(self, ends: Integers, changed: Integers) -> dict[str, tuple[Integers, Any]]:
        """For every source of columns the places whose rows are others, and the rows; None where there are none.

        `ends` are those of edges that changed, `changed` the places with other features.
        """
        found: dict[str, tuple[Integers, Any]] = {}
        for source in dict.fromkeys(self.sources):
            if source == "features":
                rows = self.recipe.weighting.apply(self.features.take(changed)) if len(changed) else None
                found[source] = changed, rows
            else:
                places = self.columns.moved(source, self.graph, self.index, ends)
                places = places[self.index.is_present[places]]
                found[source] = places, self.columns.at(source, self.graph, self.index, places) if len(places) else None
        return found

    def check_tolerance(self, tolerance: float) -> None:
        """Refuse a tolerance for a filter of the user's own whose residuals have no bound."""
        if not tolerance or self._keeps_lengths:
            return
        for filter in self.filters:
            if not keeps_lengths(filter):
                raise InputError(
                    f"{filter!r} may make rows longer at every hop, so that what is left out has no bound. Use tolerance=0."
                )
        self._keeps_lengths = True

    def _check_magnitude(self, rows: Any) -> None:
        """Refuse features whose vectors overflow, as `transform` does, while nothing has changed yet."""
        if rows is None or 0 in rows.shape or float(abs(rows).max()) < LARGE:
            return
        with np.errstate(over="ignore", invalid="ignore"):
            weighted = self.recipe.weighting.apply(rows)
            levels = zip(self.recipe.sources, self.weights, strict=True)
            if not all(np.isfinite(weighted @ matrix).all() for source, matrix in levels if source == "features"):
                raise OverflowInputError("The vectors of the new features overflow. Scale the features down.")

    def _distinct(self, found: Sequence[Integers]) -> Integers:
        found = [places for places in found if len(places)]
        if len(found) < 2:
            places = np.sort(found[0]) if found else np.empty(0, dtype=np.int64)
            return places[self.index.is_present[places]]
        if sum(map(len, found)) * DISTINCT_SHARE < len(self.index):
            places = np.unique(np.concatenate(found))
            return places[self.index.is_present[places]]
        is_found = np.zeros(len(self.index), dtype=bool)
        for places in found:
            is_found[places] = True
        return np.flatnonzero(is_found & self.index.is_present)

    def ids_of(self, places: Integers) -> NDArray[Any]:
        """The ids of some places."""
        ids = self.index.ids[places]
        return ids if ids.dtype != object else np.array(ids.tolist())

    def _id_of(self, identity: Any) -> Any:
        return identity.item() if isinstance(identity, np.generic) else identity

    def _pack(self) -> None:
        """Take the empty places out."""
        places = self.index.places()
        graph = self.to_graph()
        self.index = NodeIndex(graph.node_ids)
        loops, self.graph = (
            self.graph.loops,
            ChangingGraph(graph.adjacency, is_directed=graph.is_directed, demands=graph.demands),
        )
        self.graph.compile(loops)
        self.features = FeatureRows(_features_of(graph, self.recipe))
        self.vectors = GrowingArray(self.vectors.rows[places])
        levels = zip(self.levels, self._diagonals(), strict=True)
        self.levels = [level.packed(self.graph, diagonals, places) for level, diagonals in levels]


def _features_of(graph: Graph, recipe: Recipe) -> Any:
    """The features, of no columns where none are embedded: nodes that come then bring none."""
    return graph.features if "features" in recipe.sources else np.empty((graph.n_nodes, 0), dtype=np.float32)


def _rows_of(graph: Graph, recipe: Recipe, columns: RowsOfGraph) -> dict[str, Any]:
    """The rows of every source of columns, no hop taken."""
    return {
        source: recipe.weighting.apply(graph.features) if source == "features" else columns.whole(source, graph)
        for source in dict.fromkeys(recipe.sources)
    }


def _times(rows: Any, matrix: Rows) -> Rows:
    return np.asarray(rows @ matrix, dtype=np.float32)


def _length(Z: Rows) -> float:
    """Root mean square of the rows about their mean."""
    mean = Z.mean(axis=0, dtype=np.float64)
    blocks = (Z[start : start + ROW_BLOCK] for start in range(0, len(Z), ROW_BLOCK))  # all at once take new memory
    return math.sqrt(sum(float(np.square(block - mean).sum()) for block in blocks) / max(len(Z), 1)) or 1.0
