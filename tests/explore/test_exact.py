"""Nearest neighbours without an index against all pairs in double precision."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from near_vectors import distances
from sparsecut import Neighbors
from sparsecut.explore import exact


@pytest.mark.parametrize("metric", exact.METRICS)
@pytest.mark.parametrize("block", [1, 2**24])
def test_exact_neighbours_are_those_of_all_pairs(metric: str, block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exact, "BLOCK", block)
    Z = np.random.default_rng(1).normal(size=(150, 5)).astype(np.float32)
    D = distances(Z, metric)
    np.fill_diagonal(D, np.inf)
    found = Neighbors(Z, metric=metric).nearest(7)
    np.testing.assert_array_equal(found.positions, np.argsort(D, axis=1, kind="stable")[:, :7])
    np.testing.assert_allclose(found.distances, np.sort(D, axis=1)[:, :7], rtol=1e-4, atol=1e-6)


@given(
    arrays(np.float32, st.tuples(st.integers(2, 12), st.integers(1, 4)), elements=st.integers(-3, 3).map(float)),
    st.sampled_from(exact.METRICS),
    st.integers(1, 14),
)
@settings(deadline=None, max_examples=60)
def test_ties_zeros_and_duplicates_keep_the_order_of_distance(Z: np.ndarray, metric: str, k: int) -> None:
    D = distances(Z, metric)
    np.fill_diagonal(D, np.inf)
    found = Neighbors(Z, metric=metric).nearest(k)
    n = len(Z)
    assert found.positions.shape == (n, min(k, n - 1))
    for node in range(n):
        row = found.positions[node]
        assert node not in row
        assert len(set(row.tolist())) == len(row)
        np.testing.assert_allclose(D[node, row], np.sort(D[node])[: len(row)], atol=1e-5)
