"""Tasks on a cluster, waited for: progress as they finish, bytes moved, and errors that say what happened and what to do.

A worker that is lost costs what it held: Dask computes that again on another, from the files. What does not come to an end
is not waited for: where no task finishes for `timeout` seconds the run stops with an error.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from sparsecut.arrays.streaming import in_words
from sparsecut.errors import InputError, import_extra
from sparsecut.progress import Reporter

FIRST_PAUSE, LONGEST_PAUSE = 0.002, 0.02  # seconds between two looks at what is pending
ANSWER_SECONDS = 10.0  # that workers have to say something of themselves
HEARTBEAT = 2.0  # seconds between two looks at what the workers have said of themselves
MOVED = "sparsecut-moved"  # bytes that a worker has sent, in its heartbeats
FAN_IN = 8  # arrays that one task adds up


class Runner:
    def __init__(self, client: Any, report: Reporter, timeout: float, where: str) -> None:
        self.client, self.report, self.timeout, self.where = client, report, timeout, where
        self.n_moved = 0  # bytes between workers, when last asked
        self._n_tasks = 0
        self._looked = time.monotonic()
        self._before = self._total_moved()

    def submit(self, function: Callable[..., Any], *arguments: Any, worker: str | None = None) -> Any:
        """A future of a function of arrays, futures and files; `worker` is where it had best run."""
        self._n_tasks += 1
        options = {} if worker is None else {"workers": [worker], "allow_other_workers": True}
        with self.telling():
            return self.client.submit(
                function, *arguments, key=f"{function.__name__}-{id(self)}-{self._n_tasks}", pure=False, **options
            )

    def wait(self, futures: Sequence[Any], stage: str, n_total: int | None = None) -> None:
        """Until all are done, or one has failed. What a future knows of itself is looked at: that asks nobody.

        `n_total` are those that the pass will have, where more are to come.
        """
        pending, last, pause = list(futures), time.monotonic(), FIRST_PAUSE
        while pending:
            left = [future for future in pending if not future.done()]
            with self.telling():
                for future in pending:
                    if future.done() and future.status != "finished":
                        self._fail(future)
            if len(left) < len(pending):
                pending, last, pause = left, time.monotonic(), FIRST_PAUSE
                moved = in_words(self.moved_lately())
                done, total = len(futures) - len(pending), n_total or len(futures)
                self.report(f"{stage}, tasks · {moved} moved", done, total)
            elif time.monotonic() - last <= self.timeout:
                time.sleep(pause)
                pause = min(2 * pause, LONGEST_PAUSE)
            else:
                raise InputError(
                    f"No task of the pass '{stage}' finished within {self.timeout:g} s on {self.where}. Look at its "
                    "workers: they may be stopped, or need longer than that for one block: Dask(timeout=…)."
                )

    def collect(self, futures: Sequence[Any], stage: str) -> list[Any]:
        """The results of all, in their order."""
        self.wait(futures, stage)
        with self.telling():
            # With a limit: a worker may stop between the end of its task and this.
            results: list[Any] = self.client.sync(self.client._gather, list(futures), callback_timeout=self.timeout)
        return results

    def total(self, futures: Sequence[Any], stage: str) -> Any:
        """The sum of the arrays of all futures, added up on the workers, always in the same order."""
        from sparsecut.engines.dask.tasks import added

        level = list(futures)
        while len(level) > 1:
            level = [self.submit(added, level[start : start + FAN_IN]) for start in range(0, len(level), FAN_IN)]
        return self.collect(level, stage)[0]

    def measure(self) -> int:
        """Bytes that workers have sent since the run began; those of a worker that was lost are not counted."""
        with self.telling():
            self.n_moved = max(self.n_moved, self._total_moved() - self._before)
        return self.n_moved

    def moved_lately(self) -> int:
        """The same as the workers' last heartbeats have it: without asking them."""
        if time.monotonic() - self._looked < HEARTBEAT:
            return self.n_moved
        self._looked = time.monotonic()
        known = self.client.scheduler_info(n_workers=-1).get("workers", {}).values()
        sent = [worker.get("metrics", {}).get(MOVED, 0) for worker in known]
        self.n_moved = max(self.n_moved, int(sum(sent)) - self._before)
        return self.n_moved

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Errors of the cluster in a sentence."""
        from concurrent.futures import CancelledError

        from distributed.comm.core import CommClosedError
        from distributed.scheduler import KilledWorker

        try:
            yield
        except InputError:
            raise
        except KilledWorker as error:
            raise InputError(
                f"Workers of {self.where} died one after another over the same block, as a rule for want of memory. Give "
                "them more (memory_limit), or cut the rows into more blocks (Dask(blocks=…)). What was finished is kept in "
                "the scratch folder if the run is killed, not if it ends."
            ) from error
        except (CancelledError, CommClosedError, OSError, asyncio.TimeoutError) as error:
            raise self.lost(error) from error

    def lost(self, error: object) -> InputError:
        return InputError(
            f"The connection to {self.where} was lost ({type(error).__name__}: {error}). Start it again, and then the run."
        )

    def _fail(self, future: Any) -> None:
        if future.status in ("cancelled", "lost"):
            raise self.lost("the scheduler no longer knows the tasks")
        future.result()

    def _total_moved(self) -> int:
        return int(sum(measured(self.client, "sent")))


def measured(client: Any, what: str) -> list[float]:
    """What each worker says of itself: the bytes it has "sent", its "peak" of memory in bytes, its "cpu" seconds."""
    try:
        found = client.sync(client._run, _measure, what, on_error="return", callback_timeout=ANSWER_SECONDS)
    except (TimeoutError, asyncio.TimeoutError):  # a worker stands still: what is not known does not hold up the run
        return []
    return [value for value in found.values() if isinstance(value, float)]


def _measure(what: str, dask_worker: Any) -> float:
    if what == "sent":
        return float(dask_worker.transfer_outgoing_bytes_total)
    if what == "cpu":
        return time.process_time()
    status = Path("/proc/self/status")  # what the system counts for a process includes what its parent held
    lines = status.read_text().splitlines() if status.exists() else []
    return float(next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0))


def distributed_module(caller: str) -> Any:
    """The package, or who needs it and which extra brings it."""
    return import_extra("distributed", caller=caller, extra="cluster")
