"""Graphs without features: SCE on structure against DeepWalk, accuracy and seconds, in one process.

    python benchmarks/structure.py [--walks 80] [--graphs blogcatalog,…]

DeepWalk as its paper has it: uniform walks of 40 nodes, 80 from each, skip-gram with window 10 and 5 negatives, one pass,
here with the 512 dimensions of the SCE paper. 20 labels a class, 50 splits (the published ones of Cora Full), probe: paper.
Each graph is saved as it ends; one already measured with the same number of walks is not run again.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from sparsecut import SCE, Graph, datasets
from sparsecut.baselines import DeepWalk
from sparsecut.environment import environment_stamp
from sparsecut.evaluation import probe, published_splits, sample_splits
from sparsecut.io.files import write_whole

GRAPHS = ("blogcatalog", "amazon_photo", "dblp", "cora_full")
RESULTS = Path(__file__).parent / "results" / "structure.json"
PER_CLASS = 20


def measure(name: str, n_walks: int) -> dict[str, Any]:
    graph = datasets.load(name)
    assert graph.labels is not None
    bare = Graph(graph.adjacency)
    splits = (
        published_splits(name, PER_CLASS, graph.n_nodes)
        if name == "cora_full"
        else sample_splits(graph.labels, PER_CLASS, n_splits=50)
    )
    result: dict[str, Any] = {"graph": name, "n_walks": n_walks, "n_splits": len(splits), "environment": environment_stamp()}
    SCE().fit(Graph(np.ones((50, 50))))  # first use of everything
    for method, embed in (
        ("SCE on structure", lambda: SCE().fit_transform(bare)),
        ("DeepWalk", lambda: DeepWalk(dimension=512, epochs=n_walks, workers=2).fit_transform(bare)),
    ):
        started = time.perf_counter()
        Z = embed()
        seconds = time.perf_counter() - started
        scores = probe(Z, graph.labels, splits)
        result[method] = {"seconds": round(seconds, 2), "mean": round(scores.mean, 2), "std": round(scores.std, 2)}
        print(f"{name:14} {method:18} {seconds:8.1f} s  {scores}", flush=True)
    result["ratio"] = round(result["DeepWalk"]["seconds"] / result["SCE on structure"]["seconds"], 1)
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--walks", type=int, default=80)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    arguments = parser.parse_args()
    results = json.loads(RESULTS.read_text()) if RESULTS.exists() else []
    for name in arguments.graphs.split(","):
        if any((row["graph"], row["n_walks"]) == (name, arguments.walks) for row in results):
            continue
        results.append(measure(name, arguments.walks))
        RESULTS.parent.mkdir(exist_ok=True)
        with write_whole(RESULTS) as temporary:
            temporary.write_text(json.dumps(results, indent=1) + "\n")
    for row in results:
        print(f"{row['graph']}, {row['n_walks']} walks a node: DeepWalk takes {row['ratio']} times as long")


if __name__ == "__main__":
    main()
