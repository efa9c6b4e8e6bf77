"""What a fitted model does when its graph changes: `update`, `span_drift_`, `refit`, and a state that can be saved.

Z_t = aggregate(Σ c_k P_t^k F_t·W, …) − offset      with the W of the fit: what `transform` gives of the graph as it is
"""

from __future__ import annotations

import copy
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, WriteError, check_choice, check_real
from sparsecut.base.progress import Reporter
from sparsecut.features.type_encoders import Encoder as FeatureEncoder
from sparsecut.graph import Graph
from sparsecut.graph.graph_kind import GraphKind
from sparsecut.graph.times import as_moment
from sparsecut.operators.recipe import Recipe
from sparsecut.updates.alignment import align
from sparsecut.updates.changes import Changes, EdgeList, check_edges, check_nodes, check_rows
from sparsecut.updates.dating import changed_moments, check_order
from sparsecut.updates.drift import ADVISED_FROM, N_BESIDE
from sparsecut.updates.resuming import Position, Replayed
from sparsecut.updates.update_log import UpdateLog

if TYPE_CHECKING:  # loaded by the first update: a model that is only fitted needs none of it
    from sparsecut.updates.graph_rows import RowsOfGraph
    from sparsecut.updates.live import Changed, LiveState
    from sparsecut.updates.owed_fit import OwedFit

TOLERANCE = 1e-3  # of the rows' length
GROWTH = 1.5  # of the number of edges, or its inverse: settings chosen from the graph may be others by then

WEIGHED = ("edges_added", "weights_changed")  # the changes of edges that say a weight

Relation = str | Mapping[str, Sequence[str | None]] | None  # the type of all edges, or of each by the name of their list

STAYS_ENCODED = (
    "The table stays encoded as it was at the fit: scales, categories and words that came with updates were not learned. "
    "Fit the graph with its whole table to learn them."
)

Model = TypeVar("Model", bound="Updating")


class Noted(Protocol):
    """The history of a fit, as far as updates write to it."""

    notes: list[str]


class Updating:
    """The part of an estimator that follows a graph. `fit` keeps the graph; its state is made by the first `update`."""

    apart: Any  # parameters that may name nodes
    negatives: Any

    weights_: list[NDArray[np.float32]]
    offset_: NDArray[np.float32]
    recipe_: Recipe
    history_: Noted
    encoder_: FeatureEncoder | None
    kind_: GraphKind | None = None
    columns_: RowsOfGraph

    _choice: Callable[[str], Any]

    _embedding: NDArray[np.float32] | None = None
    _graph: Graph | None = None
    _state: LiveState | None = None
    _log: UpdateLog | None = None
    _owed: OwedFit | None = None  # the fit of `_graph`, which is made when something of it is first read
    _drift: tuple[LiveState, int, float]  # the state, the number of its updates, `drift_` then
    alignment_residual_: float
    _position: Position = Position()  # of the stream of changes that is followed
    _renewed_at: int = -1  # the offset of that stream at which all vectors became others: nodes were forgotten there
    _replayed: Replayed | None = None  # the updates of the log that were made again when the model was loaded

    @property
    def embedding_(self) -> NDArray[np.float32]:
        """The vectors of the nodes, float32, in the order of `graph_.node_ids`; an array that later updates leave alone."""
        if self._embedding is None:
            self._pay()
            if self._state is not None:
                self._embedding = self._state.embedding()
        if self._embedding is None:
            raise AttributeError(
                f"This {type(self).__name__} has no embedding: it was not fitted, or loaded without a state."
            )
        return self._embedding

    @embedding_.setter
    def embedding_(self, rows: NDArray[np.float32]) -> None:
        self._embedding = rows

    @property
    def graph_(self) -> Graph:
        """The graph as it is: the one that was fitted, or what updates have made of it."""
        if self._state is not None:
            if self._graph is None:
                self._graph = self._state.to_graph().at(self._state.moment)
            return self._graph
        if self._graph is None:
            raise AttributeError(f"This {type(self).__name__} holds no graph: it was not fitted, or loaded without a state.")
        return self._graph

    @property
    def span_drift_(self) -> float:
        """How far the closed form has moved within the directions that the state keeps, as a share of the vectors' length.

        0 after `fit`. The directions are those of the fitted weights and, of features, the 64 leading ones beside them in
        the graph as it is now; the vectors are compared after the best rotation (`updates.drift` has the derivation).
        Reading it smooths these columns once, a part of the time of a fit, and updates pay nothing for it. It leaves out
        what a refit would choose anew: `drift_` is the real distance.
        """
        return 0.0 if self._state is None else self._state.span_drift()

    @property
    def drift_(self) -> float:
        """What `refit(align=True)` would report as `alignment_residual_`, of a refit that is made aside; 0 after `fit`.

        The share of the vectors' length by which a fit of the graph as it is would move them after the best rotation. It
        takes as long as a fit, once for each update that it is read after; nothing of the model changes.
        """
        if self._state is None:
            return 0.0
        known = self.__dict__.get("_drift")
        if known is None or known[0] is not self._state or known[1] != self._state.n_batches:
            aside = copy.copy(self).refit(align=True)
            known = self._drift = (self._state, self._state.n_batches, aside.alignment_residual_)
        return known[2]

    @property
    def refit_advised_(self) -> bool:
        """Whether to consider a refit: `span_drift_` is above 0.25, or there are half as many edges again or a third less.

        The second because settings that the fit chose from the graph (filter, channels) may be others by then, which
        `span_drift_` does not see. A rule of thumb, and no promise that a refit improves anything.
        """
        if self._state is None:
            return False
        n_edges, n_fitted = self._state.graph.n_entries, self._state.n_entries_fitted
        return self.span_drift_ > ADVISED_FROM or not n_fitted <= n_edges * GROWTH <= n_fitted * GROWTH**2

    def update(
        self,
        *,
        edges_added: Any = None,
        edges_removed: Any = None,
        weights_changed: Any = None,
        features_changed: Any = None,
        nodes_added: Any = None,
        nodes_removed: Any = None,
        relation: str | None = None,
        times: Any = None,
        now: Any = None,
        tolerance: float = TOLERANCE,
    ) -> Changed:
        """Follow a change of the graph that was fitted, recomputing only the rows that it reaches.

        The weights stay as they were fitted: the embedding is what `transform` gives of the whole new graph. The changes
        are made in this order: removals, new nodes, new edges, weights, features. They are made all or, where one of them
        cannot be made, not at all.

        Parameters
        ----------
        edges_added : list of tuples, array or frame, (m, 2) or (m, 3), optional
            Pairs of node ids, and their weights where they are not 1. An edge that is there already is refused. In a
            directed graph the first node averages over the second, as in `graph_.adjacency`.
        edges_removed : list of tuples, array or frame, (m, 2), optional
            Edges that go.
        weights_changed : list of tuples, array or frame, (m, 3), optional
            New weights of edges that are there, above zero. In a signed graph weights of edges, new ones too, may be below
            zero: such edges ask for distance, and a weight of the other sign turns one into the other.
        features_changed : mapping, pair (ids, matrix), or frame, optional
            New features of nodes: {id: row}, (ids, rows), or a frame with a column of ids. They are encoded as those that
            were fitted. Of features with names the columns that change suffice, {7: {"city": "Oslo"}} or a frame of these
            columns: all others stay as they are. None is a gap.
        nodes_added : mapping, pair (ids, matrix), or frame, optional
            New nodes with their features. Their edges are among `edges_added`.
        nodes_removed : list of ids, optional
            Nodes that go, with their edges.
        relation : str, optional
            In a graph with types of edges the type of `edges_added` and `weights_changed`, where several join the same two
            types of nodes.
        times : list, array, or one for all, optional
            In a graph whose edges have times those of `edges_added`; `now` where not given. An edge that is there already
            gets heavier: repeats add up.
        now : date, text or number, optional
            In such a graph the moment that it has come to: not before the last one, nor before any of `times`. Where
            not given it is the latest of these. Ageing by itself changes no vector, since everything ages alike; `graph_`
            has its weights as of this moment. Beyond 64 half-lives after the fit all rows are computed again, once.
        tolerance : float, default=0.001
            How far a row may be from the exact one, in units of the rows' length (root mean square, centred, when the state
            was made); 0 is exact. It bounds the distance of every row after any number of updates and does not add up. A
            larger one is faster where a filter has many hops.

        Returns
        -------
        Changed
            `ids` and `rows` of the vectors that changed, which it unpacks as; `removed` and `notes` beside them.

        Raises
        ------
        InputError
            Where a change cannot be made; nothing has changed then.

        Examples
        --------
        >>> import sparsecut as sc
        >>> model = sc.SCE(filter=sc.Power(order=2)).fit(sc.datasets.load("digits"))
        >>> ids, rows = model.update(edges_added=[(0, 1000)], edges_removed=[], tolerance=0)
        >>> bool(abs(model.transform(model.graph_) - model.embedding_).max() < 1e-4)
        True
        """
        tolerance = check_real(type(self).__name__, "tolerance", tolerance)
        changes = self._checked(
            edges_added=edges_added,
            edges_removed=edges_removed,
            weights_changed=weights_changed,
            features_changed=features_changed,
            nodes_added=nodes_added,
            nodes_removed=nodes_removed,
            relation=relation,
        )
        changes = self._dated(changes, times, now, relation)
        return self._apply(changes, tolerance)

    def refit(self: Model, *, align: bool = True, choices: str = "again", progress: Reporter | None = None) -> Model:
        """Fit again on the graph as it is.

        After updates a table stays encoded as it was at the fit, for the state has encoded rows alone: its scales stay, and
        categories and words that came later are not learned. `explain()` says so. Fit the graph with its whole table to
        learn them.

        Parameters
        ----------
        align : bool, default=True
            Whether to rotate the new vectors onto the present ones (orthogonal Procrustes), so that vectors that are
            stored elsewhere stay comparable; `alignment_residual_` is what no rotation can undo, as a share of the
            vectors' length. The number of columns then stays as it is.
        choices : {"again", "kept"}, default="again"
            Whether what "auto" chooses (weighting, restart, channels and their weights) is chosen from the graph as it is
            now, or stays as it was, which is faster and moves the vectors less. "kept" keeps the number of columns too.
        progress : callable, optional
            Called as `progress(stage, done, total)` in place of the progress bar.

        Returns
        -------
        SCE or MoSCE
            Itself, fitted; `span_drift_` and `drift_` are 0 again.

        Examples
        --------
        >>> import sparsecut as sc
        >>> model = sc.SCE().fit(sc.datasets.load("digits"))
        >>> changed = model.update(edges_added=[(0, 1000)])
        >>> bool(model.refit().alignment_residual_ < 0.05)
        True
        """
        from sparsecut.updates.forgetting import CHOICES

        check_choice(type(self).__name__, "choices", choices, CHOICES)
        graph, before, log = self.graph_, self.embedding_, self._log
        was_updated = self._state is not None and self._state.n_batches > 0
        widths = [matrix.shape[1] for matrix in self.weights_]
        if choices == "kept":
            self._fit_kept(graph, self.recipe_, before.shape[1], progress=progress)
        else:
            self._fit_again(graph, dimension=before.shape[1] if align else None, progress=progress)
        if was_updated and getattr(self.encoder_, "kind", "") in ("table", "words", "types"):
            self.history_.notes.append(STAYS_ENCODED)
        if align:
            self._rotate(before, widths)
        if log is not None:
            self._log = log
            self._checkpoint()
        return self

    def forget(self, nodes: Any, *, choices: str = "kept", progress: Reporter | None = None) -> Changed:
        """Delete nodes from the graph and from everything that was learned from it.

        The model is then the one that `fit` gives of the graph without them: the encoding of a table, idf, scales, places,
        means and weights are learned again from the nodes that are left, so all vectors change. `update(nodes_removed=…)`
        only removes nodes from the graph, and leaves what was learned as it is.

        When this returns, nothing of the nodes is left in the model: their rows and edges are gone, and so is all that was
        learned with them. What is left is fitted when something of it is first read, such as the rows of what this returns,
        `embedding_` or `weights_`: that read takes as long as the fit. Nodes that are forgotten in several calls before it
        need one fit.

        With `load(path, in_place=True)` the model's file and its log hold nothing of the nodes when this returns, and the
        fit is written to the file when it is made. Of a model that is in memory alone, save it over the earlier file.
        Vectors that were written elsewhere are yours to replace.

        Parameters
        ----------
        nodes : list of ids
            The nodes to forget; their edges go with them.
        choices : {"kept", "again"}, default="kept"
            What becomes of the settings that "auto" chose from the graph: weighting, restart, channels and their weights,
            the number of columns. "kept" leaves them as they are; "again" chooses them from the graph that is left, as a
            new fit does, which is made at once then.
        progress : callable, optional
            Called as `progress(stage, done, total)` in place of the progress bar, where the fit is made at once: with
            choices="again", and of a graph with types of edges.

        Returns
        -------
        Changed
            `ids` and `rows` of all nodes that are left, which it unpacks as; `removed` and `notes` beside them. The rows
            are computed when they are first read, before the model is changed again.

        Raises
        ------
        InputError
            Where a node is not there, or no node would be left; nothing has changed then.

        Examples
        --------
        >>> import sparsecut as sc
        >>> graph = sc.datasets.load("digits")
        >>> model = sc.SCE(dimension=16).fit(graph)
        >>> ids, rows = model.forget([3, 5])
        >>> 3 in ids
        False
        """
        from sparsecut.updates.forgetting import forget_nodes

        return forget_nodes(self, nodes, choices, progress)

    @property
    def _n_encoded(self) -> int:
        """The features that a channel takes, as they are encoded; 0 where none takes any."""
        levels = zip(self.weights_, self.recipe_.sources, strict=True)
        return next((len(matrix) for matrix, source in levels if source == "features"), 0)

    def __getstate__(self) -> dict[str, Any]:
        """A copy does not write to the log of the original, and reads the graph again when it is asked why."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_log", "_drift", "_near")}

    def _checked(
        self,
        *,
        edges_added: Any,
        edges_removed: Any,
        weights_changed: Any,
        features_changed: Any,
        nodes_added: Any,
        nodes_removed: Any,
        relation: Relation = None,
    ) -> Changes:
        """The changes that `update` is given, in one form."""
        caller = type(self).__name__
        state, n_features = self._live(), self._n_encoded
        added = check_rows(nodes_added, caller, "nodes_added", self.encoder_, n_features)
        changes = Changes(
            edges_removed=check_edges(edges_removed, caller, "edges_removed"),
            nodes_removed=check_nodes(nodes_removed, caller, "nodes_removed"),
            nodes_added=added,
            edges_added=check_edges(edges_added, caller, "edges_added", is_signed=state.is_signed),
            weights_changed=check_edges(
                weights_changed, caller, "weights_changed", needs_weights=True, is_signed=state.is_signed
            ),
            features_changed=check_rows(
                features_changed,
                caller,
                "features_changed",
                self.encoder_,
                n_features,
                lambda ids: state.present_rows(ids, added),
            ),
        )
        return self._weighed(changes, relation)

    def _weighed(self, changes: Changes, relation: Relation) -> Changes:
        """The changes with the weights of edges by their types, as the fitted graph has them."""
        if self.kind_ is None or (self.kind_.relations is None and relation is None):
            return changes
        for name, kinds in self._relations(changes, relation).items():
            edges: EdgeList = getattr(changes, name)
            assert self.kind_.relations is not None
            by = np.array(self.kind_.relations.factors, dtype=np.float32)[kinds]
            weights = edges.weights * np.where(edges.weights < 0, 1, by)  # what asks for distance does so whatever its type
            changes = _with_edges(changes, name, replace(edges, weights=weights))
        return changes

    def _relations(self, changes: Changes, relation: Relation) -> dict[str, NDArray[np.int64]]:
        """The types of the edges that have weights, by their places among the fitted ones."""
        assert self.kind_ is not None
        named: Any = relation if isinstance(relation, Mapping) else dict.fromkeys(WEIGHED, relation)
        lists = {name: getattr(changes, name) for name in WEIGHED}
        return {
            name: self.kind_.relations_between(
                edges.sources, edges.targets, named.get(name), f"{type(self).__name__}.update"
            )
            for name, edges in lists.items()
            if len(edges)
        }

    def _of_several(self, changes: Changes) -> list[str]:
        """A note where edges go, or get another weight, between nodes that edges of several types may join."""
        if self.kind_ is None or self.kind_.relations is None:
            return []
        lists = changes.edges_removed, changes.weights_changed
        n_edges = sum(int(self.kind_.joined_by_several(edges.sources, edges.targets).sum()) for edges in lists)
        if not n_edges:
            return []
        return [
            f"{n_edges:,} edges that went or got another weight join two types of nodes that several types of edges join: a "
            "state has the sum of all types, so all edges between these nodes went, or have the new weight together."
        ]

    def _dated(self, changes: Changes, times: Any, now: Any, relation: Relation = None) -> Changes:
        """The changes with weights as of the moment of the fit, which all weights of the state are as of."""
        caller, state = f"{type(self).__name__}.update", self._live()
        clock = state.clock
        if clock is None:
            if times is not None or now is not None:
                name = "times" if times is not None else "now"
                raise InputError(
                    f"{caller}({name}=…) is for graphs whose edges have times, and those of the fitted one have none. "
                    "Read it with time=… to have edges age."
                )
            return changes
        later = changed_moments(times, len(changes.edges_added), clock, caller)
        moment = (
            state.now if now is None else as_moment(now, f"The now parameter of {caller}", is_calendar=clock.is_calendar)
        )
        if now is None and later is not None:
            moment = max(moment, float(later.max(initial=moment)))
        check_order(state.now, moment, later, clock, caller)
        later = np.full(len(changes.edges_added), moment) if later is None else later
        moments = {"edges_added": later, "weights_changed": np.full(len(changes.weights_changed), moment)}
        aged = {name: clock.weights_of(at) for name, at in moments.items()}
        relations = None if self.kind_ is None else self.kind_.relations
        if relations is not None and not all(relations.ages):
            for name, kinds in self._relations(changes, relation).items():
                aged[name] = np.where(np.array(relations.ages)[kinds], aged[name], 1.0)
        for name, factors in aged.items():
            edges: EdgeList = getattr(changes, name)
            dated = replace(edges, weights=(edges.weights * factors).astype(np.float32))
            changes = _with_edges(changes, name, dated)
        return replace(changes, now=moment)

    if not TYPE_CHECKING:  # which would take any name for a field

        def __getattr__(self, name: str) -> Any:
            """What a fit learns, where one is owed; any other field is not there."""
            if name.endswith("_") and not name.startswith("_"):
                self._pay()
            return object.__getattribute__(self, name)

    def _pay(self) -> None:
        """Make the fit that is owed, if one is."""
        if self.__dict__.get("_owed") is not None:
            from sparsecut.updates.owed_fit import pay

            pay(self)

    def _rotate(self, before: NDArray[np.float32], widths: list[int]) -> None:
        """Rotate what was fitted onto older vectors of the same nodes, of so many columns at each level."""
        is_same = widths == [matrix.shape[1] for matrix in self.weights_]
        aligned = align(self.embedding_, before, self.weights_, self.offset_, self.recipe_, by_channel=is_same)
        self.weights_, self.offset_, self.recipe_ = aligned.weights, aligned.offset, aligned.recipe
        self._embedding, self.alignment_residual_ = aligned.embedding, aligned.residual
        self.history_.notes.append(
            f"The vectors were rotated onto the earlier ones, from which {aligned.residual:.1%} of their length is left."
        )

    def _apply(self, changes: Changes, tolerance: float, position: Position | None = None) -> Changed:
        """Make the changes, written down first where the state lasts; `position` is that of the stream they came from."""
        state = self._live()
        state.check_tolerance(tolerance)
        placed = state.check(changes)
        placed = replace(placed, notes=[*placed.notes, *self._of_several(changes)])
        if self._log is not None:
            if self._log.is_long:  # before this update, which thereby is always in the log
                try:
                    self._checkpoint()
                except WriteError as error:  # the log has what was changed, and the next update tries again
                    warnings.warn(f"{error} What was changed before is kept in the log beside the model.", stacklevel=2)
            self._log.append(changes, tolerance, position)
        self._position = position or self._position
        self._embedding = self._graph = None
        started = time.perf_counter()
        changed = self._renewed(state.apply(placed, tolerance))
        self._follow_kind(changes)
        if self._log is not None:
            self._log.seconds += time.perf_counter() - started
        return changed

    def _renewed(self, changed: Changed) -> Changed:
        """What changed, once the moment of all weights is the present one, where it was too long ago."""
        state = self._live()
        if not state.is_far:
            return changed
        from sparsecut.updates.live import Changed

        self._state = state.renewed()
        if self.kind_ is not None:
            self.kind_ = replace(self.kind_, clock=self._state.clock)
        note = "All rows were computed again: the weights of the edges are as of now, and no longer as of the fit."
        places = self._state.index.places()
        return Changed(self._state.ids_of(places), self._state.embedding(), changed.removed, [*changed.notes, note])

    def _follow_kind(self, changes: Changes) -> None:
        if self.kind_ is not None and not self.kind_.is_weighted:
            weights = np.concatenate([changes.edges_added.weights, changes.weights_changed.weights])
            self.kind_ = self.kind_.with_weights(weights)

    def _checkpoint(self) -> None:
        """Take the log into the model's file."""
        raise NotImplementedError

    def _owe_fit(self, graph: Graph, notes: list[str]) -> None:
        """Owe the fit of a graph with what was chosen before."""
        raise NotImplementedError

    def _fit_kept(self, graph: Graph, recipe: Recipe, n_columns: int, *, progress: Reporter | None) -> None:
        """Fit a graph with what was chosen before: a recipe, and so many columns."""
        raise NotImplementedError

    def _fit_again(self, graph: Graph, *, dimension: int | None, progress: Reporter | None) -> None:
        """Fit the graph of this model as it is now, with so many columns where they are given."""
        raise NotImplementedError

    def _live(self) -> LiveState:
        """The state, made where there is none yet."""
        from sparsecut.updates.live import LiveState

        self._pay()
        if self._state is None:
            if self._graph is None:
                raise InputError(
                    f"This {type(self).__name__} holds no graph to change. Fit it, or load a model that was saved with its "
                    "state: model.save(path, with_state=True)."
                )
            solver, given = self._choice("solver"), (self._graph, self.recipe_, self.weights_, self.offset_, self._vectors())
            n_beside = N_BESIDE if solver.chooses_dimension else 0
            self._state = LiveState.of(*given, solver.sharpened_rank, self.columns_, n_beside)
        return self._state

    def _vectors(self) -> NDArray[np.float32]:
        """The fitted vectors in the host's memory."""
        Z: Any = self.embedding_  # a tensor where output="torch" was requested
        return np.asarray(Z.cpu() if hasattr(Z, "cpu") else Z)

    def _drop_state(self) -> None:
        """A fit begins: what followed the last one goes."""
        self._embedding, self._graph, self._state, self._log, self._owed = None, None, None, None, None
        for name in ("alignment_residual_", "_drift"):
            self.__dict__.pop(name, None)


def _with_edges(changes: Changes, name: str, edges: EdgeList) -> Changes:
    lists: dict[str, Any] = {name: edges}
    return replace(changes, **lists)
