"""Random walks against the exact distribution of their steps, worked out entry by entry."""

from __future__ import annotations

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chisquare

from conftest import random_graph
from sparsecut import Graph
from sparsecut.lab.baselines import walks as module
from sparsecut.lab.baselines.walks import Walker

# A triangle 0-1-2, with 3 beside 1 and 2, 4 hanging on 3, and 5 alone.
WEIGHTS = np.zeros((6, 6))
for i, j, weight in ((0, 1, 1.0), (0, 2, 4.0), (1, 2, 0.5), (1, 3, 2.0), (2, 3, 1.5), (3, 4, 3.0)):
    WEIGHTS[i, j] = WEIGHTS[j, i] = weight
WEIGHTED, PLAIN = Graph(WEIGHTS).adjacency, Graph(WEIGHTS > 0).adjacency
N_WALKS = 40_000


def first_order(A: np.ndarray, node: int) -> np.ndarray:
    return A[node] / A[node].sum()


def second_order(A: np.ndarray, previous: int, node: int, p: float, q: float) -> np.ndarray:
    """The definition, neighbour by neighbour."""
    chances = np.zeros(len(A))
    for x in np.flatnonzero(A[node]):
        bias = 1 / p if x == previous else 1 if A[previous, x] else 1 / q
        chances[x] = A[node, x] * bias
    return chances / chances.sum()


def assert_drawn_from(drawn: np.ndarray, chances: np.ndarray) -> None:
    """Nothing impossible was drawn, and a fair draw differs as much at least once in ten thousand."""
    counts = np.bincount(drawn, minlength=len(chances))
    possible = chances > 0
    assert not counts[~possible].any()
    if possible.sum() > 1:
        assert chisquare(counts[possible], chances[possible] * counts.sum()).pvalue > 1e-4


@pytest.mark.parametrize("adjacency", [PLAIN, WEIGHTED], ids=["plain", "weighted"])
def test_steps_of_first_order_have_their_exact_chances(adjacency: sp.csr_array) -> None:
    A = adjacency.toarray().astype(np.float64)
    starts = np.repeat(np.arange(5, dtype=np.int32), N_WALKS)
    walks = Walker(adjacency).walk(starts, 3, np.random.default_rng(0))
    for step in (0, 1):
        for node in range(5):
            assert_drawn_from(walks[walks[:, step] == node, step + 1], first_order(A, node))


@pytest.mark.parametrize("limit", [module.MAX_PROPOSALS, 1], ids=["by proposals", "from the list"])
@pytest.mark.parametrize(("p", "q"), [(0.25, 4.0), (4.0, 0.5), (1.0, 3.0)])
@pytest.mark.parametrize("adjacency", [PLAIN, WEIGHTED], ids=["plain", "weighted"])
def test_steps_of_second_order_have_their_exact_chances(adjacency: sp.csr_array, p: float, q: float, limit: int) -> None:
    """Both ways to draw give the same distribution: after one refusal all but the first proposals come from the list."""
    A = adjacency.toarray().astype(np.float64)
    starts = np.repeat(np.arange(5, dtype=np.int32), N_WALKS)
    walks = Walker(adjacency, p=p, q=q, max_proposals=limit).walk(starts, 3, np.random.default_rng(1))
    for node in range(5):
        assert_drawn_from(walks[walks[:, 0] == node, 1], first_order(A, node))  # the first step has come from nowhere
        for previous in np.flatnonzero(A[node]):
            drawn = walks[(walks[:, 0] == previous) & (walks[:, 1] == node), 2]
            assert_drawn_from(drawn, second_order(A, previous, node, p, q))


def test_biases_far_from_one_end_and_are_exact() -> None:
    """On a path every choice is refused a billion times to one; at its end there is only the way back."""
    path = Graph(np.diag(np.ones(3), 1) + np.diag(np.ones(3), -1)).adjacency
    walks = Walker(path, p=1e9, q=1e9).walk(np.full(20_000, 1, dtype=np.int32), 3, np.random.default_rng(0))
    assert_drawn_from(walks[walks[:, 1] == 2, 2], np.array([0, 0.5, 0, 0.5]))
    assert (walks[walks[:, 1] == 0, 2] == 1).all()


def test_weights_of_any_size_beside_each_other() -> None:
    """A row of tiny weights after a row of huge ones keeps its proportions."""
    A = np.zeros((6, 6))
    A[0, 1] = A[1, 0] = 1e12
    A[2, 3] = A[3, 2] = 1e-12
    A[2, 4] = A[4, 2] = 3e-12
    drawn = Walker(Graph(A).adjacency).walk(np.full(N_WALKS, 2, dtype=np.int32), 2, np.random.default_rng(0))[:, 1]
    assert_drawn_from(drawn, np.array([0, 0, 0, 0.25, 0.75, 0]))


def test_on_a_graph_without_edges_every_walk_stays() -> None:
    nodes = np.arange(4, dtype=np.int32)
    walks = Walker(sp.csr_array((4, 4)), p=0.5, q=4.0).walk(nodes, 5, np.random.default_rng(0))
    np.testing.assert_array_equal(walks, np.repeat(nodes[:, None], 5, axis=1))


@settings(max_examples=30, deadline=None)
@given(seed=st.integers(0, 10_000), density=st.sampled_from([0.02, 0.1, 0.5]), q=st.sampled_from([0.25, 1.0, 4.0]))
def test_every_step_is_an_edge_and_isolated_nodes_stay(seed: int, density: float, q: float) -> None:
    A = random_graph(25, seed=seed, density=density, is_weighted=seed % 2 == 0).adjacency
    walks = Walker(A, p=0.5, q=q).walk(np.arange(25, dtype=np.int32), 8, np.random.default_rng(seed))
    assert (walks[:, 0] == np.arange(25)).all()
    dense = A.toarray()
    is_edge = dense[walks[:, :-1], walks[:, 1:]] > 0
    is_isolated = dense.sum(axis=1) == 0
    np.testing.assert_array_equal(is_edge, np.repeat(~is_isolated[:, None], 7, axis=1))
    assert (walks[is_isolated] == np.flatnonzero(is_isolated)[:, None]).all()


def test_blocks_hold_every_start_once_and_no_more_than_their_size() -> None:
    starts = np.random.default_rng(0).permutation(25).astype(np.int32)
    blocks = list(Walker(random_graph(25).adjacency).blocks(starts, 4, np.random.default_rng(0), size=10))
    assert [block.shape for block in blocks] == [(10, 4), (10, 4), (5, 4)]
    np.testing.assert_array_equal(np.concatenate(blocks)[:, 0], starts)
