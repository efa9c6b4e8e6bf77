"""`forget`: the model that a fit without some nodes gives, and nothing of them left in what it holds and has written.

An update that removes a node leaves the weights, scales and places as they were fitted, with the node among those that they
were fitted to. To forget it, all of this is learned again from the nodes that are left:

    encoder, idf       from their rows of features (`features.fitting_again`)
    places, roles      from the graph without the nodes
    M, mean, scatter   summed over the rows that are left: nothing is subtracted, so there is no rounding of what was there
    W, offset, Z       solved from these

What was chosen from the graph (weighting, restart, channels and their weights, number of columns) stays as it is, unless it
shall be chosen again. Parameters that name nodes (`apart`, `Pairs`) lose the pairs that name these.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_choice
from sparsecut.base.progress import Reporter
from sparsecut.features import FeatureMatrix, Source, TypedFeatures, TypeEncoders
from sparsecut.features.fitting_again import fitted_again
from sparsecut.graph import Graph, Ids
from sparsecut.graph.node_ids import find_nodes
from sparsecut.graph.node_types import codes_of
from sparsecut.graph.pair_lists import pack_pairs, unpack_pairs
from sparsecut.io.files import remove_leftovers
from sparsecut.operators.negatives import Pairs
from sparsecut.operators.recipe import Recipe
from sparsecut.updates.changes import check_nodes
from sparsecut.updates.live import Changed, LiveState
from sparsecut.updates.owed_fit import OF_FIT, OwedFit, take_over
from sparsecut.updates.resuming import Position, Replayed
from sparsecut.updates.update_log import UpdateLog

CHOICES = ("kept", "again")
TAKEN = (  # what a fit without some nodes sets or drops, and what it makes of the parameters and the log
    "apart",
    "negatives",
    *OF_FIT,
    "_log",
    "_position",
    "_renewed_at",
    "_replayed",
)


class Forgetful(Protocol):
    """What a model needs for that: its parameters that name nodes, its state and its log, and two ways to fit."""

    apart: Any
    negatives: Any
    history_: Any
    recipe_: Any
    offset_: NDArray[np.float32]
    _graph: Graph | None
    _owed: OwedFit | None
    _state: LiveState | None
    _log: UpdateLog | None
    _position: Position
    _renewed_at: int
    _replayed: Replayed | None

    @property
    def graph_(self) -> Graph: ...

    @property
    def embedding_(self) -> NDArray[np.float32]: ...

    def _pay(self) -> None:
        """Make the fit that is owed, if one is."""

    def _owe_fit(self, graph: Graph, notes: list[str]) -> None:
        """Owe the fit of a graph with what was chosen before."""

    def _fit_kept(self, graph: Graph, recipe: Recipe, n_columns: int, *, progress: Reporter | None) -> None:
        """Fit a graph with what was chosen before."""

    def _fit_again(self, graph: Graph, *, dimension: int | None, progress: Reporter | None) -> None:
        """Fit a graph and choose again."""

    def _checkpoint(self) -> None:
        """Write the model's file anew and clear its log."""

    def _vectors(self) -> NDArray[np.float32]:
        """The vectors in the host's memory."""


def forget_nodes(model: Forgetful, nodes: Any, choices: str, progress: Reporter | None) -> Changed:
    """Make a model the one that a fit without some nodes gives, in memory and in the file that it follows."""
    caller = type(model).__name__
    check_choice(caller, "choices", choices, CHOICES)
    gone = check_nodes(nodes, caller, "nodes")
    if model._state is None and model._graph is None:
        raise InputError(
            f"This {caller} holds no graph to forget nodes of. Fit it, or load a model that was saved with its state: "
            "model.save(path, with_state=True)."
        )
    if not gone:
        return Changed(model.graph_.node_ids[:0], model.embedding_[:0])
    graph = graph_without(model.graph_, gone, f"The nodes parameter of {caller}.forget")
    aside = copy.copy(model)  # until it is whole and in the file, the model stays the earlier one
    aside.apart = _without(model.apart, gone)
    if isinstance(model.negatives, Pairs):
        aside.negatives = Pairs(_left(_without(model.negatives.pairs, gone)))
    notes = [_note(len(gone), choices)]
    is_owed = choices == "kept" and graph.relations is None  # the weights of types of edges are learned by the fit too
    if is_owed:
        aside._owe_fit(graph, notes)
    elif choices == "kept":
        aside._fit_kept(graph, model.recipe_, model.offset_.shape[-1], progress=progress)
    else:
        aside._fit_again(graph, dimension=None, progress=progress)
    if not is_owed:
        aside.history_.notes.extend(notes)
    if model._log is not None:
        _write_down(model, aside, model._log)
    take_over(model, aside, TAKEN)
    if aside._owed is not None:
        return Forgotten(graph.node_ids, model, aside._owed, gone, notes)
    return Changed(graph.node_ids, model._vectors(), gone, notes)


class Forgotten(Changed):
    """What `forget` changed: all vectors, which are computed when `rows` are first read."""

    def __init__(self, ids: Ids, model: Forgetful, owed: OwedFit, removed: list[Any], notes: list[str]) -> None:
        for name, value in {"ids": ids, "removed": removed, "notes": notes, "_model": model, "_owed": owed}.items():
            object.__setattr__(self, name, value)

    @property
    def rows(self) -> NDArray[np.float32]:
        model: Forgetful = vars(self)["_model"]
        owed: OwedFit = vars(self)["_owed"]
        if model._owed is owed:
            model._pay()
        if owed.vectors is None:
            raise InputError(
                "These vectors were never computed: the model was changed again before they were read. Read "
                "model.embedding_, of the nodes model.graph_.node_ids."
            )
        return owed.vectors

    def __reduce__(self) -> Any:
        return Changed, (self.ids, self.rows, self.removed, self.notes)


def _write_down(model: Forgetful, aside: Forgetful, log: UpdateLog) -> None:
    """Put the new model in place of the earlier one's file, whose log goes on with it."""
    aside._renewed_at, aside._replayed = model._position.offset, Replayed(model._position, model._position.offset)
    aside._log, file = log, log.path.stat().st_ino
    remove_leftovers(log.path)
    try:
        aside._checkpoint()
    except BaseException:  # a full disk, an interrupt: the model is what its file is, the earlier one or the one without
        if log.path.stat().st_ino != file:
            take_over(model, aside, TAKEN)
        raise


def graph_without(graph: Graph, nodes: Sequence[Any], what: str) -> Graph:
    """The graph without some nodes, its features encoded as if these had never been there."""
    is_kept = np.ones(graph.n_nodes, dtype=bool)
    is_kept[find_nodes(list(nodes), graph.node_ids, what)] = False
    kept = np.flatnonzero(is_kept)
    if not len(kept):
        raise InputError(f"{what} names every node. A graph needs at least one that is left.")
    source = graph.source
    return graph.replace(
        adjacency=_induced(graph.adjacency, is_kept),
        features=None if source is None else fitted_again(_by_type(source, graph), kept),
        labels=None if graph.labels is None else graph.labels[kept],
        node_ids=graph.node_ids[kept],
        notes=(),
        relations=None if graph.relations is None else graph.relations.take(kept),
        demands=None if graph.demands is None else _induced(sp.csr_array(graph.demands), is_kept),
    )


def _by_type(source: Source, graph: Graph) -> Source:
    """Features that were encoded type by type, taken apart where a saved model has them as one matrix."""
    if not isinstance(source, FeatureMatrix) or not isinstance(source.encoder, TypeEncoders):
        return source
    return TypedFeatures.of_matrix(source.own, source.encoder, codes_of(graph.node_ids, source.encoder.node_types))


def _induced(adjacency: sp.csr_array, is_kept: NDArray[np.bool_]) -> sp.csr_array:
    """The rows and columns of some nodes, in one pass over the entries."""
    number = np.where(is_kept, np.cumsum(is_kept) - 1, -1).astype(adjacency.indices.dtype)
    columns = number[adjacency.indices]
    gone = np.flatnonzero(~is_kept)
    for first, end in zip(adjacency.indptr[gone].tolist(), adjacency.indptr[gone + 1].tolist(), strict=True):
        columns[first:end] = -1
    is_entry = columns >= 0
    starts = adjacency.indptr - np.searchsorted(np.flatnonzero(~is_entry), adjacency.indptr)
    n_kept = len(is_kept) - len(gone)
    induced = sp.csr_array((n_kept, n_kept), dtype=adjacency.dtype)
    induced.indptr = np.append(starts[:-1][is_kept], starts[-1]).astype(adjacency.indptr.dtype)
    induced.indices, induced.data = columns[is_entry], adjacency.data[is_entry]
    induced.has_canonical_format = True
    return induced


def _without(pairs: Any, nodes: Sequence[Any]) -> Any:
    """Pairs that name none of the nodes; None where there are no pairs, or none left."""
    if pairs is None:
        return None
    leaving = set(nodes)
    rows = unpack_pairs(pack_pairs(pairs))
    is_kept = [not {_plain(end) for end in row[:2]} & leaving for row in rows]
    if all(is_kept):
        return pairs
    if not any(is_kept):
        return None
    kept = np.flatnonzero(is_kept)
    return rows[kept] if isinstance(rows, np.ndarray) else [rows[place] for place in kept]


def _left(pairs: Any) -> Any:
    if pairs is None:
        raise InputError(
            "Every pair of negatives=Pairs(…) names a node to forget: none would be left to keep apart. Fit a model with "
            "other negatives on the graph without these nodes."
        )
    return pairs


def _plain(value: Any) -> Any:
    value = value.item() if isinstance(value, np.generic) else value
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _note(n_nodes: int, choices: str) -> str:
    count = f"{n_nodes:,} nodes were" if n_nodes > 1 else "1 node was"
    them = "them" if n_nodes > 1 else "it"
    said = f"{count} forgotten: everything that is learned from the graph is learned again without {them}"
    if choices == "again":
        return f"{said}, and the settings are chosen again."
    return (
        f"{said}. Weighting, filter, channels and the number of columns are those that were chosen before; "
        "forget(nodes, choices='again') chooses them again."
    )
