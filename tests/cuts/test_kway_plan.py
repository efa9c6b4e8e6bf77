"""How much is tried: by degrees, sizes and the number of parts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import scipy.sparse as sp

from cut_graphs import grid, planted
from sparsecut.cuts.cut_input import material
from sparsecut.cuts.kway_plan import KwayPlan, Wanted, is_mesh, plan

MESH = material(grid(20, 30), "structure", None, "test").adjacency
STAR = MESH.tolil()
STAR[0, 300:400] = STAR[300:400, 0] = 1  # one node with a hundred edges more: no mesh
STAR = type(MESH)(STAR.tocsr())


def wanted(count: int, objective: str = "cut") -> Wanted:
    return Wanted(count, objective, 0.03, np.ones(600), 1.03 * 600 / count, None)


def n_partitions(planned: KwayPlan) -> int:
    """Partitions by Mt-KaHyPar, at most."""
    return sum(len(task.seeds) + task.n_rounds * task.n_tries for task in planned.chains)


def test_meshes_have_equal_degrees_and_triangles_or_long_ways() -> None:
    assert is_mesh(MESH)  # no triangle, 48 steps from corner to corner
    assert not is_mesh(STAR)
    random = material(planted(600, 2, 8, 2, seed=0), "structure", None, "test").adjacency
    assert not is_mesh(random)
    assert is_mesh(sp.csr_array(sp.block_diag([np.ones((6, 6)) - np.eye(6)] * 9)))  # cliques: all is triangles
    assert not is_mesh(sp.csr_array((5, 5)))


def test_more_parts_and_more_effort_mean_more_partitions() -> None:
    pytest.importorskip("mtkahypar")
    usual = [n_partitions(plan(STAR, wanted(count), 0, "usual")) for count in (8, 16)]
    assert 0 < usual[0] < usual[1]
    assert n_partitions(plan(STAR, wanted(16), 0, "best")) > usual[1]
    assert [task.preset for task in plan(STAR, wanted(2), 0, "usual").chains] == ["DEFAULT"]  # more of the quick ones


def test_the_libraries_make_no_parts_of_any_size() -> None:
    free = replace(wanted(4, "modularity"), most=np.inf)
    assert plan(MESH, free, 0, "usual") == KwayPlan()
    pytest.importorskip("mtkahypar")
    assert plan(MESH, replace(free, fixed=np.where(np.arange(600) == 0, 1, -1)), 0, "usual").chains
    assert plan(MESH, wanted(4, "modularity"), 0, "usual").chains
    assert n_partitions(plan(STAR, wanted(16), 0, "fast")) == 1


def test_kahip_cuts_meshes_where_nothing_is_asked_that_it_cannot_do() -> None:
    pytest.importorskip("kahip")
    assert plan(MESH, wanted(4), 0, "usual") == KwayPlan(with_kahip=True)
    assert plan(MESH, wanted(4), 0, "best").with_kahip
    fixed = replace(wanted(4), fixed=np.where(np.arange(600) == 0, 1, -1))
    uneven = replace(wanted(4), weights=1 + np.random.default_rng(0).random(600))
    heavy = replace(wanted(4), weights=np.full(600, 1e5))
    for asked in (fixed, wanted(4, "conductance"), uneven, heavy):
        assert not plan(MESH, asked, 0, "best").with_kahip
    assert not plan(STAR, wanted(4), 0, "best").with_kahip


def test_no_two_seeds_share_a_partition() -> None:
    pytest.importorskip("mtkahypar")
    drawn = [seed for number in (0, 1) for task in plan(STAR, wanted(2), number, "best").chains for seed in task.seeds]
    assert len(set(drawn)) == len(drawn)
    usual = plan(STAR, wanted(2), 0, "usual").chains
    assert usual == plan(STAR, wanted(2), 0, "usual").chains
    assert usual != plan(STAR, wanted(2), 1, "usual").chains
