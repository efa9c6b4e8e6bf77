"""Filters that sum up powers of P, which is D̃⁻¹Ã or D̃^−½ÃD̃^−½.

A series of k powers takes k hops. Where the order is not given, the hops are those of the shortest polynomial whose response
is within `ERROR` of the series' on [−1, 1] (`sparsecut.kernels.chebyshev`): PageRank with restart 0.1 takes 8 hops for 20.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from torch import Tensor

from sparsecut.base.errors import check_choice
from sparsecut.kernels.chebyshev import shortened
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.diagonals import Diagonals, mean_diagonals, symmetric_diagonals
from sparsecut.operators.filters.filter import Filter, check_order

ERROR = 0.016  # of the response, where the order is not given; accuracies then stay within 0.1 point of the series

Normalization = Literal["mean", "symmetric"]
NORMALIZATIONS = ("mean", "symmetric")


class Series(Filter):
    """What the filters that sum up powers share: an order, and which matrix P is."""

    def __init__(self, *, order: int | Literal["auto"] = "auto", normalization: Normalization = "mean") -> None:
        self.order = order
        self.normalization = normalization

    def check(self) -> None:
        check_order(self, self.order)
        check_choice(type(self).__name__, "normalization", self.normalization, NORMALIZATIONS)

    def diagonals(self, degrees: Tensor) -> Diagonals:
        return symmetric_diagonals(degrees) if self.normalization == "symmetric" else mean_diagonals(degrees)

    @abstractmethod
    def series(self) -> Polynomial:
        """The terms of the series, as many as the order says or as are worth summing up."""

    def coefficients(self) -> Polynomial:
        return shortened(self.series(), ERROR) if self.order == "auto" else self.series()

    def on_directed(self) -> Filter:
        """The series itself: the eigenvalues of a directed graph's P are not within [−1, 1]."""
        if self.order != "auto":
            return self
        return type(self)(**{**self.get_params(deep=False), "order": len(self.series()) - 1})

    def describe(self) -> str:
        matrix = " of the symmetric matrix" if self.normalization == "symmetric" else ""
        return f"{type(self).__name__}{matrix}{self._setting()}"

    def _setting(self) -> str:
        """What is particular to it, in words."""
        return ""
