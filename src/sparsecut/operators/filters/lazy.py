"""((I + D̃⁻¹Ã)/2)^k: a walk that stays where it is with probability ½."""

from __future__ import annotations

from torch import Tensor

from sparsecut.operators.diagonals import Diagonals
from sparsecut.operators.filters.power import Power


class Lazy(Power, word="lazy"):
    """Powers of (I + D̃⁻¹Ã)/2: every hop keeps half of the node's own row.

    Parameters
    ----------
    order : int or "auto", default="auto"
        The number of hops k. "auto" is 2; in `MoSCE` it is the number of the level.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(filter=sc.Lazy(order=4)).fit(sc.datasets.load("digits"))
    """

    def diagonals(self, degrees: Tensor) -> Diagonals:
        inverse = 1 / degrees
        return Diagonals(inverse / 2, None, (1 + inverse) / 2)
