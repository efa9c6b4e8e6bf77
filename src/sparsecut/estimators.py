"""The estimators of the paper, `SCE` and `MoSCE`, and `load`, which reads them back from a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch

from sparsecut.base import SparsestCutEmbedding
from sparsecut.encoder import AGGREGATIONS, LinearEncoder, MultiOrderEncoder
from sparsecut.errors import InputError, check_choice, check_integer, parameter_error
from sparsecut.persistence import read_model
from sparsecut.training import History


class SCE(SparsestCutEmbedding):
    """Sparsest Cut network Embedding: Z = P^k F·W₁···W_l.

    Parameters
    ----------
    dimension : columns of the embedding; "auto" takes min(512, number of features).
    features : "auto" takes the graph's own, or its structure where it brings none (`sparsecut.features`); "given" insists on
        its own; "structure" passes them over.
    filter, order : the low-pass filter P ("row" is the paper's D̃⁻¹Ã, or "symmetric") and its power k ≥ 0.
    depth, widths : layers of the linear network, and the widths of its hidden layers: an integer for all, one a layer, or
        None for the dimension.
    negatives, n_negatives : "complete" (all pairs, exactly), "sampled" (`n_negatives` a node), "sparsifier", or an array of
        node pairs (m, 2), weighted (m, 3).
    loss : "inverse" (SCE), "negative" (the ablation) or "none" (a random projection).
    alpha, l2 : the weight of the loss ("auto": it starts at 1) and of the L2 penalty.
    learning_rate, epochs, batch_size : Adam's. `batch_size` None is full batch.
    route : "gram", "rows" or "auto", which prices both; `history_` says what was taken and why.
    device : "auto", "cpu", "cuda" or "cuda:1".
    random_state : the seed of the start and of the sampled negatives; None draws a new one.

    Attributes
    ----------
    embedding_ : (n, dimension) float32. weights_ : [W₁···W_l], one (f, dimension) matrix. history_ : see `History`.
    """

    paper_method = "sce"

    def __init__(
        self,
        *,
        dimension: int | str = "auto",
        features: str = "auto",
        filter: str = "row",
        order: int = 2,
        depth: int = 1,
        widths: int | Sequence[int] | None = None,
        negatives: Any = "complete",
        n_negatives: int = 5,
        loss: str = "inverse",
        alpha: float | str = "auto",
        l2: float = 0.0,
        learning_rate: float = 0.001,
        epochs: int = 20,
        batch_size: int | None = None,
        route: str = "auto",
        device: str = "auto",
        random_state: int | None = 0,
    ) -> None:
        self.dimension = dimension
        self.features = features
        self.filter = filter
        self.order = order
        self.depth = depth
        self.widths = widths
        self.negatives = negatives
        self.n_negatives = n_negatives
        self.loss = loss
        self.alpha = alpha
        self.l2 = l2
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.route = route
        self.device = device
        self.random_state = random_state

    @property
    def _orders(self) -> tuple[int, ...]:
        return (self.order,)

    @property
    def _aggregation(self) -> str:
        return "concat"  # of one level: itself

    def _check_network(self) -> None:
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

    def __init__(
        self,
        *,
        dimension: int | str = "auto",
        features: str = "auto",
        filter: str = "row",
        levels: int = 2,
        depths: int | Sequence[int] = 1,
        widths: int | Sequence[int | Sequence[int] | None] | None = None,
        aggregation: str = "mean",
        negatives: Any = "complete",
        n_negatives: int = 5,
        loss: str = "inverse",
        alpha: float | str = "auto",
        l2: float = 0.0,
        learning_rate: float = 0.001,
        epochs: int = 20,
        batch_size: int | None = None,
        route: str = "auto",
        device: str = "auto",
        random_state: int | None = 0,
    ) -> None:
        self.dimension = dimension
        self.features = features
        self.filter = filter
        self.levels = levels
        self.depths = depths
        self.widths = widths
        self.aggregation = aggregation
        self.negatives = negatives
        self.n_negatives = n_negatives
        self.loss = loss
        self.alpha = alpha
        self.l2 = l2
        self.learning_rate = learning_rate
        self.epochs = epochs
        self.batch_size = batch_size
        self.route = route
        self.device = device
        self.random_state = random_state

    @property
    def _orders(self) -> tuple[int, ...]:
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
        if "negatives" in tensors:
            parameters["negatives"] = tensors["negatives"]
        model: SparsestCutEmbedding = estimators[header["estimator"]](**parameters)
        model.history_ = History(**header["history"])
        model.n_features_in_ = int(weights[0].shape[0])
        model.structure_ = header["structure"]
    except (KeyError, TypeError, IndexError) as error:
        raise InputError(f"{path} does not hold a whole sparsecut model: {error}. Save the model again.") from error
    model.weights_ = weights
    return model
