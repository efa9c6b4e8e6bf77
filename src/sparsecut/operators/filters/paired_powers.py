"""(P^k + P^(k+1))/2: the mean of two powers that follow each other, for graphs with two sides.

From a user an even number of steps along ratings leads to users and an odd number to movies. P^k alone is therefore mostly
of one side, and the vectors of the two sides are hard to compare; the mean of two powers is of both.
"""

from __future__ import annotations

from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.filters.power import Power


class Paired(Power, word="paired"):
    """The mean of P^k and P^(k+1), P the mean over closed neighbourhoods: for graphs with two sides.

    Parameters
    ----------
    order : int or "auto", default="auto"
        The smaller number of hops k. "auto" is 2; in `MoSCE` it is the number of the level.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.Paired(order=1).coefficients()
    (0.0, 0.5, 0.5)
    """

    def coefficients(self) -> Polynomial:
        return (*(0.0,) * (len(super().coefficients()) - 1), 0.5, 0.5)
