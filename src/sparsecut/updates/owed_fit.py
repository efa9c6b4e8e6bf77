"""The fit that a model owes once nodes were forgotten: it is made when something of it is first read.

    forget        takes the nodes out of the graph, the features and their encoder, and drops all that was learned with them
    first read    of a vector, a weight, …: the graph that is left is fitted, with the choices that were kept

Between the two nothing that was learned with the nodes is anywhere: not in memory, and not in the file that the model
follows, which has the graph, the features and the choices. So a file that was written then is the model too, and many that
are forgotten one after the other need one fit.

Why not sooner: two hops around 1 % of the nodes of a graph reach most of it, the moments need every row that they reach, and
one other weight makes every vector another. That is a fit, whenever it is made.
"""

from __future__ import annotations

import copy
import threading
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import WriteError
from sparsecut.operators.recipe import Recipe, read_recipe

if TYPE_CHECKING:
    from sparsecut.base.progress import Reporter
    from sparsecut.graph import Graph
    from sparsecut.updates.update_log import UpdateLog

OF_FIT = (  # the fields that a fit sets or drops; a model that owes one has none of the public ones
    "weights_",
    "offset_",
    "recipe_",
    "columns_",
    "history_",
    "encoder_",
    "n_features_in_",
    "feature_names_in_",
    "kind_",
    "alignment_residual_",
    "_embedding",
    "_graph",
    "_state",
    "_drift",
    "_near",
    "_owed",  # the last: until then the fit is owed
)
_PAYING = threading.RLock()  # two threads that read at once make one fit


@dataclass
class OwedFit:
    """What was chosen for the fit, and what is to be said of it; its vectors, once it is made."""

    recipe: Recipe  # choices alone: nothing that was learned
    n_columns: int
    notes: list[str] = field(default_factory=list)
    vectors: NDArray[np.float32] | None = None

    def to_header(self) -> tuple[dict[str, Any], dict[str, NDArray[Any]]]:
        """What JSON can hold of it, and the arrays."""
        recipe, arrays = self.recipe.to_header()
        return {"recipe": recipe, "n_columns": self.n_columns, "notes": self.notes}, arrays

    @classmethod
    def read(cls, header: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> OwedFit:
        """What `to_header` wrote."""
        return cls(read_recipe(header["recipe"], arrays), int(header["n_columns"]), list(header["notes"]))


class Debtor(Protocol):
    """What a model needs for that: its graph, its log, and a way to fit with choices that are known."""

    history_: Any
    _graph: Graph | None
    _log: UpdateLog | None
    _owed: OwedFit | None

    def _fit_kept(self, graph: Graph, recipe: Recipe, n_columns: int, *, progress: Reporter | None) -> None:
        """Fit a graph with what was chosen before: a recipe, and so many columns."""

    def _vectors(self) -> NDArray[np.float32]:
        """The vectors in the host's memory."""

    def _checkpoint(self) -> None:
        """Take the log into the model's file."""


def owe(model: Debtor, graph: Graph, owed: OwedFit) -> None:
    """Drop what a model has learned, which then owes the fit of a graph."""
    for name in OF_FIT:
        vars(model).pop(name, None)
    model._graph, model._owed = graph, owed


def pay(model: Debtor) -> None:
    """Make the fit that a model owes, if another thread has not; the file that the model follows has it then too."""
    with _PAYING:
        owed, graph = model._owed, model._graph
        if owed is None or graph is None:
            return
        aside = copy.copy(model)  # until it is whole the model stays the one that owes it
        aside._owed = None
        aside._fit_kept(graph, owed.recipe, owed.n_columns, progress=None)
        aside.history_.notes.extend(owed.notes)
        owed.vectors = aside._vectors()
        take_over(model, aside, OF_FIT)
    if model._log is not None:
        try:
            model._checkpoint()
        except WriteError as error:  # the file has the model that owes the fit, and nothing of who was forgotten
            warnings.warn(f"{error} The model is fitted again when it is loaded.", stacklevel=2)


def take_over(model: Any, other: Any, names: tuple[str, ...]) -> None:
    """Become another model of the same class in some fields, and without those that it does not have."""
    own, taken = vars(model), vars(other)
    for name in names:
        if name in taken:
            setattr(model, name, taken[name])
        elif name in own:
            delattr(model, name)
