"""Filters that sum up powers of P, which is D̃⁻¹Ã or D̃^−½ÃD̃^−½."""

from __future__ import annotations

from typing import Literal

from torch import Tensor

from sparsecut.errors import check_choice
from sparsecut.operators.diagonals import Diagonals, mean_diagonals, symmetric_diagonals
from sparsecut.operators.filters.filter import Filter, check_order

USUAL_ORDER = 10

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

    def describe(self) -> str:
        matrix = " of the symmetric matrix" if self.normalization == "symmetric" else ""
        return f"{self.word}{matrix}{self._setting()}, {self.n_hops()} hops"

    def _setting(self) -> str:
        """What is particular to it, in words."""
        return ""

    def n_hops(self) -> int:
        return USUAL_ORDER if self.order == "auto" else int(self.order)
