"""Roles beside the features' embedding: what they bring, and what they cost where the features say everything.

    python benchmarks/role_columns.py [--graphs cora,chameleon_filtered] [--seconds]

For every graph the accuracy with 5 and 20 labels per class, the mean of ten splits: the features alone, roles alone, and the
features beside roles with a tenth, a fifth and two fifths of its length. `--seconds` prints instead the processor seconds of
roles and of the default's fit, the best of three each, alternately, on generated graphs of growing size.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

import numpy as np

import beyond
from rings import beside, roles_of
from sparsecut import SCE
from sparsecut.evaluation import probe
from sparsecut.lab.paper.row_methods import load_graph
from standins import stand_in

GRAPHS = ("cora", "chameleon_filtered", "cornell", "actor", "tolokers", "wiki")
WEIGHTS = (0.1, 0.2, 0.4)
N_SPLITS = 10
SIZES = ((20_000, 100_000), (169_343, 1_166_243), (400_000, 4_000_000))  # the second is that of ogbn-arxiv


def measure(name: str) -> dict[str, list[float]]:
    graph = load_graph(name)
    Z, R = SCE(features="given").fit_transform(graph, progress=_silent), roles_of(graph)
    embeddings = {"features": Z, "roles": R} | {f"beside {weight}": beside(Z, R, weight) for weight in WEIGHTS}
    found: dict[str, list[float]] = {which: [] for which in embeddings}
    for count in beyond.LABEL_COUNTS:
        splits = beyond.splits_of(name, graph, count, N_SPLITS, 0)
        for which, rows in embeddings.items():
            scores = probe(rows.astype(np.float32), graph.labels, splits, progress=_silent)
            found[which].append(round(float(scores.mean), 1))
    return found


def seconds_of(n_nodes: int, n_edges: int) -> tuple[float, float]:
    """The processor seconds of roles and of the default's fit."""
    graph = stand_in(n_nodes=n_nodes, n_edges=n_edges, n_features=128, n_classes=40)
    best = [np.inf, np.inf]
    for _ in range(3):
        for number, work in enumerate((roles_of, lambda graph: SCE(features="given").fit(graph, progress=_silent))):
            started = time.process_time()
            work(graph)
            best[number] = min(best[number], time.process_time() - started)
    return best[0], best[1]


def _silent(*_: Any) -> None:
    """Shows nothing."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--seconds", action="store_true")
    arguments = parser.parse_args()
    for size in SIZES if arguments.seconds else ():
        of_roles, of_fit = seconds_of(*size)
        print(f"{size[0]:>9,} nodes {size[1]:>9,} edges   roles {of_roles:.2f} s   default {of_fit:.2f} s", flush=True)
    for name in () if arguments.seconds else arguments.graphs.split(","):
        scores = measure(name)
        print(
            f"{name:20s}" + "   ".join(f"{which} {'/'.join(map(str, pair))}" for which, pair in scores.items()), flush=True
        )
