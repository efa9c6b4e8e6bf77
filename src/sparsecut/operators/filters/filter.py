"""What a low-pass filter is: S = Σ c_k P^k F, the diagonals of P and the coefficients of the polynomial.

P is the graph between three diagonals (`operators.diagonals`), so it has one entry per edge direction and one per node; no
power of it is ever formed.
"""

from __future__ import annotations

from abc import abstractmethod

import torch
from torch import Tensor

from sparsecut.base.choice import Choice
from sparsecut.base.errors import InputError, check_integer
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.diagonals import Diagonals, mean_diagonals


class Filter(Choice):
    """A low-pass filter. A subclass says its `coefficients`, and its `diagonals` where they are not the mean's.

    Examples
    --------
    >>> import sparsecut as sc
    >>> class OwnAndNeighbors(sc.Filter):
    ...     def coefficients(self):
    ...         return (0.5, 0.5)
    >>> Z = sc.SCE(filter=OwnAndNeighbors()).fit_transform(sc.datasets.load("digits"))
    """

    @abstractmethod
    def coefficients(self) -> Polynomial:
        """c₀ … c_k. They are asked of a filter that leaves nothing to the graph."""

    def diagonals(self, degrees: Tensor) -> Diagonals:
        """The diagonals of P, for the degrees d̃ of the nodes, themselves counted, in float64.

        Each entry follows from one degree: an engine may ask for some nodes at a time.
        """
        return mean_diagonals(degrees)

    def candidates(self) -> tuple[Filter, ...]:
        """What the filter may become where it leaves something to the graph: held-out edges choose between them."""
        return (self,)

    def usual(self) -> Filter:
        """The candidate for a graph with too few edges to hold some out."""
        return self

    def on_directed(self) -> Filter:
        """The filter to take where the graph is directed, so that the eigenvalues of P are complex."""
        return self

    def on(self, *, is_directed: bool) -> Filter:
        """The filter for a graph, directed or not."""
        return self.on_directed() if is_directed else self

    def at_levels(self, n_levels: int, caller: str) -> tuple[Filter, ...]:
        """The filters of the levels 1 … n of `MoSCE`."""
        raise InputError(
            f"{caller} takes the powers of one matrix, and {self!r} is not a power of one. "
            "Use filter='power', 'symmetric' or 'lazy'."
        )

    @property
    def n_hops(self) -> int:
        """The degree of the polynomial: how far a node's features reach."""
        return len(self.coefficients()) - 1

    def describe(self) -> str:
        """The filter in words, for `explain`: "Power, 2 hops"."""
        return f"{type(self).__name__}, {self.n_hops} {'hop' if self.n_hops == 1 else 'hops'}"


def is_served_by(filter: Filter, loaded: Filter) -> bool:
    """Whether rows that were loaded for a filter serve another: it is a polynomial of the same matrix, or takes no hop."""
    if filter is loaded or len(filter.coefficients()) == 1:
        return True
    degrees = torch.tensor([1.0, 2.0, 5.0], dtype=torch.float64)
    pairs = zip(filter.diagonals(degrees), loaded.diagonals(degrees), strict=True)
    return all((a is None and b is None) or (a is not None and b is not None and torch.equal(a, b)) for a, b in pairs)


def check_order(filter: Filter, order: object) -> None:
    if order != "auto":
        check_integer(type(filter).__name__, "order", order, 0)
