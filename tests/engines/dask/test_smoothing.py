"""Blocks lie on all workers, those that follow one another together, and go elsewhere when a worker is lost."""

from __future__ import annotations

import os
import signal
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import sparsecut as sc
from disk_cases import community_graph
from local_cluster import address, cluster, wait_for_workers
from sparsecut.engines.contract import Job
from sparsecut.engines.dask.running import Runner
from sparsecut.engines.dask.smoothing import Anchors
from sparsecut.features.weighting import Weighting
from sparsecut.kernels.polynomials import power

pytestmark = pytest.mark.cluster


def process_of(number: int) -> tuple[int, int]:
    return number, os.getpid()


def anchors(n_workers: int = 2) -> Anchors:
    from distributed import get_client

    address()
    wait_for_workers()
    return Anchors(Runner(get_client(), lambda *_: None, 60.0, "the tests' cluster"), n_workers)


def processes(own: Anchors, n_blocks: int) -> list[int]:
    homes = own.spread(n_blocks)
    held = [own.runner.submit(process_of, block, near=home) for block, home in enumerate(homes)]
    found = own.runner.collect(held, "loading")
    assert [number for number, _ in found] == list(range(n_blocks))
    return [pid for _, pid in found]


def usual_processes(own: Any, n_blocks: int) -> list[int]:
    """Where blocks lie most often: a worker that is free may take a block of a busy one, for an anchor is only a hint."""
    return list(Counter(tuple(processes(own, n_blocks)) for _ in range(7)).most_common(1)[0][0])


def test_blocks_are_spread_evenly_and_neighbours_lie_together() -> None:
    own = anchors()
    where = usual_processes(own, 8)
    assert where == [where[0]] * 4 + [where[-1]] * 4
    assert len(set(where)) == 2
    assert usual_processes(own, 8) == where  # and other rows of the same blocks lie with them
    assert usual_processes(own, 2) == [where[0], where[-1]]


def test_blocks_in_turn_are_one_of_every_anchor() -> None:
    own: Any = Anchors.__new__(Anchors)
    own.n_workers = 3
    for n_blocks in (3, 9, 12, 10):
        order = own.in_turn(n_blocks)
        assert sorted(order) == list(range(n_blocks))
        if n_blocks % 3 == 0:
            numbers = [own.number(block, n_blocks) for block in order]
            assert numbers == [0, 1, 2] * (n_blocks // 3)


def test_a_lost_worker_takes_its_anchor_along_and_the_next_one_has_its_share() -> None:
    own = anchors()
    where, first = processes(own, 4), own.spread(4)
    victim = where[0]
    os.kill(victim, signal.SIGKILL)
    left = own.runner.collect([own.runner.submit(process_of, block, near=first[block]) for block in range(4)], "loading")
    assert victim not in {pid for _, pid in left}
    wait_for_workers()
    assert sorted(Counter(usual_processes(own, 4)).values()) == [2, 2]
    assert len(cluster().scheduler.workers) == 2


@pytest.mark.parametrize("through", ["memory", "files", "passing"])
@pytest.mark.parametrize("plan", ["columns", "rows"])
def test_panels_stay_where_they_are_from_hop_to_hop(plan: str, through: str, tmp_path: Path) -> None:
    """By columns first and through files only blocks that become panels travel, and panels that become blocks."""
    graph, nodes = community_graph(400, 12), np.arange(0, 400, 7)
    job = Job("test", graph, n_columns=12)
    wait_for_workers()
    in_files = through != "memory"
    dask = sc.Dask(address(), plan=plan, blocks=4, scratch=tmp_path)  # type: ignore[arg-type]
    with sc.Memory(device="cpu").open(job) as memory, dask.open(job) as engine:
        smoother = engine.smoother
        if in_files:  # several panels: two waves of them by columns
            smoother.plan = replace(smoother.plan, keeps_panels=True, holds_lists=through == "files", widest=4)
        keeps = plan == "columns" or in_files
        n_panels = {"columns": 4 if in_files else 2, "rows": 3}[plan]
        n_files = in_files * n_panels * (1 if plan == "columns" else 2)
        expected, rows = (one.load(graph, Weighting("none"), sc.Power(order=1)) for one in (memory, engine))
        for polynomial in (power(1), power(2), (0.5, 0.0, 0.25)):
            expected, rows = memory.smooth(expected, polynomial), engine.smooth(rows, polynomial)
            assert torch.equal(engine.take(rows, nodes), memory.take(expected, nodes))
            assert (rows.held.panels is not None) == keeps
            if keeps:
                assert len(rows.held.panels.futures) == n_panels
                assert smoother.n_estimated == 0
                # Of panels in files their names travel, and the lists' numbers of groups; of the others nothing.
                assert smoother.n_sent == 0 if not in_files else smoother.n_sent < 4 * 400 * 12
            panels = [path for path in engine.work.path.glob("panel-*") if "lists" not in path.name]
            assert len(panels) == n_files  # the former ones are gone
        half = torch.eye(12)[:, :6]
        product, wanted = engine.multiply([rows], half), memory.multiply([expected], half)  # which needs blocks
        assert torch.equal(engine.take(product, nodes), memory.take(wanted, nodes))
        before = smoother.n_estimated
        if keeps:
            to_rows = 0 if in_files else 4 * 400 * 12 // 2  # rows are read from the files
            assert before == to_rows
            assert [path for path in engine.work.path.glob("panel-*") if "lists" not in path.name] == []
        again = engine.smooth(product, power(1))  # and panels again
        assert torch.equal(engine.take(again, nodes), memory.take(memory.smooth(wanted, power(1)), nodes))
        if keeps:
            assert smoother.n_estimated == before + 4 * 400 * 6 // 2
