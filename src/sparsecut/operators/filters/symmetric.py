"""P^k with P = D̃^−½ÃD̃^−½: Kipf and Welling's matrix, which the paper starts from."""

from __future__ import annotations

from torch import Tensor

from sparsecut.operators.diagonals import Diagonals, symmetric_diagonals
from sparsecut.operators.filters.power import Power


class Symmetric(Power, word="symmetric"):
    """Powers of the symmetric matrix D̃^−½ÃD̃^−½: rows of nodes with many neighbours come out longer than by the mean.

    Parameters
    ----------
    order : int or "auto", default="auto"
        The number of hops k. "auto" is 2; in `MoSCE` it is the number of the level.

    Examples
    --------
    >>> import sparsecut as sc
    >>> model = sc.SCE(filter=sc.Symmetric(order=2)).fit(sc.datasets.load("digits"))
    """

    def diagonals(self, degrees: Tensor) -> Diagonals:
        return symmetric_diagonals(degrees)
