"""Log-proximity against its dense definition, and the bounds on its work and size whatever the degrees."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from conftest import random_graph
from reference import dense_log_proximity
from sparsecut import SCE, Graph
from sparsecut.features import proximity
from sparsecut.features.proximity import MIN_SHARE, ProximityWork, Steps, keep_largest, log_proximity


def from_pairs(n_nodes: int, i: np.ndarray, j: np.ndarray, weights: np.ndarray | float = 1.0) -> sp.csr_array:
    """The undirected graph of some pairs; a pair listed twice weighs twice."""
    values = np.broadcast_to(np.asarray(weights, dtype=np.float32), len(i))
    upper = sp.coo_array((values, (i, j)), shape=(n_nodes, n_nodes)).tocsr()
    return sp.csr_array(upper + upper.T)


def star(n_nodes: int) -> sp.csr_array:
    return from_pairs(n_nodes, np.zeros(n_nodes - 1, dtype=int), np.arange(1, n_nodes))


def with_hub(n_nodes: int, *, is_weighted: bool = False) -> sp.csr_array:
    """Node 0 joined to all others, and as many random pairs."""
    generator = np.random.default_rng(0)
    i, j = np.zeros(n_nodes - 1, dtype=int), np.arange(1, n_nodes)
    other_i, other_j = generator.integers(1, n_nodes, (2, n_nodes))
    i, j = np.append(i, other_i[other_i != other_j]), np.append(j, other_j[other_i != other_j])
    return from_pairs(n_nodes, i, j, generator.exponential(size=len(i)) + 1e-3 if is_weighted else 1.0)


def bipartite(n_left: int, n_right: int) -> sp.csr_array:
    left, right = np.meshgrid(np.arange(n_left), np.arange(n_left, n_left + n_right))
    return from_pairs(n_left + n_right, left.ravel(), right.ravel())


def power_law(n_nodes: int) -> sp.csr_array:
    generator = np.random.default_rng(0)
    chance = np.arange(1, n_nodes + 1) ** -0.8
    i, j = generator.choice(n_nodes, (2, 5 * n_nodes), p=chance / chance.sum())
    return from_pairs(n_nodes, i[i != j], j[i != j])


def outward(A: sp.csr_array) -> sp.csr_array:
    """Directed: the edges from the lower to the higher node alone, and every fifth back."""
    upper = sp.triu(A, 1).tocoo()
    back = np.arange(upper.nnz) % 5 == 0
    i, j = np.append(upper.row, upper.col[back]), np.append(upper.col, upper.row[back])
    return sp.csr_array((np.append(upper.data, upper.data[back]), (i, j)), shape=A.shape)


def fading(weight: float) -> sp.csr_array:
    """A random graph in which the edges of some nodes, and all of one, weigh next to nothing."""
    A = sp.coo_array(sp.triu(random_graph(density=0.25).adjacency))
    weights = np.where((A.row < 8) | (A.col == 39), weight, 1.0)
    return from_pairs(40, A.row, A.col, weights)


SMALL = {
    "random": random_graph(density=0.25).adjacency,
    "weighted": random_graph(density=0.25, is_weighted=True).adjacency,
    "sparse, some nodes without edges": random_graph(density=0.03).adjacency,
    "star": star(40),
    "hub": with_hub(60),
    "weighted hub": with_hub(60, is_weighted=True),
    "bipartite": bipartite(4, 30),
    "power law": power_law(80),
    "directed hub": outward(with_hub(60)),
    "directed hub, inward": sp.csr_array(outward(with_hub(60)).T),
    "two nodes": star(2),
    "edges that have nearly faded": fading(1e-30),
}


@pytest.mark.parametrize("share", [0.0, 0.00317, 0.0237])
@pytest.mark.parametrize("name", SMALL)
def test_is_the_dense_formula(name: str, share: float) -> None:
    expected = dense_log_proximity(SMALL[name].toarray(), share)
    assert np.allclose(log_proximity(SMALL[name], min_share=share).toarray(), expected, atol=1e-4)


def test_dropping_rare_visits_changes_only_small_entries() -> None:
    A = random_graph(300, density=0.02).adjacency
    exact, pruned = log_proximity(A, min_share=0).toarray(), log_proximity(A, min_share=0.003).toarray()
    assert np.linalg.norm(exact - pruned) < 0.25 * np.linalg.norm(exact)


@pytest.mark.parametrize("name", ["random", "hub", "directed hub"])
def test_blocks_of_rows_and_of_multiplications_give_the_same_matrix(name: str) -> None:
    whole = log_proximity(SMALL[name])
    parts = log_proximity(SMALL[name], work=ProximityWork(row_block=7, product_block=50))
    for one, other in ((parts.data, whole.data), (parts.indices, whole.indices), (parts.indptr, whole.indptr)):
        assert np.array_equal(one, other)


@pytest.mark.parametrize("name", ["weighted hub", "power law", "directed hub"])
def test_the_order_of_the_nodes_does_not_matter(name: str) -> None:
    A = SMALL[name]
    order = np.random.default_rng(1).permutation(A.shape[0])
    assert np.allclose(log_proximity(A[order][:, order]).toarray(), log_proximity(A).toarray()[order][:, order], atol=1e-5)


@st.composite
def graphs_with_wide_rows(draw: st.DrawFn) -> sp.csr_array:
    """Weighted and directed, with some nodes that are joined to most others."""
    generator = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_nodes = draw(st.integers(5, 40))
    density = np.where(generator.random(n_nodes) < draw(st.floats(0.05, 0.9)), 0.9, 0.1)
    edges = generator.random((n_nodes, n_nodes)) < density[:, None]
    weights = generator.exponential(size=edges.shape) ** draw(st.sampled_from([0, 1, 4])) + 1e-3
    return sp.csr_array((edges * weights).astype(np.float32))


@pytest.mark.slow
@given(graphs_with_wide_rows(), st.floats(0.01, 0.3), st.integers(0, 60))
@settings(deadline=None)
def test_a_limited_row_loses_less_than_the_share_that_is_dropped_anyhow(A: sp.csr_array, share: float, limit: int) -> None:
    sums = A.sum(axis=1)
    P = sp.csr_array(sp.diags_array(np.divide(1, sums, out=np.zeros(len(sums)), where=sums > 0)) @ A, dtype=np.float32)
    steps = Steps(P, share)
    steps.rare_limit = limit  # of a row, as on a graph with more nodes
    exact, limited = P.toarray().astype(np.float64) @ P.toarray(), steps.after(P).toarray()
    assert (limited <= exact + 1e-6).all()
    kept = limited > 0
    assert (limited[kept] >= share).all()
    assert (exact - limited)[kept].max(initial=0) < share + 1e-6
    assert exact[~kept].max(initial=0) < 2 * share + 1e-6
    frequent = (P.toarray() >= share).sum(axis=1)
    assert steps.n_multiplications <= (P.astype(bool).astype(int) @ frequent + limit).sum()


def test_rows_within_their_limit_lose_nothing() -> None:
    """A node next to the hub and to none else may list the hub's neighbours; with more of them than allowed it may not."""
    for n_leaves, n_kept in ((10_000 - 1, 10_000 - 1), (10_000, 0)):  # 10⁸ rare steps over 10,000 rows, or 10,001
        P = star(n_leaves + 1)
        P.data /= np.repeat(P.sum(axis=1), np.diff(P.indptr))
        steps = Steps(P, 0.002)
        steps._likeliest[:] = 1  # so that the row is multiplied, though nothing of it can be kept
        steps.after(P[1:2])
        assert steps.n_multiplications == n_kept


def test_the_largest_entries_are_kept_the_first_of_equal_ones() -> None:
    rows = sp.csr_array(np.array([[3.0, 1, 2, 2], [0, 1, 1, 1], [4, 0, 0, 0]]))
    kept = keep_largest(rows, np.array([2, 1, 1])).toarray()
    assert np.array_equal(kept, [[3, 0, 2, 0], [0, 1, 0, 0], [4, 0, 0, 0]])


BIG: dict[str, Callable[[], sp.csr_array]] = {
    "star": lambda: star(100_000),
    "hub": lambda: with_hub(50_000),
    "weighted hub": lambda: with_hub(20_000, is_weighted=True),
    "directed hub": lambda: outward(with_hub(50_000)),
    "directed hub, inward": lambda: sp.csr_array(outward(with_hub(50_000)).T),
    "power law": lambda: power_law(5_000),
    "bipartite, even": lambda: bipartite(800, 800),
    "bipartite, uneven": lambda: bipartite(10, 20_000),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", BIG)
def test_work_and_size_are_bounded_whatever_the_degrees(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Counted, not timed. Without limits the star takes 10 billion multiplications and the hub 2.5 billion."""
    A = BIG[name]()
    used: list[Steps] = []

    class Counted(Steps):
        def __init__(self, P: sp.csr_array, share: float, work: ProximityWork) -> None:
            super().__init__(P, share, work)
            used.append(self)

    monkeypatch.setattr(proximity, "Steps", Counted)
    N = log_proximity(A, work=ProximityWork(rare_steps=2_000_000))  # fewer than on large graphs, for smaller ones
    assert N.nnz <= 2 * (A.nnz + A.shape[0] / MIN_SHARE)
    assert used[0].n_multiplications < 80_000_000


@pytest.mark.parametrize("name", ["hub", "weighted hub", "directed hub"])
def test_a_graph_with_a_hub_is_embedded(name: str) -> None:
    Z = SCE(dimension=8).fit_transform(Graph(SMALL[name], directed="out" if "directed" in name else "symmetrize"))
    assert np.isfinite(Z).all()
    assert np.linalg.matrix_rank(Z) > 1


def test_edges_too_old_for_single_precision_are_near_none_of_the_others() -> None:
    """How much nearer they are than by chance is beyond float32: it ends at a limit, and is no infinity."""
    faint, faded = log_proximity(fading(1e-34)), log_proximity(fading(1e-41))
    assert np.isfinite(faded.data).all()
    np.testing.assert_allclose(faded.toarray()[8:39, 8:39], faint.toarray()[8:39, 8:39], atol=1e-5)
    Z = SCE(dimension=8).fit_transform(Graph(fading(1e-41)))
    assert np.isfinite(Z).all()
    assert np.linalg.matrix_rank(Z) == 8
