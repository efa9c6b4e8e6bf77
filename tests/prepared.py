"""A Python that has the libraries imported already: what it runs are forks of one process.

Importing torch takes a process more time than all else that most tests want of it. `python()` is an executable in place of
`sys.executable`; it takes `-m MODULE`, `-c CODE` or a script, with arguments, and hands its folder, environment, standard
input and outputs to the fork. `Popen.terminate` kills the fork (SIGKILL), and ends when it has ended.

A program that is tested for what it imports or for how it starts and ends needs a process of its own, and so does one on a
system other than Linux, where `python()` is `sys.executable`.
"""

from __future__ import annotations

import array
import atexit
import contextlib
import json
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Any

MODULES = (
    *("sklearn.linear_model", "pyarrow.csv", "pyarrow.parquet", "sparsecut.cli.embed", "sparsecut.cli.graph_input"),
    *("sparsecut.model.cost_estimate", "sparsecut.engines.disk", "sparsecut.evaluation.probing", "sparsecut.io.embeddings"),
)


@cache
def python() -> str:
    """The path of the executable; its process is started now, and ends with this one."""
    if sys.platform != "linux":
        return sys.executable
    folder = tempfile.TemporaryDirectory(prefix="prepared-")
    address, path = Path(folder.name) / "s", Path(folder.name) / "python"
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
    server = subprocess.Popen(
        [sys.executable, __file__, "serve", address], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
    assert server.stdout is not None
    assert server.stdin is not None
    assert server.stdout.readline() == b"ready\n"
    atexit.register(folder.cleanup)
    atexit.register(server.wait)
    atexit.register(server.stdin.close)  # what it waits for
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" -ESs "{__file__}" ask "{address}" "$@"\n', "utf-8")
    path.chmod(0o755)
    return str(path)


def ask(address: str, *words: str) -> None:
    """The executable: have the program run, and end as it does."""
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(address)
        wanted = json.dumps({"words": words, "folder": str(Path.cwd()), "environment": dict(os.environ)}).encode()
        descriptors = array.array("i", [0, 1, 2])
        connection.sendmsg([len(wanted).to_bytes(8, "little")], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, descriptors)])
        connection.sendall(wanted)
        signal.signal(signal.SIGTERM, lambda *_: connection.shutdown(socket.SHUT_WR))
        status = int(connection.recv(16) or b"1")
    if status < 0:
        os.kill(os.getpid(), -status)
    os._exit(status)


def serve(address: str) -> None:
    import importlib

    for name in MODULES:
        importlib.import_module(name)
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(address)
        server.listen()
        print("ready", flush=True)
        while sys.stdin not in select.select([sys.stdin, server], [], [])[0]:
            connection, _ = server.accept()
            with connection:
                if os.fork() == 0:
                    server.close()
                    answer(connection)
                    os._exit(0)
            with contextlib.suppress(ChildProcessError):
                while os.waitpid(-1, os.WNOHANG)[0]:  # those who have answered
                    pass


def answer(connection: socket.socket) -> None:
    """Run the program in a fork; kill it where nobody waits for it any more."""
    length, descriptors, _, _ = socket.recv_fds(connection, 8, 3)
    with connection.makefile("rb") as file:
        wanted = json.loads(file.read(int.from_bytes(length, "little")))
    child = os.fork()
    if child == 0:
        connection.close()
        os._exit(run(descriptors, **wanted))
    for descriptor in descriptors:
        os.close(descriptor)
    if connection in select.select([connection, os.pidfd_open(child)], [], [])[0]:
        os.kill(child, signal.SIGKILL)
    connection.sendall(str(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])).encode())


def run(descriptors: list[int], words: list[str], folder: str, environment: dict[str, str]) -> int:
    """The program, to what Python does at its end; its exit code."""
    import runpy
    import threading
    import traceback
    import warnings

    for standard, descriptor in enumerate(descriptors):
        os.dup2(descriptor, standard)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.path[:0] = [path for path in environment.get("PYTHONPATH", "").split(os.pathsep) if path not in sys.path]
    warnings.simplefilter("ignore" if environment.get("PYTHONWARNINGS") == "ignore" else "default")
    kind, *rest = words
    code: Any = 0
    try:
        if kind == "-m":
            sys.argv = rest
            runpy.run_module(rest[0], run_name="__main__", alter_sys=True)
        elif kind == "-c":
            sys.argv = ["-c", *rest[1:]]
            sys.path.insert(0, "")
            exec(compile(rest[0], "<string>", "exec"), {"__name__": "__main__"})
        else:
            sys.argv = words
            sys.path.insert(0, str(Path(kind).parent))
            runpy.run_path(kind, run_name="__main__")
    except SystemExit as end:
        code = end.code
        if isinstance(code, str):
            print(code, file=sys.stderr)
    except BaseException:
        traceback.print_exc()
        code = 1
    threading._shutdown()  # type: ignore[attr-defined]
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    return code if isinstance(code, int) else int(code is not None)


if __name__ == "__main__":
    {"serve": serve, "ask": ask}[sys.argv[1]](*sys.argv[2:])
