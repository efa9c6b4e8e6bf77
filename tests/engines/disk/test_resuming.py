"""Runs that fail, are interrupted or are killed: nothing is left behind, and a killed one goes on with the same bits."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prepared
import sparsecut as sc
from disk_cases import community_graph, limit_for, names_in
from sparsecut.io.stores.store import write_header


def test_a_second_run_of_the_same_waits_its_turn(tmp_path: Path) -> None:
    graph, told = community_graph(), []

    def start_again(*_: Any) -> None:
        if not told:
            with pytest.raises(
                sc.InputError, match=r"Another run computes the same in .*\. Wait for it, or name another"
            ) as caught:
                sc.SCE(filter="power", engine="disk").fit(graph, output=tmp_path / "z.npy")
            told.append(caught.value)

    sc.SCE(filter="power", engine="disk").fit(graph, output=tmp_path / "z.npy", progress=start_again)
    assert told
    assert names_in(tmp_path) == ["z.npy"]


@pytest.mark.parametrize("error", [KeyboardInterrupt(), RuntimeError("other")], ids=["interrupted", "failed"])
def test_nothing_is_left_of_a_run_that_fails(error: BaseException, tmp_path: Path) -> None:
    def fail(stage: str, done: int, total: int) -> None:
        if stage == "projection":
            raise error

    with pytest.raises(type(error)):
        sc.SCE(filter="power", engine="disk").fit(community_graph(), output=tmp_path / "z.npy", progress=fail)
    assert names_in(tmp_path) == []


@pytest.mark.parametrize("n_synced", [1, 4, 6])
def test_a_full_disk_is_one_sentence_and_leaves_nothing(
    n_synced: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    n_left = n_synced

    def fill_up(handle: int) -> None:
        nonlocal n_left
        n_left -= 1
        if n_left <= 0:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", fill_up)
    with pytest.raises(
        sc.InputError,
        match=r"could not be written: No space left on device. Nothing of it was left behind. Free some room, or",
    ):
        sc.SCE(filter="power", engine=sc.Disk(memory_limit=limit_for(300, 9))).fit(
            community_graph(), output=tmp_path / "z.npy"
        )
    assert names_in(tmp_path) == []


RUNS = """
import os, resource, signal, sys, time
from pathlib import Path
import numpy as np, torch
import sparsecut as sc
from killing import run_killed
from sparsecut.engines.disk import sizes
torch.set_num_threads(1)  # no threads, so that a fork is whole
sizes.MIN_BLOCK = sizes.MAX_BLOCK = 1 << 12
folder, limit = Path(sys.argv[1]), int(sys.argv[2])
graph = sc.open_store(folder / "store")
generator = np.random.default_rng(int(sys.argv[3]))

def run(output, kill_at=None, prepare=lambda: None):
    def work(event):
        prepare()
        try:
            sc.SCE(engine=sc.Disk(memory_limit=limit, scratch=folder)).fit(graph, output=output, progress=event)
        except sc.InputError as error:
            (folder / "said").write_text(str(error))
            return 3
        return 0
    return run_killed(work, folder / "events", kill_at)

assert run(folder / "whole.npy") == 0
n_all = int((folder / "events").read_text())
n_kills = 0
at = np.append(generator.integers(1, n_all // 2, 8), [n_all - 1, n_all - 3])
for kill_at in at:
    code = run(folder / "z.npy", int(kill_at))
    n_kills += code == -signal.SIGKILL
    if code == 0:
        break
    assert not (folder / "z.npy").exists()
if code:
    assert run(folder / "z.npy") == 0
assert (folder / "z.npy").read_bytes() == (folder / "whole.npy").read_bytes()
print(n_kills, int((folder / "events").read_text()) < n_all)

def no_large_files():
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
assert run(folder / "small.npy", prepare=no_large_files) == 3
print((folder / "said").read_text())
"""


@pytest.mark.slow
def test_killed_at_any_point_it_goes_on_and_gives_the_same_bits(tmp_path: Path) -> None:
    graph = community_graph()
    (tmp_path / "store").mkdir()
    for name in ("indptr", "indices"):
        np.save(tmp_path / "store" / f"{name}.npy", getattr(graph.adjacency, name))
    np.save(tmp_path / "store" / "features.npy", graph.features)
    write_header(tmp_path / "store", n_nodes=300, n_entries=graph.adjacency.nnz, directed="symmetrize")
    done = subprocess.run(
        [prepared.python(), "-c", RUNS, str(tmp_path), str(limit_for(300, 6)), "0"],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    killed, said = done.stdout.splitlines()
    n_kills, is_shorter = killed.split()
    assert int(n_kills) >= 3
    assert is_shorter == "True"  # the last run did not begin at the beginning
    assert (
        "could not be written: File too large. Nothing of it was left behind. Free some room, or name another folder" in said
    )
    assert names_in(tmp_path) == ["events", "said", "store", "whole.npy", "z.npy"]
