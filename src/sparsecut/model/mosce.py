"""`MoSCE`, multi-order SCE: Z = aggregate(P F·W⁽¹⁾, …, P^k F·W⁽ᵏ⁾)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from sparsecut.base.errors import check_choice, check_integer
from sparsecut.engines import EngineChoice
from sparsecut.features.weighting import WeightingWord
from sparsecut.model.channels import FeaturesWord
from sparsecut.model.embedding_model import SparsestCutEmbedding
from sparsecut.model.solver import Solver
from sparsecut.operators.aggregation import AGGREGATIONS, Aggregation
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import Negatives


class MoSCE(SparsestCutEmbedding):
    """Multi-order SCE: the features smoothed 1, 2, … k times, each with weights of its own, joined into one vector per node.

    Parameters
    ----------
    levels : int, default=2
        k, the number of smoothing levels 1 … k, at least 1.
    aggregation : {"mean", "concat", "max"}, default="mean"
        How the levels become one: "concat" lets them share out the dimension; "concat" and "max" need solver="adam".
    filter : {"auto", "power", "symmetric", "lazy"} or a Power, Symmetric or Lazy, default="auto"
        The matrix whose powers are the levels; "auto" is "power". Their order is the level's.
    dimension, features, weighting, relations, negatives, apart, solver, engine, random_state : object
        As in `SCE`, with the same defaults.

    Attributes
    ----------
    weights_ : list of numpy.ndarray of shape (n_features, dimension)
        One matrix per level. All other attributes are those of `SCE`.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.MoSCE(levels=3).fit(sc.datasets.load("digits"))
    >>> len(model.weights_)
    3
    """

    paper_method = "mosce"

    def __init__(
        self,
        *,
        dimension: int | Literal["auto"] = "auto",
        levels: int = 2,
        aggregation: Aggregation = "mean",
        features: FeaturesWord = "auto",
        weighting: WeightingWord = "auto",
        filter: Literal["auto", "power", "symmetric", "lazy"] | Filter = "auto",
        relations: str | Mapping[Any, float] = "auto",
        negatives: str | Negatives = "complete",
        apart: Any = None,
        solver: str | Solver = "closed_form",
        engine: str | EngineChoice = "memory",
        random_state: int | None = 0,
    ) -> None:
        self.dimension = dimension
        self.levels = levels
        self.aggregation: Aggregation = aggregation
        self.features = features
        self.weighting = weighting
        self.filter = filter
        self.relations = relations
        self.negatives = negatives
        self.apart = apart
        self.solver = solver
        self.engine = engine
        self.random_state = random_state

    def _levels(self) -> tuple[int | None, Aggregation]:
        check_choice("MoSCE", "aggregation", self.aggregation, AGGREGATIONS)
        return check_integer("MoSCE", "levels", self.levels, 1), self.aggregation
