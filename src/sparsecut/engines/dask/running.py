"""Tasks on a cluster, waited for: progress as they finish, bytes moved, and errors that say what happened and what to do.

A worker that is lost costs what it held: Dask computes that again on another, from the files. What does not come to an end
is not waited for: where no task finishes for `timeout` seconds the run stops with an error.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

from sparsecut.base.errors import InputError, import_extra
from sparsecut.base.progress import Reporter
from sparsecut.kernels.streaming import in_words

# Seconds between two checks of the pending tasks: a share of the time since the last one ended, so that no wait takes much
# longer than its tasks.
FIRST_PAUSE, LONGEST_PAUSE, PAUSE_SHARE = 0.001, 0.02, 0.05
ANSWER_SECONDS = 10.0  # that workers have to answer
HEARTBEAT = 2.0  # seconds between two readings of the workers' heartbeats
MOVED = "sparsecut-moved"  # bytes that a worker has sent, in its heartbeats
FAN_IN = 8  # arrays that one task adds up


class Future(Protocol):
    """A result that a worker has or will have, as `distributed.Future` is to this library."""

    @property
    def status(self) -> str: ...
    def done(self) -> bool: ...
    def result(self) -> Any: ...


class SlowAnswerError(InputError):
    """The cluster is there, and has not answered within the time that it had."""


class Runner:
    def __init__(self, client: Any, report: Reporter, timeout: float, where: str) -> None:
        self.client, self.report, self.timeout, self.where = client, report, timeout, where
        self.n_moved = 0  # bytes between workers, when last asked
        self._token, self._n_tasks = secrets.token_hex(8), 0
        self._looked = time.monotonic()
        self._before = self._total_moved()

    def submit(self, function: Callable[..., Any], *arguments: Any, near: Future | None = None) -> Future:
        """A future of a function of arrays, futures and files, which runs where its inputs are.

        `near` is a future whose result the function does not need: it runs on that worker, if that is not too busy.
        """
        if near is not None:
            arguments = near, function, *arguments
        with self.telling():
            name = self._key(function)
            sent: Future = self.client.submit(function if near is None else beside, *arguments, key=name, pure=False)
            return sent

    def submit_each(self, function: Callable[..., Any], values: Iterable[Any]) -> list[Future]:
        """A future for each value, sent at once: where there are as many idle workers, each takes one."""
        given = list(values)
        with self.telling():
            return list(self.client.map(function, given, key=[self._key(function) for _ in given], pure=False))

    def _key(self, function: Callable[..., Any]) -> tuple[str, int]:
        """The name of a task among all tasks of a scheduler, whoever has sent them.

        As a tuple it is a group of its own to Dask, which sends the tasks of large groups anywhere, not to their inputs.
        """
        self._n_tasks += 1
        return f"{function.__name__}-{self._token}-{self._n_tasks}", 0

    def wait(self, futures: Sequence[Future], stage: str, n_total: int | None = None) -> None:
        """Until all are done, or one has failed. Only the state of the futures here is read, which sends no message.

        `n_total` is the number of tasks of the whole pass, where more will follow.
        """
        pending, last = list(futures), time.monotonic()
        while pending:
            left = [future for future in pending if not future.done()]
            with self.telling():
                for future in pending:
                    if future.done() and future.status != "finished":
                        self._fail(future)
            if len(left) < len(pending):
                pending, last = left, time.monotonic()
                moved = in_words(self.moved_lately())
                done, total = len(futures) - len(pending), n_total or len(futures)
                self.report(f"{stage}, tasks · {moved} moved", done, total)
            elif time.monotonic() - last <= self.timeout:
                time.sleep(min(max(FIRST_PAUSE, PAUSE_SHARE * (time.monotonic() - last)), LONGEST_PAUSE))
            else:
                raise InputError(
                    f"No task of the pass '{stage}' finished within {self.timeout:g} s on {self.where}. Look at its "
                    "workers: they may be stopped, or need longer than that for one block: Dask(timeout=…)."
                )

    def collect(self, futures: Sequence[Future], stage: str) -> list[Any]:
        """The results of all, in their order."""
        while True:
            self.wait(futures, stage)
            try:
                with self.telling():
                    # With a limit: a worker may stop between the end of its task and this.
                    found: list[Any] = self.client.sync(self.client._gather, list(futures), callback_timeout=self.timeout)
                    return found
            except SlowAnswerError as error:
                if not all(future.done() for future in futures):
                    continue  # a worker was lost with its results, which are being computed again
                raise InputError(
                    f"The tasks of the pass '{stage}' have finished on {self.where}, and their results did not arrive here "
                    f"within {self.timeout:g} s. Look at its workers: one that holds results may be stopped, or its network "
                    "slow: Dask(timeout=…)."
                ) from error

    def total(self, futures: Sequence[Future], stage: str) -> Any:
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
        """Bytes that workers have sent by their last heartbeats: no worker is asked."""
        if time.monotonic() - self._looked < HEARTBEAT:
            return self.n_moved
        self._looked = time.monotonic()
        try:
            known = known_workers(self.client)
        except OSError:  # the scheduler does not answer: the tasks that wait for it say so
            return self.n_moved
        sent = [worker.get("metrics", {}).get(MOVED, 0) for worker in known.values()]
        self.n_moved = max(self.n_moved, int(sum(sent)) - self._before)
        return self.n_moved

    def workers(self) -> frozenset[str]:
        """The addresses of the workers at this moment."""
        with self.telling():
            return frozenset(known_workers(self.client))

    @contextmanager
    def telling(self) -> Iterator[None]:
        """Errors of the cluster become errors that say what happened and what to do."""
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
        except (TimeoutError, asyncio.TimeoutError) as error:
            raise SlowAnswerError(
                f"{self.where[0].upper()}{self.where[1:]} did not answer in time ({error or 'no answer'}). Look at its "
                "scheduler and its workers, and run this again."
            ) from error
        except (CancelledError, CommClosedError, OSError) as error:
            raise self.lost(error) from error
        except RuntimeError as error:  # of a client that has given its connection up
            if self.client.status != "running":
                raise self.lost(error) from error
            raise

    def lost(self, error: object) -> InputError:
        return InputError(
            f"The connection to {self.where} was lost ({type(error).__name__}: {error}). Start it again, and then the run."
        )

    def _fail(self, future: Future) -> None:
        if future.status in ("cancelled", "lost"):
            raise self.lost("the scheduler no longer knows the tasks")
        future.result()

    def _total_moved(self) -> int:
        return int(sum(measured(self.client, "sent")))


def known_workers(client: Any) -> dict[str, Any]:
    """What the scheduler says of each worker, by its address.

    Asked of the scheduler itself: `client.scheduler_info` returns a record that the client also keeps up to date for itself,
    without the workers, so that jobs in threads of one process now and then saw none.
    """

    async def ask() -> dict[str, Any]:
        return dict((await client.scheduler.identity(n_workers=-1))["workers"])

    found: dict[str, Any] = client.sync(ask)
    return found


def measured(client: Any, what: str) -> list[float]:
    """For each worker the bytes it has "sent", its "peak" of memory in bytes, or its "cpu" seconds."""
    try:
        found = client.sync(client._run, _measure, what, on_error="return", callback_timeout=ANSWER_SECONDS)
    except (TimeoutError, asyncio.TimeoutError):  # a stopped worker: figures that are not known do not stop the run
        return []
    return [value for value in found.values() if isinstance(value, float)]


def _measure(what: str, dask_worker: Any) -> float:
    if what == "sent":
        return float(dask_worker.transfer_outgoing_bytes_total)
    if what == "cpu":
        return time.process_time()
    status = Path("/proc/self/status")  # getrusage includes the peak of the parent process
    lines = status.read_text().splitlines() if status.exists() else []
    return float(next((int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM:")), 0))


def beside(_: Any, function: Callable[..., Any], *arguments: Any) -> Any:
    """Call a function on the worker that holds a result which the function does not need."""
    return function(*arguments)


def distributed_module(caller: str) -> Any:
    """The package, or who needs it and which extra brings it."""
    return import_extra("distributed", caller=caller, extra="cluster")
