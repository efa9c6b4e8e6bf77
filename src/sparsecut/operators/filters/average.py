"""(I + P + … + P^k)/(k + 1): the mean of the first powers (Zhu and Koniusz, 2021, S²GC without its residual)."""

from __future__ import annotations

from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.filters.series import Series

USUAL_ORDER = 10


class Average(Series, word="average"):
    """The mean of the first k powers of P: near neighbours and far ones count the same.

    Parameters
    ----------
    order : int or "auto", default="auto"
        The number of hops k. "auto" is k = 10, by the fewest hops whose response is within 0.016 of it.
    normalization : {"mean", "symmetric"}, default="mean"
        Whether P is the mean over closed neighbourhoods, D̃⁻¹Ã, or D̃^−½ÃD̃^−½.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.Average(order=3).coefficients()
    (0.25, 0.25, 0.25, 0.25)
    """

    def series(self) -> Polynomial:
        n_hops = USUAL_ORDER if self.order == "auto" else int(self.order)
        return (1 / (n_hops + 1),) * (n_hops + 1)
