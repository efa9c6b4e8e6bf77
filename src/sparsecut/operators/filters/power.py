"""P^k with P = D̃⁻¹Ã, the mean over a node's closed neighbourhood: the paper's filter (Algorithm 1)."""

from __future__ import annotations

from typing import Literal

from sparsecut.base.errors import InputError
from sparsecut.kernels.polynomials import Polynomial, power
from sparsecut.operators.filters.filter import Filter, check_order

USUAL_ORDER = 2


class Power(Filter, word="power"):
    """Average over closed neighbourhoods, k times: the paper's filter.

    Parameters
    ----------
    order : int or "auto", default="auto"
        The number of hops k. "auto" is 2; in `MoSCE` it is the number of the level. 0 leaves the features as they are, for
        graphs whose neighbours differ; more hops reach further and make nodes more alike.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.Power(order=3).coefficients()
    (0.0, 0.0, 0.0, 1.0)
    """

    def __init__(self, *, order: int | Literal["auto"] = "auto") -> None:
        self.order = order

    def check(self) -> None:
        check_order(self, self.order)

    def coefficients(self) -> Polynomial:
        return power(USUAL_ORDER if self.order == "auto" else int(self.order))

    def at_levels(self, n_levels: int, caller: str) -> tuple[Filter, ...]:
        if self.order != "auto":
            raise InputError(f"{caller} takes one hop more at each level. Set levels, and leave the order of {self!r} out.")
        return tuple(type(self)(order=level) for level in range(1, n_levels + 1))
