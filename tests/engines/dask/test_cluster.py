"""A cluster of worker processes: on loopback alone, on storage that workers see, and gone afterwards."""

from __future__ import annotations

import logging
import os
import re
import sys
import time
from pathlib import Path

import psutil
import pytest

import sparsecut as sc
from disk_cases import assert_same_rows, community_graph
from local_cluster import address, cluster
from sparsecut.engines.dask.cluster import LOOPBACK, Cluster, check_shared, local_cluster
from sparsecut.engines.dask.running import MOVED

pytestmark = pytest.mark.cluster


def test_nothing_listens_beyond_loopback_and_nothing_is_left(tmp_path: Path) -> None:
    before = {process.pid for process in psutil.Process().children(recursive=True)}
    with local_cluster(1, None, 600 << 20, tmp_path) as started:
        processes = [psutil.Process(), *psutil.Process().children(recursive=True)]
        own = [one for process in processes for one in process.net_connections("tcp") if one.status == "LISTEN"]
        assert own
        assert {one.laddr.ip for one in own} == {LOOPBACK}
        assert started.worker_bytes == 600 << 20
        assert LOOPBACK in started.dashboard
    # What Python itself keeps for processes to come ends with this one.
    kept = [one for one in psutil.Process().children() if re.search("resource_tracker|forkserver", " ".join(one.cmdline()))]
    assert {process.pid for process in psutil.Process().children(recursive=True)} <= before | {one.pid for one in kept}


@pytest.mark.skipif(sys.platform != "linux", reason="elsewhere workers are spawned")
def test_workers_are_forked_from_a_process_that_has_imported_what_they_need(tmp_path: Path) -> None:
    with local_cluster(1, None, 600 << 20, tmp_path) as started:
        (parent,) = started.client.run(os.getppid).values()
        assert "forkserver" in " ".join(psutil.Process(parent).cmdline())
        (found,) = started.client.run(
            lambda: {name: name in sys.modules for name in ("sparsecut.engines.dask.tasks", "bokeh")}
        ).values()
    assert found == {"sparsecut.engines.dask.tasks": True, "bokeh": False}


def test_heartbeats_tell_what_workers_have_sent(tmp_path: Path) -> None:
    engine = sc.Dask(address(), plan="rows", blocks=4, scratch=tmp_path)
    sc.SCE(filter="power", engine=engine).fit(community_graph(160, 6))
    sent = 0
    until = time.monotonic() + 20
    while sent == 0 and time.monotonic() < until:
        workers = cluster().scheduler.workers.values()
        sent = sum(worker.metrics.get(MOVED, 0) for worker in workers)
        time.sleep(0.1)
    assert sent > 160 * 6 * 4 / 2  # half of the rows at least have been asked for by the other worker


def test_a_folder_that_workers_do_not_see_is_refused(tmp_path: Path) -> None:
    class Blind:
        def run(self, function: object, path: str, on_error: str) -> dict[str, str | None]:
            return {"tcp://far:1": None}

    with pytest.raises(sc.InputError, match=r"The worker tcp://far:1 cannot read .*Dask\(scratch="):
        check_shared(Cluster(Blind(), "there", [], 0), tmp_path)


def test_a_scheduler_that_does_not_answer_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparsecut.engines.dask.cluster.CONNECT_SECONDS", 1)
    with pytest.raises(sc.InputError, match=r"No scheduler answers at tcp://127\.0\.0\.1:9 within 1 s"):
        sc.SCE(engine=sc.Dask("tcp://127.0.0.1:9")).fit(sc.datasets.load("digits"))


def test_a_client_that_is_there_serves() -> None:
    n_clients = len(cluster().scheduler.clients)
    with sc.Dask(address()).running() as engine:
        assert engine.scheduler == address()
        assert len(cluster().scheduler.clients) == n_clients


def test_tls_settings_are_passed_through() -> None:
    from distributed import LocalCluster
    from distributed.security import Security

    certificates = Security.temporary()  # self-signed, in memory
    names = ("tls_ca_file", "tls_client_cert", "tls_client_key")
    given = {name: getattr(certificates, name) for name in names} | {"require_encryption": True}
    graph = community_graph(200, 8)
    with LocalCluster(
        n_workers=1,
        threads_per_worker=1,
        memory_limit="1GiB",
        protocol="tls",
        security=certificates,
        host="127.0.0.1",
        dashboard_address=None,
        silence_logs=logging.CRITICAL,
    ) as encrypted:
        address = encrypted.scheduler_address
        assert address.startswith("tls://")
        found = sc.SCE(engine=sc.Dask(address, security=given, blocks=2)).fit_transform(graph)
        with pytest.raises(sc.InputError, match=r"A tls:// address needs certificates"):
            sc.SCE(engine=sc.Dask(address)).fit(graph)
    assert_same_rows(found, sc.SCE().fit_transform(graph))


def test_the_dashboard_is_told_once_and_at_the_start(tmp_path: Path) -> None:
    told: list[str] = []
    with sc.Dask(workers=1, memory_limit="600MiB").running(told.append) as engine:
        assert len(told) == 1
        assert re.fullmatch(r"Dashboard of the local cluster: http://127\.0\.0\.1:\d+/status", told[0])
        with engine.connected(tmp_path, told.append):
            assert len(told) == 1
