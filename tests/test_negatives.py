"""Every negative graph against a dense Laplacian built a pair at a time."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from reference import complete_pairs, dense_laplacian, pair_energy
from sparsecut.errors import InputError
from sparsecut.negatives import (
    COLUMN_BLOCK,
    CompleteNegatives,
    EdgeNegatives,
    NegativeGraph,
    make_negatives,
    pair_of_number,
    sample_pairs,
    sparsifier_probability,
    sparsify_complete,
)

CPU = torch.device("cpu")


def make(name: object, n_nodes: int, seed: int = 0) -> NegativeGraph:
    generator = np.random.default_rng(seed)
    return make_negatives(name, n_nodes, n_negatives=5, generator=generator, device=CPU, caller="SCE")


def pairs_of(negatives: NegativeGraph) -> tuple[np.ndarray, np.ndarray]:
    if isinstance(negatives, EdgeNegatives):
        return negatives.pairs, negatives.weights
    pairs = complete_pairs(negatives.n_nodes)
    return pairs, np.full(len(pairs), negatives.weight)


GIVEN = [(0, 3), (3, 1), (2, 2), (0, 3)]
WEIGHTED = [(0, 3, 0.5), (4, 1, 2.0)]


@pytest.mark.parametrize("name", ["complete", "sampled", "sparsifier", GIVEN, WEIGHTED])
def test_energy_and_gram_match_the_dense_laplacian(name: object) -> None:
    negatives = make(name, 9)
    pairs, weights = pairs_of(negatives)
    L = dense_laplacian(9, pairs, weights)
    generator = np.random.default_rng(1)
    S, W = generator.normal(size=(9, 6)), generator.normal(size=(6, 4))
    energy = negatives.energy(torch.from_numpy(S @ W)).item()
    assert energy == pytest.approx(pair_energy(S @ W, pairs, weights), rel=1e-6)
    M = negatives.gram(torch.from_numpy(S)).numpy()
    assert np.allclose(M, S.T @ L @ S, rtol=1e-6)
    assert np.array_equal(M, M.T)
    assert energy == pytest.approx(np.trace(W.T @ M @ W), rel=1e-6)


def test_gram_in_several_blocks_of_columns() -> None:
    n_features = COLUMN_BLOCK + 7
    S = np.random.default_rng(0).normal(size=(5, n_features))
    L = dense_laplacian(5, complete_pairs(5), np.ones(10))
    assert np.allclose(CompleteNegatives(5).gram(torch.from_numpy(S)), S.T @ L @ S)


def test_one_edge_is_the_denominator_of_the_minimum_s_t_cut() -> None:
    negatives = make([(1, 3)], 5)
    indicator = torch.tensor([[0.0], [1.0], [1.0], [0.0], [0.0]])  # cuts 1 from 3
    assert negatives.energy(indicator).item() == 1
    assert negatives.energy(torch.ones(5, 1)).item() == 0


def test_the_complete_energy_of_a_cut_is_the_product_of_its_sides() -> None:
    indicator = torch.zeros(10, 1)
    indicator[:3] = 1
    assert CompleteNegatives(10).energy(indicator).item() == pytest.approx(3 * 7)


@pytest.mark.parametrize("name", ["complete", "sampled", GIVEN])
def test_energy_has_the_right_gradient(name: object) -> None:
    Z = torch.randn(9, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0)).requires_grad_()
    assert torch.autograd.gradcheck(make(name, 9).energy, Z)


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


def test_sparsifier_approximates_the_complete_energy() -> None:
    Z = torch.randn(800, 4, generator=torch.Generator().manual_seed(0))
    assert make("sparsifier", 800).energy(Z).item() == pytest.approx(CompleteNegatives(800).energy(Z).item(), rel=0.1)


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


@pytest.mark.parametrize("name", ["complete", "sampled", GIVEN])
def test_batches_have_the_whole_energy_in_expectation(name: object) -> None:
    n_nodes, batch_size = 12, 4
    negatives = make(name, n_nodes)
    Z = torch.randn(n_nodes, 3, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    generator = torch.Generator().manual_seed(1)
    energies = []
    for _ in range(4000):
        needed, batch = negatives.batch(torch.randperm(n_nodes, generator=generator)[:batch_size])
        energies.append(batch.energy(Z[needed]).item())
    error = np.std(energies) / np.sqrt(len(energies))
    assert abs(np.mean(energies) - negatives.energy(Z).item()) < 4.5 * error


@pytest.mark.parametrize(
    ("negatives", "message"),
    [
        ("all", "negatives parameter of SCE must be one of 'complete', 'sampled', 'sparsifier'. Got 'all'"),
        ([(0, 9)], "positions from 0 to 4. Got positions from 0 to 9"),
        ([(0, -1)], "positions from 0 to 4"),
        ([(0, 1.5)], "whole node positions"),
        ([(0, 1, -1)], "zero or more. Got -1"),
        ([(0, 1, np.nan)], "finite weights"),
        ([0, 1], r"pairs \(m, 2\).*Got shape \(2,\)"),
        ({"a": 1}, "array of node pairs"),
    ],
)
def test_bad_negatives_get_their_own_message(negatives: object, message: str) -> None:
    with pytest.raises(InputError, match=message):
        make(negatives, 5)
