"""The smoothed features as rows and as factors, against dense products."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
import torch

from reference import dense_propagation
from sparsecut.engines.rows import Rows, StackedRows, project
from sparsecut.kernels.polynomials import power
from sparsecut.kernels.sparse import SparseMatrix
from sparsecut.operators.diagonals import Diagonals
from sparsecut.operators.propagation import Propagation

CPU = torch.device("cpu")


def random_sparse(n_rows: int, n_columns: int, density: float, seed: int) -> sp.csr_array:
    return sp.random_array((n_rows, n_columns), density=density, rng=np.random.default_rng(seed), dtype=np.float32).tocsr()


def propagation_in_double(A: np.ndarray) -> Propagation:
    """D̃⁻¹Ã with diagonals in float64, for comparisons to the last digits."""
    inverse = torch.from_numpy(1 / (1 + A.sum(axis=1)))
    return Propagation(SparseMatrix(sp.csr_array(A), CPU).entries, Diagonals(inverse, None, inverse))


@pytest.mark.parametrize("is_sparse", [False, True])
@pytest.mark.parametrize("hops", [0, 1, 3])
def test_factors_multiply_like_the_smoothed_rows(is_sparse: bool, hops: int) -> None:
    A = (random_sparse(15, 15, 0.2, 1) > 0).toarray().astype(float)
    A = np.maximum(A, A.T) * (1 - np.eye(15))
    P = dense_propagation(A)
    F = random_sparse(15, 6, 0.4, 2)
    S = np.linalg.matrix_power(P, hops) @ F.toarray()
    features = SparseMatrix(F.astype(np.float64), CPU) if is_sparse else torch.from_numpy(F.toarray().astype(np.float64))
    rows = Rows(features, propagation_in_double(A), power(hops))
    generator = np.random.default_rng(3)
    W, G = generator.normal(size=(6, 4)), generator.normal(size=(15, 4))
    assert np.allclose(rows @ torch.from_numpy(W), S @ W, atol=1e-12)
    assert np.allclose(rows.transpose_times(torch.from_numpy(G)), S.T @ G, atol=1e-12)
    assert np.allclose(rows.columns(1, 5), S[:, 1:5], atol=1e-12)
    written = torch.full((15, 9), torch.nan, dtype=torch.float64)
    rows.times_into(torch.from_numpy(W), written[:, 3:7])
    assert np.allclose(written[:, 3:7], S @ W, atol=1e-12)
    assert written.isnan().sum() == 15 * 5
    stacked = StackedRows([rows, rows])
    assert stacked.shape == (15, 12)
    assert np.allclose(stacked.columns(4, 9), np.hstack([S, S])[:, 4:9], atol=1e-12)
    assert np.allclose(stacked.transpose_times(torch.from_numpy(G)), np.vstack([S.T @ G] * 2), atol=1e-12)


@pytest.mark.parametrize("is_sparse", [False, True])
def test_taking_rows_is_indexing(is_sparse: bool) -> None:
    F = random_sparse(9, 4, 0.5, 0)
    rows = Rows(SparseMatrix(F, CPU) if is_sparse else torch.from_numpy(F.toarray()))
    taken = rows.take(torch.tensor([4, 0, 4])) @ torch.eye(4)
    assert np.array_equal(taken, F.toarray()[[4, 0, 4]])


def test_projection_has_the_right_gradient() -> None:
    F = random_sparse(7, 5, 0.5, 0)
    P = propagation_in_double(np.ones((7, 7)) - np.eye(7))
    rows = Rows(SparseMatrix(F.astype(np.float64), CPU), P, power(2))
    W = torch.randn(5, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    assert torch.autograd.gradcheck(lambda weights: project(rows, weights), W)
