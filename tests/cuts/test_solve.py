"""The search by the size of the graph: all cuts, the candidates, coarser graphs first."""

from __future__ import annotations

import numpy as np
import pytest

import sparsecut as sc
from cut_graphs import every_cut, graph_of, grid, planted
from sparsecut.cuts import solve
from sparsecut.cuts.exact_cut import ENUMERATED


def test_the_search_itself_finds_the_optimum_of_small_graphs(monkeypatch: pytest.MonkeyPatch) -> None:
    """With enumeration switched off: what is found on larger graphs is found here too."""
    monkeypatch.setattr(solve, "ENUMERATED", 2)
    random = np.random.default_rng(5)
    for objective in ("ratio", "conductance"):
        for _ in range(15):
            n = int(random.integers(6, 10))
            A = np.triu(random.random((n, n)) < 0.45, 1) * random.integers(1, 4, (n, n))
            A[np.arange(n - 1), np.arange(1, n)] = 1  # connected
            graph = graph_of(A)
            assert sc.sparsest_cut(graph, objective=objective).value == pytest.approx(every_cut(graph, objective), rel=1e-6)


@pytest.mark.parametrize("balance", [0.0, 0.5])
def test_larger_graphs_are_searched_on_coarser_ones(monkeypatch: pytest.MonkeyPatch, balance: float) -> None:
    """The way of graphs beyond 30,000 nodes, on a grid of 12 × 50: a straight cut across the middle is the sparsest."""
    monkeypatch.setattr(solve, "DIRECT", 100)
    found = sc.sparsest_cut(grid(12, 50), balance=balance)
    assert found.value == pytest.approx(600 * 12 / (300 * 300))
    assert len(found.nodes) == 300


def test_a_coarser_graph_finds_planted_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    graph = planted(2000, 2, 10, 1, seed=6)
    direct = sc.sparsest_cut(graph, objective="conductance")
    monkeypatch.setattr(solve, "DIRECT", 300)
    found = sc.sparsest_cut(graph, objective="conductance")
    assert found.value <= 1.02 * direct.value
    assert found.lower_bound == pytest.approx(direct.lower_bound, rel=1e-2)
    again = sc.partition(graph, 4, balance=0.2)
    assert again.sizes.min() >= 400 * graph.n_nodes // 2000


def test_the_limit_of_enumeration_is_worth_its_time() -> None:
    assert 2 ** (ENUMERATED - 1) <= 40_000
