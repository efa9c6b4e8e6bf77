"""A sparse matrix inside a network: gradients against finite differences, the softmax of its rows."""

from __future__ import annotations

import numpy as np
import scipy.sparse as sp
import torch

from network_oracles import CPU
from sparsecut.lab.baselines.supervised.differentiable import DifferentiableMatrix


def test_gradients_are_finite_differences() -> None:
    matrix = sp.random_array((5, 4), density=0.5, rng=np.random.default_rng(0))
    matrix_ = DifferentiableMatrix(matrix, CPU)
    values = matrix_.values.double().requires_grad_()
    dense, rows, columns = (torch.randn(shape, dtype=torch.float64, requires_grad=True) for shape in ((4, 3), 5, 4))
    check = torch.autograd.gradcheck
    assert check(lambda values, dense: matrix_.times(dense, values), (values, dense))
    assert check(matrix_.of_rows, rows)
    assert check(matrix_.of_columns, columns)
    assert check(matrix_.softmax, values)


def test_softmax_of_entries_is_that_of_each_row_even_far_from_zero() -> None:
    matrix = sp.csr_array([[1.0, 0, 2], [0, 0, 0], [0, 3, 0]])
    shares = DifferentiableMatrix(matrix, CPU).softmax(torch.tensor([1000.0, 1001.0, -500.0]))
    np.testing.assert_allclose(shares, [1 / (1 + np.e), np.e / (1 + np.e), 1], rtol=1e-5)
