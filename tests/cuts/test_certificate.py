"""Lower bounds are proved: never above the dense eigenvalue, whatever the eigensolver found; tight where it was right."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsecut as sc
from cut_graphs import graph_of, grid, planted
from sparsecut.cuts import cut
from sparsecut.cuts.certificate import prove_second
from sparsecut.cuts.eigenvectors import Spectrum, scaled_laplacian
from sparsecut.cuts.objective import OBJECTIVES, CutProblem
from sparsecut.cuts.solve import CutSolution, solve


def second_eigenvalue(graph: sc.Graph, objective: str) -> float:
    """λ₂ of the dense matrix."""
    A = graph.adjacency.toarray().astype(float)
    degrees = A.sum(axis=1)
    root = np.ones(len(A)) if objective == "ratio" else np.sqrt(degrees)
    return float(np.linalg.eigvalsh((np.diag(degrees) - A) / np.outer(root, root))[1])


def core_with_cliques(n_core: int, n_cliques: int, size: int, seed: int) -> sc.Graph:
    """A random core and small cliques that hang on it by an edge each: many eigenvalues close together, near λ₂."""
    random = np.random.default_rng(seed)
    pairs = random.integers(0, n_core, size=(6 * n_core, 2))
    blocks = [pairs]
    for clique in range(n_cliques):
        members = n_core + clique * size + np.arange(size)
        one, other = np.triu_indices(size, 1)
        blocks += [np.column_stack([members[one], members[other]]), np.array([[random.integers(n_core), members[0]]])]
    edges = np.concatenate(blocks)
    n = n_core + n_cliques * size
    A = sp.coo_array((np.ones(len(edges)), edges.T), shape=(n, n)).tocsr()
    A = ((A + A.T) > 0).astype(float)
    A.setdiag(0)
    return sc.Graph(sp.csr_array(A))


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("is_cheap", [True, False])
def test_what_is_proved_is_the_dense_eigenvalue_where_that_is_asked(objective: str, is_cheap: bool) -> None:
    graph = planted(700, 3, 9, 2, seed=2)
    N, root = scaled_laplacian(CutProblem.of(graph, objective))
    second = second_eigenvalue(graph, objective)
    proved = prove_second(N, root, second, is_cheap=is_cheap)
    assert second * (1 - 1e-6) < proved <= second * (1 + 1e-12)
    tried = second / 2
    assert tried * (1 - 1e-6) < prove_second(N, root, tried, is_cheap=is_cheap) < tried  # less what rounding may have hidden


@pytest.mark.parametrize("objective", OBJECTIVES)
@pytest.mark.parametrize("is_cheap", [True, False])
@pytest.mark.parametrize("excess", [1.001, 1.65, 30.0])
def test_an_eigenvalue_that_was_missed_is_noticed(objective: str, is_cheap: bool, excess: float) -> None:
    """The eigensolver says more than λ₂: the third eigenvalue, say. What is proved is less than λ₂ all the same."""
    graph = grid(27, 19)
    N, root = scaled_laplacian(CutProblem.of(graph, objective))
    second = second_eigenvalue(graph, objective)
    proved = prove_second(N, root, excess * second, is_cheap=is_cheap)
    assert (0.9 if excess < 10 else 0.0) * second <= proved <= second


@settings(deadline=None)
@given(
    n=st.integers(2, 40),
    density=st.floats(0.02, 0.6),
    tried=st.floats(0.01, 3.0),
    is_cheap=st.booleans(),
    objective=st.sampled_from(OBJECTIVES),
    seed=st.integers(0, 10_000),
)
def test_no_graph_is_found_whose_eigenvalue_is_below_the_proof(
    n: int, density: float, tried: float, is_cheap: bool, objective: str, seed: int
) -> None:
    """A search for counter-examples: any connected graph, weights over six orders, any number for the eigensolver to say."""
    random = np.random.default_rng(seed)
    A = np.triu(random.random((n, n)) < density, 1) * 10 ** random.uniform(-3, 3, (n, n))
    A[np.arange(n - 1), np.arange(1, n)] += 10 ** random.uniform(-3, 3, n - 1)  # a path keeps it connected
    graph = sc.Graph(A + A.T)
    N, root = scaled_laplacian(CutProblem.of(graph, objective))
    second = second_eigenvalue(graph, objective)
    rounding = 1e-12 * abs(N).sum(axis=0).max()  # of the dense eigenvalue itself
    proved = prove_second(N, root, tried * second, is_cheap=is_cheap, dense_below=0)  # both ways, however small the graph
    assert proved <= second + rounding


@pytest.mark.slow
def test_the_bound_is_one_where_the_estimate_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    """Hundreds of eigenvalues close to λ₂, and an eigensolver that stops early: the estimate may be anything."""
    graph = core_with_cliques(900, 60, 8, seed=1)
    second = second_eigenvalue(graph, "conductance") / 2
    found = sc.sparsest_cut(graph, objective="conductance")
    assert 0.5 * second < found.lower_bound <= second <= found.value

    def mistaken(problem: CutProblem, *arguments: Any, **more: Any) -> CutSolution:
        solution = solve(problem, *arguments, **more)
        assert solution.spectrum is not None
        missed = Spectrum(solution.spectrum.values * 1.65, solution.spectrum.vectors, 1e-9)
        return CutSolution(solution.cuts, missed)

    monkeypatch.setattr(cut, "solve", mistaken)
    found = sc.sparsest_cut(graph, objective="conductance")
    assert found.estimate > second >= found.lower_bound > 0


def test_the_estimate_is_less_its_residual() -> None:
    spectrum = Spectrum(np.array([0.5]), np.ones((3, 1)), residual=0.2)
    problem = CutProblem.of(graph_of(np.ones((3, 3))), "ratio")
    estimate, proved = cut._second_eigenvalue(problem, spectrum)
    assert estimate == pytest.approx(0.3)
    assert 0.29 < proved <= 0.3  # of a triangle, whose λ₂ is 3
    assert cut._second_eigenvalue(problem, None) == (0.0, 0.0)


def test_without_a_proof_the_bound_is_nothing_and_the_estimate_is_called_one() -> None:
    graph = planted(300, 3, 9, 2, seed=2)
    found = sc.sparsest_cut(graph)
    assert 0 < found.lower_bound <= found.estimate <= found.value
    N, root = scaled_laplacian(CutProblem.of(graph, "ratio"))
    assert prove_second(N, root, found.estimate, is_cheap=False, dense_up_to=300) > 0
    assert prove_second(N, root, found.estimate, is_cheap=False, dense_up_to=299) == 0.0
    found = replace(found, lower_bound=0.0)
    assert "no bound is proved" in repr(found)
