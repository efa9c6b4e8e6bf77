"""How sparse a cut is: the edges it cuts over the sizes, or the volumes, of its two sides.

    ratio          φ′(S) = n · cut(S) / (|S| |S̄|)                   sizes count nodes
    conductance    cut(S) / min(vol S, vol S̄)                       volumes count degrees
    cut            cut(S), with a bound on the sizes                 what `partition` minimises

All are functions of the cut and of one number per node, its measure: 1, its degree, or a given weight. So the search asks a
`CutProblem` for the value of a set and does not depend on which of them it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, check_choice, check_real
from sparsecut.graph import Graph

OBJECTIVES = ("ratio", "conductance")

Mask = NDArray[np.bool_]
Real = NDArray[np.float64]


def totals(groups: NDArray[np.int64], values: Real, count: int) -> Real:
    """The sum of the values of each group."""
    return np.asarray(np.bincount(groups, values, count), dtype=np.float64)


def ratio(cut: Any, inside: Any, total: float) -> Any:
    """φ′ of sets that cut `cut` and measure `inside` of `total`; infinite where a side is empty."""
    return _divide(total * np.asarray(cut), np.asarray(inside) * (total - np.asarray(inside)))


def smaller_side(cut: Any, inside: Any, total: float) -> Any:
    """cut / min(S, S̄): the edge expansion φ over sizes, the conductance over volumes."""
    return _divide(np.asarray(cut), np.minimum(inside, total - np.asarray(inside)))


def cut_alone(cut: Any, inside: Any, total: float) -> Any:
    """The cut itself; infinite where a side is empty."""
    inside = np.asarray(inside)
    return np.where((inside > 0) & (inside < total), np.maximum(cut, 0), np.inf)


SCORES: dict[str, Callable[[Any, Any, float], Any]] = {
    "ratio": ratio,
    "conductance": smaller_side,
    "cut": cut_alone,
}


def _divide(cut: Any, size: Any) -> Any:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(size > 0, np.maximum(cut, 0) / size, np.inf)


@dataclass(frozen=True)
class CutProblem:
    """A graph, the measure of its nodes and what is to be small.

    adjacency : symmetric, float64, 32-bit indices (scipy's flow takes no others).
    degrees : sums of the rows.
    measure : 1 or a weight (ratio, cut), or the degree (conductance) of every node.
    allowed : intervals of measures; one of the two sides must lie in one of them. None: any cut will do.
    held : nodes that `band` and `local_search` leave where they are.
    """

    adjacency: sp.csr_array
    degrees: Real
    measure: Real
    objective: str
    allowed: tuple[tuple[float, float], ...] | None = None
    held: Mask | None = None

    @classmethod
    def of(cls, graph: Graph, objective: str = "ratio", balance: float = 0.0, caller: str = "sparsest_cut") -> CutProblem:
        check_choice(caller, "objective", objective, OBJECTIVES)
        if check_real(caller, "balance", balance) > 0.5:
            raise InputError(
                f"The balance parameter of {caller} must be at most 0.5: it is the least share of the smaller side. "
                f"Got {balance!r} instead."
            )
        problem = cls.of_adjacency(undirected_adjacency(graph, caller), objective)
        return problem.with_balance(balance) if balance else problem

    @classmethod
    def of_adjacency(cls, A: sp.csr_array, objective: str) -> CutProblem:
        degrees = np.asarray(A.sum(axis=1), dtype=np.float64).ravel()
        return cls(A, degrees, degrees if objective == "conductance" else np.ones(A.shape[0]), objective)

    def with_balance(self, balance: float) -> CutProblem:
        """The problem with a least share of the measure required of the smaller side."""
        least = balance * self.total
        if self.objective == "ratio":
            least = min(np.ceil(least - 1e-9), np.floor(self.total / 2))
        return replace(self, allowed=((least, self.total - least),))

    @property
    def n_nodes(self) -> int:
        return int(self.adjacency.shape[0])

    @cached_property
    def total(self) -> float:
        return float(self.measure.sum())

    @property
    def score(self) -> Callable[[Any, Any, float], Any]:
        return SCORES[self.objective]

    def values(self, cut: Any, inside: Any) -> Any:
        """The objective for arrays of cuts and measures; infinite where no side has an allowed measure."""
        found = self.score(cut, inside, self.total)
        return found if self.allowed is None else np.where(self.is_allowed(inside), found, np.inf)

    def is_allowed(self, inside: Any) -> Any:
        """Whether a set of this measure, or the rest of the graph, has an allowed measure."""
        inside = np.asarray(inside, dtype=np.float64)
        if self.allowed is None:
            return np.ones(inside.shape, dtype=bool)
        slack = 1e-9 * self.total
        sides = (inside, self.total - inside)
        fits = [(side >= low - slack) & (side <= high + slack) for low, high in self.allowed for side in sides]
        return np.logical_or.reduce(fits)

    def plain_value(self, cut: float, inside: float) -> float:
        """`values` for one set in plain numbers, whatever the balance: loops over single moves call it very often."""
        outside = self.total - inside
        if self.objective == "cut":
            return cut if inside > 0 and outside > 0 else math.inf
        size = inside * outside / self.total if self.objective == "ratio" else min(inside, outside)
        return max(cut, 0.0) / size if size > 0 else math.inf

    def cut(self, side: Mask) -> float:
        return cut_weight(self.adjacency, side)

    def value(self, side: Mask) -> float:
        return float(self.values(self.cut(side), float(self.measure[side].sum())))

    def smaller(self, side: Mask) -> Mask:
        """The side of the two with the smaller measure; of equal ones the one without the first node."""
        inside, total = float(self.measure[side].sum()), self.total
        is_smaller = not side[0] if 2 * inside == total else 2 * inside < total
        return side if is_smaller else ~side


def cut_weight(adjacency: sp.csr_array, side: Mask) -> float:
    """The weight of the edges between a set and the rest: a sum of weights, no difference that could cancel."""
    return float(side.astype(np.float64) @ (adjacency @ (~side).astype(np.float64)))


def undirected_adjacency(graph: Graph, caller: str) -> sp.csr_array:
    """The adjacency as the search wants it, of an undirected graph."""
    if graph.is_directed:
        raise InputError(
            f"{caller} needs an undirected graph: a cut counts edges whatever their direction. Got a directed one. "
            "Make it with directed='symmetrize'."
        )
    A = graph.adjacency
    indices, indptr = (np.asarray(part, dtype=np.int32) for part in (A.indices, A.indptr))
    return sp.csr_array((np.asarray(A.data, dtype=np.float64), indices, indptr), shape=A.shape)
