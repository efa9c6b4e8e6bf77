"""The estimators of the paper, `SCE` and `MoSCE`, and `load`, which reads them back from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch

from sparsecut.encoding import read_encoder
from sparsecut.errors import InputError, check_choice, check_integer, parameter_error
from sparsecut.graph.pairs import unpack_pairs
from sparsecut.model.base import SparsestCutEmbedding
from sparsecut.model.persistence import read_model
from sparsecut.model.recipe import read_recipe
from sparsecut.model.training import History
from sparsecut.operators.encoder import AGGREGATIONS, LinearEncoder, MultiOrderEncoder


class SCE(SparsestCutEmbedding):
    """Sparsest Cut network Embedding: Z = P^k F·W₁···W_l.

    Parameters
    ----------
    dimension : columns of the embedding; "auto" takes what holds 99.9 % of the variance, or min(512, features) with Adam.
    features : "auto" takes the graph's own, or its structure where it brings none (`features.structure`); "given" insists on
        its own; "structure" passes them over; "both" embeds each by itself and puts them side by side, structure with half
        of the features' mean square length (`sparsecut.model.both`), in closed form and for this graph alone.
    solver : "spectral", the closed form, without epochs or seed; "adam", the paper's training loop; "auto" takes Adam where
        one of its settings is given (depth, widths, loss, alpha, l2, learning_rate, epochs, batch_size, route).
    weighting : of the features, "none", "l2" or "tf-idf"; "auto" chooses by what they are (`model.recipe`), or "none"
        with Adam.
    filter, order, strength : the low-pass filter (`operators.filters`), its hops k ≥ 0, and the restart probability of
        "pagerank" or the time of "heat". "auto" is PageRank with a restart read off the graph, or, with Adam, the paper's
        "row" and two hops.
    effective_rank, length : of the closed form: the effective rank its spectrum is sharpened to, and the length its smoothed
        rows are scaled to before that.
    depth, widths : layers of the linear network, and the widths of its hidden layers: an integer for all, one a layer, or
        None for the dimension.
    negatives, n_negatives : "complete" (all pairs, exactly), "degrees" (all pairs, by the product of their degrees),
        "sampled" (`n_negatives` a node), "sparsifier", or pairs of node ids (m, 2), weighted (m, 3).
    apart : pairs of node ids that must differ, (m, 2) or weighted (m, 3), on top of the negatives; together they demand as
        much as those do. They are ids, never positions: `[("anna", "ben"), ("anna", "carl")]`. Pairs to keep close
        are edges: `sparsecut.keep_close`.
    loss : "inverse" (SCE), "negative" (the ablation) or "none" (a random projection).
    alpha, l2 : the weight of the loss ("auto": it starts at 1) and of the L2 penalty. A number counts against the energy of
        negatives that weigh as much as `n_negatives` sampled ones per node, whichever negatives are taken.
    learning_rate, epochs, batch_size : Adam's; 0.001 and 20 unless given. `batch_size` None is full batch.
    route : "gram", "rows" or "auto", which prices both; `history_` says what was taken and why.
    engine, memory_limit, scratch : "memory", or "disk" for rows that are not to be held in it: the process then stays under
        `memory_limit` ("2GiB", "500MB" or a number of bytes, the interpreter included), keeps what it has finished in a
        folder of `scratch` (by default beside the output, or where the system keeps temporary files), and, if it is killed,
        goes on from there when it is called again.
    precision : what dense features are kept and smoothed in: "single", float32, or "half", float16 with sums in float32:
        hops are faster, and each rounds to eleven bits. Weights, M and the embedding are float32 in both.
    device : "auto", "cpu", "cuda" or "cuda:1".
    random_state : the seed of the start and of the sampled negatives; None draws a new one. The same seed gives the same
        bits on the same machine with the same versions and the same number of threads (`OMP_NUM_THREADS`); with another
        number an embedding changes by some 1e-5 of its size ("Same seed, same bits" in docs/method.md).

    Attributes
    ----------
    n_features_in_, feature_names_in_ : the columns as they were given, and their names where they have names.
    encoder_ : how a table became features, kept for `transform`; None where they were an array without names.
    embedding_ : (n, dimension) float32. weights_ : [W], one (f, dimension) matrix, and offset_, taken off every row.
    history_ : see `History`. recipe_ : what was chosen; `explain()` says why.
    """

    paper_method = "sce"
    with_series = True

    def __init__(
        self,
        *,
        dimension: int | str = "auto",
        features: str = "auto",
        solver: str = "auto",
        weighting: str = "auto",
        filter: str = "auto",
        order: int | str = "auto",
        strength: float | str = "auto",
        effective_rank: float | str = "auto",
        length: float | str = "auto",
        depth: int = 1,
        widths: int | Sequence[int] | None = None,
        negatives: Any = "complete",
        n_negatives: int = 5,
        apart: Any = None,
        loss: str = "inverse",
        alpha: float | str = "auto",
        l2: float | None = None,
        learning_rate: float | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        route: str = "auto",
        engine: str = "memory",
        memory_limit: int | str = "2GiB",
        scratch: str | Path | None = None,
        precision: str = "single",
        device: str = "auto",
        random_state: int | None = 0,
    ) -> None:
        self.dimension = dimension
        self.features = features
        self.solver = solver
        self.weighting = weighting
        self.filter = filter
        self.order = order
        self.strength = strength
        self.effective_rank = effective_rank
        self.length = length
        self.depth = depth
        self.widths = widths
        self.negatives = negatives
        self.n_negatives = n_negatives
        self.apart = apart
        self.loss = loss
        self.alpha = alpha
        self.l2 = l2
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.route = route
        self.engine = engine
        self.memory_limit = memory_limit
        self.scratch = scratch
        self.precision = precision
        self.device = device
        self.random_state = random_state

    def _orders(self, usual: int) -> tuple[int, ...]:
        return (usual if isinstance(self.order, str) else int(self.order),)

    @property
    def _aggregation(self) -> str:
        return "concat"  # of one level: itself

    def _check_network(self) -> None:
        if self.order != "auto":
            check_integer("SCE", "order", self.order, 0)
        check_integer("SCE", "depth", self.depth, 1)

    def _make_encoder(self, n_features: int, dimension: int, generator: torch.Generator) -> LinearEncoder:
        hidden = _hidden_widths("SCE", self.widths, self.depth, dimension)
        return LinearEncoder([n_features, *hidden, dimension], generator)


class MoSCE(SparsestCutEmbedding):
    """Multi-order SCE: Z = aggregate(P F·W⁽¹⁾, …, P^k F·W⁽ᵏ⁾), a linear network a level.

    Parameters
    ----------
    levels : k, the number of smoothing levels 1..k.
    depths, widths : layers of each level's network and widths of its hidden layers: one for all, or one a level.
    aggregation : "concat" (the levels share out the dimension), "mean" or "max".

    All others, and the attributes, are those of `SCE`; `weights_` has one matrix a level.
    """

    paper_method = "mosce"
    with_series = False

    def __init__(
        self,
        *,
        dimension: int | str = "auto",
        features: str = "auto",
        solver: str = "auto",
        weighting: str = "auto",
        filter: str = "auto",
        strength: float | str = "auto",
        effective_rank: float | str = "auto",
        length: float | str = "auto",
        levels: int = 2,
        depths: int | Sequence[int] = 1,
        widths: int | Sequence[int | Sequence[int] | None] | None = None,
        aggregation: str = "mean",
        negatives: Any = "complete",
        n_negatives: int = 5,
        apart: Any = None,
        loss: str = "inverse",
        alpha: float | str = "auto",
        l2: float | None = None,
        learning_rate: float | None = None,
        epochs: int | None = None,
        batch_size: int | None = None,
        route: str = "auto",
        engine: str = "memory",
        memory_limit: int | str = "2GiB",
        scratch: str | Path | None = None,
        precision: str = "single",
        device: str = "auto",
        random_state: int | None = 0,
    ) -> None:
        self.dimension = dimension
        self.features = features
        self.solver = solver
        self.weighting = weighting
        self.filter = filter
        self.strength = strength
        self.effective_rank = effective_rank
        self.length = length
        self.levels = levels
        self.depths = depths
        self.widths = widths
        self.aggregation = aggregation
        self.negatives = negatives
        self.n_negatives = n_negatives
        self.apart = apart
        self.loss = loss
        self.alpha = alpha
        self.l2 = l2
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.route = route
        self.engine = engine
        self.memory_limit = memory_limit
        self.scratch = scratch
        self.precision = precision
        self.device = device
        self.random_state = random_state

    def _orders(self, usual: int) -> tuple[int, ...]:
        return tuple(range(1, self.levels + 1))

    @property
    def _aggregation(self) -> str:
        return self.aggregation

    def _check_network(self) -> None:
        check_integer("MoSCE", "levels", self.levels, 1)
        check_choice("MoSCE", "aggregation", self.aggregation, AGGREGATIONS)
        self._depth_by_level()

    def _depth_by_level(self) -> list[int]:
        return [check_integer("MoSCE", "depths", depth, 1) for depth in self._by_level("depths", self.depths)]

    def _by_level(self, name: str, value: Any) -> list[Any]:
        """A value for every level: the same one, or as many as there are levels."""
        values = list(value) if isinstance(value, Sequence) else [value] * self.levels
        if len(values) != self.levels:
            raise parameter_error("MoSCE", name, f"one for all or one for each of the {self.levels} levels", value)
        return values

    def _make_encoder(self, n_features: int, dimension: int, generator: torch.Generator) -> MultiOrderEncoder:
        dimensions = [dimension] * self.levels
        if self.aggregation == "concat":
            if dimension < self.levels:
                raise InputError(f"MoSCE needs a dimension for each of its {self.levels} levels to concat. Got {dimension}.")
            share, rest = divmod(dimension, self.levels)
            dimensions = [share + (level < rest) for level in range(self.levels)]
        widths = [
            [n_features, *_hidden_widths("MoSCE", hidden, depth, level_dimension), level_dimension]
            for hidden, depth, level_dimension in zip(
                self._by_level("widths", self.widths), self._depth_by_level(), dimensions, strict=True
            )
        ]
        return MultiOrderEncoder(widths, self.aggregation, generator)


def _hidden_widths(caller: str, widths: int | Sequence[int] | None, depth: int, dimension: int) -> list[int]:
    """The widths of the depth − 1 hidden layers of a network that ends in `dimension` columns."""
    if widths is None:
        return [dimension] * (depth - 1)
    hidden = list(widths) if isinstance(widths, Sequence) else [widths] * (depth - 1)
    if len(hidden) != depth - 1:
        raise parameter_error(caller, "widths", f"one for all or one for each of the {depth - 1} hidden layers", widths)
    return [check_integer(caller, "widths", width, 1) for width in hidden]


def load(path: str | Path) -> SparsestCutEmbedding:
    """Read a model that `save` wrote."""
    header, tensors = read_model(path)
    estimators = {"SCE": SCE, "MoSCE": MoSCE}
    weights = [tensors[f"weights.{level}"] for level in range(sum(name.startswith("weights.") for name in tensors))]
    try:
        parameters = dict(header["parameters"])
        parameters |= {name: unpack_pairs(tensors[name]) for name in ("negatives", "apart") if name in tensors}
        model: SparsestCutEmbedding = estimators[header["estimator"]](**parameters)
        model.history_ = History(**header["history"])
        model._know_features(read_encoder(header["encoder"]), len(weights[0]))
        model.structure_ = header["structure"]
        model.offset_ = tensors.get("offset", np.zeros(weights[0].shape[1], dtype=np.float32))
        model.recipe_ = read_recipe(header["recipe"], tensors.get("column_weights"))
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{path} does not hold a whole sparsecut model: {error}. Save the model again.") from error
    model.weights_ = weights
    return model
