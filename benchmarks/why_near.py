"""Why two nodes are near, at scale: `model.why` on pairs of a large graph.

    python benchmarks/why_near.py [--nodes 100000,1000000] [--force]

Stand-ins with planted classes (`standins.py`): ten edges per node, degrees of a power law, 64 features; the default model,
fitted first. Pairs are a node and one of its neighbours, drawn by nodes and, in a second row, by ends of edges, so that hubs
are among them. Seconds are those of the processor, one thread (OMP_NUM_THREADS=1): the first call, which reads the graph
once, and the median and the slowest of 200 pairs after it; then one call for the ten nearest. The rest is the share of the
score's size that comes from nodes that were not read, and the sum is how far the parts are from the score.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

from results_file import read_points, write_results
from sparsecut import SCE
from standins import stand_in

NAME = "why_near"
N_PAIRS = 200
TARGETS = {"milliseconds": 50.0, "sum": 1e-5}


def measure(n_nodes: int) -> dict[str, Any]:
    graph = stand_in(n_nodes=n_nodes, n_edges=10 * n_nodes, n_features=64, n_classes=20)
    start = time.process_time()
    model = SCE().fit(graph)
    point: dict[str, Any] = {"fit": time.process_time() - start, "channels": list(model.channels_)}
    generator = np.random.default_rng(0)
    A = graph.adjacency
    start = time.process_time()
    model.why(0, 1)
    point["first"] = time.process_time() - start
    starts = generator.choice(np.flatnonzero(np.diff(A.indptr)), N_PAIRS)
    by_node = [(int(one), int(generator.choice(A.indices[A.indptr[one] : A.indptr[one + 1]]))) for one in starts]
    places = generator.choice(A.nnz, N_PAIRS)
    ends = np.searchsorted(A.indptr, places, side="right") - 1
    by_edge = list(zip(ends.tolist(), A.indices[places].tolist(), strict=True))
    for name, pairs in (("nodes", by_node), ("edges", by_edge)):
        seconds, rests, errors = [], [], []
        for one, other in pairs:
            start = time.process_time()
            found = model.why(one, other)
            seconds.append(time.process_time() - start)
            size = float(np.linalg.norm(model.embedding_[one]) * np.linalg.norm(model.embedding_[other]))
            rests.append(abs(found.rest) / size)
            sums = [sum(found.channels.values()), *(part.total + found.rest for part in (found.features, found.sources))]
            errors.append(max(abs(one - found.score) for one in sums) / size)
        point[name] = {
            "milliseconds": 1000 * float(np.median(seconds)),
            "slowest": 1000 * max(seconds),
            "rest": float(np.median(rests)),
            "sum": max(errors),
        }
    start = time.process_time()
    model.why(int(starts[0]), k=10)
    point["ten_nearest"] = 1000 * (time.process_time() - start)
    return point


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--nodes", default="100000,1000000")
    parser.add_argument("--force", action="store_true")
    asked = parser.parse_args()
    points = read_points(NAME)
    for n_nodes in map(int, asked.nodes.split(",")):
        if asked.force or str(n_nodes) not in points:
            points[str(n_nodes)] = measure(n_nodes)
            print(n_nodes, points[str(n_nodes)], flush=True)
    rows = [
        [
            int(n_nodes),
            drawn,
            f"{point['fit']:.0f} s",
            f"{point['first']:.1f} s",
            f"{point[drawn]['milliseconds']:.1f} ms",
            f"{point[drawn]['slowest']:.0f} ms",
            f"{point['ten_nearest']:.0f} ms",
            f"{point[drawn]['rest']:.1%}",
            f"{point[drawn]['sum']:.0e}",
            point[drawn]["milliseconds"] < TARGETS["milliseconds"] and point[drawn]["sum"] < TARGETS["sum"],
        ]
        for n_nodes, point in sorted(points.items(), key=lambda item: int(item[0]))
        for drawn in ("nodes", "edges")
    ]
    head = ["nodes", "pairs by", "fit", "first call", "median", "slowest", "ten nearest", "rest", "sum", "met"]
    caption = "Seconds of the processor, one thread. The target: 50 ms per pair, and parts within 1e-5 of the score"
    write_results(
        NAME,
        title="Why two nodes are near",
        about="`model.why` on pairs of linked nodes of generated graphs with ten edges per node and 64 features.",
        command="python benchmarks/why_near.py",
        tables=[{"caption": caption, "columns": head, "rows": rows}],
        notes=["The rest and the sum are shares of the product of the two vectors' lengths."],
        points=points,
    )


if __name__ == "__main__":
    main()
