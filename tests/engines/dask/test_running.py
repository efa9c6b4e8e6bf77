"""Tasks and their results: names that no other job has, sums that lose nothing, errors that say what it was."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from disk_cases import assert_same_rows, community_graph
from local_cluster import address, cluster, wait_for_workers
from sparsecut.engines.dask.running import Runner

pytestmark = pytest.mark.cluster


def runner() -> Runner:
    from distributed import get_client

    address()
    return Runner(get_client(), lambda *_: None, 60.0, "the tests' cluster")


def one_of(number: int, n_numbers: int) -> np.ndarray:
    return np.eye(n_numbers)[number]


def held_by() -> int:
    return os.getpid()


def held_result(own: Runner) -> tuple[Any, int]:
    """A future that has finished, and the process that holds its result."""
    future = own.submit(held_by)
    own.wait([future], "holding")
    (holder,) = own.client.who_has([future])[future.key]
    return future, next(nanny.process.pid for nanny in cluster().workers.values() if nanny.worker_address == holder)


@pytest.mark.parametrize("n_parts", [1, 8, 9, 17, 65])
def test_a_sum_on_the_workers_has_every_part_once(n_parts: int) -> None:
    """Eight at a time: what is left over after groups of eight is one part, or one sum."""
    own = runner()
    parts = [own.submit(one_of, number, n_parts) for number in range(n_parts)]
    assert own.total(parts, "adding").tolist() == [1.0] * n_parts


@pytest.mark.parametrize("plan", ["columns", "rows"])
def test_a_fit_with_nine_blocks(plan: str, tmp_path: Path) -> None:
    """The tree of sums has more than one level, and the ninth is alone."""
    graph = community_graph(90, 6)
    expected = sc.SCE(filter="power").fit(graph)
    engine = sc.Dask(address(), plan=plan, blocks=9, scratch=tmp_path)
    model = sc.SCE(filter="power", engine=engine).fit(graph)
    assert_same_rows(np.asarray(model.embedding_), expected.embedding_)
    assert model.history_.effective_rank == pytest.approx(expected.history_.effective_rank, rel=1e-5)


def test_no_task_of_a_fit_is_bound_to_an_address(tmp_path: Path) -> None:
    bound: list[Any] = []
    tasks = cluster().scheduler.tasks

    def watch(*_: Any) -> None:
        bound.extend(task for task in list(tasks.values()) if task.worker_restrictions or task.host_restrictions)

    for plan in ("columns", "rows"):
        engine = sc.Dask(address(), plan=plan, blocks=4, scratch=tmp_path)
        sc.SCE(filter="symmetric", negatives="sampled", random_state=0, engine=engine).fit(
            community_graph(120, 6), progress=watch
        )
    assert bound == []


def test_results_that_do_not_arrive_are_no_lost_connection() -> None:
    """A worker that stops between the end of its task and the gathering of its result."""
    wait_for_workers()
    own = runner()
    future, victim = held_result(own)
    own.timeout = 2.0
    os.kill(victim, signal.SIGSTOP)
    try:
        with pytest.raises(sc.InputError, match=r"have finished on .* did not arrive here within 2 s") as caught:
            own.collect([future], "holding")
    finally:
        os.kill(victim, signal.SIGCONT)
    assert "connection" not in str(caught.value)
    wait_for_workers()


def test_a_result_that_is_lost_before_it_is_gathered_is_computed_again() -> None:
    wait_for_workers()
    own = runner()
    future, victim = held_result(own)
    os.kill(victim, signal.SIGKILL)
    (again,) = own.collect([future], "holding")
    assert again != victim
    wait_for_workers()
