"""Several drivers on one scheduler, in processes and in threads, with graphs of one size: each has its own answer."""

from __future__ import annotations

import shutil
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import prepared
import sparsecut as sc
from conftest import times_when_exploring
from disk_cases import assert_same_rows, community_graph, names_in
from local_cluster import address, wait_for_workers
from scripts import run_script
from sparsecut.engines.dask.parts import Parts

pytestmark = pytest.mark.cluster

N_JOBS, N_ROUNDS = 4, times_when_exploring(10, 2)
PLANS = ("columns", "rows", "columns", "rows")


def fit(job: int, folder: Path) -> np.ndarray:
    engine = sc.Dask(address(), plan=PLANS[job], blocks=2, scratch=folder)
    return sc.SCE(filter="power", engine=engine).fit_transform(community_graph(80, 5, seed=job))


def assert_right(job: int, Z: np.ndarray) -> None:
    assert_same_rows(Z, sc.SCE(filter="power").fit_transform(community_graph(80, 5, seed=job)))


def test_jobs_in_threads_have_their_own_answers(tmp_path: Path) -> None:
    wait_for_workers()
    with ThreadPoolExecutor(N_JOBS) as pool:
        for _ in range(N_ROUNDS):
            for job, Z in enumerate(pool.map(lambda job: fit(job, tmp_path), range(N_JOBS))):
                assert_right(job, Z)
    assert names_in(tmp_path) == []


# Forks of one process: what each of them makes next has the same address in all, so `id()` is no name. In the last round
# that process has a client, which its forks find without the thread that serves it.
FORKS = """
import os, sys
import numpy as np
import sparsecut as sc
from distributed import Client
from disk_cases import community_graph
folder, address, n_jobs, n_rounds = sys.argv[1], sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
plans = ("columns", "rows", "columns", "rows")
graphs = [community_graph(80, 5, seed=job) for job in range(n_jobs)]
sc.SCE(filter="power").fit(graphs[0])  # what is imported on first use
def fit(job, number):
    engine = sc.Dask(address, plan=plans[job], blocks=2, scratch=folder)
    np.save(f"{folder}/{number}-{job}.npy", sc.SCE(filter="power", engine=engine).fit_transform(graphs[job]))
if __name__ == "__main__":
    for number in range(n_rounds + 1):
        if number == n_rounds:
            client = Client(address)
        children = []
        for job in range(n_jobs):
            children.append(os.fork())
            if not children[-1]:
                fit(job, number)
                os._exit(0)
        for child in children:
            assert os.waitpid(child, 0)[1] == 0
    client.close()
"""


def test_jobs_in_forked_processes_have_their_own_answers(tmp_path: Path) -> None:
    wait_for_workers()
    done = run_script(FORKS, tmp_path, address(), N_JOBS, N_ROUNDS, seconds=600, executable=prepared.python())
    assert done.returncode == 0, done.stderr
    for number in range(N_ROUNDS + 1):
        for job in range(N_JOBS):
            assert_right(job, np.load(tmp_path / f"{number}-{job}.npy"))


def other_job(what: str, is_first: bool) -> tuple[sc.Graph, dict[str, Any]]:
    """Two jobs on one graph with one output that differ in something."""
    graph, options = community_graph(120, 6), {"blocks": 4}
    if what == "ids":
        names = [f"{'old' if is_first else 'new'} {number}" for number in range(120)]
        graph = sc.Graph(graph.adjacency, features=graph.features, node_ids=names)
    if what == "workers":
        options = {}
    if what == "partition":
        nodes = np.arange(120)
        return graph, {"blocks": 4, "plan": "rows", "partition": (nodes + (not is_first)) % 4}
    return graph, options


@pytest.mark.parametrize("what", ["ids", "workers", "partition"])
def test_what_a_killed_driver_left_serves_the_same_job_alone(
    what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With other ids, another number of workers or another partition nothing of it is taken."""
    wait_for_workers()
    run, kept = tmp_path / "run", tmp_path / "kept"
    run.mkdir()

    def stop(self: Parts) -> None:
        shutil.copytree(run, kept)
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr(Parts, "finish", stop)  # all parts are written, the output is not there yet
        if what == "workers":
            patched.setattr("sparsecut.engines.dask.plan._n_blocks", lambda *_: 1)
        graph, options = other_job(what, is_first=True)
        model = sc.SCE(filter="power").fit(graph)
        with pytest.raises(KeyboardInterrupt):
            model.set_params(engine=sc.Dask(address(), scratch=run, **options)).transform(graph, output=run / "z")
    assert names_in(run) == []
    shutil.copytree(kept, run, dirs_exist_ok=True)  # as a killed process leaves it
    graph, options = other_job(what, is_first=False)
    Z = model.set_params(engine=sc.Dask(address(), scratch=run, **options)).transform(graph, output=run / "z")
    assert sorted(sc.read_embedding(run / "z").ids.tolist()) == sorted(graph.node_ids.tolist())
    assert_same_rows(np.asarray(Z), sc.SCE(filter="power").fit_transform(graph))
