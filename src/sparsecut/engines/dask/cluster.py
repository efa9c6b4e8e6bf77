"""A cluster to run on: one of worker processes on this machine, started and closed again, or one that is there already.

Nothing of a cluster that is started here listens beyond loopback. Of one that is there, only its address and its TLS
settings are known: Dask's own configuration and commands decide where it listens.
"""

from __future__ import annotations

import logging
import multiprocessing
import os
import sys
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.engines.dask.running import distributed_module, known_workers

LOOPBACK = "127.0.0.1"
CONNECT_SECONDS = 30
SERVED_SECONDS = 5.0  # within which a client of this process must take a callback
PRELOADED = ("distributed", "distributed.nanny", "sparsecut.engines.dask.tasks", "sparsecut.engines.dask.plugin")
# What must be set before the libraries of a worker are imported: one thread until it knows its share, memory given back, and
# tensors on huge pages, where the gathers of a hop miss fewer translations of addresses (up to a third of its time).
SPAWN_ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_TRIM_THRESHOLD_": "65536",
    "THP_MEM_ALLOC_ENABLE": "1",
}
SPAWN_REMEDY = (
    "Dask starts worker processes, and each of them imports the script that started it. Put the call under "
    "if __name__ == '__main__':"
)


@dataclass(frozen=True)
class Cluster:
    client: Any
    where: str  # for messages
    workers: list[str]
    worker_bytes: int  # the limit of the smallest, for one task at a time
    is_known: bool = False  # this process was connected to it before

    @property
    def dashboard(self) -> str:
        """The address of the dashboard; "none" where the scheduler was started without one."""
        try:
            return str(self.client.dashboard_link or "none")
        except KeyError:  # as the scheduler lists what it serves
            return "none"


@contextmanager
def local_cluster(n_workers: int | None, n_threads: int | None, limit: int | None, folder: Path) -> Iterator[Cluster]:
    """Worker processes on this machine, on loopback alone, one task at a time in each."""
    distributed = distributed_module("Dask")
    if multiprocessing.parent_process() is not None and getattr(multiprocessing.current_process(), "_inheriting", False):
        raise InputError(SPAWN_REMEDY)
    n_cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    n_workers = n_workers or max(2, n_cores)
    limit = limit or int(distributed.system.MEMORY_LIMIT * 0.9 / n_workers)
    import dask

    calm = {
        **_start_by_fork(distributed),
        "distributed.worker.memory.rebalance.measure": "managed",
        "distributed.scheduler.allowed-failures": 3,
        # Tasks go to where their blocks are. Stealing moves the blocks; so does the half second that Dask takes for the time
        # of a function it has not seen yet, against which bytes hardly count.
        "distributed.scheduler.work-stealing": False,
        "distributed.scheduler.unknown-task-duration": "1ms",
        # Dask gives a lost worker up after 15 s; on a busy machine a new one takes longer than that to start.
        "distributed.deploy.lost-worker-timeout": "10 minutes",
    }
    with ExitStack() as stack:
        stack.enter_context(dask.config.set(calm))
        try:
            cluster = distributed.LocalCluster(
                n_workers=n_workers,
                threads_per_worker=1,
                processes=True,
                memory_limit=limit,
                host=LOOPBACK,
                dashboard_address=f"{LOOPBACK}:0",
                worker_dashboard_address=None,  # a page of each worker costs it the import of bokeh; the scheduler has one
                local_directory=str(folder),
                silence_logs=logging.CRITICAL,
            )
        except RuntimeError as error:
            raise InputError(f"The local cluster could not be started: {error}. {SPAWN_REMEDY}") from error
        stack.enter_context(cluster)
        client = stack.enter_context(distributed.Client(cluster, set_as_default=False))
        yield _described(client, "the local cluster", n_threads or max(1, n_cores // n_workers))


def prepare_start(*modules: str) -> None:
    """Let the process that workers are forked from import what they need, beside what this process does meanwhile.

    Workers that are spawned import torch each, which takes longer than many a fit. Elsewhere than on Linux a fork of a
    process with torch is not safe, and workers are spawned.
    """
    if sys.platform != "linux":
        return
    from multiprocessing import forkserver

    multiprocessing.get_context("forkserver").set_forkserver_preload([*PRELOADED, *modules])
    kept = {name: os.environ.get(name) for name in SPAWN_ENVIRONMENT}
    os.environ.update(SPAWN_ENVIRONMENT)
    try:
        forkserver.ensure_running()
    finally:
        for name, value in kept.items():
            os.environ.pop(name) if value is None else os.environ.__setitem__(name, value)


def _start_by_fork(distributed: Any) -> dict[str, str]:
    """Dask's settings for workers that are forked from the process of `prepare_start`."""
    if sys.platform != "linux":
        return {}
    prepare_start()
    distributed.utils._forkserver_preload_set = True  # or Dask imports pandas here and there, which nothing needs
    return {"distributed.worker.multiprocessing-method": "forkserver"}


@contextmanager
def remote_cluster(address: str, n_threads: int | None, security: Mapping[str, Any] | None) -> Iterator[Cluster]:
    """The cluster behind a scheduler's address; a client of this process that is connected to it serves."""
    distributed = distributed_module("Dask")
    where = f"the cluster at {address}"
    known = _known_client(distributed, address)
    is_known = known is not None
    with ExitStack() as stack:
        if known is None:
            try:
                settings = None if security is None else distributed.Security(**security)
                known = distributed.Client(address, security=settings, timeout=CONNECT_SECONDS, set_as_default=False)
            except (TypeError, ValueError) as error:
                raise InputError(
                    f"The scheduler at {address} cannot be called with these settings: {error}. A tls:// address needs "
                    "certificates: Dask(security={'tls_ca_file': …}) or Dask's configuration."
                ) from error
            except (OSError, TimeoutError) as error:
                raise InputError(
                    f"No scheduler answers at {address} within {CONNECT_SECONDS} s ({type(error).__name__}). Start one "
                    "(dask scheduler), or leave the scheduler out for a cluster on this machine."
                ) from error
            stack.enter_context(known)
        try:
            known.wait_for_workers(1, timeout=CONNECT_SECONDS)
        except TimeoutError as error:
            raise InputError(
                f"The scheduler at {address} has no workers after {CONNECT_SECONDS} s. Start some: dask worker {address}."
            ) from error
        yield replace(_described(known, where, n_threads), is_known=is_known)


def check_shared(cluster: Cluster, folder: Path) -> None:
    """Refuse a folder that a worker does not see as this process does."""
    mark = folder / "seen"
    mark.write_text(f"{os.getpid()}")
    found = cluster.client.run(_reads, str(mark), on_error="return")  # a worker that is just going away does not answer
    texts = {address: text for address, text in found.items() if text is None or isinstance(text, str)}
    blind = [address for address, text in texts.items() if text != f"{os.getpid()}"]
    if blind:
        raise InputError(
            f"The worker {blind[0]} cannot read {folder}. Name a folder on storage that all workers share: "
            "Dask(scratch='/shared/…')."
        )


def _described(client: Any, where: str, n_threads: int | None) -> Cluster:
    from distributed.system import MEMORY_LIMIT  # of this machine: what a worker without a limit may take

    from sparsecut.engines.dask.plugin import Threads

    workers = known_workers(client)
    per_host = Counter(worker["host"] for worker in workers.values())
    client.register_plugin(Threads(n_threads, max(per_host.values())))
    limits = [(worker["memory_limit"] or MEMORY_LIMIT) // max(1, worker["nthreads"]) for worker in workers.values()]
    return Cluster(client, where, sorted(workers), min(limits))


def _known_client(distributed: Any, address: str) -> Any:
    """The client that this process has open to an address already.

    A process that was forked from one with a client finds that client, without the thread that would serve it.
    """
    try:
        client = distributed.get_client()
    except ValueError:
        return None
    if client.scheduler is None or client.scheduler.address != address:
        return None
    is_served = threading.Event()
    client.loop.add_callback(is_served.set)
    return client if is_served.wait(SERVED_SECONDS) else None


def _reads(path: str) -> str | None:
    return Path(path).read_text() if Path(path).exists() else None
