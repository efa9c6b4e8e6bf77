"""Windows and macOS lack some of what Linux has: the commands that everyone needs work without it.

The programs run in a process in which the modules and functions that only Unix has are absent.
"""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path
from subprocess import CompletedProcess

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

from scripts import run_script
from shell import sparsecut
from sparsecut.updates.update_log import UpdateLog

ROOT = Path(__file__).parents[1]

WITHOUT_UNIX = """
import os, sys
for name in ("resource", "fcntl", "termios", "tty", "pty", "pwd", "grp"):
    sys.modules[name] = None
for name in (
    "sysconf", "sysconf_names", "sched_getaffinity", "posix_fadvise", "posix_fallocate", "pread", "pwrite", "fchmod",
    "getuid", "geteuid", "killpg", "setsid", "getloadavg",
):
    vars(os).pop(name, None)
os.chdir(sys.argv[1])
"""
COMMAND = "from sparsecut.cli import main\nsys.argv = ['sparsecut', *sys.argv[2:]]\nmain()\n"


# One model's life: read in the sandbox, fitted on disk in a work folder, saved, updated in its file, read again.
LIFE = """
import os, sys
import numpy as np
import sparsecut as sc
from sparsecut.base.environment import environment_stamp, machine_facts

graph = sc.read_graph("edges.mtx", features="features.npy")
model = sc.SCE(dimension=3, engine=sc.Disk(memory_limit="4GiB", scratch="work")).fit(graph)
model.save("model.safetensors", with_state=True)
updated = sc.load("model.safetensors", in_place=True)
updated.update(edges_added=[(0, 4)], features_changed={2: np.ones(4)}, tolerance=0)
try:
    sc.load("model.safetensors", in_place=True)
except sc.InputError as error:
    refused = str(error)
updated.forget([5])
again = sc.load("model.safetensors")
assert machine_facts()["sparsecut"] == environment_stamp()["sparsecut"]
np.savez("found.npz", fitted=model.embedding_, updated=updated.embedding_, again=again.embedding_, refused=refused)
"""

# What Windows has for locks, by the lock that this system has.
WITH_WINDOWS_LOCKS = """
import fcntl, subprocess, sys  # subprocess takes a system with msvcrt for Windows
from types import SimpleNamespace

def locking(handle, mode, n_bytes, flock=fcntl.flock, kind=fcntl.LOCK_EX | fcntl.LOCK_NB):
    flock(handle, kind)

sys.modules["msvcrt"] = SimpleNamespace(locking=locking, LK_NBLCK=2)
"""


def run_without_unix(folder: Path, *words: str, code: str = COMMAND, before: str = "") -> CompletedProcess[str]:
    done = run_script(before + WITHOUT_UNIX + code, folder, *words)
    assert done.returncode == 0, done.stderr
    return done


def test_help(tmp_path: Path) -> None:
    assert "embed" in run_without_unix(tmp_path, "--help").stdout


@pytest.mark.slow
def test_embed_and_info_leave_out_what_they_do_not_know(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\nc,a\nc,d\nd,e\ne,f\nf,d\n")
    words = ("embed", "edges.csv", "--dimension", "2")
    both = f"try:\n    exec({COMMAND!r})\nexcept SystemExit:\n    pass\nsys.argv = ['sparsecut', 'info']\nmain()\n"
    first, _, shown = run_without_unix(tmp_path, *words, "-o", "z.csv", "--json", code=both).stdout.partition("\n")
    answer = json.loads(first)
    assert (answer["n_nodes"], answer["peak_memory_bytes"]) == (6, None)
    sparsecut(*words, "-o", "here.csv", folder=tmp_path)
    assert (tmp_path / "z.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()
    assert re.search(r"memory +not known", shown)


@pytest.mark.slow
def test_a_model_lives_as_it_does_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The sandbox's child is without Unix too: it begins with what `sitecustomize` takes away."""
    generator = np.random.default_rng(0)
    folders = [tmp_path / name for name in ("here", "there")]
    for folder in folders:
        (folder / "work").mkdir(parents=True)
        scipy.io.mmwrite(
            folder / "edges.mtx", sp.coo_array(np.roll(np.eye(12), 1, axis=1) + np.roll(np.eye(12), -1, axis=1))
        )
    features = generator.normal(size=(12, 4)).astype(np.float32)
    here, there = folders
    for folder in folders:
        np.save(folder / "features.npy", features)
    monkeypatch.chdir(here)
    exec(LIFE, {})
    (there / "sitecustomize.py").write_text(WITHOUT_UNIX.replace("os.chdir(sys.argv[1])\n", ""))
    at_start = "import os, sys\nos.environ['PYTHONPATH'] = os.pathsep.join([sys.argv[1], os.environ['PYTHONPATH']])\n"
    run_without_unix(there, code=at_start + LIFE, before=WITH_WINDOWS_LOCKS)
    with np.load(here / "found.npz") as expected, np.load(there / "found.npz") as found:
        assert all(np.array_equal(found[name], expected[name]) for name in expected)
        assert str(found["refused"]).startswith("Another process updates model.safetensors in place.")
        assert len(found["again"]) == 11
    assert not list((there / "work").iterdir())


def test_a_log_is_opened_as_bytes_where_a_file_may_be_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On Windows a file opened without O_BINARY has two bytes for one that is a line's end. Here no such flag is."""
    flags: list[int] = []
    opened = os.open
    monkeypatch.setattr(os, "O_BINARY", os.O_NOCTTY, raising=False)  # a flag that changes nothing for a file
    monkeypatch.setattr(os, "open", lambda path, mode, *rest: flags.append(mode) or opened(path, mode, *rest))
    UpdateLog(tmp_path / "model", bytes(16)).close()
    assert [bool(mode & os.O_NOCTTY) for mode in flags] == [True]


@pytest.mark.parametrize("n_most", [1, 100])
def test_lines_of_a_pipe_are_followed_where_it_cannot_be_asked_whether_there_are_more(
    monkeypatch: pytest.MonkeyPatch, n_most: int
) -> None:
    from sparsecut.updates.change_files import follow_lines

    monkeypatch.setattr(sys, "platform", "win32")
    monkeypatch.setattr("select.select", lambda *_: pytest.fail("a pipe was asked"))
    reader, writer = os.pipe()
    os.write(writer, b'{"op": "add", "source": 1, "target": 2}\n{"op": "add", "source": 2')
    batches = follow_lines(reader, n_most)
    assert [[line.number for line in next(batches)]] == [[1]]
    os.write(writer, b', "target": 3}\n')
    os.close(writer)
    assert [[line.number for line in batch] for batch in batches] == [[2]]
    os.close(reader)


def test_the_classifiers_name_the_systems_that_the_checks_run_on() -> None:
    systems = {"ubuntu-latest": "POSIX :: Linux", "macos-latest": "MacOS", "windows-latest": "Microsoft :: Windows"}
    matrix = re.search(r"os: \[(.*)\]", (ROOT / ".github" / "workflows" / "ci.yml").read_text("utf-8")).group(1).split(", ")
    named = set(re.findall('"Operating System :: (.*)"', (ROOT / "pyproject.toml").read_text("utf-8")))
    assert named == {systems[name] for name in matrix}
