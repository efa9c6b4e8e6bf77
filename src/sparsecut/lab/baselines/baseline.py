"""The contract of the methods that embed without labels.

A method is a class of `Baseline` that says what it checks (`_check`) and how it trains (`_fit`). One that embeds unseen
nodes is `Inductive` too, and says how (`_embed`). Its parameters are declared (`declared.py`); those that several methods
have are described once, in `Baseline`.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

from sparsecut.base.containers import contained
from sparsecut.base.errors import InputError, check_integer
from sparsecut.base.estimator import Estimator, not_fitted
from sparsecut.base.progress import Reporter, reporting
from sparsecut.engines import resolve_device
from sparsecut.features import Encoder
from sparsecut.graph import Graph, as_graph
from sparsecut.kernels import check_finite, naming_overflow
from sparsecut.model.embedding_model import Callback
from sparsecut.model.history import History
from sparsecut.model.meaning import check_meaning

Model = TypeVar("Model", bound="Baseline")
Nodes = NDArray[np.int64]  # positions of nodes in their graph


@dataclass(frozen=True)
class Run:
    """One call of `fit`: the device, the random generator, the history, and where to report progress."""

    device: torch.device
    generator: np.random.Generator
    history: History
    report: Reporter
    callback: Callback | None = None

    def end_epoch(self, loss: float, seconds: float, n_epochs: int) -> None:
        """Record an epoch, report progress, and call the callback."""
        self.history.loss.append(loss)
        self.history.seconds.append(seconds)
        epoch = len(self.history.loss)
        self.report("training", epoch, n_epochs)
        if self.callback is not None:
            self.callback(epoch, self.history)


class Baseline(Estimator):
    """An unsupervised method: a graph in, one vector per node out. Follows scikit-learn as `SCE` does.

    Parameters
    ----------
    dimension : int
        Columns of the embedding.
    filter : str or Filter
        The low-pass filter, as in `SCE`: "power" is two hops of the mean over a node and its neighbours.
    n_negatives : int
        Nodes drawn at random for each pair of neighbours, to be kept apart from them.
    learning_rate : float
        Step size of Adam.
    epochs : int
        Passes of the training, at most.
    device : {"auto", "cpu", "cuda"}
        Where to compute; "auto" takes a GPU where there is one.
    random_state : int or None
        The seed; the same one gives the same bits on the same machine. None draws a new one.

    Attributes
    ----------
    embedding_ : array of shape (n, dimension)
        One row per node, float32.
    history_ : History
        Loss and seconds per epoch.
    """

    needs_features: ClassVar[bool] = True

    # Of methods that do not declare them as parameters.
    device: str = "cpu"
    random_state: int | None = 0

    embedding_: NDArray[np.float32]
    history_: History
    encoder_: Encoder | None  # how a table became features

    def _check(self) -> None:
        """Raise where a parameter breaks its rule."""

    @abstractmethod
    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        """Train on the graph and return its embedding."""

    def fit(
        self: Model,
        graph: Any,
        y: object = None,
        *,
        features: Any = None,
        callback: Callback | None = None,
        progress: Reporter | None = None,
    ) -> Model:
        """Learn from a graph; `embedding_` then holds one vector per node.

        Parameters
        ----------
        graph : Graph or adjacency
            The graph, or an adjacency with `features` beside it.
        y : ignored
            For scikit-learn's pipelines.
        features : array, optional
            The features where `graph` is an adjacency.
        callback : callable, optional
            Called as `callback(epoch, history)` after every epoch.
        progress : callable, optional
            Called as `progress(stage, done, total)` in place of the progress bar.

        Returns
        -------
        self
        """
        graph = self._accept(as_graph(graph, features, y))
        check_seed(self)
        self._check()
        self.encoder_ = graph.encoder if self.needs_features else None
        device = resolve_device(self.device, type(self).__name__)
        with seeded(self.random_state, device) as generator, reporting(progress) as report, naming_overflow(graph):
            run = Run(device, generator, History(), report, callback)
            with run.history.stage("fit"):
                embedding = self._fit(graph, run)
        self.embedding_ = check_finite(embedding, graph)
        self.history_ = run.history
        check_meaning(embedding, graph, type(self).__name__, run.history.notes, is_structure=not self.needs_features)
        return self

    def fit_transform(
        self,
        graph: Any,
        y: object = None,
        *,
        features: Any = None,
        callback: Callback | None = None,
        progress: Reporter | None = None,
    ) -> NDArray[np.float32]:
        """`fit`, then the embedding of the same graph, (n, dimension)."""
        return self.fit(graph, y, features=features, callback=callback, progress=progress).embedding_

    def _accept(self, graph: Graph) -> Graph:
        return with_features(self, graph) if self.needs_features else graph


class Inductive:
    """For a `Baseline` that also embeds graphs it was not trained on, with the same features."""

    needs_known_nodes: ClassVar[bool] = False  # whether such a graph must hold some of the training's nodes

    n_features_in_: int

    @abstractmethod
    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        """The embedding by what has been learned so far, without training."""

    @contained
    def transform(self, graph: Any, *, features: Any = None) -> NDArray[np.float32]:
        """The embedding of any graph with the same features, without training: (n, dimension)."""
        new_graph = self._with_same_features(graph, features)
        with naming_overflow(new_graph):
            embedding: NDArray[np.float32] = check_finite(self._embed(new_graph), new_graph)
            return embedding

    def _with_same_features(self, graph: Any, features: Any) -> Graph:
        """A graph given after training, checked to have the features of the training."""
        check_is_fitted(self, "fit or fit_transform")
        return with_same_features(self, with_features(self, as_graph(graph, features)))


def with_features(model: Any, graph: Graph) -> Graph:
    """The graph itself; an error where it has no features."""
    if not graph.has_features:
        raise InputError(f"{type(model).__name__} needs node features, and the graph has none.")
    return graph


def with_same_features(model: Any, graph: Graph) -> Graph:
    """The graph with its table encoded as in training; an error where it has another number of features."""
    graph = graph.encoded_by(model.encoder_)
    if graph.n_features != model.n_features_in_:
        raise InputError(
            f"{type(model).__name__} was fitted with {model.n_features_in_:,} features. Got a graph with "
            f"{graph.n_features:,}. Another graph needs the same features in the same order."
        )
    return graph


def check_is_fitted(model: Any, call: str) -> None:
    if not hasattr(model, "n_features_in_"):
        raise not_fitted(model, f"Call {call} first")


def check_seed(model: Any) -> None:
    if model.random_state is not None:
        check_integer(type(model).__name__, "random_state", model.random_state, 0)


@contextmanager
def seeded(random_state: int | None, device: torch.device) -> Iterator[np.random.Generator]:
    """A generator for the method's own draws; inside, torch's global generator is seeded too, since layers draw from it.

    Its state is restored afterwards, so that a fit neither depends on nor changes what others draw.
    """
    seeds = np.random.SeedSequence(random_state)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(int(seeds.generate_state(1, np.uint64)[0]) & (2**63 - 1))
        yield np.random.default_rng(seeds.spawn(1)[0])
