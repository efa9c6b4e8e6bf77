"""Leading eigenvectors against numpy's, and what is read off a spectrum against its definition."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from sparsecut.kernels.spectrum import leading_eigenvectors, orthonormal, rank_of, sharpening, signed

CPU = torch.device("cpu")


def matrix_with(eigenvalues: list[float], seed: int = 0) -> torch.Tensor:
    generator = np.random.default_rng(seed)
    basis = np.linalg.qr(generator.normal(size=(len(eigenvalues), len(eigenvalues))))[0]
    return torch.from_numpy((basis * eigenvalues) @ basis.T).float()


def test_eigenvectors_match_numpy() -> None:
    matrix = matrix_with([9, -7, 5, 3, *([0.5] * 60)])
    values, vectors = leading_eigenvectors(lambda X: matrix @ X, 64, 4, device=CPU, n_iterations=8)
    exact, directions = np.linalg.eigh(matrix.numpy().astype(np.float64))
    order = np.argsort(-np.abs(exact))[:4]
    assert np.allclose(values, exact[order], rtol=1e-4)
    assert np.allclose(np.abs((directions[:, order] * vectors.numpy()).sum(axis=0)), 1, atol=1e-4)


def test_the_start_does_not_change_the_answer() -> None:
    matrix = matrix_with([9, 7, 5, *([0.1] * 40)])
    first, second = (leading_eigenvectors(lambda X: matrix @ X, 43, 3, device=CPU, n_iterations=8, seed=s) for s in (0, 1))
    assert torch.allclose(first[1], second[1], atol=1e-4)


def test_as_many_vectors_as_rows_are_exact() -> None:
    matrix = matrix_with([3, 2, 1])
    values, vectors = leading_eigenvectors(lambda X: matrix @ X, 3, 3, device=CPU, n_iterations=1)
    assert torch.allclose(matrix @ vectors, vectors * values, atol=1e-5)


def test_signs_follow_the_largest_entry() -> None:
    assert torch.equal(signed(torch.tensor([[1.0, -1.0], [-3.0, 2.0]])), torch.tensor([[-1.0, -1.0], [3.0, 2.0]]))


@pytest.mark.parametrize("rounding", [-1e-7, 0, 1e-7])
def test_rounding_does_not_decide_a_sign(rounding: float) -> None:
    """An eigenvector with two largest entries, +a and −a: every order of sums makes another one the larger."""
    vector = torch.tensor([[0.1], [-0.7 * (1 + rounding)], [0.7]])
    assert signed(vector)[1, 0] > 0


def test_the_basis_is_orthonormal_even_of_nearly_parallel_columns() -> None:
    generator = torch.Generator().manual_seed(0)
    columns = torch.randn(500, 1, generator=generator) + 1e-2 * torch.randn(500, 12, generator=generator)
    basis = orthonormal(columns)
    assert torch.allclose(basis.T @ basis, torch.eye(12), atol=1e-5)
    assert torch.allclose(basis @ (basis.T @ columns), columns, atol=1e-4)
    assert torch.equal(orthonormal(torch.zeros(5, 2)), torch.zeros(5, 2))


def test_the_effective_rank_by_hand() -> None:
    assert rank_of(torch.ones(7)) == pytest.approx(7)
    assert rank_of(torch.tensor([1.0, 0.0, 0.0])) == pytest.approx(1)
    assert rank_of(torch.tensor([3.0, 1.0])) == pytest.approx(4 / 3**0.75)  # exp(−¾·ln ¾ − ¼·ln ¼)


@given(st.lists(st.floats(1e-3, 1e3), min_size=2, max_size=60), st.floats(1.2, 20))
def test_sharpening_meets_the_rank_or_keeps_the_minimum(variances: list[float], rank: float) -> None:
    spectrum = torch.tensor(variances, dtype=torch.float64)
    power = sharpening(spectrum, rank, minimum=1.0)
    assert power >= 1
    relative = spectrum / spectrum.max()
    if rank_of(relative) <= rank:
        assert power == 1
    elif power < 60:  # equal leading variances cannot be told apart by any power
        assert rank_of(relative**power) == pytest.approx(rank, rel=1e-3)


def test_nothing_is_sharpened_of_nothing() -> None:
    assert sharpening(torch.zeros(3), 2.0) >= 0
