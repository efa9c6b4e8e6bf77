"""What every worker does when it starts, or starts again: take its share of the machine's cores, and count what it sends.

Dask's nannies set one thread for BLAS and OpenMP in every worker, whatever cores are left over. Its heartbeats have what is
being sent at the moment, not what has been sent.
"""

from __future__ import annotations

import os
from typing import Any

from distributed import WorkerPlugin

from sparsecut.engines.dask.running import MOVED


class Threads(WorkerPlugin):
    """`n_threads` for the kernels of a worker, or the machine's cores shared by the workers on it."""

    name = "sparsecut-threads"

    def __init__(self, n_threads: int | None, n_workers: int) -> None:
        self.n_threads, self.n_workers = n_threads, n_workers

    def setup(self, worker: Any) -> None:
        import torch
        from threadpoolctl import threadpool_limits

        slots = self.n_workers * max(1, int(worker.state.nthreads))
        n_threads = self.n_threads or max(1, (os.cpu_count() or 1) // slots)
        torch.set_num_threads(n_threads)
        threadpool_limits(n_threads)  # for BLAS: numpy's products too
        worker.metrics[MOVED] = sent_by  # sent with every heartbeat


def sent_by(worker: Any) -> int:
    return int(worker.transfer_outgoing_bytes_total)
