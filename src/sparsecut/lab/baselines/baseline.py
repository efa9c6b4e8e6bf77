"""The contract of the baselines, around a training of their own.

A baseline says what it checks (`_check`) and how it trains (`_fit`); one that embeds unseen nodes says how (`_embed`).
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
    """What `fit` lends a method's training: where to compute, what to draw from, where to report."""

    device: torch.device
    generator: np.random.Generator
    history: History
    report: Reporter
    callback: Callback | None = None

    def end_epoch(self, loss: float, seconds: float, n_epochs: int) -> None:
        """Write an epoch down, move the progress bar, and call back."""
        self.history.loss.append(loss)
        self.history.seconds.append(seconds)
        epoch = len(self.history.loss)
        self.report("training", epoch, n_epochs)
        if self.callback is not None:
            self.callback(epoch, self.history)


class Baseline(Estimator):
    """An unsupervised method: a graph in, one vector per node out. Follows scikit-learn as `SCE` does."""

    needs_features: ClassVar[bool] = True

    # A method that has these in its constructor stores its own.
    device: str = "cpu"
    random_state: int | None = 0

    embedding_: NDArray[np.float32]
    history_: History
    encoder_: Encoder | None  # how a table became features

    def _check(self) -> None:
        """Raise where a parameter breaks its rule."""

    @abstractmethod
    def _fit(self, graph: Graph, run: Run) -> NDArray[np.float32]:
        """Train; the embedding of the graph."""

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


class InductiveBaseline(Baseline):
    """A baseline that also embeds graphs it was not trained on, with the same features."""

    needs_known_nodes: ClassVar[bool] = False  # whether such a graph must hold some of the training's nodes

    n_features_in_: int

    @abstractmethod
    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        """The embedding by what has been learned so far, without training."""

    def transform(self, graph: Any, *, features: Any = None) -> NDArray[np.float32]:
        """The embedding of any graph with the same features, without training: (n, dimension)."""
        met = self._meet(graph, features)
        with naming_overflow(met):
            embedding: NDArray[np.float32] = check_finite(self._embed(met), met)
            return embedding

    def _meet(self, graph: Any, features: Any) -> Graph:
        """A graph that came after training, checked against what was learned."""
        check_is_fitted(self, "fit or fit_transform")
        return with_same_features(self, self._accept(as_graph(graph, features)))


def with_features(model: Any, graph: Graph) -> Graph:
    """The graph, which must have features."""
    if not graph.has_features:
        raise InputError(f"{type(model).__name__} needs node features, and the graph has none.")
    return graph


def with_same_features(model: Any, graph: Graph) -> Graph:
    """The graph with its features as the one fitted on had them."""
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
    """A generator of our own, and torch's global one seeded for the while: the layers of libraries know no other.

    It is put back as it was, so that a fit neither depends on nor changes what others draw.
    """
    seeds = np.random.SeedSequence(random_state)
    with torch.random.fork_rng(devices=[device] if device.type == "cuda" else []):
        torch.manual_seed(int(seeds.generate_state(1, np.uint64)[0]) & (2**63 - 1))
        yield np.random.default_rng(seeds.spawn(1)[0])
