"""Roles beside the default's embedding: what they bring, and what they cost where the features say everything.

    python benchmarks/role_columns.py [--graphs cora,chameleon_filtered]

For every graph the accuracy with 5 and 20 labels per class, the mean of ten splits: the default, roles alone, and the
default beside roles with a tenth, a fifth and two fifths of its length.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np

import beyond
from rings import beside, roles_of
from sparsecut import SCE
from sparsecut.evaluation import probe
from sparsecut.lab.paper.row_methods import load_graph

GRAPHS = ("cora", "chameleon_filtered", "cornell", "actor", "tolokers", "wiki")
WEIGHTS = (0.1, 0.2, 0.4)
N_SPLITS = 10


def measure(name: str) -> dict[str, list[float]]:
    graph = load_graph(name)
    Z, R = SCE().fit_transform(graph, progress=_silent), roles_of(graph)
    embeddings = {"default": Z, "roles": R} | {f"beside {weight}": beside(Z, R, weight) for weight in WEIGHTS}
    found: dict[str, list[float]] = {which: [] for which in embeddings}
    for count in beyond.LABEL_COUNTS:
        splits = beyond.splits_of(name, graph, count, N_SPLITS, 0)
        for which, rows in embeddings.items():
            scores = probe(rows.astype(np.float32), graph.labels, splits, progress=_silent)
            found[which].append(round(float(scores.mean), 1))
    return found


def _silent(*_: Any) -> None:
    """Shows nothing."""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    for name in parser.parse_args().graphs.split(","):
        scores = measure(name)
        print(
            f"{name:20s}" + "   ".join(f"{which} {'/'.join(map(str, pair))}" for which, pair in scores.items()), flush=True
        )
