"""Workers that are started over SSH: a server of this machine's own on loopback, with keys that are made for it."""

from __future__ import annotations

import getpass
import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import sparsecut as sc
from disk_cases import assert_same_rows, community_graph, names_in

pytestmark = pytest.mark.cluster

SERVER = shutil.which("sshd", path=f"{os.environ.get('PATH', '')}:/usr/sbin:/usr/local/sbin")
SETTINGS = """
ListenAddress 127.0.0.1
HostKey {folder}/host
AuthorizedKeysFile {folder}/user.pub
PasswordAuthentication no
StrictModes no
UsePAM no
PidFile none
"""


@pytest.fixture
def connection(tmp_path: Path) -> Iterator[dict[str, Any]]:
    """What `asyncssh.connect` needs to reach a server that runs during the test."""
    pytest.importorskip("asyncssh", reason="asyncssh is not installed, which Dask's SSHCluster needs")
    if SERVER is None:
        pytest.skip("no sshd is installed (Debian: openssh-server)")
    if os.getuid() == 0:
        Path("/run/sshd").mkdir(exist_ok=True)  # where its unprivileged half lives
    folder = tmp_path / "ssh"
    folder.mkdir()
    for name in ("host", "user"):
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(folder / name)], check=True)
    (folder / "settings").write_text(SETTINGS.format(folder=folder))
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    server = subprocess.Popen(
        [SERVER, "-D", "-e", "-f", str(folder / "settings"), "-p", str(port)], stderr=subprocess.PIPE, text=True
    )
    try:
        wait_for_port(port, server)
        known = f"[127.0.0.1]:{port} {(folder / 'host.pub').read_text()}"
        yield {
            "port": port,
            "username": getpass.getuser(),
            "client_keys": [str(folder / "user")],
            "known_hosts": known.encode(),
            "config": None,  # not the settings of whoever runs the tests
        }
    finally:
        server.kill()
        server.communicate()


def wait_for_port(port: int, server: subprocess.Popen[str], seconds: float = 20) -> None:
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if server.poll() is not None:
            pytest.fail(f"sshd ended: {server.stderr.read() if server.stderr else ''}")
        with socket.socket() as one:
            if one.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.05)
    pytest.fail("sshd does not listen")


def test_a_fit_on_workers_that_are_started_over_ssh(connection: dict[str, Any], tmp_path: Path) -> None:
    from distributed import Client, SSHCluster

    shared = tmp_path / "shared"
    shared.mkdir()
    graph = community_graph(200, 8)
    path = os.pathsep.join(sys.path)
    with SSHCluster(
        ["127.0.0.1"] * 3,
        connect_options=connection,
        worker_options={"nthreads": 1, "memory_limit": "1GiB", "host": "127.0.0.1"},
        scheduler_options={"host": "127.0.0.1", "port": 0, "dashboard": False},
        remote_python=f"env OMP_NUM_THREADS=1 PYTHONPATH='{path}' {sys.executable}",
    ) as cluster:
        with Client(cluster) as client:
            client.wait_for_workers(2, timeout=120)  # the cluster is there before all of them are
        engine = sc.Dask(cluster.scheduler_address, scratch=shared, blocks=4)
        model = sc.SCE(engine=engine).fit(graph, output=shared / "z")
        assert any("on 2 workers" in note for note in model.history_.details)
    assert_same_rows(sc.read_embedding(shared / "z").vectors, sc.SCE().fit_transform(graph))
    assert names_in(shared) == ["z"]
