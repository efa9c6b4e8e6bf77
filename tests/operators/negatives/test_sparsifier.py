"""Sampled negatives as spectral sparsifiers: x·L_H·x against x·L_K·x for all vectors x at once.

The ratios over all x that are not constant are the generalised eigenvalues of (L_H, L_K) on the space orthogonal to 1. How
far they may be from 1 is the matrix Bernstein inequality (Tropp, 2012, theorem 1.6), a quantitative form of the theorem that
the paper cites: a sum of independent symmetric matrices of n − 1 rows, each at most R from its mean in norm and with
variances that sum to at most σ² in norm, is within

    ε = a + √(a² + 2·l·σ²),     l = ln(2(n − 1)/δ),   a = l·R/3

of its mean, but for a probability of δ. Each pair with probability p and weight 1/p, against L_K: R = 2/n·max(1/p − 1, 1)
and σ² = 2(1 − p)/(pn). For k partners per node, scaled by n/(2k): R = 1/k = σ². A mean of N draws divides both by N.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.linalg import eigh

from negative_cases import make_negatives
from sparsecut import Sampled
from sparsecut.operators.negatives import ListedPairs
from sparsecut.operators.pair_sampling import sparsifier_probability, sparsify_complete

DELTA = 1e-6


def ratios(L: np.ndarray) -> np.ndarray:
    """The generalised eigenvalues of (L, L_K) on the space orthogonal to 1, ascending."""
    n = len(L)
    Q = np.linalg.qr(np.column_stack([np.ones(n), np.eye(n)[:, 1:]]))[0][:, 1:]
    return eigh(Q.T @ L @ Q, Q.T @ (n * np.eye(n) - np.ones((n, n))) @ Q, eigvals_only=True)


def distance(n_nodes: int, R: float, variance: float) -> float:
    """The ε of the inequality."""
    l = math.log(2 * (n_nodes - 1) / DELTA)  # noqa: E741
    a = l * R / 3
    return a + math.sqrt(a * a + 2 * l * variance)


def promised(n_nodes: int, p: float, n_draws: int = 1) -> float:
    return distance(n_nodes, 2 / n_nodes * max(1 / p - 1, 1) / n_draws, 2 * (1 - p) / (p * n_nodes) / n_draws)


def is_within(L: np.ndarray, epsilon: float) -> bool:
    found = ratios(L)
    return bool(1 - epsilon <= found[0] and found[-1] <= 1 + epsilon)


def drawn(n_nodes: int, p: float, seed: int) -> np.ndarray:
    """L_H, dense."""
    return ListedPairs(n_nodes, *sparsify_complete(n_nodes, p, np.random.default_rng(seed))).matrix.toarray()


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_nodes", "constant"), [(50, 6), (200, 8), (200, 12), (200, 16), (600, 10), (600, 16)])
def test_enough_pairs_keep_every_quadratic_form(n_nodes: int, constant: float, seed: int) -> None:
    """constant·n·ln n pairs in expectation."""
    p = constant * sparsifier_probability(n_nodes)
    epsilon = promised(n_nodes, p)
    assert epsilon < 0.9  # or the inequality would say little
    assert is_within(drawn(n_nodes, p, seed), epsilon)


def test_all_pairs_are_the_complete_graph() -> None:
    assert np.allclose(ratios(drawn(30, 1.0, 0)), 1, atol=1e-6)


@pytest.mark.parametrize("n_nodes", [20, 40])
def test_the_sparsifier_is_the_complete_graph_in_expectation(n_nodes: int) -> None:
    """The mean of many draws of the negatives themselves, in every direction within 7 %."""
    n_draws = 2000
    draws = [make_negatives("sparsifier", n_nodes, seed).listed[0] for seed in range(n_draws)]
    pairs, weights = (np.concatenate(parts) for parts in zip(*((draw.pairs, draw.weights) for draw in draws), strict=True))
    mean = ListedPairs(n_nodes, pairs, weights / n_draws).matrix
    epsilon = promised(n_nodes, sparsifier_probability(n_nodes), n_draws)
    assert epsilon < 0.07
    assert is_within(mean.toarray().astype(float), epsilon)


@pytest.mark.parametrize("n_nodes", [50, 200, 600])
def test_the_sparsifier_as_it_is_is_connected_and_bounded_above(n_nodes: int) -> None:
    """n·ln n pairs are the theorem's order with a constant of 1. The inequality then bounds the ratios above alone."""
    for seed in range(3):
        found = ratios(make_negatives("sparsifier", n_nodes, seed).listed[0].matrix.toarray())
        assert found[0] > 1e-3  # 0 where it falls apart
        assert found[-1] < 1 + promised(n_nodes, sparsifier_probability(n_nodes))


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize(("n_nodes", "n_negatives"), [(60, 80), (200, 80), (200, 300)])
def test_enough_partners_per_node_keep_every_quadratic_form(n_nodes: int, n_negatives: int, seed: int) -> None:
    """The paper's own negatives: each pair is drawn 2k/n times in the mean, so n/(2k)·L_H is near L_K."""
    pairs = make_negatives(Sampled(n_negatives=n_negatives), n_nodes, seed).listed[0]
    L = pairs.matrix.toarray() * n_nodes / (2 * n_negatives)
    epsilon = distance(n_nodes, 1 / n_negatives, 1 / n_negatives)
    assert epsilon < 0.9
    assert is_within(L, epsilon)


def without_a_node(L: np.ndarray) -> np.ndarray:
    """The Laplacian less all pairs of node 3."""
    A = np.diag(np.diag(L)) - L
    A[3], A[:, 3] = 0, 0
    return np.diag(A.sum(axis=1)) - A


@pytest.mark.parametrize(
    "spoil",
    [lambda L: L * 0.5, lambda L: L * 1.9, without_a_node],
    ids=["half the weight", "nearly twice the weight", "a node without pairs"],
)
def test_the_check_finds_what_is_wrong(spoil: object) -> None:
    n_nodes = 200
    p = 16 * sparsifier_probability(n_nodes)
    L = drawn(n_nodes, p, 0).astype(float)
    assert is_within(L, promised(n_nodes, p))
    assert not is_within(spoil(L), promised(n_nodes, p))


def test_one_vector_would_not_find_it() -> None:
    """A node without pairs changes the energy of a typical vector by 1 in n: why all vectors are asked."""
    n_nodes = 200
    x = np.random.default_rng(0).normal(size=n_nodes)
    x -= x.mean()
    L = without_a_node(drawn(n_nodes, 16 * sparsifier_probability(n_nodes), 0).astype(float))
    assert x @ L @ x / (n_nodes * x @ x) == pytest.approx(1, abs=0.05)
    assert ratios(L)[0] == pytest.approx(0, abs=1e-9)
