"""Graphs without features: SCE on structure against DeepWalk, accuracy and seconds.

    python benchmarks/structure.py [--walks 80] [--dimension 128] [--workers 2] [--graphs blogcatalog,…]

DeepWalk as its paper has it: uniform walks of 40 nodes, 80 from each, 128 dimensions, skip-gram with window 10 and 5
negatives, one pass. The SCE paper gives all its methods 512 dimensions, and the public release draws 10 walks: those were
measured too. 20 labels a class, 50 splits (the published ones of Cora Full), probe: paper.

DeepWalk is saved as it ends, and not run again where it has been measured with the same settings; SCE is measured anew each
time. The ratio of their seconds is thus between two runs on one machine. Seconds are those of the clock, or of the processor
where these are fewer: on a busy machine a run of some minutes is held up.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut import SCE, Graph, datasets
from sparsecut.base.environment import environment_stamp
from sparsecut.evaluation import probe, published_splits, sample_splits
from sparsecut.io import write_whole
from sparsecut.lab.baselines.deepwalk import DeepWalk

GRAPHS = ("blogcatalog", "amazon_photo", "dblp", "cora_full")
RESULTS = Path(__file__).parent / "results" / "structure.json"
PER_CLASS = 20


def measure(graph: Graph, name: str, embed: Callable[[], Any]) -> dict[str, Any]:
    assert graph.labels is not None
    started, cpu = time.perf_counter(), time.process_time()
    Z = embed()
    seconds = min(time.perf_counter() - started, time.process_time() - cpu)
    splits = (
        published_splits(name, PER_CLASS, graph.n_nodes)
        if name == "cora_full"
        else sample_splits(graph.labels, PER_CLASS, n_splits=50)
    )
    scores = probe(Z, graph.labels, splits)
    print(f"{name:14} {seconds:8.1f} s  {scores}", flush=True)
    return {
        "seconds": round(seconds, 2),
        "mean": round(scores.mean, 2),
        "std": round(scores.std, 2),
        "n_splits": len(splits),
        "environment": environment_stamp(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walks", type=int, default=80)
    parser.add_argument("--dimension", type=int, default=128)
    parser.add_argument("--workers", type=int, default=os.cpu_count(), help="threads of DeepWalk")
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    options = parser.parse_args()
    SCE().fit(Graph(np.ones((50, 50))))  # first use of everything
    for name in options.graphs.split(","):
        graph = datasets.load(name)
        bare = Graph(graph.adjacency)
        keep(name, "SCE on structure", {}, measure(graph, name, lambda bare=bare: SCE().fit_transform(bare)))
        settings = {"n_walks": options.walks, "dimension": options.dimension}
        if find(kept(), name, "DeepWalk", settings) is None:
            model = DeepWalk(dimension=options.dimension, epochs=options.walks, workers=options.workers)
            measured = measure(graph, name, lambda bare=bare, model=model: model.fit_transform(bare))
            keep(name, "DeepWalk", {**settings, "workers": options.workers}, measured)
    for row in kept():
        if row["method"] == "DeepWalk":
            ours = find(kept(), row["graph"], "SCE on structure", {})
            assert ours is not None
            print(
                f"{row['graph']:14} SCE {ours['mean']} in {ours['seconds']} s; DeepWalk, {row['n_walks']} walks and "
                f"{row['dimension']} dimensions, {row['mean']} in {row['seconds'] / ours['seconds']:.0f} times as long"
            )


def kept() -> list[dict[str, Any]]:
    return list(json.loads(RESULTS.read_text())) if RESULTS.exists() else []


def find(rows: list[dict[str, Any]], graph: str, method: str, settings: dict[str, int]) -> dict[str, Any] | None:
    wanted = {"graph": graph, "method": method, **settings}
    return next((row for row in rows if all(row.get(key) == value for key, value in wanted.items())), None)


def keep(graph: str, method: str, settings: dict[str, int], measured: dict[str, Any]) -> None:
    """Put one result in the place of the one before. The file is read anew: two graphs may be measured at once."""
    rows = kept()
    before = find(rows, graph, method, settings)
    rows = [row for row in rows if row is not before] + [{"graph": graph, "method": method, **settings, **measured}]
    rows.sort(key=lambda row: (GRAPHS.index(row["graph"]), row["method"], row.get("n_walks", 0), row.get("dimension", 0)))
    with write_whole(RESULTS) as temporary:
        temporary.write_text(json.dumps(rows, indent=1) + "\n")


if __name__ == "__main__":
    main()
