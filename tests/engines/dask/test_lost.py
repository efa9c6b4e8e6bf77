"""A connection that is silent for a while, a scheduler that is killed and comes back, a driver that is killed.

The right answer, or an error that says what happened, and no half-written output.
"""

from __future__ import annotations

import os
import select
import signal
import socket
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import prepared
import sparsecut as sc
from disk_cases import assert_same_rows, community_graph, names_in
from local_cluster import address, wait_for_workers
from scripts import run_script

pytestmark = pytest.mark.cluster


class Wire:
    """A port of this machine behind which a scheduler is."""

    def __init__(self, target: str) -> None:
        host, port = target.removeprefix("tcp://").split(":")
        self.target = host, int(port)
        self.server = socket.create_server(("127.0.0.1", 0))
        self.port = self.server.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{self.port}"
        self.pairs: list[tuple[socket.socket, socket.socket]] = []
        self.silent_until = 0.0
        self.is_closed = False
        self.thread = threading.Thread(target=self._run, daemon=True)
        self.thread.start()

    def hush(self, seconds: float) -> None:
        """Carry nothing for a while."""
        self.silent_until = time.monotonic() + seconds

    def close(self) -> None:
        self.is_closed = True
        self.thread.join()
        for one in (self.server, *(end for pair in self.pairs for end in pair)):
            one.close()

    def _run(self) -> None:
        while not self.is_closed:
            if time.monotonic() < self.silent_until:
                time.sleep(0.05)
                continue
            other = {end: pair[1 - side] for pair in self.pairs for side, end in enumerate(pair)}
            for ready in select.select([self.server, *other], [], [], 0.05)[0]:
                if ready is self.server:
                    self.pairs.append((self.server.accept()[0], socket.create_connection(self.target)))
                else:
                    self._carry(ready, other[ready])

    def _carry(self, source: socket.socket, target: socket.socket) -> None:
        try:
            data = source.recv(1 << 16)
            target.sendall(data)
        except OSError:
            data = b""
        if not data:  # one side has closed: so does the other
            self.pairs = [pair for pair in self.pairs if source not in pair]
            for end in (source, target):
                end.close()


def test_a_connection_that_is_silent_and_then_back_costs_that_time(tmp_path: Path) -> None:
    wait_for_workers()
    graph, wire, is_hushed = community_graph(200, 12), Wire(address()), []

    def watch(stage: str, *_: Any) -> None:
        if stage.startswith("means") and not is_hushed:
            is_hushed.append(wire.hush(3.0))

    try:
        engine = sc.Dask(wire.address, blocks=4, scratch=tmp_path)
        model = sc.SCE(filter="power", engine=engine).fit(graph, output=tmp_path / "z", progress=watch)
    finally:
        wire.close()
    assert is_hushed
    assert_same_rows(model.embedding_[:], sc.SCE(filter="power").fit_transform(graph))


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
    sc.SCE(filter="power", engine=engine).fit(community_graph(200, 12), output=sys.argv[1] + "/z", progress=watch)
"""


def test_a_killed_driver_goes_on_from_what_is_on_shared_storage(tmp_path: Path) -> None:
    wait_for_workers()
    killed = run_script(DRIVER, tmp_path, address(), "projection", executable=prepared.python())
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert not (tmp_path / "z").exists()
    again = run_script(DRIVER, tmp_path, address(), "never", executable=prepared.python())
    assert (tmp_path / "z").exists(), again.stderr
    assert len(again.stdout.splitlines()) < len(killed.stdout.splitlines())  # it did not begin at the beginning
    expected = sc.SCE(filter="power").fit_transform(community_graph(200, 12))
    assert_same_rows(sc.read_embedding(tmp_path / "z").vectors, expected)
    assert names_in(tmp_path) == [".script.py", "z"]


SCHEDULER = """
import os, subprocess, sys, time
import sparsecut as sc
from disk_cases import community_graph
folder, port = sys.argv[1:]
def start(kind, *words):
    common = [sys.executable, "-m", f"distributed.cli.dask_{kind}", "--host", "127.0.0.1", "--no-dashboard"]
    return subprocess.Popen([*common, *words], stderr=subprocess.DEVNULL)
def start_worker():
    return start("worker", f"tcp://127.0.0.1:{port}", "--nthreads", "1", "--no-nanny")
if __name__ == "__main__":
    running = [start("scheduler", "--port", port), start_worker()]
    lost = []
    def watch(stage, *_):
        if stage.startswith("smoothing") and not lost:
            running[0].kill()
            running[0].wait()
            lost.append(time.monotonic())
    engine = sc.Dask(f"tcp://127.0.0.1:{port}", scratch=folder, timeout=30, blocks=2)
    model = sc.SCE(filter="power", engine=engine)
    try:
        model.fit(community_graph(200, 8), output=folder + "/z", progress=watch)
    except sc.InputError as error:
        print(f"{time.monotonic() - lost[0]:.0f} {error}")
    print(sorted(os.listdir(folder)))
    running += [start("scheduler", "--port", port), start_worker()]
    model.fit(community_graph(200, 8), output=folder + "/z", progress=watch)
    for process in running:
        process.kill()
    os._exit(0)
"""


def test_a_scheduler_that_is_lost_is_an_error_and_once_it_is_back_the_next_call_is_right(tmp_path: Path) -> None:
    """One that comes back at the same address knows nothing of the tasks, and no worker stays with it."""
    done = run_script(SCHEDULER, tmp_path, 8917 + os.getpid() % 1000)
    assert "was lost" in done.stdout or "No task of the pass" in done.stdout, done.stdout + done.stderr
    assert "tcp://127.0.0.1" in done.stdout
    assert int(done.stdout.split()[0]) <= 60  # the timeout, and what Dask takes to give a connection up
    assert "['.script.py']" in done.stdout
    expected = sc.SCE(filter="power").fit_transform(community_graph(200, 8))
    assert_same_rows(sc.read_embedding(tmp_path / "z").vectors, expected)
    assert names_in(tmp_path) == [".script.py", "z"]
