"""Recommendations at scale: `Links.recommend` on a large graph, through the index and against all pairs.

    python benchmarks/recommend.py [--nodes 100000,1000000] [--folder FOLDER] [--prepare] [--force]

Stand-ins with planted classes (`standins.py`): ten edges per node, degrees of a power law, 64 features; `Links` on the
default model. One node is asked after another for ten candidates, 1,000 drawn by nodes, on one thread (OMP_NUM_THREADS=1):
the median and the slowest percent, in milliseconds of the processor, and the same of comparing all for 20 of them. recall@10
is the share of the ten best of all pairs that are found, of 500 of them. `--prepare` fits and keeps vectors and forms in the
folder, to be timed by a call that does nothing else.
"""

from __future__ import annotations

import argparse
import json
import time
from pathlib import Path
from typing import Any

import numpy as np

from results_file import read_points, write_results
from sparsecut import SCE, Links
from standins import stand_in

NAME = "recommend"
N_ASKED, N_COMPARED, N_EXACT = 1000, 500, 20
TARGETS = {"milliseconds": 0.5, "recall": 0.99}


def prepare(n_nodes: int, path: Path | None) -> tuple[Links, dict[str, float]]:
    """Fitted links with their index, made or from the files of an earlier call: the vectors, the forms and the seconds."""
    graph = stand_in(n_nodes=n_nodes, n_edges=10 * n_nodes, n_features=64, n_classes=20)
    if path is not None and path.exists():
        links = Links.load(path, np.load(path.with_suffix(".npy")), graph)
        links.recommend(0)  # the index is made again
        return links, json.loads(path.with_suffix(".json").read_text("utf-8"))
    model = SCE().fit(graph)
    start = time.process_time()
    links = Links(model, graph)
    fit = time.process_time() - start
    start = time.process_time()
    links.recommend(0)
    seconds = {"fit": fit, "index": time.process_time() - start}
    if path is not None:
        np.save(path.with_suffix(".npy"), model.embedding_)
        path.with_suffix(".json").write_text(json.dumps(seconds), "utf-8")
        links.save(path)
    return links, seconds


def measure(links: Links) -> dict[str, Any]:
    generator = np.random.default_rng(0)
    asked = generator.choice(links.graph.n_nodes, N_ASKED, replace=False)
    links.recommend(int(asked[0]))
    seconds, found = [], []
    for node in asked.tolist():
        start = time.process_time()
        found.append(links.recommend(node))
        seconds.append(time.process_time() - start)
    links.index = "exact"
    n_same, exact = 0, []
    for number in range(N_COMPARED):
        start = time.process_time()
        best = links.recommend(int(asked[number]))
        exact.append(time.process_time() - start)
        n_same += int((found[number].scores >= best.scores[-1] * (1 - 1e-5)).sum())
    return {
        "milliseconds": 1000 * float(np.median(seconds)),
        "slowest": 1000 * float(np.percentile(seconds, 99)),
        "exact": 1000 * float(np.median(exact[:N_EXACT])),
        "recall": n_same / (10 * N_COMPARED),
        "form": str(links.forms_["candidates"]),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", default="100000,1000000")
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--prepare", action="store_true")
    parser.add_argument("--force", action="store_true")
    asked = parser.parse_args()
    points = read_points(NAME)
    for n_nodes in map(int, asked.nodes.split(",")):
        if asked.force or asked.prepare or str(n_nodes) not in points:
            path = None if asked.folder is None else asked.folder / f"links-{n_nodes}.safetensors"
            links, seconds = prepare(n_nodes, path)
            if not asked.prepare:
                points[str(n_nodes)] = {**seconds, **measure(links)}
                print(n_nodes, points[str(n_nodes)], flush=True)
    if asked.prepare:
        return
    rows = [
        [
            int(n_nodes),
            f"{point['fit']:.0f} s",
            f"{point['index']:.0f} s",
            f"{point['milliseconds']:.2f} ms",
            f"{point['slowest']:.1f} ms",
            f"{point['exact']:.0f} ms",
            f"{point['recall']:.4f}",
            point["milliseconds"] <= TARGETS["milliseconds"] and point["recall"] >= TARGETS["recall"],
        ]
        for n_nodes, point in sorted(points.items(), key=lambda item: int(item[0]))
    ]
    head = ["nodes", "fit", "index", "median", "slowest percent", "all compared", "recall@10", "met"]
    write_results(
        NAME,
        title="Recommendations at scale",
        about="`Links.recommend`, ten candidates of one node after another, on generated graphs with ten edges per node.",
        command="python benchmarks/recommend.py",
        tables=[{"caption": "One thread. The target: 0.5 ms in the median, recall@10 0.99", "columns": head, "rows": rows}],
        notes=["The fit of links, with the model's second fit, and the index are in seconds of the processor."],
        points=points,
    )


if __name__ == "__main__":
    main()
