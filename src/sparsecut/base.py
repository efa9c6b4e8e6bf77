"""What `SCE` and `MoSCE` share: everything but the shape of the network.

S = P^k F                         smooth the features                     filters, engines
M = Sᵀ L_H S                      what the negative graph H asks of S     negatives
W ← Adam on α/tr(Wᵀ M W)          a few epochs of the linear network      encoder, training
Z = S·W                           the embedding                           engines
"""

from __future__ import annotations

import warnings
from abc import abstractmethod
from collections.abc import Callable
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.exceptions import NotFittedError

from sparsecut.engines import MemoryEngine, resolve_device
from sparsecut.errors import (
    DimensionWarning,
    InputError,
    check_choice,
    check_integer,
    check_real,
    parameter_error,
)
from sparsecut.features import FEATURES, fingerprint, with_structure
from sparsecut.filters import FILTERS, propagation
from sparsecut.fitting import fit_encoder
from sparsecut.graph import Graph, as_graph
from sparsecut.negatives import NegativeGraph, make_negatives
from sparsecut.objective import LOSSES
from sparsecut.persistence import write_model
from sparsecut.progress import Reporter, reporting
from sparsecut.published import paper_settings
from sparsecut.routes import ROUTES
from sparsecut.rows import Rows
from sparsecut.sparse import as_tensor
from sparsecut.training import Encoder, History, TrainingSettings, effective_rank

MAX_DIMENSION = 512  # of dimension="auto": the paper's choice for most of its graphs

Estimator = TypeVar("Estimator", bound="SparsestCutEmbedding")
Callback = Callable[[int, History], None]


class SparsestCutEmbedding(TransformerMixin, BaseEstimator):
    """Follows scikit-learn: the constructor stores its arguments untouched, `fit` checks, what was learned ends in `_`."""

    paper_method: ClassVar[str]

    # What the constructors of the two estimators store.
    dimension: int | str
    features: str
    filter: str
    negatives: Any
    n_negatives: int
    loss: str
    alpha: float | str
    l2: float
    learning_rate: float
    epochs: int
    batch_size: int | None
    route: str
    device: str
    random_state: int | None

    # What `fit` learns.
    weights_: list[NDArray[np.float32]]
    embedding_: NDArray[np.float32]
    history_: History
    n_features_in_: int
    structure_: int | None  # the fingerprint of the graph whose structure served as features

    @property
    @abstractmethod
    def _orders(self) -> tuple[int, ...]:
        """The powers of P whose embeddings are aggregated."""

    @property
    @abstractmethod
    def _aggregation(self) -> str: ...

    @abstractmethod
    def _check_network(self) -> None: ...

    @abstractmethod
    def _make_encoder(self, n_features: int, dimension: int, generator: torch.Generator) -> Encoder: ...

    def fit(
        self: Estimator,
        graph: Any,
        y: object = None,
        *,
        features: Any = None,
        callback: Callback | None = None,
        progress: Reporter | None = None,
    ) -> Estimator:
        """Learn the weights from a graph and its features; `embedding_` holds the nodes' vectors.

        `graph` is a `Graph`, or an adjacency with `features` beside it. `y` is ignored. `callback(epoch, history)` is called
        after every epoch, and `transform` then answers with the weights of that epoch; `progress(stage, done, total)`
        replaces the progress bar.
        """
        graph = as_graph(graph, features)
        self._check()
        engine = MemoryEngine(resolve_device(self.device, type(self).__name__))
        seeds = np.random.SeedSequence(self.random_state).generate_state(4, np.uint64)
        start_seed, negatives_seed, batches_seed, structure_seed = (int(seed) & (2**63 - 1) for seed in seeds)
        history = History()

        is_structure = self.features == "structure" or (self.features == "auto" and graph.features is None)

        def call_back(epoch: int, history: History) -> None:
            assert callback is not None
            # Copied: the parameters move on, what a caller keeps of this epoch must not.
            self.weights_ = [matrix.detach().cpu().numpy().copy() for matrix in encoder.matrices()]
            self.n_features_in_ = graph.n_features
            self.structure_ = fingerprint(graph.adjacency) if is_structure else None
            if is_structure:
                self.embedding_ = self._embed(graph)
            callback(epoch, history)

        with reporting(progress) as report:
            if is_structure:
                with history.stage("structure"):
                    graph = with_structure(graph, structure_seed, engine.device, report)
                history.notes.append("Structure took the place of node features; the embedding belongs to this graph alone.")
            graph = self._with_features(graph)
            dimension = self._check_dimension(graph.n_features)
            encoder = self._make_encoder(graph.n_features, dimension, _torch_generator(start_seed)).to(engine.device)
            with history.stage("prepare"):
                loaded = engine.load(graph, propagation(graph.adjacency, self.filter))
                negatives = self._make_negatives(graph.n_nodes, engine.device, np.random.default_rng(negatives_seed))
            levels = fit_encoder(
                encoder,
                loaded,
                self._orders,
                negatives,
                self._training_settings(),
                engine=engine,
                history=history,
                batch_generator=_torch_generator(batches_seed),
                report=report,
                callback=None if callback is None else call_back,
            )
            with history.stage("project"):
                matrices = [matrix.detach() for matrix in encoder.matrices()]
                embedding = engine.project(levels, matrices, self._aggregation)
        history.effective_rank = effective_rank(embedding)
        self.weights_ = [matrix.cpu().numpy() for matrix in matrices]
        self.embedding_ = embedding.cpu().numpy()
        self.n_features_in_ = graph.n_features
        self.structure_ = fingerprint(graph.adjacency) if is_structure else None
        self.history_ = history
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

    def transform(self, graph: Any, *, features: Any = None) -> NDArray[np.float32]:
        """The embedding of any graph with the same features, without training: (n, dimension)."""
        name = type(self).__name__
        if not hasattr(self, "weights_"):
            raise NotFittedError(f"This {name} has not been fitted. Call fit or fit_transform first, or sparsecut.load.")
        graph = as_graph(graph, features)
        if self.structure_ is not None:
            return self._recall(graph)
        graph = self._with_features(graph)
        if graph.n_features != self.n_features_in_:
            raise InputError(
                f"{name} was fitted with {self.n_features_in_:,} features. Got a graph with {graph.n_features:,}. "
                "A graph to transform needs the same features in the same order."
            )
        return self._embed(graph)

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        """The embedding of a graph with features, by the weights as they are."""
        engine = MemoryEngine(resolve_device(self.device, type(self).__name__))
        loaded = engine.load(graph, propagation(graph.adjacency, self.filter))
        # Projected first, then smoothed: the hops carry as many columns as the embedding has, not as the features.
        levels = [Rows(loaded.features, loaded.propagation, order) for order in self._orders]
        weights = [as_tensor(matrix, engine.device) for matrix in self.weights_]
        return engine.project(levels, weights, self._aggregation).cpu().numpy()

    def _recall(self, graph: Graph) -> NDArray[np.float32]:
        """The embedding of the graph whose structure served as features; no other graph has that structure."""
        if not hasattr(self, "embedding_") or fingerprint(graph.adjacency) != self.structure_:
            raise InputError(
                f"This {type(self).__name__} was fitted on a graph without features: its structure took their place, and "
                "the embedding belongs to that graph alone. Fit the new graph, or give both graphs the same features."
            )
        return self.embedding_

    def save(self, path: str | Path) -> None:
        """Write the fitted model as safetensors; `sparsecut.load` reads it. The embedding itself is not stored."""
        if not hasattr(self, "weights_"):
            raise NotFittedError(f"This {type(self).__name__} has not been fitted: there is nothing to save yet.")
        parameters = self.get_params(deep=False)
        tensors: dict[str, NDArray[Any]] = {f"weights.{level}": matrix for level, matrix in enumerate(self.weights_)}
        if not isinstance(self.negatives, str):
            tensors["negatives"] = np.asarray(parameters.pop("negatives"), dtype=np.float64)
        parameters = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
        header = {
            "estimator": type(self).__name__,
            "parameters": parameters,
            "history": self.history_.to_dict(),
            "structure": self.structure_,
        }
        write_model(path, header, tensors)

    @classmethod
    def paper(cls: type[Estimator], dataset: str, **parameters: Any) -> Estimator:
        """The estimator with the paper's settings for one of its datasets; `parameters` override them."""
        return cls(**{**paper_settings(cls.paper_method, dataset), **parameters})

    def _with_features(self, graph: Graph) -> Graph:
        if graph.features is None:
            name = type(self).__name__
            raise InputError(
                f"{name} needs node features, and the graph has none. Pass Graph(adjacency, features=...), or fit with "
                "features='auto' to use its structure."
            )
        return graph

    def _training_settings(self) -> TrainingSettings:
        return TrainingSettings(
            loss=self.loss,
            alpha=self.alpha,
            l2=self.l2,
            learning_rate=self.learning_rate,
            epochs=0 if self.loss == "none" else self.epochs,
            batch_size=self.batch_size,
            route=self.route,
        )

    def _make_negatives(self, n_nodes: int, device: torch.device, generator: np.random.Generator) -> NegativeGraph:
        return make_negatives(
            self.negatives,
            n_nodes,
            n_negatives=self.n_negatives,
            generator=generator,
            device=device,
            caller=type(self).__name__,
        )

    def _check(self) -> None:
        name = type(self).__name__
        check_choice(name, "features", self.features, FEATURES)
        check_choice(name, "filter", self.filter, FILTERS)
        check_choice(name, "loss", self.loss, LOSSES)
        check_choice(name, "route", self.route, ROUTES)
        check_integer(name, "n_negatives", self.n_negatives, 1)
        check_integer(name, "epochs", self.epochs, 1)
        check_real(name, "learning_rate", self.learning_rate, above=0)
        check_real(name, "l2", self.l2, minimum=0)
        if self.alpha != "auto":
            check_real(name, "alpha", self.alpha, above=0)
        if self.batch_size is not None:
            check_integer(name, "batch_size", self.batch_size, 2)
            if self.route == "gram":
                raise InputError(f"{name} cannot train mini-batches over the Gram matrix. Use route='auto' or 'rows'.")
        if self.random_state is not None:
            check_integer(name, "random_state", self.random_state, 0)
        self._check_network()

    def _check_dimension(self, n_features: int) -> int:
        name = type(self).__name__
        if self.dimension == "auto":
            return min(MAX_DIMENSION, n_features)
        if isinstance(self.dimension, str):
            raise parameter_error(name, "dimension", "'auto' or an integer of at least 1", self.dimension)
        dimension = check_integer(name, "dimension", self.dimension, 1)
        n_useful = n_features * (len(self._orders) if self._aggregation != "mean" else 1)
        if dimension > n_useful:
            warnings.warn(
                f"{name}(dimension={dimension}) is larger than useful: a linear map of {n_useful:,} features fills at most "
                f"{n_useful:,} dimensions. dimension='auto' takes min({MAX_DIMENSION}, features).",
                DimensionWarning,
                stacklevel=3,
            )
        return dimension


def _torch_generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
