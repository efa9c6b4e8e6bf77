"""Horner's rule against the sum of powers, with one product for each power."""

from __future__ import annotations

import numpy as np
import torch
from hypothesis import given
from hypothesis import strategies as st

from sparsecut.kernels.polynomials import horner, is_power, power


@given(st.lists(st.sampled_from([0.0, 1.0, 0.5, -2.0]), min_size=1, max_size=6))
def test_horner_is_the_sum_of_powers_in_as_many_products(coefficients: list[float]) -> None:
    generator = np.random.default_rng(0)
    P, X = generator.normal(size=(5, 5)) / 3, generator.normal(size=(5, 2))
    n_hops = 0

    def hop(rows: torch.Tensor) -> torch.Tensor:
        nonlocal n_hops
        n_hops += 1
        return torch.from_numpy(P) @ rows

    rows = torch.from_numpy(X.copy())
    found = horner(tuple(coefficients), rows, hop)
    assert np.allclose(found, sum(c * np.linalg.matrix_power(P, k) @ X for k, c in enumerate(coefficients)))
    assert n_hops == len(coefficients) - 1
    assert np.array_equal(rows, X)


def test_powers_are_known_as_such() -> None:
    assert power(0) == (1.0,)
    assert power(2) == (0.0, 0.0, 1.0)
    assert all(is_power(power(order)) for order in range(4))
    assert not is_power((0.5, 0.5))
    assert not is_power((0.0, 2.0))
    assert not is_power((1.0, 0.0))
