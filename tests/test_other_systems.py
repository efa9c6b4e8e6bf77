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

import pytest

from scripts import run_script

ROOT = Path(__file__).parents[1]

WITHOUT_UNIX = """
import os, sys
for name in ("resource", "fcntl", "termios", "tty", "pty", "pwd", "grp"):
    sys.modules[name] = None
for name in ("sysconf", "sysconf_names", "sched_getaffinity", "posix_fadvise", "getuid", "geteuid", "killpg", "setsid"):
    vars(os).pop(name, None)
os.chdir(sys.argv[1])
"""
COMMAND = "from sparsecut.cli import main\nsys.argv = ['sparsecut', *sys.argv[2:]]\nmain()\n"


def run_without_unix(folder: Path, *words: str, code: str = COMMAND) -> CompletedProcess[str]:
    done = run_script(WITHOUT_UNIX + code, folder, *words)
    assert done.returncode == 0, done.stderr
    return done


def test_help(tmp_path: Path) -> None:
    assert "embed" in run_without_unix(tmp_path, "--help").stdout


@pytest.mark.slow
def test_embed_and_what_it_does_not_know_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "edges.csv").write_text("source,target\na,b\nb,c\nc,a\nc,d\nd,e\ne,f\nf,d\n")
    words = ("embed", "edges.csv", "--dimension", "2", "-o", "z.csv", "--json")
    answer = json.loads(run_without_unix(tmp_path, *words).stdout)
    assert (answer["n_nodes"], answer["peak_memory_bytes"]) == (6, None)
    here = run_script("import os, sys\nos.chdir(sys.argv[1])\n" + COMMAND, tmp_path, *words[:-3], "-o", "here.csv")
    assert here.returncode == 0, here.stderr
    assert (tmp_path / "z.csv").read_bytes() == (tmp_path / "here.csv").read_bytes()


@pytest.mark.slow
def test_info(tmp_path: Path) -> None:
    shown = run_without_unix(tmp_path, "info").stdout
    assert re.search(r"memory +not known", shown)


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
