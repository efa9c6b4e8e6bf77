"""SCE beside other libraries' embeddings: time, memory and accuracy on the same graphs, at the same dimension.

    python benchmarks/peers.py [--graphs cora,...] [--methods ...] [--force]

    torch-geometric   DGI, and GraphSAGE trained on edges against sampled pairs (`pyg_peers.py`): full batch, dense features
    scikit-network    Spectral and RandomProjection: the edges alone, features are not read
    nodevectors       ProNE: the edges alone
    sparsecut         SCE, with the features, and with the edges alone

The task is the same for all: from the graph in memory to 128 columns a node, on all cores. Every fit has a process of its
own and is stopped after some minutes. The time leaves out imports and a first fit of a tiny graph; the memory is the peak
beyond those, the graph included. Accuracy is the tuned probe (scale and regularisation are chosen on validation nodes, so an
embedding's scale does not matter): over the published splits, on the stand-in over ten random ones, whose classes are
planted in edges and features alike: it is there for the time. Every fit is saved, and not run again without --force.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from peak import PEAK, RESIDENT, mebibytes, reset_peak
from results_file import read_points, write_results
from sparsecut import SCE, Graph, datasets
from sparsecut.evaluation import probe, published_splits, sample_splits
from standins import stand_in

NAME = "peers"
DIMENSION = 128
LIMIT = 180  # seconds a process
PER_CLASS = (5, 20)
PACKAGES = ("torch-geometric", "scikit-network", "nodevectors")
ENOUGH_SECONDS = 5.0
MAX_FITS = 3
STAND_IN = "stand-in"
SIZES = {"n_nodes": 50_000, "n_edges": 500_000, "n_features": 100, "n_classes": 10}
GRAPHS = ("cora", "citeseer", "pubmed", STAND_IN)

Fit = Callable[[Graph], Any]


def with_pyg(name: str) -> Fit:
    pyg_peers = importlib.import_module("pyg_peers")
    return lambda graph: getattr(pyg_peers, name)(graph, DIMENSION)[0]


def with_scikit_network(name: str) -> Fit:
    embedding = importlib.import_module("sknetwork.embedding")
    return lambda graph: getattr(embedding, name)(DIMENSION).fit_transform(sp.csr_matrix(graph.adjacency))


def with_nodevectors(name: str) -> Fit:
    nodevectors, csrgraph = (importlib.import_module(module) for module in ("nodevectors", "csrgraph"))
    return lambda graph: getattr(nodevectors, name)(n_components=DIMENSION, verbose=False).fit_transform(
        csrgraph.csrgraph(sp.csr_matrix(graph.adjacency, copy=True))
    )


METHODS: dict[str, tuple[str, Callable[[], Fit]]] = {  # what each reads, and how it is made
    "SCE": ("features, edges", lambda: SCE(dimension=DIMENSION).fit_transform),
    "DGI, torch-geometric": ("features, edges", lambda: with_pyg("dgi")),
    "GraphSAGE, torch-geometric": ("features, edges", lambda: with_pyg("graphsage")),
    "SCE(features='structure')": ("edges", lambda: SCE(dimension=DIMENSION, features="structure").fit_transform),
    "Spectral, scikit-network": ("edges", lambda: with_scikit_network("Spectral")),
    "RandomProjection, scikit-network": ("edges", lambda: with_scikit_network("RandomProjection")),
    "ProNE, nodevectors": ("edges", lambda: with_nodevectors("ProNE")),
}


def load(name: str) -> Graph:
    return stand_in(**SIZES) if name == STAND_IN else datasets.load(name)


def measure(graph_name: str, method: str, path: Path) -> dict[str, Any]:
    """One method on one graph in this process; the embedding goes to a file."""
    fit = METHODS[method][1]()
    tiny = stand_in(n_nodes=400, n_edges=4_000, n_features=2 * DIMENSION, n_classes=2)
    fit(tiny)
    before = mebibytes(RESIDENT)
    graph = load(graph_name)
    gc.collect()
    reset_peak()
    seconds: list[float] = []
    while len(seconds) < MAX_FITS and sum(seconds) < ENOUGH_SECONDS:
        started = time.perf_counter()
        Z = fit(graph)
        seconds.append(time.perf_counter() - started)
    np.save(path, np.asarray(Z, dtype=np.float32))
    return {"seconds": seconds, "peak_mebibytes": mebibytes(PEAK) - before}


def measure_alone(graph_name: str, method: str) -> dict[str, Any]:
    """The same in a process of its own, stopped when it takes too long, and the accuracies of what it made."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "embedding.npy"
        command = [sys.executable, __file__, "--fit", graph_name, method, str(path)]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=LIMIT)
        except subprocess.TimeoutExpired:
            return {"failed": f"stopped after {LIMIT} s"}
        if done.returncode:
            return {
                "failed": done.stderr.strip().splitlines()[-1][:200] if done.stderr.strip() else f"ended {done.returncode}"
            }
        point = dict(json.loads(done.stdout.splitlines()[-1]))
        return {**point, "accuracy": accuracy(graph_name, np.load(path))}


def accuracy(graph_name: str, Z: Any) -> dict[str, list[float]]:
    """Mean and deviation of the tuned probe for each number of labels."""
    graph = load(graph_name)
    found = {}
    for n in PER_CLASS:
        if graph_name == STAND_IN:
            splits = sample_splits(graph.labels, n, 10, 0)
        else:
            splits = published_splits(graph_name, n, graph.n_nodes)
        scores = probe(Z, graph.labels, splits, protocol="tuned")
        found[str(n)] = [round(scores.mean, 3), round(scores.std, 3)]
    return found


def tables_of(points: dict[str, Any]) -> list[dict[str, Any]]:
    tables = []
    for graph_name in GRAPHS:
        rows = []
        ours = points.get(f"{graph_name}, SCE", {}).get("seconds")
        for method, (reads, _) in METHODS.items():
            point = points.get(f"{graph_name}, {method}")
            if point is None:
                continue
            if "failed" in point:
                rows.append([method, reads, None, None, None, None, point["failed"]])
                continue
            seconds = min(point["seconds"])
            scores = [f"{mean:.1f} ± {std:.1f}" for mean, std in (point["accuracy"][str(n)] for n in PER_CLASS)]
            ratio = round(seconds / min(ours), 2) if ours else None
            rows.append([method, reads, round(seconds, 4), ratio, round(point["peak_mebibytes"], 1), *scores])
        if rows:
            tables.append(
                {
                    "caption": f"{graph_name}{_size(graph_name)}.",
                    "columns": ["method", "reads", "seconds", "times SCE's", "peak MiB", "accuracy, 5", "accuracy, 20"],
                    "rows": rows,
                }
            )
    return tables


def _size(name: str) -> str:
    if name != STAND_IN:
        return ""
    return ": {n_nodes:,} nodes, {n_edges:,} edges, {n_features} features, {n_classes} planted classes".format(**SIZES)


def save(points: dict[str, Any]) -> None:
    write_results(
        NAME,
        title="Peers",
        about=f"Other libraries on the same graphs, from the graph in memory to {DIMENSION} columns a node, every fit in a "
        f"process of its own, stopped after {LIMIT} s; the best of up to {MAX_FITS} where one takes less than "
        f"{ENOUGH_SECONDS:g} s. Memory is the peak beyond the imports, the graph included. Accuracy in percent with 5 and "
        "20 labels a class, probe: tuned, over the 50 published splits, on the stand-in over 10 random ones.",
        command="python benchmarks/peers.py",
        tables=tables_of(points),
        notes=[
            "karateclub is not here: its release 1.3.3 asks for numpy < 1.23, pandas ≤ 1.3.5 and networkx < 2.7, none of "
            "which is built for Python 3.11 beside the rest.",
            "nodevectors installs and its ProNE runs; its Node2Vec does not, for it passes gensim an argument that gensim 4 "
            "has no longer. It is no dependency of the project: `pip install nodevectors` to run it.",
            "What reads the edges alone does another task than what reads the features too.",
        ],
        points=points,
        environment={"threads": os.cpu_count(), **{package: _version(package) for package in PACKAGES}},
    )


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "not installed"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument("--methods", default=";".join(METHODS), help="between semicolons")
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--fit", nargs=3, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # a run that is stopped stops the process it waits for
    if arguments.fit:
        graph_name, method, path = arguments.fit
        print(json.dumps(measure(graph_name, method, Path(path))))
        return
    for graph_name in arguments.graphs.split(","):
        for method in arguments.methods.split(";"):
            key = f"{graph_name}, {method}"
            if key in read_points(NAME) and not arguments.force:
                continue
            point = measure_alone(graph_name, method)
            shown = {"seconds": round(min(point["seconds"]), 3), **point["accuracy"]} if "seconds" in point else point
            print(f"{key}: {shown}", flush=True)
            save({**read_points(NAME), key: point})


if __name__ == "__main__":
    main()
