"""Forgetting 1 % of the nodes against a fit without them, at ogbn-arxiv's size, and that both give the same.

    python benchmarks/forgetting.py [--repeats 5] [--share 0.01]

The graph is a stand-in (`standins.py`). A refit is what one does without `forget`: take the subgraph of the nodes that are
left and fit it, every choice made again; on the disk it is saved with its state. All take turns in one process on one
thread; seconds are those of the processor, medians. `forget` makes the fit that it owes when something of it is first read,
so both are measured: until `forget` returns, when nothing of the nodes is left in memory or in the files, and until the
vectors that are left can be read. `tenths` are the same nodes forgotten in ten calls one after the other, and the vectors
read behind the last, against ten refits. `difference` is the largest one of two vectors, in units of their length, between
`forget` and a fit with the same choices. `rows_changed` is the share of the nodes within two hops of those that go: the rows
of S = P²F that are others, all of which the moments need.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import torch

from results_file import write_results
from sparsecut import SCE, Power, load
from sparsecut.model.fit import fit
from sparsecut.model.kept_choices import with_choices
from standins import stand_in

NAME = "forgetting"
MODELS: dict[str, Callable[[], SCE]] = {"two hops": lambda: SCE(filter=Power(order=2)), "default": SCE}
TARGETS = {"two hops": 10, "default": 3}  # times faster than a refit
N_TENTHS = 10
Point = dict[str, float]


class Clock:
    """Seconds of the processor by the name of what took them."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}

    def time(self, name: str, call: Callable[[], Any]) -> Any:
        started = time.process_time()
        result = call()
        self.seconds.setdefault(name, []).append(time.process_time() - started)
        return result

    def median(self, name: str) -> float:
        return float(np.median(self.seconds[name][1:]))  # the first warms up


def measure(name: str, graph: Any, share: float, repeats: int) -> Point:
    generator, clock = np.random.default_rng(0), Clock()
    difference = changed = 0.0
    with tempfile.TemporaryDirectory() as folder:
        path, beside = Path(folder) / "m.safetensors", Path(folder) / "refit.safetensors"
        for _ in range(repeats + 1):
            gone = np.sort(generator.choice(graph.n_nodes, int(share * graph.n_nodes), replace=False))
            left = np.setdiff1d(np.arange(graph.n_nodes), gone)
            take_turns(clock, MODELS[name], graph, gone, left, path, beside)
        model = MODELS[name]().fit(graph)
        chosen = with_choices(model._settings(), model.recipe_, len(model.offset_))
        model.forget(graph.node_ids[gone].tolist())
        exact = fit(chosen, graph.subgraph(positions=left), output=None, on_epoch=None, progress=None).embedding
        assert exact is not None
        length = np.sqrt(np.square(exact).sum(axis=1).mean())
        difference = float(np.linalg.norm(model.embedding_ - exact, axis=1).max() / length)
        changed = rows_changed(graph, gone)
    seconds = {name: clock.median(name) for name in clock.seconds}
    point = {**seconds, "rows_changed": changed, "difference": difference}
    print(name, point, flush=True)
    return point


def take_turns(clock: Clock, make: Callable[[], SCE], graph: Any, gone: Any, left: Any, path: Path, beside: Path) -> None:
    """Each way once, on a model that was fitted just now."""
    model, ids = make().fit(graph), graph.node_ids[gone].tolist()
    model.save(path, with_state=True, overwrite=True)
    clock.time("forget", lambda: model.forget(ids))
    clock.time("forget, then read", lambda: model.embedding_)
    refitted = clock.time("refit", lambda: make().fit(graph.subgraph(positions=left)))
    clock.time("refit, saved", lambda: refitted.save(beside, with_state=True, overwrite=True))
    on_disk = load(path, in_place=True)
    clock.time("forget on disk", lambda: on_disk.forget(ids))
    clock.time("forget on disk, then read", lambda: on_disk.embedding_)
    in_parts = make().fit(graph)
    parts = [graph.node_ids[part].tolist() for part in np.array_split(gone, N_TENTHS)]
    clock.time("tenths", lambda: [in_parts.forget(part) for part in parts])
    clock.time("tenths, then read", lambda: in_parts.embedding_)


def rows_changed(graph: Any, gone: np.ndarray) -> float:
    near = np.zeros(graph.n_nodes, dtype=np.float32)
    near[gone] = 1
    for _ in range(2):
        near = (graph.adjacency @ near + near > 0).astype(np.float32)
    return float(near.mean())


def times_faster(point: Point) -> dict[str, tuple[float, float, float]]:
    """(seconds of refits, of `forget` until it returns, and until the vectors can be read), of each kind."""
    refit = point["refit"]
    saved, own, on_disk, tenths = (point[name] for name in ("refit, saved", "forget", "forget on disk", "tenths"))
    return {
        "in memory": (refit, own, own + point["forget, then read"]),
        "on disk": (refit + saved, on_disk, on_disk + point["forget on disk, then read"]),
        "in ten calls": (N_TENTHS * refit, tenths, tenths + point["tenths, then read"]),
    }


def tables(points: dict[str, Point]) -> list[dict[str, Any]]:
    columns = ["model", "where", "refit", "forget", "times faster", "until vectors", "times faster then", "target", "met"]
    rows = [
        [
            name,
            where,
            f"{refit:.2f} s",
            f"{1000 * own:.0f} ms",
            f"{refit / own:.1f}",
            f"{read:.2f} s",
            f"{refit / read:.1f}",
            f"{TARGETS[name]}",
            refit / own >= TARGETS[name],
        ]
        for name, point in points.items()
        for where, (refit, own, read) in times_faster(point).items()
    ]
    caption = "Seconds of the processor on one thread; the target is for forget until it returns"
    return [{"caption": caption, "columns": columns, "rows": rows}]


def notes(points: dict[str, Point]) -> list[str]:
    changed = max(point["rows_changed"] for point in points.values())
    difference = max(point["difference"] for point in points.values())
    return [
        "When `forget` returns nothing of the nodes is left in memory or in the model's files. The fit without them is made "
        "when vectors or weights are first read, and costs a fit: see the last columns.",
        f"{changed:.0%} of the smoothed rows are others without these nodes, and every vector.",
        f"Largest difference to a fit with the same choices: {difference:.0e} of the vectors' length.",
    ]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--share", type=float, default=0.01)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    graph = stand_in(n_nodes=169_343, n_edges=1_166_243, n_features=128, n_classes=40)
    points = {name: measure(name, graph, arguments.share, arguments.repeats) for name in MODELS}
    write_results(
        NAME,
        title="Forgetting nodes",
        about=f"`model.forget` of {arguments.share:.0%} of the nodes of a stand-in of ogbn-arxiv's size (169,343 nodes, "
        "1.17 million edges, 128 features), against fitting the graph without them and, on the disk, saving that fit with "
        "its state. In ten calls: a tenth of these nodes in each, against ten refits, and the vectors read behind the last.",
        command="python benchmarks/forgetting.py",
        tables=tables(points),
        notes=notes(points),
        points=points,
    )


if __name__ == "__main__":
    main()
