"""Quality over seconds at three sizes: sparsecut and what people use today on the same work, one after the other.

    OMP_NUM_THREADS=1 python benchmarks/at_sizes.py [--graphs cora,...] [--methods "SCE;..."] [--peers PYTHON] [--force]
    python benchmarks/at_sizes.py --on cuda

Cora, Pubmed and a generated graph of a million nodes with planted classes (`standins.py`). Every fit is a process of its
own, started alike: from scipy's matrices to one row per node, building the package's own graph too, without imports and a
first fit of a tiny graph. --peers is the interpreter that has the packages of `peers/requirements_sizes.txt`; sparsecut, and
what is written here, runs in this one. SCE() is fitted first, in the middle and last. Quality is the accuracy of one linear
probe (`tuned`, 20 labels per class) on the same splits for all: the published ones, and of the million nodes ten splits of a
sample of 50,000.

A fit is stopped after so many seconds of the processor, and none is begun that would take longer in proportion to
the nodes of the graph before. With `--on cuda` DGI of torch-geometric is trained on a GPU, beside SCE() there.
Every point is saved when it is there, and not measured again without --force.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp

from peers.methods import AT_SIZES, DGI_WIDTHS, METHODS, OWN
from peers.scores import splits_of
from results_file import read_points, write_results
from sparsecut import SCE, Graph, Memory, datasets
from sparsecut.evaluation import Split, probe, sample_splits
from standins import stand_in

NAME, ON_CUDA = "at_sizes", "at_sizes_cuda"
MADE = "a million nodes"
GRAPHS = ("cora", "pubmed", MADE)
MADE_SIZES = {"n_nodes": 1_000_000, "n_edges": 3_000_000, "n_features": 32, "n_classes": 16}
N_SAMPLED, N_SPLITS, PER_CLASS = 50_000, 10, 20
LIMIT = 150  # seconds of the processor for one fit
OURS = "SCE"
COMPARED = (
    *("SCE(channels='smoothed')", "Cleora with features, 3 steps", "FastRP with features", "SlimG"),
    *(
        "SCE(features='structure')",
        "Cleora",
        "FastRP",
        "ProNE",
        "Spectral, 32 columns",
        "GSVD, 32 columns",
        "RandomProjection, 128 columns",
        "LouvainEmbedding",
    ),
    *("Node2Vec, pecanpy", "Node2Vec, NetworKit", "Node2Vec, GRAPE, 1 epoch", "LINE, GRAPE", "Laplacian, NetworKit"),
)
ALL = {**METHODS, **AT_SIZES}
MOST_EPOCHS = 500  # of DGI on the million nodes
DGI_WIDTH = 512

Point = dict[str, Any]


@dataclass(frozen=True)
class Work:
    """A graph, the nodes that are scored, their splits and labels."""

    graph: Graph
    nodes: Any
    splits: list[Split]

    def accuracy(self, Z: Any) -> float:
        labels = np.asarray(self.graph.labels)[self.nodes]
        return float(probe(Z[self.nodes], labels, self.splits, protocol="tuned").mean)


@cache
def work_of(name: str) -> Work:
    if name != MADE:
        graph = datasets.load(name)
        return Work(graph, np.arange(graph.n_nodes), splits_of(graph, name, PER_CLASS))
    graph = stand_in(**MADE_SIZES)
    nodes = np.sort(np.random.default_rng(0).choice(graph.n_nodes, N_SAMPLED, replace=False))
    return Work(graph, nodes, sample_splits(np.asarray(graph.labels)[nodes], PER_CLASS, N_SPLITS, 0))


def fit_alone(method: str, folder: Path, python: str) -> tuple[Point, Any]:
    """Measured in a process of its own, and its rows; or what became of it."""
    interpreter = sys.executable if ALL[method].runs in ("sparsecut", OWN) else python
    output = folder / "rows.npy"
    command = [interpreter, str(Path(__file__).parent / "peers" / "alone.py"), method, str(folder), "0", str(output)]
    threads = os.environ.get("OMP_NUM_THREADS", "1")
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS", "RAYON_NUM_THREADS")
    environment = {**os.environ, **dict.fromkeys(names, threads)}
    limited = ["prlimit", f"--cpu={LIMIT}", *command]
    done = subprocess.run(limited, capture_output=True, text=True, check=False, env=environment)
    if done.returncode in (-signal.SIGXCPU, -signal.SIGKILL):
        return {"failed": f"stopped after {LIMIT} s"}, None
    if done.returncode:
        return {"failed": (done.stderr.strip().splitlines() or [f"ended with {done.returncode}"])[-1][:200]}, None
    return {**json.loads(done.stdout.splitlines()[-1]), "threads": int(threads)}, np.load(output)


def measure(name: str, method: str, python: str, known: Point | None) -> Point:
    """A point; of a fit that is repeated, all its seconds, and the accuracy of the first."""
    work = work_of(name)
    with tempfile.TemporaryDirectory() as parent:
        folder = Path(parent) / name
        folder.mkdir()
        sp.save_npz(folder / "adjacency.npz", sp.csr_array(work.graph.adjacency), compressed=False)
        sp.save_npz(folder / "features.npz", sp.csr_array(work.graph.features), compressed=False)
        found, Z = fit_alone(method, folder, python)
    if "failed" in found:
        return found
    seconds = {kind: [found[kind]] for kind in ("seconds", "processor_seconds")}
    if known is not None and "accuracy" in known:
        return {**known, **{kind: [*known[kind], *values] for kind, values in seconds.items()}}
    return {**found, **seconds, "accuracy": work.accuracy(Z)}


def too_long(points: dict[str, Point], name: str, method: str) -> float | None:
    """Seconds in proportion to those of the graph before, where these are over the limit."""
    place = GRAPHS.index(name)
    before = points.get(f"{GRAPHS[place - 1]}, {method}") if place else None
    if before is None:
        return None
    if "processor_seconds" not in before:
        return float("inf")
    seconds = min(before["processor_seconds"]) * work_of(name).graph.n_nodes / work_of(GRAPHS[place - 1]).graph.n_nodes
    return seconds if seconds > LIMIT else None


def order_of(asked: list[str]) -> list[str]:
    """Ours first, in the middle and last."""
    others = [method for method in COMPARED if method in asked]
    ours = [OURS] if OURS in asked else []
    middle = len(others) // 2
    return [*ours, *others[:middle], *ours, *others[middle:], *ours]


def run(graphs: list[str], asked: list[str], python: str, *, is_forced: bool) -> None:
    for name in graphs:
        done: set[str] = set()
        for method in order_of(asked):
            points, key = read_points(NAME), f"{name}, {method}"
            if key in points and not is_forced and (method != OURS or len(points[key].get("seconds", ())) >= 3):
                continue
            again = method == OURS and (method in done or not is_forced)
            if (seconds := too_long(points, name, method)) is not None:
                points[key] = {"left_out": None if np.isinf(seconds) else seconds}
            else:
                points[key] = measure(name, method, python, points.get(key) if again else None)
            done.add(method)
            print(f"{key}: {json.dumps(points[key])}", flush=True)
            save(points)


def run_on_cuda(graphs: list[str], asked: list[str], folder: Path | None) -> None:
    """SCE(), and DGI where it is asked for, with the graph on the host and the rows back there, the second of two fits."""
    import torch

    from peers.dgi import dgi
    from peers.tensors import MAX_EPOCHS

    points: dict[str, Point] = read_points(ON_CUDA)
    for name in graphs:
        work = work_of(name)
        width, epochs = DGI_WIDTHS.get(name, DGI_WIDTH), MOST_EPOCHS if name == MADE else MAX_EPOCHS
        fits = {
            OURS: lambda graph: (SCE(engine=Memory(device="cuda")).fit_transform(graph), None),
            "DGI": lambda graph, width=width, epochs=epochs: dgi(graph, width, 0, device="cuda", max_epochs=epochs),
        }
        if "DGI" in asked:
            dgi(datasets.load("cora"), width, 0, device="cuda", max_epochs=2)  # starts what starts on first use
        for method, fit in fits.items():
            if method not in asked:
                continue
            if method == OURS:
                fit(work.graph)
            torch.cuda.reset_peak_memory_stats()
            started = time.perf_counter()
            Z, n_epochs = fit(work.graph)
            seconds = time.perf_counter() - started
            peak = torch.cuda.max_memory_allocated() / 2**20
            points[f"{name}, {method}"] = {
                **{"seconds": [seconds], "peak_mebibytes": peak, "columns": Z.shape[1], "epochs": n_epochs},
                "accuracy": work.accuracy(np.asarray(Z)),
            }
            print(name, method, points[f"{name}, {method}"], flush=True)
            save_cuda(points, folder)
            torch.cuda.empty_cache()


def tables_of(points: dict[str, Point], on_cuda: dict[str, Point]) -> list[dict[str, Any]]:
    graphs = [name for name in GRAPHS if any(f"{name}, {method}" in points for method in ALL)]
    rows = []
    for method in (OURS, *COMPARED):
        cells = [points.get(f"{name}, {method}", {}) for name in graphs]
        if any(cells):
            shown = [value for cell in cells for value in _cells(cell, "processor_seconds")]
            rows.append([named(method), ALL[method].runs, ALL[method].reads, *shown])
    for method in (OURS, "DGI"):
        cells = [on_cuda.get(f"{name}, {method}", {}) for name in graphs]
        if any(cells):
            shown = [value for cell in cells for value in _cells(cell, "seconds")]
            rows.append([f"{named(method)}, on a GPU", ALL[method].runs, ALL[method].reads, *shown])
    columns = [f"{name}, {what}" for name in graphs for what in ("%", "s", "columns")]
    return [
        {
            "caption": "Accuracy in percent with 20 labels per class, seconds of the processor on one thread (of the "
            f"clock on a GPU), and columns. A fit that would take over {LIMIT} s has the seconds in "
            "proportion to the graph before, in words.",
            "columns": ["method", "runs by", "reads", *columns],
            "rows": rows,
        }
    ]


def named(method: str) -> str:
    """As the table and the picture have it."""
    return "SCE()" if method == OURS else method


def _cells(point: Point, clock: str) -> list[Any]:
    if "accuracy" in point:
        return [f"{point['accuracy']:.1f}", min(point[clock]), point["columns"]]
    if "left_out" in point and point["left_out"] is not None:
        return [None, f"about {point['left_out']:,.0f}", None]
    return [None, f"over {LIMIT}" if "left_out" in point or "stopped" in point.get("failed", "") else None, None]


def notes_of(points: dict[str, Point]) -> list[str]:
    failed = [f"{key}: {point['failed']}" for key, point in points.items() if "failed" in point]
    return [
        "What reads the edges alone does another task than what reads the features too. Where "
        "features tell the classes it is behind; of a graph without features its rows alone count.",
        "GRAPE is its core, ensmallen 0.8.100: embiggen, the Python side, asks for packages that are not built for this "
        "Python, so its defaults are passed on by hand. Its Node2Vec has one epoch in place of 30.",
        "NetworKit has one spectral embedding: eigenvectors of the Laplacian by Lanczos' method without a shift, which "
        "takes many steps for the smallest ones.",
        "cuGraph was not run: its library (969 MB) is larger than what the GPU's machine takes, and needs a GPU. "
        "graph-tool and GraphVite have no packages for this Python.",
        *failed,
    ]


def save(points: dict[str, Point]) -> None:
    write_results(
        NAME,
        title="Peers at three sizes",
        about="Quality over seconds of sparsecut and of what people use today, on the same graphs, in one run: Cora (2,708 "
        "nodes), Pubmed (19,717) and a generated graph of a million nodes, three million edges, 32 features and 16 "
        "planted classes. Every fit is a process of its own on one thread, from scipy's matrices to one row per node, "
        "the package's own graph included; SCE() is fitted first, in the middle and last, and the best counts. One linear "
        "probe with 20 labels per class scores all, on the same splits. Seconds are the processor's.",
        command="OMP_NUM_THREADS=1 python benchmarks/at_sizes.py",
        tables=tables_of(points, read_points(ON_CUDA)),
        notes=notes_of(points),
        points=points,
        environment=versions_of(points),
    )


def save_cuda(points: dict[str, Point], folder: Path | None) -> None:
    import torch
    from torch_geometric import __version__

    write_results(
        ON_CUDA,
        **({} if folder is None else {"folder": folder}),
        title="Peers at three sizes, on a GPU",
        about="DGI of torch-geometric and SCE() on a GPU: seconds of the clock from the host's matrices to its rows.",
        command="python benchmarks/at_sizes.py --on cuda",
        tables=[],
        notes=[f"On the million nodes DGI has {MOST_EPOCHS} epochs."],
        points=points,
        environment={"gpu": torch.cuda.get_device_name(), "torch-geometric": __version__},
    )


def versions_of(points: dict[str, Point]) -> dict[str, str]:
    found = {ALL[key.split(", ", 1)[1]].runs: point.get("version") for key, point in points.items()}
    return {package: version for package, version in sorted(found.items()) if version and package != "sparsecut"}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--graphs", default=",".join(GRAPHS))
    parser.add_argument(
        "--methods", default=";".join((OURS, *COMPARED, "DGI")), help="between semicolons; DGI on cuda alone"
    )
    parser.add_argument("--peers", default=sys.executable, metavar="PYTHON", help="the interpreter with their packages")
    parser.add_argument("--on", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--folder", type=Path, help="where the results go, with --on cuda")
    parser.add_argument("--force", action="store_true", help="run again what is there")
    asked = parser.parse_args()
    graphs = asked.graphs.split(",")
    if asked.on == "cuda":
        run_on_cuda(graphs, asked.methods.split(";"), asked.folder)
    else:
        run(graphs, asked.methods.split(";"), asked.peers, is_forced=asked.force)
        save(read_points(NAME))  # where nothing is left to run, the table is drawn again


if __name__ == "__main__":
    main()
