"""The steps of the method over rows that lie in blocks, on disk or on workers: what such engines do alike, written once.

Rows S = q(P)·F are kept as what they follow from: the features F where they lie (`Source`), or rows that the engine holds;
the operator P; and the polynomial q, whose hops are still to be taken. S is formed when it is first needed: a job that was
killed and finds its moments again takes no hop for them. Rows that were smoothed lazily are multiplied first:
S·W = q(P)·(F·W).

An engine fills in what it does with its own blocks (the abstract methods, and `project` and `take` of the contract). Each
result has a name that follows from what it was computed from. Small results are remembered in the work folder under that
name, so a job that goes on after it was killed gets the same bits.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar

import numpy as np
import torch
from numpy.typing import DTypeLike, NDArray
from torch import Tensor

from sparsecut.engines.contract import Job, Moments
from sparsecut.features.weighting import Weighting
from sparsecut.graph import Graph
from sparsecut.io.stores.workfolder import WorkFolder, fingerprint_of
from sparsecut.kernels.block import Column, Passes
from sparsecut.kernels.moments import drop_rounding
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.aggregation import Projection
from sparsecut.operators.filters import Filter
from sparsecut.operators.negatives import ListedPairs, NegativeGraph

NO_HOP: Polynomial = (1.0,)

Value = TypeVar("Value")


class Named(Protocol):
    @property
    def name(self) -> str:
        """Follows from what it was computed from."""


class HeldRows(Named, Protocol):
    """A matrix of n rows as an engine holds it."""

    @property
    def n_columns(self) -> int: ...


Held = TypeVar("Held", bound=HeldRows)
Hop = TypeVar("Hop", bound=Named)


@dataclass(frozen=True)
class Source:
    """Features where they lie, and the weighting that each block of them goes through when it is read."""

    name: str
    features: Any
    weighting: Weighting
    n_columns: int


@dataclass
class BlockedRows(Generic[Held, Hop]):
    """S = q(P)·F, with q in `pending`. Once S is formed it takes the place of F, and no hop is pending."""

    held: Source | Held | BlockedRows[Held, Hop]
    P: Hop
    pending: Polynomial = NO_HOP
    is_lazy: bool = False  # S is not formed for a product

    @property
    def n_columns(self) -> int:
        return self.held.n_columns

    @property
    def name(self) -> str:
        return self.held.name if self.pending == NO_HOP else smoothed_name(self.held, self.pending, self.P)

    @property
    def is_multiplied_first(self) -> bool:
        """Whether S·W is computed from F·W."""
        return self.is_lazy or (isinstance(self.held, Source) and self.pending == NO_HOP)


class BlockedEngine(ABC, Generic[Held, Hop]):
    """The calls of the contract that do not depend on where blocks are. `Held` are its rows, `Hop` its matrices P."""

    supports: frozenset[str]

    def __init__(self, job: Job, work: WorkFolder, passes: Passes) -> None:
        self.work, self.passes, self.report = work, passes, job.report
        self.device = torch.device("cpu")
        self.graph = job.graph
        self.notes: list[str] = []
        self.details: list[str] = []

    def load(self, graph: Graph, weighting: Weighting, filter: Filter, features: Any = None) -> BlockedRows[Held, Hop]:
        # The graph's own features are known from the name of the work folder.
        name = f"features-{fingerprint_of(features, weighting.name, *weighting.arrays.values())}"
        given: Any = graph.features if features is None else features
        source = Source(name, self._readable(given, name), weighting, int(given.shape[1]))
        return BlockedRows(source, self._operator(graph, filter))

    def smooth(
        self, rows: BlockedRows[Held, Hop], polynomial: Polynomial, *, lazily: bool = False
    ) -> BlockedRows[Held, Hop]:
        if polynomial == NO_HOP:
            return rows
        return BlockedRows(rows.held if rows.pending == NO_HOP else rows, rows.P, polynomial, lazily)

    def moments(self, levels: Sequence[BlockedRows[Held, Hop]], negatives: NegativeGraph) -> Moments:
        mark = fingerprint_of([level.name for level in levels], arrays_of(negatives))
        found = self.checkpoint(f"moments-{mark}", lambda: self._moments(levels, negatives))
        M, mean, scatter = (torch.from_numpy(found[key]).clone() for key in ("M", "mean", "scatter"))
        return Moments(M, mean, scatter, self.graph.n_nodes)

    def multiply(self, levels: Sequence[BlockedRows[Held, Hop]], W: Tensor) -> BlockedRows[Held, Hop]:
        parts = torch.split(W, [level.n_columns for level in levels])
        products = [self._times(level, part) for level, part in zip(levels, parts, strict=True)]
        if len(products) > 1:
            products = [self._sum(products, f"sum-{fingerprint_of([product.name for product in products])}")]
        return BlockedRows(products[0], levels[0].P)

    def map(
        self, levels: Sequence[BlockedRows[Held, Hop]], function: Callable[..., Tensor], n_columns: int, *arguments: Any
    ) -> BlockedRows[Held, Hop]:
        held = [self._formed(level) for level in levels]
        given = [function.__module__, function.__qualname__, *(part.name for part in held), *arguments]
        mapped = self._mapped(held, function, n_columns, arguments, f"mapped-{fingerprint_of(*given)}")
        return BlockedRows(mapped, levels[0].P)

    def transpose_multiply(
        self, levels: Sequence[BlockedRows[Held, Hop]], others: BlockedRows[Held, Hop], negatives: NegativeGraph
    ) -> Tensor:
        G = self._formed(others)
        image = self._image(G, negatives, f"image-{fingerprint_of(G.name, arrays_of(negatives))}")
        return torch.cat([self._transposed_times(level, image) for level in levels]).float()

    def without(self, rows: BlockedRows[Held, Hop], edges: NDArray[np.int64]) -> BlockedRows[Held, Hop]:
        return BlockedRows(rows.held, self._operator_without(rows.P, edges))

    def each(self, function: Callable[..., Any], *arguments: Any) -> list[Any]:
        return self.passes.each(function, *arguments)

    def total(self, function: Callable[..., Any], *arguments: Any) -> NDArray[Any]:
        return self.passes.total(function, *arguments)

    def column(
        self, name: str, dtype: DTypeLike, function: Callable[..., Any], *arguments: Any, width: int | None = None
    ) -> Column:
        return self.passes.column(name, dtype, function, *arguments, width=width)

    def placed(self, name: str, array: NDArray[Any]) -> Column:
        return self.passes.placed(name, array)

    def checkpoint(self, key: str, compute: Callable[[], Value]) -> Value:
        return self.work.remembered(key, compute)

    @abstractmethod
    def _readable(self, features: Any, name: str) -> Any:
        """The features as whoever reads blocks of them finds them."""

    @abstractmethod
    def _operator(self, graph: Graph, filter: Filter) -> Hop:
        """The filter's matrix P."""

    @abstractmethod
    def _operator_without(self, P: Hop, edges: NDArray[np.int64]) -> Hop:
        """P of the same filter on the graph less some edges, (2, m)."""

    @abstractmethod
    def _loaded(self, source: Source, name: str, W: Tensor | None = None) -> Held:
        """The weighted features, times a matrix if one is given."""

    @abstractmethod
    def _smoothed(self, held: Held, P: Hop, polynomial: Polynomial, name: str) -> Held:
        """Σ c_k P^k X."""

    @abstractmethod
    def _product(self, held: Held, W: Tensor, name: str) -> Held:
        """X·W."""

    @abstractmethod
    def _sum(self, parts: Sequence[Held], name: str) -> Held:
        """X₁ + … + X_k."""

    @abstractmethod
    def _mapped(
        self, held: Sequence[Held], function: Callable[..., Tensor], n_columns: int, arguments: Sequence[Any], name: str
    ) -> Held:
        """function(X₁, …, X_k, *arguments), some rows at a time."""

    @abstractmethod
    def _scatters(self, held: Sequence[Held], weights: Sequence[Tensor | None]) -> tuple[Tensor, Tensor]:
        """For each list of row weights w the weighted mean, (c,), of [X₁ … X_k] and Σ w_i (x_i − mean)(x_i − mean)ᵀ, (c, c).

        None are weights of 1. All in float64.
        """

    @abstractmethod
    def _gram_of_pairs(self, held: Sequence[Held], pairs: ListedPairs) -> Tensor:
        """Xᵀ L X of X = [X₁ … X_k] for the Laplacian of listed pairs, (c, c) float64."""

    @abstractmethod
    def _image(self, held: Held, negatives: NegativeGraph, name: str) -> Held:
        """L_H·X."""

    @abstractmethod
    def _transposed_times(self, rows: BlockedRows[Held, Hop], image: Held) -> Tensor:
        """Sᵀ·X, (f, d) float64."""

    def _formed(self, rows: BlockedRows[Held, Hop]) -> Held:
        """S as the engine holds it."""
        held, name = rows.held, rows.name
        if isinstance(held, BlockedRows):
            held = self._formed(held)
        elif isinstance(held, Source):
            held = self._loaded(held, held.name)
        if rows.pending != NO_HOP:
            held = self._smoothed(held, rows.P, rows.pending, name)
        rows.held, rows.pending, rows.is_lazy = held, NO_HOP, False
        return held

    def _factor(self, rows: BlockedRows[Held, Hop]) -> Source | Held:
        """What a product with S is computed from: F where its hops are taken afterwards, else S, with no hop pending."""
        if not rows.is_multiplied_first:
            return self._formed(rows)
        return self._formed(rows.held) if isinstance(rows.held, BlockedRows) else rows.held

    def _times(self, rows: BlockedRows[Held, Hop], W: Tensor) -> Held:
        """S·W, (n, d)."""
        start = self._factor(rows)
        name = f"product-{fingerprint_of(start.name, W.numpy())}"
        product = self._loaded(start, name, W) if isinstance(start, Source) else self._product(start, W, name)
        if rows.pending == NO_HOP:
            return product
        return self._smoothed(product, rows.P, rows.pending, smoothed_name(product, rows.pending, rows.P))

    def _to_project(
        self, levels: Sequence[BlockedRows[Held, Hop]], projection: Projection
    ) -> tuple[list[Held], Sequence[Tensor] | None]:
        """Rows of every level, and the weights that they are still to be multiplied with; None where they were already."""
        if any(level.is_multiplied_first for level in levels):
            return [self._times(level, matrix) for level, matrix in zip(levels, projection.weights, strict=True)], None
        return [self._formed(level) for level in levels], projection.weights

    def _moments(self, levels: Sequence[BlockedRows[Held, Hop]], negatives: NegativeGraph) -> dict[str, NDArray[Any]]:
        held = [self._formed(level) for level in levels]
        weights = [None, *(pairs.row_weights for pairs in negatives.all_pairs if pairs.row_weights is not None)]
        means, scatters = self._scatters(held, weights)
        mean, scatter = means[0], scatters[0]
        M, others = torch.zeros_like(scatter), iter(scatters[1:])
        for pairs in negatives.all_pairs:
            M += (scatter if pairs.row_weights is None else next(others)) * (pairs.scale * pairs.volume)
        for listed in negatives.listed:
            M += self._gram_of_pairs(held, listed)
        drop_rounding((M, scatter), scatter.diagonal().clone(), mean, self.graph.n_nodes)
        return {"M": ((M + M.T) / 2).numpy(), "mean": mean.numpy(), "scatter": scatter.numpy()}


def smoothed_name(held: Named, polynomial: Polynomial, P: Named) -> str:
    return f"smoothed-{fingerprint_of(held.name, polynomial, P.name)}"


def arrays_of(negatives: NegativeGraph) -> list[Any]:
    """What tells a negative graph from any other."""
    weights = [
        (pairs.scale, None if pairs.row_weights is None else pairs.row_weights.numpy()) for pairs in negatives.all_pairs
    ]
    return [weights, [(listed.pairs, listed.weights) for listed in negatives.listed]]


def even_widths(n_columns: int, n_panels: int) -> tuple[int, ...]:
    """The widths of so many panels of columns, which differ by one at most."""
    share, rest = divmod(n_columns, n_panels)
    return tuple(share + (panel < rest) for panel in range(n_panels))
