"""I − P: what a node's row has that its neighbourhood's mean has not."""

from __future__ import annotations

from sparsecut.kernels.polynomials import Polynomial
from sparsecut.operators.filters.filter import Filter


class Difference(Filter, word="difference"):
    """A node's own row less the mean over its closed neighbourhood: high-pass, where all other filters are low-pass.

    For graphs whose linked nodes differ in what matters. Beside others: `SCE(channels=("own", "difference"))`.

    Examples
    --------
    >>> import sparsecut as sc
    >>> sc.Difference().coefficients()
    (1.0, -1.0)
    """

    def coefficients(self) -> Polynomial:
        return (1.0, -1.0)
