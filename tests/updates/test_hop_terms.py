"""Hops that follow a change: against dense powers of P, and the bound on what is left out, row by row."""

from __future__ import annotations

import math

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from filter_cases import FILTERS, make_filter
from reference import dense_filter, dense_propagation
from sparsecut.operators.filters import PageRank, Power
from sparsecut.updates.changing_graph import ChangingGraph
from sparsecut.updates.compiled_loops import compiled_loops
from sparsecut.updates.hop_terms import HopTerms, tolerance_shares
from sparsecut.updates.leading_columns import LINE


def random_start(seed: int, n_nodes: int = 30, n_columns: int = 4) -> tuple[np.ndarray, np.ndarray]:
    """A graph and rows; of many columns the later ones are small, as those of an embedding are."""
    generator = np.random.default_rng(seed)
    upper = np.triu(generator.random((n_nodes, n_nodes)) < 0.1, 1) * generator.uniform(0.2, 3, (n_nodes, n_nodes))
    X = generator.normal(size=(n_nodes, n_columns)) * 0.85 ** np.maximum(np.arange(n_columns) - 3, 0)
    return (upper + upper.T).astype(np.float32), X.astype(np.float32)


def toggle(dense: np.ndarray, graph: ChangingGraph, generator: np.random.Generator) -> np.ndarray:
    i, j = generator.choice(len(dense), 2, replace=False)
    weight = np.float32(0 if dense[i, j] else generator.uniform(0.2, 3))
    dense[i, j] = dense[j, i] = weight
    return graph.change(np.array([i]), np.array([j]), np.array([weight]))


@pytest.mark.slow
@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_is_its_dense_matrix_after_a_hundred_changes(name: str) -> None:
    dense, X = random_start(1)
    graph, filter = ChangingGraph(sp.csr_array(dense), is_directed=False), make_filter(name, order=3)
    terms, generator = HopTerms(graph, filter, filter.coefficients(), X.copy()), np.random.default_rng(0)
    for _ in range(100):
        relinked = toggle(dense, graph, generator)
        places = np.sort(generator.choice(30, 2, replace=False))
        X[places] = generator.normal(size=(2, 4))
        terms.update(relinked, places, X[places], 0.0)
        expected = dense_filter(dense, name, 3, 0.2) @ X
        np.testing.assert_allclose(terms.level(np.arange(30)), expected, atol=2e-6)


@pytest.mark.slow
@settings(max_examples=30, deadline=None)
@given(
    st.integers(0, 10**6),
    st.sampled_from(["row", "symmetric", "pagerank", "pagerank-symmetric"]),
    st.floats(1e-3, 1),
    st.sampled_from([3, 5]),
    st.sampled_from([4, 40]),
)
def test_what_rows_lack_is_kept_and_within_its_bound(
    seed: int, name: str, tolerance: float, order: int, n_columns: int
) -> None:
    """R_k = c·X + P·Y_(k−1) − Y_k, and the sum over hops of the docstring holds every row of Z."""
    dense, X = random_start(seed, n_columns=n_columns)
    graph, filter = ChangingGraph(sp.csr_array(dense), is_directed=False), make_filter(name, order=order)
    coefficients = filter.coefficients()
    terms, generator = HopTerms(graph, filter, coefficients, X.copy()), np.random.default_rng(seed)
    for _ in range(20):
        relinked = toggle(dense, graph, generator)
        place = generator.integers(0, 30, 1)
        X[place] = X[place][:, generator.permutation(n_columns)]
        terms.update(relinked, place, X[place], tolerance)
    P, Y = dense_propagation(dense, name), [term.astype(np.float64) for term in terms.terms]
    v = np.sqrt(1 + dense.sum(axis=1, dtype=np.float64)) if name.endswith("symmetric") else np.ones(30)
    n_hops, bound, before = len(coefficients) - 1, 0.0, coefficients[-1] * Y[0]
    for hop in range(1, n_hops + 1):
        lacks = coefficients[n_hops - hop] * Y[0] + P @ before - Y[hop]
        assert (np.linalg.norm(lacks, axis=1) <= terms.lacking[hop - 1] + 1e-5).all()
        if terms.missing:
            np.testing.assert_allclose(terms.missing[hop - 1], lacks, atol=1e-5)
        bound += (terms.lacking[hop - 1] / v).max()
        before = Y[hop]
    errors = np.linalg.norm(terms.level(np.arange(30)) - dense_filter(dense, name, order, 0.2) @ X, axis=1)
    assert (errors <= v * bound + 1e-5).all()
    assert (v * bound).max() <= tolerance * (1 + 1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("tolerance", [0.01, 0.3])
@pytest.mark.parametrize("name", ["row", "symmetric", "pagerank"])
def test_two_thousand_changes_leave_every_row_within_the_tolerance(name: str, tolerance: float) -> None:
    """Against dense powers of P as the graph is then; some rows move in a part of their columns."""
    pytest.importorskip("numba")
    dense, X = random_start(4, n_columns=40)
    graph, filter = ChangingGraph(sp.csr_array(dense), is_directed=False), make_filter(name, order=5)
    graph.compile(compiled_loops())
    terms, generator = HopTerms(graph, filter, filter.coefficients(), X.copy()), np.random.default_rng(0)
    terms.whole_share, n_parts = 2.0, 0
    for step in range(2000):
        relinked = toggle(dense, graph, generator)
        place = generator.integers(0, 30, 1)
        X[place] = X[place] + X[generator.integers(0, 30, 1)] * np.float32(0.01)
        terms.update(relinked, place, X[place], tolerance)
        n_parts += sum(int((~rows[:, :LINE].any(axis=1) & rows[:, LINE:].any(axis=1)).sum()) for rows in terms.missing)
        if step % 100 == 99:
            v = np.sqrt(1 + dense.sum(axis=1, dtype=np.float64)) if name == "symmetric" else np.ones(30)
            errors = terms.level(np.arange(30)) - dense_filter(dense, name, 5, 0.2) @ X
            assert (np.linalg.norm(errors, axis=1) <= tolerance * v / v.max() * (1 + 1e-3) + 2e-5 * np.abs(X).max()).all()
    assert n_parts > 100


@pytest.mark.slow
def test_sums_do_not_round_away_however_many_there_are() -> None:
    """A row that is added to thousands of times stays as near as one that is computed; left alone it would not."""

    def error(most_rounding: float) -> float:
        dense = np.zeros((40, 40), dtype=np.float32)
        dense[0, 1:] = dense[1:, 0] = 1
        graph, generator = ChangingGraph(sp.csr_array(dense), is_directed=False), np.random.default_rng(0)
        X = generator.normal(size=(40, 2)).astype(np.float32)
        terms = HopTerms(graph, Power(order=1), (0.0, 1.0), X.copy())
        terms.most_rounding, terms.whole_share = most_rounding, 2.0  # hops for all rows would hide it
        P, errors = dense_propagation(dense), []
        for _ in range(2000):
            place = generator.integers(1, 40, 1)
            X[place] = generator.normal(size=(1, 2)) * 100
            terms.update(np.empty(0, dtype=np.int64), place, X[place], 0.0)
            exact = P[0] @ X.astype(np.float64)
            errors.append(np.linalg.norm(terms.level(np.arange(1)) - exact) / np.abs(exact).max())
        return float(np.mean(errors))

    computed_anew = error(HopTerms.most_rounding)
    assert computed_anew < 1e-6
    assert error(math.inf) > 2 * computed_anew


def test_an_outlier_that_goes_leaves_no_rounding_behind() -> None:
    """2^−24 of a million is 6 % of one: a row of ones that such a number was added to and taken from is computed anew."""
    dense, X = random_start(6, 60)
    graph = ChangingGraph(sp.csr_array(dense), is_directed=False)
    filter = PageRank(restart=0.2, order=4)
    terms = HopTerms(graph, filter, filter.coefficients(), X.copy())
    terms.whole_share = 2.0
    generator = np.random.default_rng(0)
    for _ in range(40):
        places = np.sort(generator.choice(60, 3, replace=False))
        outliers = (generator.normal(size=(3, 4)) * np.array([1e6, 1, 1, 1])).astype(np.float32)
        terms.update(np.empty(0, dtype=np.int64), places, outliers, 0.0)
        terms.update(np.empty(0, dtype=np.int64), places, X[places], 0.0)
    expected = dense_filter(dense, "pagerank", 4, 0.2) @ X.astype(np.float64)
    np.testing.assert_allclose(terms.level(np.arange(60)), expected, atol=2e-6)


def test_one_large_column_hides_no_move_of_the_others() -> None:
    """A hop for all rows takes over every number that is another than before, however large the row's largest is."""
    dense, X = random_start(3)
    X[:, 3] = 2e7
    graph = ChangingGraph(sp.csr_array(dense), is_directed=False)
    terms = HopTerms(graph, Power(order=2), Power(order=2).coefficients(), X.copy())
    terms.whole_share = 0.0
    terms.update(toggle(dense, graph, np.random.default_rng(0)), np.empty(0, dtype=np.int64), X[:0], 0.0)
    expected = dense_filter(dense, "row", 2, 0.0) @ X.astype(np.float64)
    np.testing.assert_allclose(terms.level(np.arange(30))[:, :3], expected[:, :3], atol=2e-6)


def test_hops_for_all_rows_give_the_same_and_are_counted() -> None:
    results = []
    for share in (0.0, 10.0):
        dense, X = random_start(3)
        graph = ChangingGraph(sp.csr_array(dense), is_directed=False)
        terms = HopTerms(graph, PageRank(restart=0.2, order=4), PageRank(restart=0.2, order=4).coefficients(), X)
        terms.whole_share = share
        followed = terms.update(
            toggle(dense, graph, np.random.default_rng(0)), np.array([5]), np.ones((1, 4), np.float32), 0.0
        )
        assert followed.n_whole == (4 if share == 0 else 0)
        results.append(terms.level(np.arange(30)))
    np.testing.assert_allclose(*results, atol=1e-5)


@pytest.mark.parametrize("n_hops", [1, 2, 3, 4, 8])
def test_a_tolerance_is_spent_once_and_most_of_it_in_the_middle_of_many_hops(n_hops: int) -> None:
    shares = tolerance_shares(n_hops)
    assert len(shares) == n_hops
    assert math.isclose(sum(shares), 1)
    assert shares[:2] == (0, 0) if n_hops >= 4 else min(shares) == max(shares)
    assert shares[-1] <= max(shares)


@pytest.mark.parametrize("tolerance", [0.0, 0.02])
@pytest.mark.parametrize("n_columns", [4, 40])
@pytest.mark.parametrize(("name", "order"), [("row", 3), ("pagerank", 11), ("pagerank-symmetric", 3)])
def test_compiled_loops_do_what_numpy_does_to_the_bit(name: str, order: int, n_columns: int, tolerance: float) -> None:
    """Changes of edges and rows, and a tolerance that becomes smaller, by both; more hops than one call follows."""
    pytest.importorskip("numba")
    both = []
    for loops in (None, compiled_loops()):
        dense, X = random_start(5, 80, n_columns)
        graph, filter = ChangingGraph(sp.csr_array(dense), is_directed=False), make_filter(name, order=order)
        graph.compile(loops)
        terms, generator = HopTerms(graph, filter, filter.coefficients(), X.copy()), np.random.default_rng(2)
        terms.whole_share = 2.0
        places = []
        for step in range(60):
            relinked, place = toggle(dense, graph, generator), generator.integers(0, 80, 1)
            rows = X[generator.integers(0, 80, 1)] * np.float32(1e4 if step % 9 == 4 else 1)
            followed = terms.update(relinked, place, rows, tolerance / (1 + step // 20))
            places.append(sorted(followed.places.tolist()))
        assert not graph.marks().any()
        both.append((places, [*terms.terms, *terms.missing, *terms.lacking, *terms.rounding]))
    assert both[0][0] == both[1][0]
    for plain, looped in zip(both[0][1], both[1][1], strict=True):
        np.testing.assert_array_equal(plain, looped)
