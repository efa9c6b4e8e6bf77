"""The diagonals by hand on a path of three nodes, and what products read of them."""

from __future__ import annotations

import math

import numpy as np
import torch

from sparsecut.operators.diagonals import mean_diagonals, symmetric_diagonals
from sparsecut.operators.filters import Lazy

DEGREES = torch.tensor([2.0, 3.0, 2.0], dtype=torch.float64)  # of a path, every node itself counted


def test_by_hand() -> None:
    mean = mean_diagonals(DEGREES)
    assert mean.left.tolist() == mean.own.tolist() == [1 / 2, 1 / 3, 1 / 2]
    assert mean.right is None
    symmetric = symmetric_diagonals(DEGREES)
    assert np.allclose(symmetric.left, [1 / math.sqrt(2), 1 / math.sqrt(3), 1 / math.sqrt(2)], rtol=1e-15)
    assert torch.equal(symmetric.left, symmetric.right)
    assert torch.equal(symmetric.own, mean.own)
    lazy = Lazy().diagonals(DEGREES)
    assert np.allclose(lazy.left, [1 / 4, 1 / 6, 1 / 4], rtol=1e-15)
    assert np.allclose(lazy.own, [3 / 4, 2 / 3, 3 / 4], rtol=1e-15)


def test_products_read_float32() -> None:
    for diagonals in (mean_diagonals(DEGREES), symmetric_diagonals(DEGREES)):
        assert diagonals.left.dtype == torch.float64
        single = diagonals.single()
        assert {part.dtype for part in single if part is not None} == {torch.float32}
        assert (single.right is None) == (diagonals.right is None)
        assert np.allclose(single.left, diagonals.left, rtol=1e-7)
