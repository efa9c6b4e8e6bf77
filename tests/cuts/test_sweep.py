"""Threshold cuts: every prefix against its own count of edges."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsecut as sc
from cut_graphs import barbell, grid, random_weights
from sparsecut.base.errors import InputError


@settings(max_examples=50, deadline=None)
@given(random_weights(2, 9), st.integers(0, 2**32 - 1))
def test_every_prefix_is_what_counting_gives(A: np.ndarray, seed: int) -> None:
    n = len(A)
    x = np.random.default_rng(seed).integers(0, 4, n)  # with ties
    if not A.any():
        return
    found = sc.sweep_cut(sc.Graph(A), x)
    degrees = A.sum(axis=1)
    order = sorted(range(n), key=lambda node: x[node])
    assert found.order.tolist() == order
    for length in range(1, n):
        side = np.zeros(n, dtype=bool)
        side[order[:length]] = True
        cut = A[side][:, ~side].sum()
        volume = min(degrees[side].sum(), degrees[~side].sum())
        assert found.cut[length - 1] == pytest.approx(cut, abs=1e-9)
        assert found.ratio[length - 1] == pytest.approx(n * cut / (length * (n - length)), abs=1e-9)
        assert found.expansion[length - 1] == pytest.approx(cut / min(length, n - length), abs=1e-9)
        expected = cut / volume if volume > 0 else np.inf
        assert found.conductance[length - 1] == pytest.approx(expected, abs=1e-9)
    assert found.value == pytest.approx(found.ratio.min())


def test_the_best_prefix_by_either_objective() -> None:
    graph = barbell(6)
    x = np.arange(12.0)
    assert sc.sweep_cut(graph, x).nodes.tolist() == list(range(6, 12))
    found = sc.sweep_cut(graph, -x, objective="conductance")
    assert found.value == pytest.approx(1 / 31)
    assert found.value == found.conductance.min()


def test_balance_leaves_out_small_prefixes() -> None:
    graph = grid(2, 10)
    x = np.zeros(20)
    x[0] = -1  # a corner first, then the rest as they come
    assert len(sc.sweep_cut(graph, x, balance=0.3).nodes) >= 6


@pytest.mark.parametrize(
    ("vector", "message"),
    [
        ([1.0, 2.0], "one number for each of the 12"),
        ([np.nan] * 12, "finite"),
        (["a"] * 12, "must be numbers"),
    ],
)
def test_wrong_vectors_are_named(vector: list, message: str) -> None:
    with pytest.raises(InputError, match=message):
        sc.sweep_cut(barbell(6), vector)


def test_one_node_and_no_edges() -> None:
    with pytest.raises(InputError, match="at least two nodes"):
        sc.sweep_cut(sc.Graph([[0]]), [1.0])
    with pytest.raises(InputError, match="with edges on both sides"):
        sc.sweep_cut(sc.Graph(np.zeros((3, 3))), [1, 2, 3], objective="conductance")


def test_a_series_names_its_nodes() -> None:
    pandas = pytest.importorskip("pandas")
    graph = barbell(6)
    graph = graph.replace(node_ids=np.array([f"n{node}" for node in range(graph.n_nodes)]))
    x = np.random.default_rng(0).normal(size=graph.n_nodes)
    shuffled = pandas.Series(x, index=graph.node_ids).sample(frac=1, random_state=1)
    assert sc.sweep_cut(graph, shuffled).order.tolist() == sc.sweep_cut(graph, x).order.tolist()
