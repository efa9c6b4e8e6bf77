"""Workers killed and stopped, a scheduler that is gone, a driver that is killed: the right answer or an error
that says what happened, and no half-written output."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from disk_cases import assert_same_rows, community_graph, names_in
from local_cluster import address, cluster
from sparsecut.engines.dask.cluster import local_cluster
from sparsecut.engines.dask.running import Runner

PASSES = ("transpose", "means", "Gram matrix", "projection")


def worker_processes(seconds: float = 60) -> list[int]:
    """The processes of the workers that run now, one at least."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        nannies = [nanny for nanny in cluster().workers.values() if nanny.status.name == "running"]
        running = [nanny.process.pid for nanny in nannies if nanny.process is not None and nanny.process.pid is not None]
        if running:
            return running
        time.sleep(0.1)
    pytest.fail("no worker runs")


def wait_for_workers(n_workers: int = 2, seconds: float = 40) -> None:
    """Until the nannies have started new workers in place of lost ones."""
    until, is_asked = time.monotonic() + seconds, False
    while time.monotonic() < until:
        known = cluster().scheduler.workers.values()
        if len(known) == n_workers and all(worker.status.name == "running" for worker in known):
            return
        if time.monotonic() > until - seconds / 2 and not is_asked:  # a nanny whose new worker was killed too gives up
            is_asked = True
            cluster().scale(0)
            cluster().scale(n_workers)
        time.sleep(0.1)
    pytest.fail("the workers did not come back")


def fit(
    tmp_path: Path, passes: Sequence[str], act: Callable[[], Any], plan: str = "columns", **options: Any
) -> tuple[sc.SCE, sc.SCE]:
    """A fit during which something happens at the first report of some passes; and the same fit in memory."""
    graph, waiting = community_graph(200, 12), list(passes)

    def watch(stage: str, *_: Any) -> None:
        name = stage.partition(", ")[0]
        if name in waiting:
            waiting.remove(name)
            act()

    model = sc.SCE(filter="symmetric", negatives="sampled", random_state=0)
    expected = model.fit(graph)
    engine = sc.Dask(address(), plan=plan, blocks=4, scratch=tmp_path, **options)
    other = sc.SCE(filter="symmetric", negatives="sampled", random_state=0, engine=engine)
    other.fit(graph, output=tmp_path / "z", progress=watch)
    assert not waiting
    return other, expected


def test_a_worker_killed_in_every_pass_costs_what_it_held(tmp_path: Path) -> None:
    wait_for_workers()
    killed = []

    def kill() -> None:
        victim = next(pid for pid in worker_processes() if pid not in killed)
        killed.append(victim)
        os.kill(victim, signal.SIGKILL)

    other, expected = fit(tmp_path, PASSES, kill)
    assert len(set(killed)) == len(PASSES)
    assert_same_rows(np.asarray(other.embedding_), expected.embedding_)
    assert names_in(tmp_path) == ["z"]


def test_a_worker_killed_while_rows_are_exchanged(tmp_path: Path) -> None:
    wait_for_workers()
    victim = worker_processes()[1]
    other, expected = fit(tmp_path, ["smoothing"], lambda: os.kill(victim, signal.SIGKILL), plan="rows")
    assert_same_rows(np.asarray(other.embedding_), expected.embedding_)
    wait_for_workers()


def test_a_worker_that_stands_still_is_waited_for(tmp_path: Path) -> None:
    wait_for_workers()
    victim = worker_processes()[0]

    def pause() -> None:
        os.kill(victim, signal.SIGSTOP)
        threading.Timer(2.0, os.kill, (victim, signal.SIGCONT)).start()

    other, expected = fit(tmp_path, ["smoothing"], pause)
    assert_same_rows(np.asarray(other.embedding_), expected.embedding_)


def test_workers_that_never_go_on_are_an_error_within_the_timeout(tmp_path: Path) -> None:
    wait_for_workers()
    victims = worker_processes()
    started = time.monotonic()
    try:
        with pytest.raises(sc.InputError, match=r"No task of the pass '.*' finished within 2 s"):
            fit(tmp_path, ["smoothing"], lambda: [os.kill(pid, signal.SIGSTOP) for pid in victims], timeout=2.0)
        assert time.monotonic() - started < 30
    finally:
        for pid in victims:
            os.kill(pid, signal.SIGCONT)
    assert names_in(tmp_path) == []


def run_script(code: str, folder: Path, *arguments: Any, seconds: float = 120) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "PYTHONWARNINGS": "ignore"}
    (folder / ".script.py").write_text(code)
    return subprocess.run(
        [sys.executable, str(folder / ".script.py"), str(folder), *map(str, arguments)],
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )


DRIVER = """
import sys
import sparsecut as sc
from disk_cases import community_graph
if __name__ == "__main__":
    def watch(stage, done, total):
        print(stage, flush=True)
        if stage.startswith(sys.argv[3]):
            import os, signal
            os.kill(os.getpid(), signal.SIGKILL)
    engine = sc.Dask(sys.argv[2], blocks=4, scratch=sys.argv[1])
    sc.SCE(engine=engine).fit(community_graph(300, 20), output=sys.argv[1] + "/z", progress=watch)
"""


def test_a_killed_driver_goes_on_from_what_is_on_shared_storage(tmp_path: Path) -> None:
    wait_for_workers()
    killed = run_script(DRIVER, tmp_path, address(), "projection")
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (tmp_path / "z").exists()
    again = run_script(DRIVER, tmp_path, address(), "never")
    assert (tmp_path / "z").exists(), again.stderr
    assert len(again.stdout.splitlines()) < len(killed.stdout.splitlines())  # it did not begin at the beginning
    expected = sc.SCE().fit_transform(community_graph(300, 20))
    assert_same_rows(sc.read_embedding(tmp_path / "z").vectors, expected)
    assert names_in(tmp_path) == [".script.py", "z"]


SCHEDULER = """
import os, signal, subprocess, sys, time
import sparsecut as sc
from disk_cases import community_graph
if __name__ == "__main__":
    from distributed import Client
    port = sys.argv[2]
    start = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"]
    scheduler = subprocess.Popen(start, stderr=subprocess.DEVNULL)
    worker = subprocess.Popen([sys.executable, "-m", "distributed.cli.dask_worker", f"tcp://127.0.0.1:{port}", "--nthreads",
                               "1", "--host", "127.0.0.1", "--no-dashboard"], stderr=subprocess.DEVNULL)
    done = []
    def watch(stage, *_):
        if stage.startswith("means") and not done:
            scheduler.kill()
            scheduler.wait()
            if sys.argv[3] == "back":
                time.sleep(1)
                done.append(subprocess.Popen(start, stderr=subprocess.DEVNULL))
            done.append(scheduler)
    engine = sc.Dask(f"tcp://127.0.0.1:{port}", scratch=sys.argv[1], timeout=30, blocks=2)
    started = time.monotonic()
    try:
        sc.SCE(engine=engine).fit(community_graph(200, 8), output=sys.argv[1] + "/z", progress=watch)
    except sc.InputError as error:
        print(f"{time.monotonic() - started:.0f} {error}")
    for process in (worker, *done):
        process.kill()
    os._exit(0)
"""


@pytest.mark.parametrize("then", ["gone", "back"])
def test_a_scheduler_that_is_lost_is_an_error_that_says_so(then: str, tmp_path: Path) -> None:
    """One that comes back at the same address knows nothing of the tasks, and no worker stays with it."""
    done = run_script(SCHEDULER, tmp_path, 8917 + os.getpid() % 1000, then)
    assert "was lost" in done.stdout or "No task of the pass" in done.stdout, done.stdout + done.stderr
    assert "tcp://127.0.0.1" in done.stdout
    assert int(done.stdout.split()[0]) <= 60  # the timeout, and what Dask takes to give a connection up
    assert names_in(tmp_path) == [".script.py"]


def test_a_worker_beyond_its_memory_limit_is_an_error_that_names_the_remedies(tmp_path: Path) -> None:
    with local_cluster(1, None, 400 << 20, tmp_path) as small:
        small.client.cluster.scheduler.allowed_failures = 0  # the first death will do: each takes a worker's start
        runner = Runner(small.client, lambda *_: None, 60.0, small.where)
        future = runner.submit(hold, 700 << 20)
        started = time.monotonic()
        with pytest.raises(sc.InputError, match=r"Workers of the local cluster died .*memory_limit.*blocks="):
            runner.collect([future], "holding")
        assert time.monotonic() - started < 30


def hold(n_bytes: int) -> int:
    """Take memory, and keep it until somebody looks."""
    held = np.ones(n_bytes, dtype=np.uint8)
    time.sleep(20)
    return len(held)
