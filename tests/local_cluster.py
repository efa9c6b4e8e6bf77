"""One cluster of two worker processes for all tests of a process: started when first asked for, closed at its end."""

from __future__ import annotations

import atexit
import functools
import logging
import time
from typing import Any

import pytest

from marks import require_mark


def cluster() -> Any:
    require_mark("cluster")
    return _start()


@functools.cache
def _start() -> Any:
    import dask
    from distributed import Client, LocalCluster
    from distributed.utils import get_mp_context

    # Workers are forks of a process that has imported what they need: a new one, for one that was killed, is there at once.
    # Dask gives a worker up that is lost 15 s after it was lost before, and calls one that is gone for 30 s.
    times = {"distributed.deploy.lost-worker-timeout": "10 minutes", "distributed.comm.timeouts.connect": "5s"}
    dask.config.set({"distributed.worker.multiprocessing-method": "forkserver", **times})
    get_mp_context().set_forkserver_preload(
        ["distributed", "sparsecut.engines.dask.tasks", "sparsecut.engines.dask.cluster_building"]
    )
    started = LocalCluster(
        n_workers=2,
        threads_per_worker=1,
        memory_limit="1GiB",
        host="127.0.0.1",
        dashboard_address="127.0.0.1:0",
        worker_dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )
    client = Client(started)  # the engine takes a client that is there
    atexit.register(lambda: (client.close(), started.close()))
    return started


def address() -> str:
    return str(cluster().scheduler_address)


def worker_processes() -> list[int]:
    """The processes of the workers that are up."""
    nannies = [nanny for nanny in cluster().workers.values() if nanny.worker_address in cluster().scheduler.workers]
    running = [nanny.process for nanny in nannies if nanny.process is not None and nanny.process.status.name == "running"]
    return [pid for process in running if (pid := process.pid) is not None]  # None from its death until the nanny sees it


def wait_for_workers(n_workers: int = 2, seconds: float = 80) -> list[int]:
    """The processes of all workers, once the nannies have started new ones in place of those lost.

    A nanny gives up where a worker is killed as it starts, so whoever kills one waits for this first.
    """
    until, is_asked = time.monotonic() + seconds, False
    while time.monotonic() < until:
        known = cluster().scheduler.workers.values()
        are_known = len(known) == n_workers and all(worker.status.name == "running" for worker in known)
        if are_known and len(processes := worker_processes()) == n_workers:
            return processes
        if time.monotonic() > until - seconds / 2 and not is_asked:
            is_asked = True
            cluster().scale(0)
            cluster().scale(n_workers)
        time.sleep(0.05)
    pytest.fail("the workers did not come back")
