"""Mt-KaHyPar in its process, KaHIP and METIS here and in theirs, and weights as whole numbers."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable

import numpy as np
import pytest
import scipy.sparse as sp

from cut_graphs import barbell, grid, planted
from sparsecut.cuts.cut_input import material
from sparsecut.cuts.multilevel import MOST, Kahypar, Task, kahip_strong, metis, whole

A = material(grid(20, 40), "structure", None, "test").adjacency
NODES = np.ones(800)


def cut_of(members: np.ndarray) -> float:
    rows = np.repeat(members, np.diff(A.indptr))
    return float(A.data[rows != members[A.indices]].sum() / 2)


def test_the_best_of_several_seeds_within_the_bound() -> None:
    pytest.importorskip("mtkahypar")
    tasks = [Task(2, 0.03, "QUALITY", (0, 1, 2), n_cycles=3, n_rounds=2, n_tries=3), Task(4, 0.0, "DEFAULT", (0,))]
    with Kahypar(A, NODES, tasks) as process:
        two, four = process.parts()
    assert cut_of(two) == 20
    assert np.bincount(two).max() <= 412
    assert np.bincount(four).tolist() == [200] * 4
    with Kahypar(A, NODES, tasks) as process:
        np.testing.assert_array_equal(process.parts()[0], two)


def test_what_several_partitions_agree_on_is_combined_to_better_ones() -> None:
    pytest.importorskip("mtkahypar")
    graph = material(planted(700, 30, 5, 3, seed=3), "structure", None, "test").adjacency
    nodes = np.ones(graph.shape[0])
    fixed = np.full(len(nodes), -1)
    fixed[:6] = np.arange(6)
    seeds = (0, 1, 2)

    def cut(task: Task, held: np.ndarray | None = None) -> tuple[float, np.ndarray]:
        with Kahypar(graph, nodes, [task], held) as process:
            (members,) = process.parts()
        assert np.bincount(members, minlength=6).max() <= 1.03 * -(-len(nodes) // 6)
        return float(graph.data[np.repeat(members, np.diff(graph.indptr)) != members[graph.indices]].sum() / 2), members

    combined, alone = Task(6, 0.03, "DEFAULT", seeds, n_cycles=3, n_rounds=2, n_tries=3), Task(6, 0.03, "DEFAULT", seeds)
    assert cut(combined)[0] < cut(alone)[0]
    np.testing.assert_array_equal(cut(combined, fixed)[1][:6], np.arange(6))


def test_fixed_and_heavy_nodes() -> None:
    pytest.importorskip("mtkahypar")
    fixed = np.full(800, -1)
    fixed[0], fixed[799] = 1, 0
    weights = np.where(np.arange(800) % 40 < 10, 3.0, 1.0)  # a quarter of the columns weighs as much as the rest
    with Kahypar(A, weights, [Task(2, 0.03, "QUALITY", (0,))], fixed) as process:
        (members,) = process.parts()
    assert (members[0], members[799]) == (1, 0)
    assert np.bincount(members, weights).max() <= 1.03 * weights.sum() / 2


def test_a_process_that_fails_gives_no_parts() -> None:
    with Kahypar(A, NODES, [Task(2, 0.03, "NO_SUCH_PRESET", (0,))]) as process:
        assert process.parts() == []
    with Kahypar(A, NODES, []) as process:
        assert process.parts() == []


def test_metis_keeps_its_bound_and_its_seed() -> None:
    pytest.importorskip("pymetis")
    members = metis(A, NODES, 4, 0.03, seed=0)
    assert members is not None
    assert np.bincount(members).max() <= 206
    np.testing.assert_array_equal(metis(A, NODES, 4, 0.03, seed=0), members)
    B = material(barbell(5, bridge=0.5), "structure", None, "test").adjacency
    np.testing.assert_array_equal(np.sort(np.bincount(metis(B, np.ones(10), 2, 0.03, seed=0))), [5, 5])


@pytest.mark.parametrize(("library", "call"), [("kahip", kahip_strong), ("pymetis", metis)])
def test_a_process_of_its_own_gives_the_same_parts(library: str, call: Callable[..., np.ndarray]) -> None:
    pytest.importorskip(library)
    weights, edges = np.where(NODES.cumsum() < 50, 3.0, 1.0), A.copy()
    edges.data = 1.0 + (np.arange(A.nnz) % 2 == 0)
    edges = (edges + edges.T).tocsr()
    here, there = call(edges, weights, 3, 0.03, 1), call(edges, weights, 3, 0.03, 1, is_short=False)
    np.testing.assert_array_equal(here, there)
    assert np.bincount(here, weights).max() <= 1.03 * -(-weights.sum() // 3)


@pytest.mark.slow
def test_an_interrupt_ends_what_takes_long() -> None:
    """KaHIP holds the interpreter for many seconds on a cube of 27,000 nodes: an interrupt is answered all the same."""
    pytest.importorskip("kahip")
    line = sp.diags_array([np.ones(29), np.ones(29)], offsets=[-1, 1])
    one = sp.eye_array(30)
    cube = sp.csr_array(sum(sp.kron(sp.kron(a, b), c) for a, b, c in ((line, one, one), (one, line, one), (one, one, line))))
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a job in the background is started without it
    started = time.perf_counter()
    try:
        threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        with pytest.raises(KeyboardInterrupt):
            kahip_strong(cube, np.ones(27_000), 16, 0.03, 0)
    finally:
        signal.signal(signal.SIGINT, before)
    assert time.perf_counter() - started < 5


def test_whole_numbers_stay_and_others_keep_their_ratios() -> None:
    assert whole(np.array([1.0, 7.0])).tolist() == [1, 7]
    assert whole(np.array([0.3, 1.2, 0.3])).tolist() == [1, 4, 1]
    scaled = whole(np.array([0.25, 0.5, 1e-30])).astype(np.int64)
    assert scaled[1] / scaled[0] == pytest.approx(2, rel=1e-6)
    assert scaled[2] == 1
    assert scaled.sum() <= MOST
