"""Sums in any order and any cuts, against fractions."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsecut.kernels.exact_sums import exact_parts


@settings(deadline=None)
@given(st.integers(1, 3000), st.lists(st.integers(0, 3000), max_size=5), st.integers(0, 10**6))
def test_any_cut_and_order_has_the_sum_of_fractions(n_terms: int, cuts: list[int], seed: int) -> None:
    terms = np.random.default_rng(seed).normal(size=n_terms) * 10.0 ** -np.arange(n_terms).clip(max=9)
    bound = float(np.abs(terms).max())
    whole = np.array(exact_parts(terms, bound, n_terms))
    parts = np.split(np.random.default_rng(1).permutation(terms), sorted(min(cut, n_terms) for cut in cuts))
    assert np.array_equal(np.sum([exact_parts(part, bound, n_terms) for part in parts], axis=0), whole)
    tensors = [float(part) for part in exact_parts(torch.from_numpy(terms), bound, n_terms)]
    assert tensors == whole.tolist()
    exact = float(sum(map(Fraction, terms.tolist())))
    assert float(whole.sum()) == pytest.approx(exact, rel=1e-15, abs=1e-15 * bound)


def test_terms_that_cancel_leave_what_is_small() -> None:
    terms = np.array([1e3, 1e-9, -1e3])
    assert abs(sum(exact_parts(terms, 1e3, 3)) - 1e-9) < 1e-20
    assert abs(terms.sum() - 1e-9) > 1e-15  # which the plain sum loses
