"""What `SCE` and `MoSCE` share: everything but the shape of the network.

S = Σ c_k P^k F                   weigh and smooth the features           weighting, filters, recipe, engines
M = Sᵀ L_H S                      what the negative graph H asks of S     negatives
W = V·g(Λ), M = V Λ Vᵀ            the closed form, or …                   spectral
W ← Adam on α/tr(Wᵀ M W)          … a few epochs of the linear network    encoder, training
Z = S·W                           the embedding                           engines
"""

from __future__ import annotations

import math
import warnings
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import scipy.sparse as sp
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparsecut.arrays.magnitude import check_finite, naming_overflow
from sparsecut.arrays.streaming import neighbour_sums
from sparsecut.encoding import dominant_column
from sparsecut.encoding.encoder import Encoder as FeatureEncoder
from sparsecut.engines import MemoryEngine, resolve_device
from sparsecut.errors import DimensionWarning, InputError, ScaleWarning, check_integer, parameter_error
from sparsecut.estimator import Estimator, not_fitted
from sparsecut.features.structure import STRUCTURE_NOTE, fingerprint, with_structure
from sparsecut.graph import Graph, as_graph
from sparsecut.graph.pairs import pack_pairs
from sparsecut.kernels.sparse import SparseMatrix, as_tensor
from sparsecut.model.both import check_both, fingerprint_of_both, fit_both
from sparsecut.model.fitting import fit_encoder, hold_rows
from sparsecut.model.meaning import check_meaning
from sparsecut.model.on_disk import fit_on_disk, transform_on_disk
from sparsecut.model.parameters import check_parameters, recipe_settings, solver_of, training_settings, why_solver
from sparsecut.model.persistence import write_model
from sparsecut.model.published import Published
from sparsecut.model.recipe import Recipe, load, settle
from sparsecut.model.restart import choose_restart
from sparsecut.model.spectral import EXACT_COLUMNS, scale_to, solve
from sparsecut.model.training import Encoder, History, effective_rank
from sparsecut.operators.negatives import CompleteNegatives, NegativeGraph, make_negatives
from sparsecut.operators.rows import Rows
from sparsecut.progress import Reporter, reporting

MAX_DIMENSION = 512  # of dimension="auto" with Adam: the paper's choice for most of its graphs

Model = TypeVar("Model", bound="SparsestCutEmbedding")
Callback = Callable[[int, History], None]


class SparsestCutEmbedding(Published, Estimator):
    """Follows scikit-learn: the constructor stores its arguments untouched, `fit` checks, what was learned ends in `_`."""

    with_series: ClassVar[bool]  # whether the filters that sum up powers serve, beside the powers themselves

    # What the constructors of the two estimators store.
    dimension: int | str
    features: str
    solver: str
    weighting: str
    filter: str
    strength: float | str
    effective_rank: float | str
    length: float | str
    negatives: Any
    n_negatives: int
    apart: Any
    loss: str
    alpha: float | str
    l2: float | None
    learning_rate: float | None
    epochs: int | None
    batch_size: int | None
    route: str
    engine: str
    memory_limit: int | str
    scratch: str | Path | None
    precision: str
    device: str
    random_state: int | None

    # What `fit` learns.
    weights_: list[NDArray[np.float32]]
    offset_: NDArray[np.float32]  # what is taken off every row, so that the fitted ones have mean zero; zeros with Adam
    recipe_: Recipe
    embedding_: NDArray[np.float32]
    history_: History
    n_features_in_: int  # columns as they were given, before a table is encoded
    feature_names_in_: NDArray[Any]  # their names, where they have names
    encoder_: FeatureEncoder | None  # how a table became features; None for an array without names
    structure_: int | None  # the fingerprint of the graph whose structure served as features

    @abstractmethod
    def _orders(self, usual: int) -> tuple[int, ...]:
        """The hops of each level; `usual` where the user has not said how many."""

    @property
    @abstractmethod
    def _aggregation(self) -> str: ...

    @abstractmethod
    def _check_network(self) -> None: ...

    @abstractmethod
    def _make_encoder(self, n_features: int, dimension: int, generator: torch.Generator) -> Encoder: ...

    def fit(
        self: Model,
        graph: Any,
        y: object = None,
        *,
        features: Any = None,
        output: str | Path | None = None,
        callback: Callback | None = None,
        progress: Reporter | None = None,
    ) -> Model:
        """Learn the weights from a graph and its features; `embedding_` holds the nodes' vectors.

        `graph` is a `Graph`, or an adjacency with `features` beside it. `y` is ignored, and a matrix in its place refused:
        features are given by name. `callback(epoch, history)` is called
        after every epoch, and `transform` then answers with the weights of that epoch; `progress(stage, done, total)`
        replaces the progress bar. With engine="disk" the embedding is written to the .npy file `output` row by row, and
        `embedding_` is a memory map of it.
        """
        graph = as_graph(graph, features, y)
        self._check()
        if self.features == "both":
            check_both(self, graph)
            self._refuse_output(output)
            return fit_both(self, graph, progress)  # type: ignore[no-any-return]
        if self.engine == "disk":
            return self._fit_on_disk(graph, output, callback, progress)
        self._refuse_output(output)
        solver = solver_of(self)
        engine = MemoryEngine(resolve_device(self.device, type(self).__name__), self.precision)
        seeds = np.random.SeedSequence(self.random_state).generate_state(4, np.uint64)
        start_seed, negatives_seed, batches_seed, structure_seed = (int(seed) & (2**63 - 1) for seed in seeds)
        history = History()

        is_structure = self.features == "structure" or (self.features == "auto" and not graph.has_features)
        with reporting(progress) as report, naming_overflow(graph):
            if is_structure:
                with history.stage("structure"):
                    graph = with_structure(graph, structure_seed, engine.device, report)
                history.notes.append(STRUCTURE_NOTE)
            graph = self._with_features(graph)
            if not is_structure:
                history.notes.extend(_say_features(graph, type(self).__name__))
            if self.precision == "half" and sp.issparse(graph.features):
                history.notes.append("Sparse features are kept in single precision: half is for dense ones.")
            with history.stage("prepare"):
                recipe, loaded = settle(
                    graph,
                    load=lambda weighting, filter: load(graph, weighting, filter, engine),
                    choose=lambda loaded, filter, hops_of: choose_restart(graph, loaded, filter, hops_of, engine),
                    is_structure=is_structure,
                    notes=history.notes,
                    **recipe_settings(self),
                )
                degrees = neighbour_sums(graph.adjacency)
                negatives = self._make_negatives(graph, degrees, engine.device, np.random.default_rng(negatives_seed))
            task = _Task(graph, loaded, recipe, negatives, engine, history, report, is_structure)
            if solver == "spectral":
                weights, offset, embedding = self._solve(task)
            else:
                weights, offset, embedding = self._train(task, start_seed, batches_seed, callback)
        if math.isnan(history.effective_rank):
            history.effective_rank = effective_rank(embedding)
        self._keep(graph, recipe, weights, offset, is_structure)
        self.embedding_ = check_finite(embedding.cpu().numpy(), graph)
        self.history_ = history
        check_meaning(self.embedding_, graph, type(self).__name__, history.notes, is_structure=is_structure)
        return self

    def _solve(self, task: _Task) -> tuple[list[Tensor], Tensor, Tensor]:
        """The closed form."""
        history, n_features = task.history, task.graph.n_features
        is_whole = n_features * len(task.recipe.orders) <= EXACT_COLUMNS
        is_sparse = isinstance(task.loaded.features, SparseMatrix)
        history.route, history.rows = "spectral", "factors" if is_sparse and not is_whole else "smoothed"
        with history.stage("smooth"):
            levels = hold_rows(task.loaded, task.recipe.polynomials, history.rows, task.engine, task.report)
        with history.stage("spectrum"):
            closed = solve(
                levels,
                task.negatives,
                engine=task.engine,
                dimension=None if self.dimension == "auto" else self._check_dimension(n_features),
                effective_rank=task.recipe.effective_rank,
                length=task.recipe.length,
                report=task.report,
            )
        with history.stage("project"):
            Z = task.engine.project(levels, closed.weights, "mean", is_last_use=task.are_spare(levels))
            factor, offset = scale_to(Z, closed.length)
            Z = Z.mul_(factor).sub_(offset)
        history.reason = closed.route
        if is_whole and isinstance(task.negatives, CompleteNegatives):
            # All pairs' energies are the embedding's scatter, up to a factor: no row need be touched for its rank.
            history.effective_rank = closed.reached
        task.recipe.reasons.extend(closed.reasons(is_dimension_chosen=self.dimension == "auto"))
        return [matrix * factor for matrix in closed.weights], offset, Z

    def _train(
        self, task: _Task, start_seed: int, batches_seed: int, callback: Callback | None
    ) -> tuple[list[Tensor], Tensor, Tensor]:
        """The paper's loop."""
        dimension = self._check_dimension(task.graph.n_features)
        encoder = self._make_encoder(task.graph.n_features, dimension, _torch_generator(start_seed)).to(task.engine.device)

        def call_back(epoch: int, history: History) -> None:
            assert callback is not None
            # Copied: the parameters move on, what a caller keeps of this epoch must not.
            weights = [matrix.detach().clone() for matrix in encoder.matrices()]
            self._keep(task.graph, task.recipe, weights, torch.zeros(weights[0].shape[1]), task.is_structure)
            if task.is_structure:
                self.embedding_ = self._embed(task.graph)
            callback(epoch, history)

        trained = fit_encoder(
            encoder,
            task.loaded,
            task.recipe.polynomials,
            task.negatives,
            training_settings(self, task.negatives),
            engine=task.engine,
            history=task.history,
            batch_generator=_torch_generator(batches_seed),
            report=task.report,
            callback=None if callback is None else call_back,
        )
        with task.history.stage("project"):
            weights = [matrix.detach() for matrix in encoder.matrices()]
            levels = trained.levels
            embedding = task.engine.project(levels, weights, self._aggregation, is_last_use=task.are_spare(levels))
        task.history.effective_rank = trained.rank(encoder, task.negatives, embedding)
        return weights, torch.zeros(embedding.shape[1]), embedding

    def _fit_on_disk(
        self: Model, graph: Graph, output: str | Path | None, callback: Callback | None, progress: Reporter | None
    ) -> Model:
        """The same passes with the rows on disk."""
        history, cpu = History(), torch.device("cpu")
        with reporting(progress) as report, naming_overflow(graph):
            if graph.has_features:
                history.notes.extend(_say_features(graph, type(self).__name__))
            fitted = fit_on_disk(
                self,
                graph,
                output=output,
                history=history,
                report=report,
                make_negatives=lambda degrees, generator: self._make_negatives(graph, degrees, cpu, generator),
                make_encoder=lambda seed, dimension: self._make_encoder(graph.n_features, dimension, _torch_generator(seed)),
                keep=lambda recipe, weights, offset: self._keep(graph, recipe, weights, offset),
                callback=callback,
            )
        self._keep(graph, fitted.recipe, fitted.weights, fitted.offset)
        self.embedding_ = fitted.embedding
        self.history_ = history
        check_meaning(self.embedding_, graph, type(self).__name__, history.notes)
        return self

    def _keep(self, graph: Graph, recipe: Recipe, weights: list[Tensor], offset: Tensor, is_structure: bool = False) -> None:
        self.weights_ = [matrix.cpu().numpy() for matrix in weights]
        self.offset_ = offset.cpu().numpy()
        self.recipe_ = recipe
        self._know_features(None if is_structure else graph.encoder, graph.n_features)
        self.structure_ = fingerprint(graph.adjacency) if is_structure else None

    def _know_features(self, encoder: FeatureEncoder | None, n_features: int) -> None:
        """Keep the encoder, and with it what scikit-learn's estimators say of their input."""
        self.encoder_ = encoder
        names = None if encoder is None else encoder.names_in
        self.n_features_in_ = n_features if names is None else len(names)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """The names of the embedding's columns: sce0, sce1, …; `input_features` is ignored, as every one goes into all."""
        self._check_fitted("There are no columns to name yet")
        prefix = type(self).__name__.lower()
        return np.array([f"{prefix}{column}" for column in range(len(self.offset_))], dtype=object)

    def _refuse_output(self, output: object) -> None:
        if output is not None:
            raise InputError(
                f"{type(self).__name__}(engine='memory') writes no file. Use engine='disk', or write what it returns with "
                "sparsecut.write_embedding."
            )

    def explain(self) -> str:
        """What was chosen in `fit` and why, a sentence a line."""
        self._check_fitted("There is nothing to explain yet")
        lines = [f"solver {solver_of(self)}: {why_solver(self)}.", *self.recipe_.reasons]
        lines.append(f"route {self.history_.route}: {self.history_.reason}.")
        lines.extend(self.history_.notes)
        return "\n".join(line[0].upper() + line[1:] for line in lines)

    def plot(self, labels: Any = None, **options: Any) -> Any:
        """Draw a map of the fitted embedding and return matplotlib's axes; `options` are those of `sparsecut.plot`."""
        self._check_fitted("There is nothing to plot yet")
        if not hasattr(self, "embedding_"):
            raise InputError("A loaded model has no embedding of its own to plot: sparsecut.plot(model.transform(graph)).")
        import sparsecut  # the public name: pictures lie below the models in the house

        return sparsecut.plot(self.embedding_, labels, **options)

    def fit_transform(
        self,
        graph: Any,
        y: object = None,
        *,
        features: Any = None,
        output: str | Path | None = None,
        callback: Callback | None = None,
        progress: Reporter | None = None,
    ) -> NDArray[np.float32]:
        """`fit`, then the embedding of the same graph, (n, dimension)."""
        return self.fit(graph, y, features=features, output=output, callback=callback, progress=progress).embedding_

    def transform(
        self, graph: Any, *, features: Any = None, output: str | Path | None = None, progress: Reporter | None = None
    ) -> NDArray[np.float32]:
        """The embedding of any graph with the same features, without training: (n, dimension).

        A table is encoded as the one that was fitted: its columns are matched by name, numbers are scaled by the fitted
        means and deviations, a category that was not fitted is "other" (a `NewValuesWarning` counts them). With
        engine="disk" it goes to the .npy file `output`, as in `fit`.
        """
        self._check_fitted("Call fit or fit_transform first, or sparsecut.load")
        graph = as_graph(graph, features)
        if self.structure_ is not None:
            return self._recall(graph)
        graph = self._with_features(graph).encoded_by(self.encoder_)
        n_features = len(self.weights_[0])
        if graph.n_features != n_features:
            raise InputError(
                f"{type(self).__name__} was fitted with {n_features:,} features. Got a graph with {graph.n_features:,}. "
                "A graph to transform needs the same features in the same order."
            )
        if self.engine == "disk":
            with reporting(progress) as report, naming_overflow(graph):
                return transform_on_disk(self, graph, output=output, report=report)
        self._refuse_output(output)
        with naming_overflow(graph):
            embedding: NDArray[np.float32] = check_finite(self._embed(graph), graph)
            return embedding

    def _embed(self, graph: Graph) -> NDArray[np.float32]:
        """The embedding of a graph with features, by the weights as they are."""
        engine = MemoryEngine(resolve_device(self.device, type(self).__name__), self.precision)
        loaded = self.recipe_.load(graph, engine)
        # Projected first, then smoothed: the hops carry as many columns as the embedding has, not as the features.
        levels = [loaded.through(coefficients) for coefficients in self.recipe_.polynomials]
        weights = [as_tensor(matrix, engine.device) for matrix in self.weights_]
        Z = engine.project(levels, weights, self._aggregation)
        return (Z - as_tensor(self.offset_, engine.device)).cpu().numpy()

    def _recall(self, graph: Graph) -> NDArray[np.float32]:
        """The embedding of the graph whose structure served as features; no other graph has that structure."""
        is_both = self.features == "both"
        seen = fingerprint_of_both(graph) if is_both else fingerprint(graph.adjacency)
        if not hasattr(self, "embedding_") or seen != self.structure_:
            if is_both:
                raise InputError(
                    f"This {type(self).__name__} was fitted with features='both': the structure of its graph is part of the "
                    "embedding, which belongs to that graph and its features alone. Fit the new graph, or fit with "
                    "features='given' to embed other graphs."
                )
            raise InputError(
                f"This {type(self).__name__} was fitted on a graph without features: its structure took their place, and "
                "the embedding belongs to that graph alone. Fit the new graph, or give both graphs the same features."
            )
        return self.embedding_

    def save(self, path: str | Path) -> None:
        """Write the fitted model as safetensors; `sparsecut.load` reads it. The embedding itself is not stored."""
        self._check_fitted("There is nothing to save yet")
        parameters = self.get_params(deep=False)
        tensors: dict[str, NDArray[Any]] = {f"weights.{level}": matrix for level, matrix in enumerate(self.weights_)}
        tensors["offset"] = self.offset_
        if self.recipe_.weighting.columns is not None:
            tensors["column_weights"] = self.recipe_.weighting.columns
        for name in ("negatives", "apart"):
            if not isinstance(getattr(self, name), str | None):
                tensors[name] = pack_pairs(parameters.pop(name))
        parameters = {name: value.item() if isinstance(value, np.generic) else value for name, value in parameters.items()}
        parameters["scratch"] = None if self.scratch is None else str(self.scratch)
        header = {
            "estimator": type(self).__name__,
            "parameters": parameters,
            "history": self.history_.to_dict(),
            "structure": self.structure_,
            "recipe": self.recipe_.to_header(),
            "encoder": None if self.encoder_ is None else self.encoder_.to_header(),
        }
        write_model(path, header, tensors)

    def _with_features(self, graph: Graph) -> Graph:
        if not graph.has_features:
            name = type(self).__name__
            raise InputError(
                f"{name} needs node features, and the graph has none. Pass Graph(adjacency, features=...), or fit with "
                "features='auto' to use its structure."
            )
        return graph

    def _make_negatives(
        self, graph: Graph, degrees: NDArray[np.float64], device: torch.device, generator: np.random.Generator
    ) -> NegativeGraph:
        return make_negatives(
            self.negatives,
            len(degrees),
            n_negatives=self.n_negatives,
            generator=generator,
            device=device,
            caller=type(self).__name__,
            degrees=degrees,
            apart=self.apart,
            node_ids=graph.node_ids,
        )

    def _check(self) -> None:
        check_parameters(self)
        self._check_network()

    def _check_fitted(self, remedy: str) -> None:
        if not hasattr(self, "weights_"):
            raise not_fitted(self, remedy)

    def _check_dimension(self, n_features: int) -> int:
        name = type(self).__name__
        if self.dimension == "auto":
            return min(MAX_DIMENSION, n_features)
        if isinstance(self.dimension, str):
            raise parameter_error(name, "dimension", "'auto' or an integer of at least 1", self.dimension)
        dimension = check_integer(name, "dimension", self.dimension, 1)
        is_wide = self._aggregation != "mean" or solver_of(self) == "spectral"
        n_useful = n_features * (len(self._orders(1)) if is_wide else 1)
        if dimension > n_useful:
            warnings.warn(
                f"{name}(dimension={dimension}) is larger than useful: a linear map of {n_useful:,} features fills at most "
                f"{n_useful:,} dimensions. dimension='auto' takes what is useful.",
                DimensionWarning,
                stacklevel=3,
            )
        return dimension


@dataclass(frozen=True)
class _Task:
    """What both solvers work on."""

    graph: Graph
    loaded: Rows
    recipe: Recipe
    negatives: NegativeGraph
    engine: MemoryEngine
    history: History
    report: Reporter
    is_structure: bool

    def are_spare(self, levels: list[Rows]) -> bool:
        """Whether the smoothed rows are in memory of their own, not the user's features themselves."""
        return all(level.features is not self.loaded.features for level in levels)


def _say_features(graph: Graph, caller: str) -> list[str]:
    """What became of a table's columns; a column that drowns all others is worth a warning."""
    notes = [] if graph.encoder is None else list(graph.encoder.notes)
    dominant = dominant_column(graph.features)
    if dominant is not None:
        column, share = dominant
        names = getattr(graph.encoder, "names_out", graph.feature_names)
        message = (
            f"Column {column if names is None else repr(names[column])} holds {share:.2%} of the variance of the features, "
            f"so the embedding of {caller} follows it and hardly any other. Columns of unequal scale are standardised where "
            "they come as a table with names (a data frame, a file with a header, scale=True); divide those of an array by "
            "their standard deviation."
        )
        notes.append(message)
        warnings.warn(message, ScaleWarning, stacklevel=4)
    return notes


def _torch_generator(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)
