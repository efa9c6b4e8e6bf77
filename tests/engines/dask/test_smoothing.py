"""Blocks lie on all workers, those that follow one another together, and go elsewhere when a worker is lost."""

from __future__ import annotations

import os
import signal
from collections import Counter
from typing import Any

import pytest

from local_cluster import address, cluster, wait_for_workers
from sparsecut.engines.dask.running import Runner
from sparsecut.engines.dask.smoothing import Anchors

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
