"""What a solver is given: the rows of a channel at their engine, their moments, and products with them.

A problem smooths its rows and computes their moments when its solver asks for them, for a solver may first reduce the number
of columns (`narrow`), or work through products and need no moments at all.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor

from sparsecut.base.progress import Reporter
from sparsecut.engines.contract import Engine, Moments
from sparsecut.kernels.polynomials import Polynomial, is_power, power
from sparsecut.model.auto.narrowing import Narrowed, narrow, narrow_by_products
from sparsecut.model.history import History
from sparsecut.model.settings import Settings
from sparsecut.model.type_means import TypeMeans, pairs_weight
from sparsecut.operators.aggregation import Aggregation, Projection
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import NegativeGraph, complete_graph, with_demands
from sparsecut.operators.recipe import source_of


@dataclass(frozen=True)
class Channel:
    """Rows that are solved by themselves, and the filter of each of their levels."""

    name: str
    n_features: int
    rows: Any  # of the engine, no hop taken yet
    filters: tuple[Filter, ...]
    is_sparse: bool = False  # the features are a sparse matrix
    is_sharpened: bool = False  # the features come with a sharpened spectrum: structure

    @property
    def is_role(self) -> bool:
        """Whether the columns are counts: who is unfriendly to whom then says who they are, not that they differ."""
        return source_of(self.name) == "roles"


@dataclass(frozen=True)
class Fitting:
    """What the problems of one fit share."""

    settings: Settings
    engine: Engine[Any]
    negatives: NegativeGraph
    dimension: int | None  # columns of the embedding; None leaves them to a solver that chooses them
    seeds: tuple[int, int]  # of the weights' start, and of the order of mini-batches
    history: History
    report: Reporter
    on_epoch: Callable[[int, Projection], None] | None = None
    n_channels: int = 1
    types: Any = None  # the rows of `TypeColumns`, of a graph with types
    demands: Any = None  # the edges of a signed graph that ask for distance


class Problem:
    """What a solver is given. The rows stay with the engine: a solver asks for moments, or for products with them.

    Attributes
    ----------
    dimension : int or None
        Columns of the embedding; None leaves it to a solver that chooses it.
    n_columns : int or None
        Columns to keep where the dimension is left to the solver and an earlier fit has chosen their number.
    aggregation : {"concat", "mean", "max"}
        How the embeddings of several levels become one.
    widths : tuple of int
        The features of each level.
    seeds : tuple of int
        Of the weights' start, and of the order of mini-batches.
    """

    def __init__(self, fitting: Fitting, channel: Channel) -> None:
        settings = fitting.settings
        self.engine = fitting.engine
        self.rows = channel.rows  # no hop taken yet
        self.polynomials = tuple(filter.coefficients() for filter in channel.filters)
        self.widths = (channel.n_features,) * len(self.polynomials)
        self.negatives = fitting.negatives
        if fitting.demands is not None and not channel.is_role:
            self.negatives = with_demands(self.negatives, fitting.demands)
        self.dimension = fitting.dimension
        self.n_columns = settings.n_columns if fitting.dimension is None and fitting.n_channels == 1 else None
        self.aggregation: Aggregation = settings.aggregation
        self.constants = settings.constants
        self.is_sharpened = channel.is_sharpened
        self.is_sparse = channel.is_sparse
        self.name = channel.name
        self.seeds = fitting.seeds
        self.history = fitting.history
        self.report = fitting.report
        self.on_epoch = fitting.on_epoch
        self.types = None if channel.is_sharpened else fitting.types  # structure comes centred
        self.narrowed: Narrowed | None = None
        self._type_means: TypeMeans | None = None
        self._levels: list[Any] | None = None
        self._moments: dict[tuple[int, ...], Moments] = {}

    def narrow(self, n_kept: int, effective_rank: float, *, by_products: bool) -> None:
        """Go on with fewer columns where that pays: `widths` and weights are then of those columns."""
        if len(self.polynomials) > 1 or self.is_sparse != by_products:
            return
        given = self.engine, self.rows, self.widths[0], self.polynomials[0], n_kept
        cost = self.constants.narrowing_cost
        with self.history.stage("smooth"):
            if by_products:
                self.narrowed = narrow_by_products(*given, self.negatives, cost, key=self.name)
            else:
                fewest = self.dimension or 0
                self.narrowed = narrow(*given, cost, key=self.name, n_least=fewest, effective_rank=effective_rank)
        if self.narrowed is not None:
            self.rows, self.widths = self.narrowed.rows, (self.narrowed.basis.shape[1],)

    def widened(self, weights: Tensor) -> Tensor:
        """The weights of all features, from those of the columns that a level has."""
        return weights if self.narrowed is None else self.narrowed.basis @ weights

    def smooth(self, *, lazily: bool = False) -> list[Any]:
        """The rows of each level; `lazily` the hops are taken in each product. They are the same from then on."""
        with self.history.stage("smooth"):
            self._levels = smooth_levels(self.engine, self.rows, self.polynomials, lazily=lazily)
        return self._levels

    @property
    def levels(self) -> list[Any]:
        return self._levels if self._levels is not None else self.smooth()

    def moments(self, levels: Sequence[int] | None = None) -> Moments:
        """M, mean and scatter of some levels side by side, or of all; each is computed once."""
        group = tuple(range(len(self.widths))) if levels is None else tuple(levels)
        if group not in self._moments:
            rows = [self.levels[level] for level in group]
            with self.history.stage("gram"):
                moments = self.engine.moments(rows, self.negatives)
                self._moments[group] = moments if self.types is None else self._within_types(moments, rows)
        return self._moments[group]

    def type_means(self) -> TypeMeans:
        """The means of the levels' rows by the type of their node."""
        if self._type_means is None:
            self._type_means = TypeMeans.of(self.engine, self.levels, self.types, self.engine.graph)
        return self._type_means

    def _within_types(self, moments: Moments, rows: Sequence[Any]) -> Moments:
        """Moments of rows that are centred by type; the mean stays that of all."""
        is_all = len(rows) == len(self.widths)
        means = self.type_means() if is_all else TypeMeans.of(self.engine, rows, self.types, self.engine.graph)
        between = means.between()
        scatter = None if moments.scatter is None else moments.scatter - between
        return Moments(moments.M - pairs_weight(self.negatives) * between, moments.mean, scatter, moments.n_rows)

    def gram_product(self, W: Tensor) -> Tensor:
        """M·W by two products with the rows: M is not built."""
        product = gram_product(self.engine, self.levels, W, self.negatives)
        if self.types is None:
            return product
        return product - (pairs_weight(self.negatives) * self.type_means().between_times(W)).to(product.dtype)

    @property
    def known_moments(self) -> Moments | None:
        """The moments of all levels, where they have been computed."""
        return self._moments.get(tuple(range(len(self.widths))))

    def embedding_moments(self, projection: Projection) -> tuple[Tensor, Tensor]:
        """The mean (d,) and the scatter (d, d) of S·W: from those of S where they are known, or else from S·W itself."""
        known, W = self.known_moments, projection.whole()
        if known is not None and known.scatter is not None:
            W = W.double()
            return known.mean @ W, W.T @ known.scatter @ W
        image = self.engine.multiply(self.levels, W)
        moments = self.engine.moments([image], complete_graph(self.negatives.n_nodes))
        assert moments.scatter is not None
        if self.types is None:
            return moments.mean, moments.scatter
        return moments.mean, moments.scatter - W.T.double() @ self.type_means().between_times(W)

    def trace(self, image: Any) -> float:
        """tr(M) of rows of the engine that are not smoothed further."""
        M = self.engine.moments([image], self.negatives).M
        if self.types is not None:
            M = (
                M
                - pairs_weight(self.negatives) * TypeMeans.of(self.engine, [image], self.types, self.engine.graph).between()
            )
        return float(M.trace())

    def split(self, W: Tensor) -> tuple[Tensor, ...]:
        """The parts of W = [W⁽¹⁾; …; W⁽ᵏ⁾] that belong to the levels."""
        return tuple(torch.split(W, list(self.widths)))


def smooth_levels(engine: Engine[Any], rows: Any, polynomials: Sequence[Polynomial], *, lazily: bool) -> list[Any]:
    """The rows of each level; powers go on from the level before."""
    levels = []
    reached, n_hops = rows, 0
    for polynomial in polynomials:
        order = len(polynomial) - 1
        if not lazily and is_power(polynomial) and order >= n_hops:
            reached, n_hops = engine.smooth(reached, power(order - n_hops)), order
            levels.append(reached)
        else:
            levels.append(engine.smooth(rows, polynomial, lazily=lazily))
    return levels


def gram_product(engine: Engine[Any], levels: Sequence[Any], W: Tensor, negatives: NegativeGraph) -> Tensor:
    """M·W by two products with the rows: M is not built."""
    return engine.transpose_multiply(levels, engine.multiply(levels, W), negatives)
