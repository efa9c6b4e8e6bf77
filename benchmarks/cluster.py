"""The Dask engine: the answers of memory on named and generated graphs, and a long pause.

    python benchmarks/cluster.py [--only compare|faults] [--folder FOLDER]

compare   every model, filter and negative graph on Cora, Pubmed and Facebook, and the default on a generated graph of a
          million nodes, by both plans: the largest difference to memory, relative
faults    a worker that stands still for 30 s in the middle of a fit

Each measurement is a point that is kept as soon as it is there: a run that is broken off goes on.
"""

from __future__ import annotations

import argparse
import os
import signal
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone

import sparsecut as sc
from cluster_scale import store_of
from results_file import read_points, write_results

NAME = "cluster"
LIMIT = "2GiB"  # of each of two workers
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


def tables(points: dict[str, Any]) -> list[dict[str, Any]]:
    compared = [
        [*key.split()[1:], *(f"{point[what]:.1e}" for what in COMPARED), bool(point["same choices"])]
        for key, point in points.items()
        if key.startswith("compare")
    ]
    return [
        {
            "caption": "Differences to memory, relative: inner products of 2,000 rows, of weights, the effective rank",
            "columns": ["graph", "model", "plan", "embedding", "weights", "effective rank", "same choices"],
            "rows": compared,
        },
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["compare", "faults"])
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "sparsecut-cluster")
    asked = parser.parse_args()
    asked.folder.mkdir(parents=True, exist_ok=True)
    points = read_points(NAME)

    def save() -> None:
        notes = []
        if "pause" in points:
            notes.append(
                f"With a worker that stood still for 30 s, a fit took {points['pause']['seconds']:.0f} s and was right."
            )
        write_results(
            NAME,
            title="The answers of memory",
            about="The Dask engine beside memory on named and generated graphs, by both plans: the same answers.",
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
            return sc.open_store(store_of(asked.folder, 1))

        with sc.Dask(workers=2, memory_limit=LIMIT, scratch=asked.folder).running() as engine:
            compare(points, engine, {**graphs, "million": million}, save)
    if asked.only in (None, "faults"):
        faults(points, asked.folder, save)


if __name__ == "__main__":
    main()
