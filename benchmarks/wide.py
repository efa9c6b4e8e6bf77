"""Wide sparse features, 8,710 columns, Cora Full's size: peak memory of the whole process and time.

    python benchmarks/wide.py

The graph is a stand-in: as many nodes, edges and classes, and as many words a node; words are drawn by a power law, half of
them from a range of the node's class. Every fit is a process of its own, and its peak includes the interpreter and torch.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
import scipy.sparse as sp
import torch

from peak import PEAK, mebibytes
from results_file import read_points, write_results
from sparsecut import SCE, Graph, Memory
from standins import stand_in

NAME = "wide"
N_WORDS, WORDS_A_NODE = 8710, 57
SIZES = {"n_nodes": 19_793, "n_edges": 63_421, "n_features": 1, "n_classes": 70}
FITS: dict[str, dict[str, Any]] = {
    "SCE()": {},
    "SCE(solver='adam'), as in the paper": {"solver": "adam"},
    "SCE(filter='heat')": {"filter": "heat"},
}
MAX_MEBIBYTES = 1024


def wide_graph() -> Graph:
    generator = np.random.default_rng(0)
    graph = stand_in(**SIZES)
    n_nodes, n_classes = SIZES["n_nodes"], SIZES["n_classes"]
    rank = (N_WORDS ** generator.random((n_nodes, WORDS_A_NODE))).astype(np.int64) - 1  # P(rank) ~ 1/rank
    own = graph.labels[:, None] * (N_WORDS // n_classes) + generator.integers(0, N_WORDS // n_classes, rank.shape)
    words = np.where(generator.random(rank.shape) < 0.5, own, rank)
    nodes = np.repeat(np.arange(n_nodes), WORDS_A_NODE)
    features = sp.csr_array((np.ones(len(nodes), np.float32), (nodes, words.ravel())), shape=(n_nodes, N_WORDS))
    features.data[:] = 1
    return Graph(graph.adjacency, features=features, labels=graph.labels)


def measure(name: str) -> dict[str, Any]:
    graph = wide_graph()
    model = SCE(**FITS[name], engine=Memory(device="cpu"))
    before = mebibytes(PEAK)
    started = time.perf_counter()
    model.fit(graph, progress=lambda *_: None)
    return {
        "before": round(before, 1),
        "peak": round(mebibytes(PEAK), 1),
        "seconds": round(time.perf_counter() - started, 2),
        "dimension": int(model.embedding_.shape[1]),
        "route": model.history_.route,
        "rows": model.history_.rows,
        "entries": int(graph.features.nnz),
    }


def tables_of(points: dict[str, Any]) -> list[dict[str, Any]]:
    rows = [
        [
            name,
            point["dimension"],
            point["seconds"],
            f"{point['route']} over {point['rows']}",
            point["before"],
            point["peak"],
            f"≤ {MAX_MEBIBYTES}",
            point["peak"] <= MAX_MEBIBYTES,
        ]
        for name, point in points.items()
    ]
    columns = ["fit", "dimension", "seconds", "route", "before the fit, MiB", "peak, MiB", "target", "met"]
    dense = 4 * SIZES["n_nodes"] * N_WORDS / 2**20
    return [{"caption": f"Dense, the features would take {dense:.0f} MiB.", "columns": columns, "rows": rows}]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--fit", choices=FITS, help="one fit, in this process")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    if arguments.fit:
        print(json.dumps(measure(arguments.fit)))
        return
    for name in FITS:
        command = [sys.executable, __file__, "--fit", name]
        point = json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()[-1])
        print(name, point, flush=True)
        points = {**read_points(NAME), name: point}
        write_results(
            NAME,
            title="Wide sparse features",
            about=f"A stand-in of Cora Full's size: {SIZES['n_nodes']:,} nodes, {SIZES['n_edges']:,} edges, {N_WORDS:,} "
            f"columns, {point['entries']:,} entries. Peak of the process, interpreter and libraries included.",
            command="python benchmarks/wide.py",
            tables=tables_of(points),
            notes=[],
            points=points,
            environment={"threads": 2},
        )


if __name__ == "__main__":
    main()
