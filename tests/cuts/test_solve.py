"""The search by the size of the graph: all cuts, the candidates, coarser graphs first."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import sparsecut as sc
from cut_graphs import every_cut, graph_of, grid, planted
from sparsecut.cuts.candidates import Candidate
from sparsecut.cuts.exact_cut import ENUMERATED
from sparsecut.cuts.objective import CutProblem
from sparsecut.cuts.solve import THOROUGH, Effort, solve


def silent(stage: str, done: int, total: int) -> None: ...


def found_in(graph: sc.Graph, objective: str, effort: Effort, balance: float = 0.0) -> Candidate:
    """The best cut of a search that is no public option."""
    problem = CutProblem.of(graph, objective, balance)
    return solve(problem, np.random.default_rng(0), silent, effort=effort).cuts[0]


@pytest.mark.slow
def test_the_search_itself_finds_the_optimum_of_small_graphs() -> None:
    """With enumeration switched off: what is found on larger graphs is found here too."""
    searching = replace(THOROUGH, enumerated=2)
    random = np.random.default_rng(5)
    for objective in ("ratio", "conductance"):
        for _ in range(15):
            n = int(random.integers(6, 10))
            A = np.triu(random.random((n, n)) < 0.45, 1) * random.integers(1, 4, (n, n))
            A[np.arange(n - 1), np.arange(1, n)] = 1  # connected
            graph = graph_of(A)
            found = found_in(graph, objective, searching)
            assert found.value == pytest.approx(every_cut(graph, objective), rel=1e-6)


@pytest.mark.slow
@pytest.mark.parametrize("balance", [0.0, 0.5])
def test_larger_graphs_are_searched_on_coarser_ones(balance: float) -> None:
    """The way of graphs beyond 30,000 nodes, on a grid of 12 × 50: a straight cut across the middle is the sparsest."""
    found = found_in(grid(12, 50), "ratio", replace(THOROUGH, direct=100), balance)
    assert found.value == pytest.approx(600 * 12 / (300 * 300))
    assert found.side.sum() == 300


@pytest.mark.slow
def test_a_coarser_graph_finds_planted_parts() -> None:
    graph = planted(2000, 2, 10, 1, seed=6)
    direct = sc.sparsest_cut(graph, objective="conductance")
    problem = CutProblem.of(graph, "conductance")
    found = solve(problem, np.random.default_rng(0), silent, effort=replace(THOROUGH, direct=300))
    assert found.cuts[0].value <= 1.02 * direct.value
    assert found.spectrum is not None
    assert found.spectrum.values[0] / 2 == pytest.approx(direct.estimate, rel=1e-2)


@pytest.mark.slow
def test_communities_that_coarser_graphs_mix_are_found_on_the_graph_itself() -> None:
    """Sixteen planted parts: the sparsest cut is between eight and eight of them."""
    graph = planted(4000, 16, 17, 3, seed=0)
    found = found_in(graph, "conductance", replace(THOROUGH, direct=300))
    assert found.value <= 1.05 * CutProblem.of(graph, "conductance").value(graph.labels < 8)


def test_the_limit_of_enumeration_is_worth_its_time() -> None:
    assert 2 ** (ENUMERATED - 1) <= 40_000
