"""e^(−t) Σ_(i≤k) t^i/i!·P^i, scaled to sum to 1: diffusion along the edges for the time t."""

from __future__ import annotations

import math
from typing import Literal

from sparsecut.base.errors import check_real
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.filters.series import Normalization, Series


class Heat(Series, word="heat"):
    """The heat kernel: features diffuse along the edges for a time.

    Parameters
    ----------
    time : float, default=3.0
        How long they diffuse, above 0; the mean number of hops. Longer makes neighbours more alike.
    order : int or "auto", default="auto"
        The number of hops k at which the series ends; take about twice the time. "auto" sums it up to its end, by the
        fewest hops whose response is within 0.016 of e^(−t(1 − λ)).
    normalization : {"mean", "symmetric"}, default="mean"
        Whether P is the mean over closed neighbourhoods, D̃⁻¹Ã, or D̃^−½ÃD̃^−½.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sum(sc.Heat(time=1.0, order=2).coefficients())
    1.0
    """

    def __init__(
        self, *, time: float = 3.0, order: int | Literal["auto"] = "auto", normalization: Normalization = "mean"
    ) -> None:
        super().__init__(order=order, normalization=normalization)
        self.time = time

    def check(self) -> None:
        super().check()
        check_real("Heat", "time", self.time, above=0)

    def series(self) -> Polynomial:
        # The number of hops is Poisson's: what lies four deviations beyond its mean is a thousandth at most.
        time = float(self.time)
        n_hops = math.ceil(time + 4 * math.sqrt(time) + 4) if self.order == "auto" else int(self.order)
        terms = [math.exp(i * math.log(time) - time - math.lgamma(i + 1)) for i in range(n_hops + 1)]
        return tuple(term / sum(terms) for term in terms)

    def _setting(self) -> str:
        return f", time {self.time:g}"
