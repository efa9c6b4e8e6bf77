"""One cluster of two worker processes for all tests of a process: started when first asked for, closed at its end."""

from __future__ import annotations

import atexit
import functools
import logging
from typing import Any


@functools.cache
def cluster() -> Any:
    from distributed import Client, LocalCluster

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
