"""What `SCE` and `MoSCE` share: everything but the number of levels.

S = Σ c_k P^k F                   weigh and smooth the features           features, operators.filters, engines
M = Sᵀ L_H S                      what the negative graph H asks of S     operators.negatives, engines
W = V·g(Λ), M = V Λ Vᵀ            the closed form, or …                   model.closed_form
W ← Adam on α/tr(Wᵀ M W)          … a few epochs of the linear network    model.adam
Z = S·W                           the embedding                           engines
"""

from __future__ import annotations

import secrets
from abc import abstractmethod
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, ClassVar, TypeVar

import numpy as np
import torch
from numpy.typing import NDArray

import sparsecut.engines.memory_choice
import sparsecut.model.closed_form  # noqa: F401  the estimators' defaults, which they name by words
from sparsecut.base.errors import InputError, check_choice, check_integer
from sparsecut.base.estimator import Estimator, not_fitted
from sparsecut.base.notebook import Lines
from sparsecut.base.progress import Reporter
from sparsecut.engines import EngineChoice
from sparsecut.features.type_encoders import Encoder as FeatureEncoder
from sparsecut.features.weighting import WEIGHTINGS
from sparsecut.graph import Graph, as_graph, place_values
from sparsecut.graph.graph_kind import GraphKind, with_relations
from sparsecut.io.files import check_writable
from sparsecut.model.auto.constants import CONSTANTS, Constants
from sparsecut.model.auto.relation_choice import check_relations
from sparsecut.model.channels import FEATURES, check_channels
from sparsecut.model.explanation import say_choices, say_details
from sparsecut.model.fit import Fitted, embed, fit, require_features
from sparsecut.model.graph_columns import GraphColumns
from sparsecut.model.history import History
from sparsecut.model.kept_choices import choices_of, keep_reasons, with_choices
from sparsecut.model.persistence import stored_parameters, write_fitted, write_owed
from sparsecut.model.published import from_paper
from sparsecut.model.settings import Settings, check_aggregation, check_dimension
from sparsecut.model.solver import Solver
from sparsecut.operators.aggregation import Aggregation, Projection
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import Negatives
from sparsecut.operators.recipe import Recipe
from sparsecut.updates.resuming import Replayed
from sparsecut.updates.update_log import UpdateLog, log_path, refuse_followed
from sparsecut.updates.updating import Updating

Model = TypeVar("Model", bound="SparsestCutEmbedding")
Callback = Callable[[int, History], None]


class SparsestCutEmbedding(Updating, Estimator):
    """Follows scikit-learn: the constructor stores its arguments untouched, `fit` checks, what was learned ends in `_`."""

    kinds: ClassVar = {"filter": Filter, "negatives": Negatives, "solver": Solver, "engine": EngineChoice}

    paper_method: ClassVar[str]

    constants: ClassVar[Constants] = CONSTANTS
    """What "auto" goes by; a subclass may bring others."""

    # What the constructors of the two estimators store.
    dimension: Any
    features: Any
    weighting: Any
    filter: Any
    relations: Any
    negatives: Any
    apart: Any
    solver: Any
    engine: Any
    random_state: int | None

    # What `fit` learns.
    weights_: list[NDArray[np.float32]]
    offset_: NDArray[np.float32]  # what is taken off every row, so that the fitted ones have mean zero; zeros with Adam
    recipe_: Recipe
    history_: History
    n_features_in_: int  # columns as they were given, before a table is encoded
    feature_names_in_: NDArray[Any]  # their names, where they have names
    encoder_: FeatureEncoder | None  # how a table became features; None for an array without names
    kind_: GraphKind | None = None  # whether the fitted graph had directions and weights; an older file does not say
    columns_: GraphColumns  # what is kept of the graph itself: places by node id, the scale of roles
    _near: Any = None  # what `why` has read of the graph

    @classmethod
    def paper(cls: type[Model], dataset: str, **parameters: Any) -> Model:
        """The estimator with the settings of the paper's tables for one of their datasets.

        Parameters
        ----------
        dataset : str
            One that the paper has, such as "cora".
        **parameters
            Set on top of them, as by `set_params`: `random_state=1`, `solver__epochs=50`.

        Returns
        -------
        SCE or MoSCE
            Not fitted.
        """
        model: Model = from_paper(cls, dataset, **parameters)
        return model

    @abstractmethod
    def _levels(self) -> tuple[int | None, Aggregation]:
        """The number of levels, None for one level of any filter, and the aggregation over them; checked."""

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

        Parameters
        ----------
        graph : Graph, or an adjacency with `features` beside it
            The graph to embed.
        y : None
            Ignored; a matrix in its place is refused, since features are given by name.
        features : array, sparse matrix or data frame, optional
            The node features, where `graph` is an adjacency.
        output : str or Path, optional
            An .npy file that the embedding is written to row by row, with engine="disk"; `embedding_` is a memory map of it.
            "torch" leaves the embedding where it was computed, as a tensor, on a GPU for instance.
        callback : callable, optional
            Called as `callback(epoch, history)` after every epoch; `transform` then answers with the weights of that epoch.
        progress : callable, optional
            Called as `progress(stage, done, total)` in place of the progress bar.

        Returns
        -------
        SCE or MoSCE
            Itself, fitted.
        """
        graph = as_graph(graph, features, y)
        settings = self._settings()
        settings.check_channels(graph)

        def on_epoch(epoch: int, fitted: Fitted) -> None:
            assert callback is not None
            self._keep(fitted)
            callback(epoch, fitted.history)

        fitted = fit(settings, graph, output=output, on_epoch=None if callback is None else on_epoch, progress=progress)
        self._take(fitted)
        return self

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
        """`fit`, then the embedding of the same graph.

        Parameters
        ----------
        graph, y, features, output, callback, progress : object
            As in `fit`.

        Returns
        -------
        numpy.ndarray of shape (n_nodes, dimension)
            One vector per node, float32.
        """
        return self.fit(graph, y, features=features, output=output, callback=callback, progress=progress).embedding_

    def transform(
        self, graph: Any, *, features: Any = None, output: str | Path | None = None, progress: Reporter | None = None
    ) -> NDArray[np.float32]:
        """The embedding of any graph with the same features, without training.

        A table is encoded as the one that was fitted: its columns are matched by name, numbers are scaled by the fitted
        means and deviations, a category that was not fitted is "other" (a `NewValuesWarning` counts them). Edges have
        directions where those of the fitted graph had them; weights on one side only give an `OtherWeightsWarning`.

        Parameters
        ----------
        graph : Graph, or an adjacency with `features` beside it
            Its nodes may all be new.
        features : array, sparse matrix or data frame, optional
            The node features, where `graph` is an adjacency.
        output : str or Path, optional
            An .npy file to write to, with engine="disk"; "torch" returns a tensor, as in `fit`.
        progress : callable, optional
            Called as `progress(stage, done, total)` in place of the progress bar.

        Returns
        -------
        numpy.ndarray of shape (n_nodes, dimension)
            One vector per node, float32.
        """
        self._check_fitted("Call fit or fit_transform first, or sparsecut.load")
        graph = as_graph(graph, features)
        if self.kind_ is not None:
            graph = self.kind_.weighed(graph, type(self).__name__)
            self.kind_.check(graph, type(self).__name__)
        if "features" in self.recipe_.sources:
            graph = self._encoded(graph)
        return self._embed(graph, output, progress)

    def _encoded(self, graph: Graph) -> Graph:
        """The graph with its features encoded as those that were fitted."""
        require_features(graph, type(self).__name__)
        graph = graph.encoded_by(self.encoder_)
        if graph.n_features != self._n_encoded:
            raise InputError(
                f"{type(self).__name__} was fitted with {self._n_encoded:,} features. Got a graph with "
                f"{graph.n_features:,}. A graph to transform needs the same features in the same order."
            )
        return graph

    def check_parameters(self) -> None:
        """Raise where a parameter breaks its rule, as `fit` does first: for callers with a long file to read.

        Raises
        ------
        InputError
            With the rule, what was got and the remedy.
        """
        self._settings()

    def explain(self, *, details: bool = False) -> Lines:
        """Say what `fit` chose for the graph, by which evidence, and what to set to choose otherwise.

        Parameters
        ----------
        details : bool, default=False
            Whether to add how it was computed: all figures of the evidence, the sharpness of the spectrum, the route, the
            seconds of each stage, and what the engine did.

        Returns
        -------
        str
            One choice or note per line; a prompt and a notebook show it as lines.

        Examples
        --------
        >>> import sparsecut as sc
        >>> sc.SCE(filter=sc.Power(order=1)).fit(sc.datasets.load("digits")).explain().splitlines()[1]
        'Features are averaged over neighbours (Power, 1 hop), as requested.'
        """
        self._check_fitted("There is nothing to explain yet")
        lines = [*say_choices(self.recipe_), *self.history_.notes]
        if details:
            lines += say_details(self._choice("solver"), self.recipe_, self.history_)
        return Lines("\n".join(lines))

    @property
    def channels_(self) -> dict[str, slice]:
        """The columns of each channel of the embedding, by its name; one entry where there is one channel."""
        self._check_fitted("There are no channels yet")
        names, widths = list(self.recipe_.channels), [matrix.shape[1] for matrix in self.weights_]
        if self.recipe_.aggregation != "concat" or len(names) != len(widths):
            return {names[0] if len(names) == 1 else "all": slice(0, self.offset_.shape[-1])}
        ends = np.cumsum(widths).tolist()
        return {name: slice(end - width, end) for name, width, end in zip(names, widths, ends, strict=True)}

    def get_feature_names_out(self, input_features: object = None) -> NDArray[Any]:
        """The names of the embedding's columns.

        Parameters
        ----------
        input_features : None
            Ignored: every feature goes into all columns of a channel.

        Returns
        -------
        numpy.ndarray of str
            The class's name in small letters and a number: sce0, sce1, …; with the channel between them where there are
            several: sce_smoothed0, sce_structure0, sce_roles0.
        """
        self._check_fitted("There are no columns to name yet")
        if len(self.channels_) == 1:
            return super().get_feature_names_out()
        name = type(self).__name__.lower()
        columns = [(channel, part.stop - part.start) for channel, part in self.channels_.items()]
        return np.array([f"{name}_{channel}{number}" for channel, width in columns for number in range(width)], dtype=object)

    def _n_columns(self) -> int:
        self._check_fitted("There are no columns to name yet")
        return int(self.offset_.shape[-1])

    def why(self, node: Any, other: Any = None, *, k: int | None = None) -> Any:
        """Say why two nodes are near: the parts of z_u·z_v by channel, feature, source node and neighbour, which add up.

        The first call reads the whole graph once, for the mean row; later ones read the rows around the two nodes.

        Parameters
        ----------
        node : id
            A node of the graph that was fitted, as updates have left it.
        other : id or list of ids, optional
            The node or nodes it is compared with. Without it, and without `k`, what made the node's own vector.
        k : int, optional
            In place of `other`: its k nearest nodes by cosine.

        Returns
        -------
        Why, or list of Why
            One for each other node where there are several. `print` shows it in plain words, `to_frame` all of it.

        See Also
        --------
        sparsecut.Nearness : The same for a graph and vectors that a loaded model does not hold.

        Examples
        --------
        >>> import sparsecut as sc
        >>> model = sc.SCE(features="given").fit(sc.datasets.load("digits"))
        >>> found = model.why(0, 877)
        >>> sorted(found.channels)
        ['smoothed']
        >>> [reason.nodes for reason in model.why(0, k=2)][0][0]
        0
        """
        self._check_fitted("There is nothing to explain yet")
        import sparsecut  # the public name: links lie below the models in the house

        if not hasattr(self, "embedding_"):
            raise InputError(
                f"This {type(self).__name__} holds no graph: it was loaded without a state. Use sparsecut.Nearness(model, "
                "graph).why(…)."
            )
        if self._near is None or self._near[0] is not self.embedding_:  # fitted or updated since
            self._near = self.embedding_, sparsecut.Nearness(self)
        return self._near[1].why(node, other, k=k)

    def plot(self, labels: Any = None, **options: Any) -> Any:
        """Draw a projection of the fitted embedding.

        Parameters
        ----------
        labels : array or series, optional
            Colours the nodes. A series is matched to the nodes by its index.
        **options
            Those of `sparsecut.plot`.

        Returns
        -------
        matplotlib.axes.Axes
            The drawing.
        """
        self._check_fitted("There is nothing to plot yet")
        if not hasattr(self, "embedding_"):
            raise InputError("A loaded model has no embedding of its own to plot: sparsecut.plot(model.transform(graph)).")
        labels = None if labels is None else place_values(labels, self.graph_.node_ids, len(self.embedding_))
        import sparsecut  # the public name: pictures lie below the models in the house

        return sparsecut.plot(self.embedding_, labels, **options)

    def save(self, path: str | Path, *, with_state: bool = False, overwrite: bool = False) -> None:
        """Write the fitted model as safetensors; `sparsecut.load` reads it.

        Parameters
        ----------
        path : str or Path
            The file to write, usually .safetensors; it is whole or absent.
        with_state : bool, default=False
            Whether to store the graph, its features and the hops too, so that `update` goes on after `sparsecut.load`. The
            file is then about as large as the features and the hops of the embedding's columns.
        overwrite : bool, default=False
            Whether to replace a file that exists. The file that a model was loaded from with `in_place=True` is its own.

        Raises
        ------
        InputError
            Where the file exists and `overwrite` is not set, or it cannot be written.
        """
        self._check_fitted("There is nothing to save yet")
        if self._log is not None and Path(path).absolute() == self._log.path.absolute():
            self._checkpoint()
            return
        check_writable(path, overwrite)
        refuse_followed(path)
        write_fitted(self, path, secrets.token_bytes(16) if with_state else None, overwrite=overwrite)
        # Of an earlier model of this name, which a full disk has kept till now; its records have another key.
        log_path(path).unlink(missing_ok=True)

    def _checkpoint(self) -> None:
        """Take the log into the model's file: the file first, for its records are passed over once it holds them."""
        assert self._log is not None
        number, self._log.lacks_hops = self._log.number, self._state is None
        if self._owed is not None:
            write_owed(self, self._owed, self._log.path, self._log.key, number)
            self._log.clear()
            return
        if self._state is not None:
            self._state.n_batches = number
        write_fitted(self, self._log.path, self._log.key, overwrite=True, number=number if self._state is None else None)
        self._log.clear()

    def _follow_log(self, path: str | Path, key: bytes, number: int) -> None:
        """Write every update to the log of a file from now on, once those behind a number have been made."""
        log = UpdateLog(path, key)
        log.lacks_hops = self._state is None
        self._replayed = Replayed(self._position, self._renewed_at)
        for changes, tolerance, position in log.replay(number):
            state = self._live()
            self._position = position or self._position
            self._embedding = self._graph = None
            self._replayed.add(self._position, self._renewed(state.apply(state.check(changes), tolerance)))
            self._follow_kind(changes)
        self._log = log

    def _settings(self) -> Settings:
        """The parameters, checked, with an object for every choice."""
        name = type(self).__name__
        check_choice(name, "features", self.features, FEATURES)
        check_choice(name, "weighting", self.weighting, ("auto", *WEIGHTINGS))
        if self.random_state is not None:
            check_integer(name, "random_state", self.random_state, 0)
        n_levels, aggregation = self._levels()
        chosen = {key: self._choice(key) for key in self.kinds}
        if n_levels is not None:
            check_aggregation(name, chosen["solver"], aggregation)
            if chosen["filter"] is not None:
                chosen["filter"].at_levels(n_levels, name)
        parameters, arrays = stored_parameters(self)
        del parameters["engine"]
        return Settings(
            caller=name,
            dimension=check_dimension(name, self.dimension),
            features=self.features,
            weighting=self.weighting,
            filter=chosen["filter"],
            channels=check_channels(name, getattr(self, "channels", "auto")),
            relations=check_relations(name, self.relations),
            n_levels=n_levels,
            aggregation=aggregation,
            negatives=chosen["negatives"],
            apart=self.apart,
            solver=chosen["solver"],
            engine=chosen["engine"],
            random_state=self.random_state,
            parameters={"estimator": name, **parameters, **arrays},
            constants=self.constants,
        )

    def _choice(self, name: str) -> Any:
        """The object of a parameter that holds a choice; None for filter="auto"."""
        value = getattr(self, name)
        if name == "filter" and isinstance(value, str) and value == "auto":
            return None
        if name == "filter":
            return Filter.of(value, type(self).__name__, name, besides=("auto",))
        if name == "negatives" and not isinstance(value, str | Negatives):
            raise InputError(f"Pairs to keep apart are given as an object: negatives=sparsecut.Pairs(…). Got {value!r}.")
        return super()._choice(name)

    def _settings_of(self, graph: Graph) -> Settings:
        """The settings for the graph of this model, whose types of edges may be added up already, as was requested."""
        settings = self._settings()
        is_added_up = graph.relations is not None and not graph.relations.matrices
        return replace(settings, relations=None) if is_added_up else settings

    def _fit_again(self, graph: Graph, *, dimension: int | None, progress: Reporter | None) -> None:
        """Fit the graph of this model as it is now, with so many columns where they are given."""
        graph = with_relations(graph)
        settings = self._settings_of(graph)
        if dimension is not None:
            settings = settings.with_dimension(dimension)
        self._take(fit(settings, graph, output=None, on_epoch=None, progress=progress))

    def _fit_kept(self, graph: Graph, recipe: Recipe, n_columns: int, *, progress: Reporter | None) -> None:
        """Fit a graph with what was chosen before: weighting, filter, channels and the number of columns."""
        graph = with_relations(graph)
        settings = with_choices(self._settings_of(graph), recipe, n_columns)
        fitted = fit(settings, graph, output=None, on_epoch=None, progress=progress)
        self._take(replace(fitted, recipe=keep_reasons(fitted.recipe, recipe.reasons)))

    def _owe_fit(self, graph: Graph, notes: list[str]) -> None:
        """Owe the fit of a graph with what was chosen before."""
        from sparsecut.updates.owed_fit import OwedFit, owe

        owed, kind = self._owed, self.kind_
        if owed is None:
            owed = OwedFit(choices_of(self.recipe_), self.offset_.shape[-1])
        is_known = kind is not None and not kind.is_weighted  # a part of a graph without weights has none
        owe(self, graph, OwedFit(owed.recipe, owed.n_columns, [*owed.notes, *notes]))
        self.kind_ = replace(kind, clock=graph.clock) if kind is not None and is_known else GraphKind.of(graph)

    def _take(self, fitted: Fitted) -> None:
        """Become what was fitted."""
        self._drop_state()
        self._keep(fitted)
        assert fitted.embedding is not None
        self.embedding_ = fitted.embedding
        self.history_ = fitted.history
        self._graph = fitted.graph

    def _keep(self, fitted: Fitted) -> None:
        self.kind_ = GraphKind.of(fitted.graph)
        projection = fitted.projection
        self.weights_ = [matrix.cpu().numpy() for matrix in projection.weights]
        self.offset_ = (torch.zeros(projection.dimension) if projection.offset is None else projection.offset).cpu().numpy()
        self.recipe_ = fitted.recipe
        self.columns_ = fitted.columns
        with_features = "features" in fitted.recipe.sources
        self._know_features(fitted.graph.encoder if with_features else None, fitted.graph.n_features if with_features else 0)

    def _know_features(self, encoder: FeatureEncoder | None, n_features: int) -> None:
        """Keep the encoder, and with it what scikit-learn's estimators say of their input."""
        self.encoder_ = encoder
        names = None if encoder is None else encoder.names_in
        self.n_features_in_ = n_features if names is None else len(names)
        if names is not None:
            self.feature_names_in_ = np.array(names, dtype=object)
        elif hasattr(self, "feature_names_in_"):
            del self.feature_names_in_

    def _embed(self, graph: Graph, output: str | Path | None, progress: Reporter | None) -> NDArray[np.float32]:
        """The embedding of a graph with features, by the weights as they are."""
        weights = tuple(torch.from_numpy(np.array(matrix)) for matrix in self.weights_)
        projection = Projection(weights, self.recipe_.aggregation, torch.from_numpy(np.array(self.offset_)))
        engine, caller = self._choice("engine"), type(self).__name__
        return embed(engine, graph, self.recipe_, projection, self.columns_, caller=caller, output=output, progress=progress)

    def _check_fitted(self, remedy: str) -> None:
        if not hasattr(self, "weights_"):
            raise not_fitted(self, remedy)
