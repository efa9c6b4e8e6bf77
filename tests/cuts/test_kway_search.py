"""Candidates of k parts: our own search beside the extra, borders improved by flow."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from cut_graphs import grid, planted
from sparsecut.cuts.cut_input import material
from sparsecut.cuts.kway_moves import worth
from sparsecut.cuts.kway_plan import Wanted
from sparsecut.cuts.kway_search import _recursive, find_parts, improve_pairs
from sparsecut.cuts.solve import LIGHT, THOROUGH


def silent(stage: str, done: int, total: int) -> None: ...


def wanted(n: int, count: int, most: float, objective: str = "cut") -> Wanted:
    return Wanted(count, objective, 0.03, np.ones(n), most, None)


@pytest.mark.slow
def test_our_own_parts_keep_the_bound_also_by_way_of_coarser_graphs() -> None:
    graph = planted(2000, 4, 10, 1, seed=6)
    source = material(graph, "structure", None, "test")
    efforts = (replace(THOROUGH, direct=300), replace(LIGHT, direct=300))
    asked = wanted(graph.n_nodes, 4, 520.0)
    members = _recursive(source, asked, np.random.default_rng(0), silent, efforts)
    assert np.bincount(members, minlength=4).max() <= 520
    assert worth(source.adjacency, members, 4, "cut") <= 1.05 * worth(source.adjacency, graph.labels, 4, "cut")


def test_borders_are_straightened() -> None:
    """A grid of 8 × 24 in three blocks whose borders are stairs: straight ones cut 8 edges each."""
    row, column = np.divmod(np.arange(8 * 24), 24)
    stairs = np.clip((column + row - 4) // 8, 0, 2)
    A = material(grid(8, 24), "structure", None, "test").adjacency
    members = improve_pairs(A, stairs, wanted(8 * 24, 3, 70.0), silent)
    assert worth(A, stairs, 3, "cut") == 30
    assert worth(A, members, 3, "cut") <= 18
    assert np.bincount(members).max() <= 70


def test_the_same_seed_gives_the_same_parts_whatever_ran_before() -> None:
    source = material(planted(240, 3, 8, 2, seed=1), "structure", None, "test")
    asked = wanted(source.adjacency.shape[0], 3, 84.0)
    first, *others = (find_parts(source, asked, effort="usual", seed=seed, report=silent)[0] for seed in (0, 1, 0))
    np.testing.assert_array_equal(first, others[1])
