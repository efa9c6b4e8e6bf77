"""Single moves between parts, and parts brought within their bounds."""

from __future__ import annotations

import numpy as np
import pytest

from cut_graphs import barbell, planted
from sparsecut.cuts.kway_moves import keep_bounds, move_nodes, worth


@pytest.mark.parametrize("objective", ["cut", "conductance", "modularity"])
def test_moves_never_worsen_what_they_are_made_for_and_keep_the_bound(objective: str) -> None:
    graph = planted(300, 3, 9, 2, seed=0)
    A, n = graph.adjacency, graph.n_nodes
    start = np.random.default_rng(1).integers(0, 3, n)
    most = float(np.bincount(start).max() + 10)
    moved = move_nodes(A, start, objective, np.ones(n), most, np.zeros(n, dtype=bool))
    assert worth(A, moved, 3, objective) < 0.8 * worth(A, start, 3, objective)
    assert np.bincount(moved).max() <= most


def test_held_nodes_do_not_move() -> None:
    graph = barbell(5)
    start = np.repeat([0, 1], 5)
    start[0] = 1
    free, held = np.zeros(10, dtype=bool), np.arange(10) == 0
    assert move_nodes(graph.adjacency, start, "cut", np.ones(10), 10.0, free)[0] == 0
    assert move_nodes(graph.adjacency, start, "cut", np.ones(10), 10.0, held)[0] == 1


def test_bounds_are_kept_by_the_moves_that_lose_least() -> None:
    """Node 4 has the bridge, so of the first clique it goes over when five nodes are one too many; part 2 was empty."""
    A = barbell(5).adjacency
    members = keep_bounds(A, np.repeat([0, 1], 5), 2, np.ones(10), 6.0, None)
    np.testing.assert_array_equal(members, np.repeat([0, 1], 5))
    three = keep_bounds(A, np.repeat([0, 1], 5), 3, np.ones(10), 4.0, None)
    assert np.bincount(three, minlength=3).max() <= 4
    assert np.bincount(three, minlength=3).min() >= 1


def test_parts_are_renamed_for_fixed_nodes_before_nodes_are_moved() -> None:
    A = barbell(5).adjacency
    fixed = np.full(10, -1)
    fixed[0], fixed[9] = 1, 0
    np.testing.assert_array_equal(keep_bounds(A, np.repeat([0, 1], 5), 2, np.ones(10), 5.0, fixed), np.repeat([1, 0], 5))
