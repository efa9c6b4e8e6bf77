"""Workers killed in every pass, stopped, and beyond their memory: the right answer, or an error that says what happened, and
no half-written output. What becomes of a lost scheduler or driver is in `test_lost.py`."""

from __future__ import annotations

import os
import signal
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from disk_cases import assert_same_rows, community_graph, names_in
from local_cluster import address, wait_for_workers, worker_processes
from sparsecut.engines.dask.cluster import local_cluster
from sparsecut.engines.dask.running import Runner

PASSES = {
    "columns": ("looking through rows", "smoothing", "transpose", "means", "Gram matrix", "projection"),
    "rows": ("neighbour lists", "smoothing", "Gram matrix", "projection"),
}
BUILDING = ("scanning features", "writing features", "reading ids", "writing ids", "numbering ids", "merging edges")


class Watch:
    """A reporter that does something at the first report of some passes."""

    def __init__(self, passes: Sequence[str], act: Callable[[], Any]) -> None:
        self.waiting, self.act = list(passes), act

    def __call__(self, stage: str, *_: Any) -> None:
        name = stage.partition(", ")[0]
        if name in self.waiting:
            self.waiting.remove(name)
            self.act()


class Killer:
    """Kills a worker at every call, no process twice."""

    def __init__(self) -> None:
        self.killed: list[int] = []

    def __call__(self) -> None:
        wait_for_workers()
        victim = next(pid for pid in worker_processes() if pid not in self.killed)
        self.killed.append(victim)
        os.kill(victim, signal.SIGKILL)


def fit(graph: sc.Graph, tmp_path: Path, watch: Watch, **options: Any) -> None:
    """A fit during which something happens gives what memory gives."""
    model = sc.SCE(filter="symmetric", negatives="sampled", random_state=0)
    expected = model.fit_transform(graph)
    engine = sc.Dask(address(), blocks=4, scratch=tmp_path, **options)
    other = sc.SCE(filter="symmetric", negatives="sampled", random_state=0, engine=engine)
    other.fit(graph, output=tmp_path / "z", progress=watch)
    assert not watch.waiting
    assert_same_rows(np.asarray(other.embedding_), expected)


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
def test_a_worker_killed_in_every_pass_costs_what_it_held(plan: str, tmp_path: Path) -> None:
    wait_for_workers()
    (tmp_path / "run").mkdir()
    edges, features = stored(tmp_path)
    sc.build_store(tmp_path / "store", edges, features=features)
    killer = Killer()
    graph = sc.open_store(tmp_path / "store")
    said = ""
    try:
        fit(graph, tmp_path / "run", Watch(PASSES[plan], killer), plan=plan, timeout=60.0)
    except sc.InputError as error:
        said = str(error)
    if not said:
        assert len(set(killer.killed)) == len(PASSES[plan])
    else:  # rarely Dask never gives a lost task to another worker: told of in time, and the next call is right
        assert "No task of the pass" in said
        assert names_in(tmp_path / "run") == []
        wait_for_workers()
        fit(graph, tmp_path / "run", Watch([], killer), plan=plan)
    assert names_in(tmp_path / "run") == ["z"]


def test_a_worker_killed_in_every_pass_of_the_building_of_a_store(tmp_path: Path) -> None:
    wait_for_workers()
    edges, features = stored(tmp_path)
    watch = Watch(BUILDING, Killer())
    said = ""
    try:
        sc.Dask(address(), timeout=60.0).build_store(tmp_path / "store", edges, features=features, progress=watch)
    except sc.InputError as error:
        said = str(error)
    if not said:
        assert not watch.waiting
    else:  # as above
        assert "No task of the pass" in said
        wait_for_workers()
        sc.Dask(address()).build_store(tmp_path / "store", edges, features=features)
    sc.build_store(tmp_path / "other", edges, features=features)
    graph, expected = sc.open_store(tmp_path / "store"), sc.open_store(tmp_path / "other")
    assert graph.node_ids.tolist() == expected.node_ids.tolist()
    assert (graph.adjacency != expected.adjacency).nnz == 0
    np.testing.assert_allclose(graph.features, expected.features, rtol=1e-6, atol=1e-6)
    assert names_in(tmp_path) == ["edges.parquet", "features.parquet", "other", "store"]


def test_a_worker_that_stands_still_is_waited_for(tmp_path: Path) -> None:
    """For two seconds; `benchmarks/cluster.py --only faults` does it for thirty."""
    wait_for_workers()
    victim = worker_processes()[0]

    def pause() -> None:
        os.kill(victim, signal.SIGSTOP)
        threading.Timer(2.0, os.kill, (victim, signal.SIGCONT)).start()

    fit(community_graph(200, 12), tmp_path, Watch(["smoothing"], pause))


def test_workers_that_never_go_on_are_an_error_within_the_timeout(tmp_path: Path) -> None:
    wait_for_workers()
    victims = worker_processes()

    def stop() -> None:
        stopped.append(time.monotonic())
        for pid in victims:
            os.kill(pid, signal.SIGSTOP)

    stopped: list[float] = []
    try:
        with pytest.raises(sc.InputError, match=r"No task of the pass '.*' finished within 2 s"):
            fit(community_graph(200, 12), tmp_path, Watch(["smoothing"], stop), timeout=2.0)
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
