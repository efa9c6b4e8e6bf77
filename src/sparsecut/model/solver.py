"""What a solver is: it finds the weights W from the moments of the smoothed rows, and touches no row itself."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import torch
from torch import Tensor

from sparsecut.base.choice import Choice
from sparsecut.base.progress import Reporter
from sparsecut.engines.contract import Engine, Moments
from sparsecut.kernels.polynomials import Polynomial, is_power, power
from sparsecut.model.auto.constants import CONSTANTS, Constants
from sparsecut.model.auto.narrowing import Narrowed, narrow, narrow_by_products
from sparsecut.model.history import History
from sparsecut.operators.aggregation import Aggregation, Projection
from sparsecut.operators.negatives import NegativeGraph, complete_graph
from sparsecut.operators.reason import Reason


@dataclass(frozen=True)
class Solution:
    """What a solver finds.

    Parameters
    ----------
    projection : Projection
        W for every level, how the levels become one, and the offset.
    reasons : tuple of str, optional
        Sentences for `explain()`, one for each choice that the solver made.
    scatter : torch.Tensor of shape (dimension, dimension), optional
        That of the embedding, where the solver knows it: it will not be computed again.

    Examples
    --------
    >>> import sparsecut as sc, torch
    >>> found = sc.Solution(sc.Projection((torch.eye(3),), "mean"), ("the features as they are.",))
    """

    projection: Projection
    reasons: tuple[Reason | str, ...] = ()
    scatter: Tensor | None = None


class Problem:
    """What a solver is given. The rows stay with the engine: a solver asks for moments, or for products with them.

    Attributes
    ----------
    dimension : int or None
        Columns of the embedding; None leaves it to a solver that chooses it.
    aggregation : {"concat", "mean", "max"}
        How the embeddings of several levels become one.
    widths : tuple of int
        The features of each level.
    seeds : tuple of int
        Of the weights' start, and of the order of mini-batches.
    """

    def __init__(
        self,
        *,
        engine: Engine[Any],
        rows: Any,
        polynomials: tuple[Polynomial, ...],
        n_features: int,
        negatives: NegativeGraph,
        dimension: int | None,
        aggregation: Aggregation,
        is_sharpened: bool,
        is_sparse: bool,
        seeds: tuple[int, int],
        history: History,
        report: Reporter,
        on_epoch: Callable[[int, Projection], None] | None,
        name: str = "",
        constants: Constants = CONSTANTS,
    ) -> None:
        self.engine = engine
        self.rows = rows  # no hop taken yet
        self.polynomials = polynomials
        self.widths = (n_features,) * len(polynomials)
        self.negatives = negatives
        self.dimension = dimension
        self.aggregation: Aggregation = aggregation
        self.is_sharpened = is_sharpened  # the features come with a sharpened spectrum: structure
        self.is_sparse = is_sparse  # the features are a sparse matrix
        self.seeds = seeds
        self.history = history
        self.report = report
        self.on_epoch = on_epoch
        self.name = name  # of the channel
        self.constants = constants
        self.narrowed: Narrowed | None = None
        self._levels: list[Any] | None = None
        self._moments: dict[tuple[int, ...], Moments] = {}

    def narrow(self, n_kept: int, *, by_products: bool) -> None:
        """Go on with fewer columns where that pays: `widths` and weights are then of those columns."""
        if len(self.polynomials) > 1 or self.is_sparse != by_products:
            return
        given = self.engine, self.rows, self.widths[0], self.polynomials[0], n_kept
        cost = self.constants.narrowing_cost
        with self.history.stage("smooth"):
            if by_products:
                self.narrowed = narrow_by_products(*given, self.negatives, cost, key=self.name)
            else:
                self.narrowed = narrow(*given, cost, key=self.name)
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
                self._moments[group] = self.engine.moments(rows, self.negatives)
        return self._moments[group]

    @property
    def known_moments(self) -> Moments | None:
        """Those of all levels, where they have been computed."""
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
        return moments.mean, moments.scatter

    def split(self, W: Tensor) -> tuple[Tensor, ...]:
        """The parts of W = [W⁽¹⁾; …; W⁽ᵏ⁾] that belong to the levels."""
        return tuple(torch.split(W, list(self.widths)))


class Solver(Choice):
    """Finds the weights. A subclass says how in `solve`.

    Examples
    --------
    >>> import sparsecut as sc
    >>> import torch
    >>> class Principal(sc.Solver):
    ...     def solve(self, problem):
    ...         _, vectors = torch.linalg.eigh(problem.moments().M)
    ...         return sc.Solution(sc.Projection(problem.split(vectors[:, -problem.dimension:].float()), "mean"))
    >>> Z = sc.SCE(dimension=8, solver=Principal()).fit_transform(sc.datasets.load("digits"))
    """

    chooses_from_graph: ClassVar[bool] = True
    """Whether "auto" settings of weighting and filter are chosen from the graph; otherwise they are the paper's."""

    aggregations: ClassVar[tuple[Aggregation, ...]] = ("mean",)
    """What it can join levels by."""

    chooses_dimension: ClassVar[bool] = False
    """Whether it chooses the dimension itself where none is given."""

    def needs_whole_gram(self, n_columns: int) -> bool:
        """Whether it needs M itself for rows of so many columns, and not products with it alone."""
        return True

    @property
    def sharpened_rank(self) -> float:
        """The effective rank of a refit in closed form, which `span_drift_` compares with."""
        return CONSTANTS.spectrum.effective_rank

    @abstractmethod
    def solve(self, problem: Problem) -> Solution:
        """The weights for a problem."""

    def needs(self) -> frozenset[str]:
        """What it needs of an engine beyond the moments (`sparsecut.engines.contract.NEEDS`)."""
        return frozenset()

    def most_columns(self, n_features: int, n_levels: int) -> int:
        """The columns of the embedding that dimension="auto" takes, or the most it may take."""
        return min(CONSTANTS.spectrum.trained_dimension, n_features)


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
