"""Pairs drawn at random, by their distribution, and the numbers of pairs against counting."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reference import complete_pairs
from sparsecut.operators.pair_sampling import pair_of_number, sample_pairs, sparsifier_probability, sparsify_complete


def test_sampling_is_reproducible_and_uniform() -> None:
    pairs, weights = sample_pairs(50, 400, np.random.default_rng(7))
    again, _ = sample_pairs(50, 400, np.random.default_rng(7))
    assert np.array_equal(pairs, again)
    assert (np.bincount(pairs[:, 0]) == 400).all()
    assert (weights == 1).all()
    assert stats.chisquare(np.bincount(pairs[:, 1], minlength=50)).pvalue > 0.001


def test_sparsifier_keeps_each_pair_with_the_probability() -> None:
    counts = np.zeros((12, 12))
    generator = np.random.default_rng(0)
    for _ in range(2000):
        pairs, weights = sparsify_complete(12, 0.3, generator)
        assert len(np.unique(pairs, axis=0)) == len(pairs)
        assert (pairs[:, 0] < pairs[:, 1]).all()
        counts[tuple(pairs.T)] += 1
    assert np.allclose(weights, 1 / 0.3)
    kept = counts[np.triu_indices(12, 1)]
    standard = np.sqrt(2000 * 0.3 * 0.7)
    assert (np.abs(kept - 600) < 4.5 * standard).all()
    assert abs(kept.mean() - 600) < 4.5 * standard / np.sqrt(66)


def test_sparsifier_spans_the_complete_graph_and_its_edges() -> None:
    assert len(sparsify_complete(9, 1.0, np.random.default_rng(0))[0]) == 36
    assert len(sparsify_complete(1, 1.0, np.random.default_rng(0))[0]) == 0
    n_nodes = 3000
    pairs, _ = sparsify_complete(n_nodes, sparsifier_probability(n_nodes), np.random.default_rng(0))
    expected = n_nodes * np.log(n_nodes)
    assert abs(len(pairs) - expected) < 5 * np.sqrt(expected)


@given(st.integers(2, 60))
def test_pairs_are_numbered_row_by_row(n_nodes: int) -> None:
    expected = complete_pairs(n_nodes)
    assert np.array_equal(pair_of_number(np.arange(len(expected)), n_nodes), expected)


@given(st.integers(2, 3 * 10**9), st.data())
def test_pair_numbers_are_exact_for_billions_of_nodes(n_nodes: int, data: st.DataObject) -> None:
    number = data.draw(st.integers(0, n_nodes * (n_nodes - 1) // 2 - 1))
    i, j = map(int, pair_of_number(np.array([number]), n_nodes)[0])
    assert 0 <= i < j < n_nodes
    assert i * (2 * n_nodes - i - 1) // 2 + j - i - 1 == number
