"""Flow and single moves: exact where they claim to be, and never worse than what they were given."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from cut_graphs import grid, planted, random_weights
from sparsecut.cuts import eigenvectors
from sparsecut.cuts.coarsen import contract, pair_up
from sparsecut.cuts.communities import louvain
from sparsecut.cuts.eigenvectors import _iterate, smoothest
from sparsecut.cuts.exact import best_of_all
from sparsecut.cuts.flow import best_between
from sparsecut.cuts.improve import band, flow_improve, mqi
from sparsecut.cuts.kmeans import kmeans
from sparsecut.cuts.local import local_search
from sparsecut.cuts.objective import OBJECTIVES, CutProblem


def problem_of(A: np.ndarray, objective: str = "ratio") -> CutProblem:
    B = sp.csr_array(A.astype(float))
    B.indices, B.indptr = B.indices.astype(np.int32), B.indptr.astype(np.int32)
    return CutProblem.of_adjacency(B, objective)


def subsets(nodes: np.ndarray, n: int) -> list[np.ndarray]:
    found = []
    for size in range(len(nodes) + 1):
        for chosen in itertools.combinations(nodes, size):
            side = np.zeros(n, dtype=bool)
            side[list(chosen)] = True
            found.append(side)
    return found


@settings(max_examples=60, deadline=None)
@given(random_weights(3, 8), st.integers(0, 2**32 - 1))
def test_one_flow_finds_the_best_set_between_two(A: np.ndarray, seed: int) -> None:
    n = len(A)
    random = np.random.default_rng(seed)
    role = random.integers(0, 3, n)
    inner, outer, free = role == 0, role == 1, np.flatnonzero(role == 2)
    gain = random.normal(size=n).round(2)
    problem = problem_of(A)

    def cost(side: np.ndarray) -> float:
        return problem.cut(side) - gain[side].sum()

    best = min(cost(inner | extra) for extra in subsets(free, n))
    for side in best_between(problem.adjacency, inner, outer, gain):
        assert side[inner].all()
        assert not side[outer].any()
        assert cost(side) == pytest.approx(best, abs=1e-6)


@settings(max_examples=60, deadline=None)
@given(random_weights(3, 9), st.integers(0, 2**32 - 1), st.sampled_from(OBJECTIVES))
def test_mqi_is_the_best_quotient_inside(A: np.ndarray, seed: int, objective: str) -> None:
    problem = problem_of(A, objective)
    side = problem.smaller(np.random.default_rng(seed).random(len(A)) < 0.5)
    if not 0 < problem.measure[side].sum() < problem.total:
        return
    found = mqi(problem, side)
    assert problem.value(found) <= problem.value(side) * (1 + 1e-12)
    if objective == "conductance":  # the quotient is the objective itself: the smaller side stays the smaller
        quotients = [
            problem.value(part) for part in subsets(np.flatnonzero(side), len(A)) if problem.measure[part].sum() > 0
        ]
        assert problem.value(found) == pytest.approx(min(quotients), rel=1e-6, abs=1e-12)


@settings(max_examples=40, deadline=None)
@given(random_weights(3, 12), st.integers(0, 2**32 - 1), st.sampled_from(OBJECTIVES), st.booleans())
def test_nothing_ever_worsens_a_cut(A: np.ndarray, seed: int, objective: str, is_balanced: bool) -> None:
    problem = problem_of(A, objective)
    if is_balanced and problem.total > 0:
        problem = problem.with_balance(0.3)
    side = np.random.default_rng(seed).random(len(A)) < 0.5
    before = problem.value(side)
    improvements = (mqi, flow_improve, local_search, lambda p, s: band(p, s, 1), lambda p, s: band(p, s, 3))
    for improve in improvements:
        after = problem.value(improve(problem, side))
        assert after <= before * (1 + 1e-12) or before == after


def test_flow_improve_leaves_the_starting_set() -> None:
    """The set is the middle third of a grid's left half: the half itself lies around it."""
    graph = grid(6, 12)
    problem = CutProblem.of(graph)
    column = np.arange(72) % 12
    start = column < 4
    assert problem.value(start) == pytest.approx(72 * 6 / (24 * 48))
    ragged = start.copy()
    ragged[[4, 16]] = True  # two nodes too many: flow takes them off, or the whole column in
    assert problem.value(flow_improve(problem, ragged)) <= problem.value(start)
    assert problem.value(band(problem, start, 3)) <= problem.value(start)


def test_single_moves_reach_the_balance() -> None:
    problem = CutProblem.of(grid(4, 10)).with_balance(0.5)
    start = np.arange(40) < 7
    assert problem.value(start) == np.inf
    found = local_search(problem, start)
    assert found.sum() == 20
    assert np.isfinite(problem.value(found))


def test_weights_that_integers_cannot_hold_are_no_harm() -> None:
    """Weights over 12 orders of magnitude: capacities are rounded, values are not."""
    random = np.random.default_rng(1)
    A = np.triu(10.0 ** random.uniform(-6, 6, (30, 30)), 1)
    problem = problem_of(A + A.T)
    for _ in range(10):
        side = random.random(30) < 0.5
        for improve in (mqi, flow_improve):
            assert problem.value(improve(problem, side)) <= problem.value(side)


def test_contracting_keeps_cuts_and_measures() -> None:
    problem = CutProblem.of(planted(400, 3, 8, 2, seed=0), "conductance")
    random = np.random.default_rng(0)
    groups = pair_up(problem, random)
    coarse = contract(problem, groups)
    assert coarse.n_nodes < 0.7 * problem.n_nodes
    assert coarse.total == pytest.approx(problem.total)
    for _ in range(5):
        side = random.random(coarse.n_nodes) < 0.5
        assert coarse.cut(side) == pytest.approx(problem.cut(side[groups]))
        assert coarse.value(side) == pytest.approx(problem.value(side[groups]))


def test_a_star_is_folded() -> None:
    A = np.zeros((1000, 1000))
    A[0, 1:] = A[1:, 0] = 1
    problem = problem_of(A)
    assert len(np.unique(pair_up(problem, np.random.default_rng(0)))) < 1000


def test_louvain_finds_planted_communities() -> None:
    from sklearn.metrics import normalized_mutual_info_score

    graph = planted(1200, 6, 12, 2, seed=0)
    levels = louvain(CutProblem.of(graph), 1.0, np.random.default_rng(0))
    assert normalized_mutual_info_score(levels[-1], graph.labels) > 0.95
    counts = [len(np.unique(level)) for level in levels]
    assert counts == sorted(counts, reverse=True)


def test_kmeans_separates_what_is_apart() -> None:
    random = np.random.default_rng(0)
    rows = np.concatenate([random.normal(size=(50, 2)), random.normal(size=(50, 2)) + 20])
    groups = kmeans(rows, 2, random)
    assert len(set(groups[:50])) == len(set(groups[50:])) == 1
    assert groups[0] != groups[50]
    assert kmeans(np.zeros((5, 2)), 3, random).tolist() == [0] * 5


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("n", [300, 1500])
def test_eigenvectors_are_those_of_the_dense_matrix(objective: str, n: int) -> None:
    """Below 400 nodes dense itself, above by factors; and iterated, as graphs too dense to factorise are."""
    problem = CutProblem.of(planted(n, 3, 8, 1, seed=1), objective)
    root = np.sqrt(problem.measure)
    L = (np.diag(problem.degrees) - problem.adjacency.toarray()) / np.outer(root, root)
    values = np.linalg.eigvalsh(L)[1:5]
    found = smoothest(problem, 4, np.random.default_rng(0))
    np.testing.assert_allclose(found.values, values, rtol=1e-6)
    assert found.is_converged
    x = found.vectors[:, 0] * root
    np.testing.assert_allclose(L @ x, values[0] * x, atol=1e-5 * np.linalg.norm(x))
    iterated, _ = _iterate(problem, sp.csc_array(L), root, 2, np.random.default_rng(0), 60)
    np.testing.assert_allclose(iterated, values[:2], rtol=1e-3)


def test_eigenvectors_of_many_coarser_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """A million nodes are ten or more graphs deep, each with half the iterations: here from 1,500 nodes down to 60."""
    monkeypatch.setattr(eigenvectors, "DENSE_BELOW", 60)
    monkeypatch.setattr(eigenvectors, "_is_cheap_to_factorise", lambda problem: False)
    problem = CutProblem.of(planted(1500, 2, 8, 1, seed=1), "conductance")
    value = smoothest(problem, 1, np.random.default_rng(0), n_iterations=20).values[0]
    monkeypatch.undo()
    assert value == pytest.approx(smoothest(problem, 1, np.random.default_rng(0)).values[0], rel=1e-3)


def test_all_cuts_in_order() -> None:
    problem = problem_of(np.array([[0, 3, 0], [3, 0, 1], [0, 1, 0]]))
    found = best_of_all(problem, 3)
    assert [problem.value(side) for side in found] == sorted(problem.value(side) for side in found)
    assert problem.value(found[0]) == pytest.approx(1.5)  # the weak edge: 3·1/(1·2)
    assert len(found) == 3
