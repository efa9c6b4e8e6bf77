"""The Dask engine: the answers of memory on named and generated graphs, time and traffic against size, and a long pause.

    python benchmarks/cluster.py [--only compare|scale|faults] [--sizes 1 2 4] [--folder FOLDER]

compare   every model, filter and negative graph on Cora, Pubmed and Facebook, and the default on a generated graph of a
          million nodes, by both plans: the largest difference to memory, relative
scale     generated graphs (planted communities, degree 20, 64 features), two workers, both plans and memory: seconds, bytes
          sent between workers, the peak of a worker
faults    a worker that stands still for 30 s in the middle of a fit

Each measurement is a point that is kept as soon as it is there: a run that is broken off goes on.
"""

from __future__ import annotations

import argparse
import math
import os
import resource
import signal
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import sparsecut as sc
from disk import make_store
from results_file import read_points, write_results
from sparsecut.engines.dask.running import measured

NAME = "cluster"
LIMIT = "2GiB"  # of each of two workers
N_FEATURES, DEGREE = 64, 20
MODELS: dict[str, Any] = {
    "default": sc.SCE(),
    "power": sc.SCE(filter="power"),
    "symmetric": sc.SCE(filter="symmetric"),
    "lazy": sc.SCE(filter="lazy"),
    "pagerank": sc.SCE(filter=sc.PageRank(restart=0.1)),
    "heat": sc.SCE(filter="heat"),
    "average": sc.SCE(filter="average"),
    "degrees": sc.SCE(filter="power", negatives="degrees"),
    "sampled": sc.SCE(filter="power", negatives="sampled", random_state=0),
    "sparsifier": sc.SCE(filter="power", negatives="sparsifier", random_state=0),
    "MoSCE": sc.MoSCE(),
    "Adam": sc.SCE.paper("cora").set_params(random_state=0),
}
PLANS = ("columns", "rows")
COMPARED = ("embedding", "weights", "effective rank")


def difference(model: Any, expected: Any) -> dict[str, float]:
    """The largest differences to memory, relative to the largest number: inner products of rows, of weights, the rank."""
    nodes = np.random.default_rng(0).permutation(len(expected.embedding_))[:2000]
    Z, other = (np.asarray(one.embedding_)[nodes].astype(np.float64) for one in (model, expected))
    W, other_W = (np.concatenate([part @ part.T for part in one.weights_]) for one in (model, expected))
    ranks = model.history_.effective_rank, expected.history_.effective_rank
    return {
        "embedding": relative(Z @ Z.T, other @ other.T),
        "weights": relative(W, other_W),
        "offset": abs(float(np.linalg.norm(model.offset_)) / max(float(np.linalg.norm(expected.offset_)), 1e-30) - 1)
        if np.any(expected.offset_)
        else 0.0,
        "effective rank": abs(ranks[0] / ranks[1] - 1),
        "same choices": float(model.recipe_.filters == expected.recipe_.filters and model.channels_ == expected.channels_),
    }


def relative(found: Any, expected: Any) -> float:
    return float(np.abs(found - expected).max() / max(np.abs(expected).max(), 1e-30))


def compare(points: dict[str, Any], engine: sc.Dask, graphs: dict[str, Callable[[], Any]], save: Callable[[], None]) -> None:
    for graph_name, load in graphs.items():
        graph = None
        for name, model in MODELS.items():
            if graph_name == "million" and name not in ("default", "MoSCE"):
                continue
            expected = None
            for plan in PLANS:
                key = f"compare {graph_name} {name} {plan}"
                if key in points:
                    continue
                graph = load() if graph is None else graph
                if expected is None:
                    expected = clone(model).set_params(engine=sc.Memory(device="cpu")).fit(graph)
                choice = sc.Dask(**{**engine.get_params(deep=False), "plan": plan})
                points[key] = difference(clone(model).set_params(engine=choice).fit(graph), expected)
                print(key, points[key], flush=True)
                save()


@contextmanager
def store_of(folder: Path, millions: int) -> Iterator[Path]:
    """A generated graph as a store, made once."""
    path = folder / f"million-{millions}"
    if not (path / "graph.json").exists():
        n_nodes = millions * 1_000_000
        child = os.fork()  # what it takes to make one is not the driver's
        if not child:
            make_store(path, n_nodes, n_nodes * DEGREE // 2, N_FEATURES)
            os._exit(0)
        os.waitpid(child, 0)
    yield path


def scale(points: dict[str, Any], folder: Path, sizes: list[int], save: Callable[[], None]) -> None:
    settings = {"filter": sc.Power(order=2), "weighting": "none", "channels": "smoothed"}
    for millions in sizes:
        with store_of(folder, millions) as store:
            for name in ("memory", *PLANS):
                key = f"scale {millions} {name}"
                if key in points:
                    continue
                graph = sc.open_store(store)
                if name == "memory":
                    started, before = time.perf_counter(), time.process_time()
                    sc.SCE(engine=sc.Memory(device="cpu"), **settings).fit(graph)
                    points[key] = {"seconds": time.perf_counter() - started, "cpu": time.process_time() - before}
                else:
                    points[key] = fit_on_cluster(graph, folder, name, settings)
                points[key] |= {"n_nodes": graph.n_nodes, "n_entries": int(graph.adjacency.nnz)}
                print(key, points[key], flush=True)
                save()


def fit_on_cluster(graph: Any, folder: Path, plan: str, settings: dict[str, Any]) -> dict[str, float]:
    """Seconds by the clock and of the processor, bytes and peaks of one fit whose embedding goes to a folder."""
    with sc.Dask(workers=2, memory_limit=LIMIT, scratch=folder, plan=plan).running() as engine:
        from distributed import get_client

        client = get_client()
        started, here, there = time.perf_counter(), time.process_time(), sum(measured(client, "cpu"))
        model = sc.SCE(engine=engine, **settings).fit(graph, output=folder / "vectors")
        seconds = time.perf_counter() - started
        processor = time.process_time() - here + sum(measured(client, "cpu")) - there
        return {
            "seconds": seconds,
            "cpu": processor,
            "sent": float(sum(measured(client, "sent"))),
            "peak": float(max(measured(client, "peak"))),
            "driver": float(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024),
            "notes": [note for note in model.history_.notes if "dask" in note or "moved" in note],  # type: ignore[dict-item]
        }


def faults(points: dict[str, Any], folder: Path, save: Callable[[], None]) -> None:
    """A worker that stands still for 30 s."""
    if "pause" in points:
        return
    graph = sc.datasets.load("digits")
    expected = sc.SCE(filter="power").fit(graph)
    with sc.Dask(workers=2, scratch=folder).running() as engine:
        from distributed import get_client

        victim, done = next(iter(get_client().run(os.getpid).values())), []

        def pause(*_: Any) -> None:
            if not done:
                done.append(os.kill(victim, signal.SIGSTOP))
                threading.Timer(30, os.kill, (victim, signal.SIGCONT)).start()

        started = time.perf_counter()
        model = sc.SCE(filter="power", engine=engine).fit(graph, progress=pause)
        points["pause"] = {"seconds": time.perf_counter() - started, **difference(model, expected)}
        save()


def slope(points: dict[str, Any], name: str, what: str) -> float | None:
    """The exponent of the growth with size, from the smallest to the largest."""
    found = [
        (point["n_nodes"], point[what]) for key, point in points.items() if key.startswith("scale") and key.endswith(name)
    ]
    found.sort()
    if len(found) < 2:
        return None
    return math.log(found[-1][1] / found[0][1]) / math.log(found[-1][0] / found[0][0])


def tables(points: dict[str, Any]) -> list[dict[str, Any]]:
    compared = [
        [*key.split()[1:], *(f"{point[what]:.1e}" for what in COMPARED), bool(point["same choices"])]
        for key, point in points.items()
        if key.startswith("compare")
    ]
    sizes = sorted({int(key.split()[1]) for key in points if key.startswith("scale")})
    grown = []
    for millions in sizes:
        memory = points.get(f"scale {millions} memory", {})
        for name in ("memory", *PLANS):
            point = points.get(f"scale {millions} {name}")
            if point is None:
                continue
            ratio = point["cpu"] / memory["cpu"] if memory else math.nan
            grown.append(
                [
                    *(millions, name, round(point["seconds"], 1), round(point["cpu"], 1), round(ratio, 2)),
                    *(round(point.get(what, 0) / 2**20) for what in ("sent", "peak")),
                ]
            )
    return [
        {
            "caption": "Differences to memory, relative: inner products of 2,000 rows, of weights, the effective rank",
            "columns": ["graph", "model", "plan", "embedding", "weights", "effective rank", "same choices"],
            "rows": compared,
        },
        {
            "caption": "Two hops on generated graphs, degree 20, 64 features, two workers of 2 GiB",
            "columns": ["million nodes", "engine", "seconds", "processor seconds", "of memory's", "MiB sent", "MiB peak"],
            "rows": grown,
        },
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["compare", "scale", "faults"])
    parser.add_argument("--sizes", type=int, nargs="+", default=[1, 2, 4, 8])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "sparsecut-cluster")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    points = read_points(NAME)

    def save() -> None:
        slopes = {name: slope(points, name, "cpu") for name in ("memory", *PLANS)}
        told = ", ".join(f"{name} {value:.2f}" for name, value in slopes.items() if value is not None)
        notes = [f"Processor seconds grow with the number of nodes to the power of: {told}."] if told else []
        if "pause" in points:
            notes.append(
                f"With a worker that stood still for 30 s, a fit took {points['pause']['seconds']:.0f} s and was right."
            )
        write_results(
            NAME,
            title="On a cluster",
            about="The Dask engine beside memory: the same answers, and what it takes.",
            command="python benchmarks/cluster.py",
            tables=tables(points),
            notes=notes,
            points=points,
        )

    if asked.only in (None, "compare"):
        graphs: dict[str, Callable[[], Any]] = {
            name: lambda name=name: sc.datasets.load(name) for name in ("cora", "pubmed", "facebook")
        }

        def million() -> Any:
            with store_of(asked.folder, 1) as store:
                return sc.open_store(store)

        with sc.Dask(workers=2, memory_limit=LIMIT, scratch=asked.folder).running() as engine:
            compare(points, engine, {**graphs, "million": million}, save)
    if asked.only in (None, "scale"):
        scale(points, asked.folder, asked.sizes, save)
    if asked.only in (None, "faults"):
        faults(points, asked.folder, save)


if __name__ == "__main__":
    main()
