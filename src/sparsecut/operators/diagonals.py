"""The three diagonals between which a filter's matrix has the graph: P = diag(left)·A·diag(right) + diag(own).

With d̃ = 1 + Σ_j A_ij, the node itself counted:

    mean        left 1/d̃      right 1         own 1/d̃        P = D̃⁻¹Ã, the mean over closed neighbourhoods
    symmetric   left 1/√d̃     right 1/√d̃      own 1/d̃        P = D̃^−½ÃD̃^−½
"""

from __future__ import annotations

from typing import NamedTuple

from torch import Tensor


class Diagonals(NamedTuple):
    """What P multiplies with before, after and beside the sum over neighbours; (n,) each."""

    left: Tensor
    right: Tensor | None  # None for ones
    own: Tensor

    def single(self) -> Diagonals:
        """The diagonals in float32, as products read them."""
        return Diagonals(self.left.float(), None if self.right is None else self.right.float(), self.own.float())


def mean_diagonals(degrees: Tensor) -> Diagonals:
    """The diagonals of D̃⁻¹Ã, for the degrees d̃ in float64."""
    inverse = 1 / degrees
    return Diagonals(inverse, None, inverse)


def symmetric_diagonals(degrees: Tensor) -> Diagonals:
    """The diagonals of D̃^−½ÃD̃^−½."""
    root = degrees.rsqrt()
    return Diagonals(root, root, 1 / degrees)
