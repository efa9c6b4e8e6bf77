"""Workers killed in every pass, one or all at once: the right answer.

Workers that stop, or exceed their memory: the right answer, or an error that says what happened, and no half-written output.
A lost scheduler or driver is in `test_lost.py`.
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from disk_cases import assert_same_rows, community_graph, names_in
from local_cluster import address, cluster, wait_for_workers
from sparsecut.engines.dask.cluster import local_cluster
from sparsecut.engines.dask.running import Runner

pytestmark = pytest.mark.cluster

PASSES = {
    "columns": {"looking through rows", "cutting columns", "smoothing", "transpose"},
    "rows": {"looking through rows", "neighbour lists", "smoothing", "joining panels"},
}
PASSES_OF_BOTH = {"structure", "held-out edges", "means", "Gram matrix", "spectrum", "projection"}
BUILDING = {
    *(
        "finding ids",
        "scanning features",
        "writing features",
        "reading ids",
        "writing ids",
        "numbering ids",
        "merging edges",
        "writing edges",
    )
}
N_KILLS = 50 if os.environ.get("HYPOTHESIS_PROFILE") == "explore" else 2  # in a row


class Watch:
    """A reporter that does something at the first report of every pass, or of some."""

    def __init__(self, act: Callable[[], Any], *only: str) -> None:
        self.act, self.only = act, only
        self.acted: list[str] = []  # in which passes

    def __call__(self, stage: str, *_: Any) -> None:
        name = stage.partition(", ")[0]
        if name not in self.acted and name in (self.only or (name,)):
            self.acted.append(name)
            self.act()


class Killer:
    """Kills workers at every call, no process twice: `n_victims` at once, of as many as there are."""

    def __init__(self, n_victims: int = 1, n_workers: int = 2) -> None:
        self.n_victims, self.n_workers = n_victims, n_workers
        self.killed: list[int] = []

    def __call__(self) -> None:
        victims = [pid for pid in wait_for_workers(self.n_workers) if pid not in self.killed][: self.n_victims]
        assert len(victims) == self.n_victims
        self.killed += victims
        for pid in victims:
            os.kill(pid, signal.SIGKILL)


def fit(graph: sc.Graph, tmp_path: Path, watch: Watch, filter: Any = "symmetric", **options: Any) -> None:
    """A fit during which something happens gives what memory gives, and leaves its output alone."""
    settings = {"filter": filter, "negatives": "sampled", "random_state": 0}
    expected = sc.SCE(**settings).fit_transform(graph)
    engine = sc.Dask(address(), blocks=4, scratch=tmp_path, **options)
    model = sc.SCE(**settings, engine=engine).fit(graph, output=tmp_path / "z", progress=watch)
    assert watch.acted
    assert_same_rows(np.asarray(model.embedding_), expected)
    assert names_in(tmp_path) == ["z"]


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> sc.Graph:
    """A graph that workers go through."""
    folder = tmp_path_factory.mktemp("store")
    edges, features = stored(folder)
    sc.build_store(folder / "store", edges, features=features)
    return sc.open_store(folder / "store")


def stored(folder: Path) -> tuple[Path, Path]:
    """The files of a graph whose ids are words."""
    import pyarrow as pa
    import pyarrow.parquet

    graph = community_graph(200, 12)
    names = np.array([f"node {number}" for number in range(200)])
    entries = graph.adjacency.tocoo()
    columns = {f"x{column}": graph.features[:, column] for column in range(12)}
    tables = {"edges": {"a": names[entries.row], "b": names[entries.col]}, "features": {"id": names, **columns}}
    for name, table in tables.items():
        pyarrow.parquet.write_table(pa.table(table), folder / f"{name}.parquet", row_group_size=60)
    return folder / "edges.parquet", folder / "features.parquet"


@pytest.mark.parametrize("plan", PASSES)
def test_a_kill_in_every_pass_costs_what_was_held(plan: str, store: sc.Graph, tmp_path: Path) -> None:
    watch = Watch(Killer())
    fit(store, tmp_path, watch, "auto", plan=plan)
    assert set(watch.acted) == PASSES[plan] | PASSES_OF_BOTH


@pytest.mark.parametrize("plan", PASSES)
def test_all_workers_killed_at_once_cost_what_was_held(plan: str, store: sc.Graph, tmp_path: Path) -> None:
    fit(store, tmp_path, Watch(Killer(n_victims=2), "smoothing", "projection"), plan=plan)


@pytest.mark.parametrize("plan", PASSES)
def test_the_only_worker_killed_is_waited_for(plan: str, store: sc.Graph, tmp_path: Path) -> None:
    cluster().scale(1)
    try:
        watch = Watch(Killer(n_workers=1), "smoothing")
        fit(store, tmp_path, watch, plan=plan)
    finally:
        cluster().scale(2)
        wait_for_workers()


@pytest.mark.parametrize("plan", PASSES)
def test_a_worker_that_does_not_come_back_leaves_its_rows_to_the_other(plan: str, store: sc.Graph, tmp_path: Path) -> None:
    wait_for_workers()

    def lose() -> None:
        nanny = next(iter(cluster().workers.values()))
        nanny.auto_restart = False
        os.kill(nanny.process.pid, signal.SIGKILL)

    try:
        fit(store, tmp_path, Watch(lose, "smoothing"), plan=plan)
    finally:
        cluster().scale(0)
        cluster().scale(2)
        wait_for_workers()


def test_kills_in_a_row(store: sc.Graph, tmp_path: Path) -> None:
    """Fifty under `make explore`: after each the right answer. Which pass, how many workers and which plan are drawn."""
    draw = random.Random(0 if N_KILLS == 2 else None)
    for number in range(N_KILLS):
        folder = tmp_path / f"{number}"
        folder.mkdir()
        plan = draw.choice(sorted(PASSES))
        name, n_victims = draw.choice(sorted(PASSES[plan] - {"looking through rows"})), draw.choice([1, 2])
        print(f"kill {number}: {n_victims} in {name!r} by {plan}")  # shown where the test fails
        fit(store, folder, Watch(Killer(n_victims), name), plan=plan)


def test_a_kill_in_every_pass_of_the_building_of_a_store(tmp_path: Path) -> None:
    edges, features = stored(tmp_path)
    watch = Watch(Killer())
    sc.Dask(address()).build_store(tmp_path / "store", edges, features=features, progress=watch)
    assert set(watch.acted) == BUILDING
    sc.build_store(tmp_path / "other", edges, features=features)
    graph, expected = sc.open_store(tmp_path / "store"), sc.open_store(tmp_path / "other")
    assert graph.node_ids.tolist() == expected.node_ids.tolist()
    assert (graph.adjacency != expected.adjacency).nnz == 0
    np.testing.assert_allclose(graph.features, expected.features, rtol=1e-6, atol=1e-6)
    assert names_in(tmp_path) == ["edges.parquet", "features.parquet", "other", "store"]


def test_a_worker_that_stands_still_is_waited_for(tmp_path: Path) -> None:
    """For two seconds; `benchmarks/cluster.py --only faults` does it for thirty."""
    victim = wait_for_workers()[0]

    def pause() -> None:
        os.kill(victim, signal.SIGSTOP)
        threading.Timer(2.0, os.kill, (victim, signal.SIGCONT)).start()

    fit(community_graph(200, 12), tmp_path, Watch(pause, "smoothing"))


def test_workers_that_never_go_on_are_an_error_within_the_timeout(tmp_path: Path) -> None:
    victims = wait_for_workers()

    def stop() -> None:
        stopped.append(time.monotonic())
        for pid in victims:
            os.kill(pid, signal.SIGSTOP)

    stopped: list[float] = []
    try:
        with pytest.raises(sc.InputError, match=r"No task of the pass '.*' finished within 2 s"):
            fit(community_graph(200, 12), tmp_path, Watch(stop, "smoothing"), timeout=2.0)
        assert time.monotonic() - stopped[0] < 30
    finally:
        for pid in victims:
            os.kill(pid, signal.SIGCONT)
    assert names_in(tmp_path) == []


def test_a_worker_beyond_its_memory_limit_is_an_error_that_names_the_remedies(tmp_path: Path) -> None:
    import dask
    import distributed  # noqa: F401  whose settings must be there before one is changed for a while

    spawned = dask.config.set({"distributed.worker.multiprocessing-method": "spawn"})  # a fork has more in memory at once
    with spawned, local_cluster(1, None, 400 << 20, tmp_path) as small:
        small.client.cluster.scheduler.allowed_failures = 0  # the first death will do: each takes a worker's start
        runner = Runner(small.client, lambda *_: None, 60.0, small.where)
        future = runner.submit(hold, 700 << 20)
        started = time.monotonic()
        with pytest.raises(sc.InputError, match=r"Workers of the local cluster died .*memory_limit.*blocks="):
            runner.collect([future], "holding")
        assert time.monotonic() - started < 30


def hold(n_bytes: int) -> int:
    """Take memory, and keep it until somebody looks."""
    held = np.ones(n_bytes, dtype=np.uint8)
    time.sleep(20)
    return len(held)
