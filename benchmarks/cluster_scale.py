"""The Dask engine against size: generated graphs of 1 to 8 million nodes on two workers of 3 GiB, both plans; and memory.

    python benchmarks/cluster_scale.py [--only make|scale|memory|arrays|dense] [--sizes 1 2 4 8]
                                       [--limit 3GiB] [--folder FOLDER] [--fresh] [--remove]

make      the graphs, dense ones too, as stores of .npy files in the folder, a slice of nodes at a time; those that are
          there are taken
scale     each size by each plan: seconds, bytes exchanged (estimated before, counted after), the peak of each worker
memory    a size that fits one machine: the local cluster, its start included, beside the memory engine, three times each
          in turn; both from the same store to Parquet files
arrays    a graph in memory (400,000 nodes, or `--arrays` of them): `SCE()` by memory, by disk and by a cluster that is
          started for it, three times each in turn; seconds by the clock and of the processors of all processes
dense     40 entries at every node in place of 20, by each plan: what a doubling of the graph costs at each step, where
          workers of a `--limit` have less and less room beside the neighbour lists

Graphs have planted communities whose ids are shuffled, so that a node's neighbours lie anywhere: 20 edges at every node, 64
features. A fit is two hops of all columns (the paper's filter), the Gram matrix, the closed form and the embedding, written
as Parquet. Each cell has a process and a cluster of its own and is kept as soon as it is there: a run that is broken off
goes on with the next.
"""

from __future__ import annotations

import argparse
import json
import math
import multiprocessing.forkserver
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

import sparsecut as sc
from disk import make_store
from results_file import read_points, write_results
from sparsecut.engines.dask.dask_engine import DaskEngine
from sparsecut.engines.dask.running import measured

NAME = "cluster_scale"
LIMIT, N_WORKERS = "3GiB", 2
N_FEATURES, DEGREE, N_HOPS = 64, 20, 2
PLANS = ("columns", "rows")
SETTINGS: dict[str, Any] = {"filter": sc.Power(order=N_HOPS), "weighting": "none", "channels": "smoothed"}
DENSE, DOUBLING = 2 * DEGREE, 2.2  # entries at every node; what twice the graph may cost
KEYS = {"scale": "scale ", "memory": "ratio ", "arrays": "arrays ", "dense": "dense "}  # how the keys of points begin
CELLS = ("arrays-memory", "arrays-disk", "arrays-dask")
DENSE_CELLS = tuple(f"dense-{plan}" for plan in PLANS)
SLOPE, RATIO = 1.1, 2.0  # at most
RATIO_MILLIONS, N_ROUNDS = 4.0, 3
ARRAYS = 400_000  # nodes of the graph in memory
ARRAYS_RATIOS = {"disk": 2.0, "dask": 4.0}  # times memory, the start of the cluster included: at most
# What a task does: hops, passes over rows, or cutting and joining of what is sent.
HOPS = ("smooth_panel", "hop_block", "smooth_file", "hop_file")
MOVES = ("columns_of", "stacked", "rows_of", "side_by_side", "pick", "scaled", "wanted_of")


def store_of(folder: Path, millions: float, degree: int = DEGREE) -> Path:
    """A generated graph as a store, made once, in a process whose memory is not the driver's."""
    path = folder / (f"million-{millions:g}" if degree == DEGREE else f"million-{millions:g}-{degree}")
    if not (path / "graph.json").exists():
        shutil.rmtree(path, ignore_errors=True)
        size = ["--sizes", f"{millions:g}", "--degree", str(degree)]
        subprocess.run([sys.executable, __file__, "--make", str(path), *size], check=True)
    return path


def measure_cell(store: Path, plan: str, folder: Path, limit: str | None = LIMIT) -> dict[str, Any]:
    """One fit on a cluster of its own, whose embedding goes to a folder of Parquet files."""
    from distributed import get_client, get_task_stream

    output, graph, seen = folder / "vectors", sc.open_store(store), {}
    project = DaskEngine.project

    def watched(self: DaskEngine, *arguments: Any, **named: Any) -> Any:
        seen.update(engine=self)
        return project(self, *arguments, **named)

    DaskEngine.project = watched  # type: ignore[method-assign]  # to get hold of the engine that `fit` makes
    began = time.perf_counter()
    choice = sc.Dask(workers=N_WORKERS, memory_limit=limit, scratch=folder, plan=plan)  # type: ignore[arg-type]
    with choice.running() as engine:
        client = get_client()
        started, here, there = time.perf_counter(), time.process_time(), sum(measured(client, "cpu"))
        with get_task_stream(client) as stream:
            model = sc.SCE(engine=engine, **SETTINGS).fit(graph, output=output)
        seconds = time.perf_counter() - started
        smoother = seen["engine"].smoother
        widths = smoother.plan.widths(N_FEATURES, N_WORKERS)
        return {
            "n_nodes": graph.n_nodes,
            "n_entries": int(graph.adjacency.nnz),
            "seconds": seconds,
            "start": started - began,
            "cpu": sum(measured(client, "cpu")) - there,
            "driver_cpu": time.process_time() - here,
            "estimated": smoother.n_estimated,
            "moved": smoother.n_sent,
            "sent": seen["engine"].runner.n_moved,
            "peaks": measured(client, "peak"),
            "driver_peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024,
            "panels": len(widths),
            "groups": smoother.groups.n_blocks,
            "blocks": smoother.layout.n_blocks,
            "tasks": seconds_by_task(stream.data),
            "stages": model.history_.stages,
        }


def seconds_by_task(stream: list[dict[str, Any]]) -> dict[str, dict[str, float]]:
    """For every function of tasks: how often it ran, its seconds, and those of transfers and spilled blocks before it."""
    from distributed.utils import key_split

    found: dict[str, dict[str, float]] = {}
    for record in stream:
        one = found.setdefault(key_split(record["key"]), {"n": 0})
        one["n"] += 1
        for action in record["startstops"]:
            one[action["action"]] = one.get(action["action"], 0.0) + action["stop"] - action["start"]
    return found


def measure_memory(store: Path, folder: Path) -> dict[str, float]:
    """The same fit in memory, its embedding written as one Parquet file."""
    graph = sc.open_store(store)
    began = time.perf_counter()
    model = sc.SCE(engine=sc.Memory(device="cpu"), **SETTINGS).fit(graph)
    sc.write_embedding(folder / "vectors.parquet", model.embedding_, overwrite=True)
    seconds = time.perf_counter() - began
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    return {"seconds": seconds, "peak": peak, "n_nodes": graph.n_nodes, "n_entries": int(graph.adjacency.nnz)}


def measure_arrays(store: Path, name: str, folder: Path) -> dict[str, float]:
    """A fit of a graph whose arrays are in memory, from the call to its end: what an engine starts and writes is its own."""
    import scipy.sparse as sp

    indptr, indices, X = (np.load(store / f"{part}.npy") for part in ("indptr", "indices", "features"))
    ones = np.ones(len(indices), dtype=np.float32)
    graph = sc.Graph(sp.csr_array((ones, indices, indptr), shape=(len(X), len(X))), features=X)
    engines = {"memory": sc.Memory(device="cpu"), "disk": sc.Disk(scratch=folder), "dask": sc.Dask(scratch=folder)}
    model = sc.SCE(engine=engines[name])
    began, here = time.perf_counter(), time.process_time()
    model.fit(graph)
    seconds = time.perf_counter() - began
    # Workers are children of a process that stays for the next cluster: once it is gone their seconds are counted here.
    if multiprocessing.forkserver._forkserver._forkserver_pid is not None:  # type: ignore[attr-defined]
        multiprocessing.forkserver._forkserver._stop()  # type: ignore[attr-defined]
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    processors = time.process_time() - here + children.ru_utime + children.ru_stime
    return {"seconds": seconds, "processors": processors, "n_nodes": graph.n_nodes, "n_entries": int(graph.adjacency.nnz)}


def in_process(*arguments: str) -> dict[str, Any]:
    """A cell in a process of its own, with every core for its kernels."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(os.cpu_count() or 1)}
    found = subprocess.run([sys.executable, __file__, *arguments], check=True, stdout=subprocess.PIPE, env=environment)
    cell: dict[str, Any] = json.loads(found.stdout.splitlines()[-1])
    return cell


def scale(points: dict[str, Any], folder: Path, sizes: list[float]) -> None:
    for millions in sizes:
        for plan in PLANS:
            key = f"scale {millions:g} {plan}"
            if key not in points:
                points[key] = in_process("--cell", plan, "--sizes", f"{millions:g}", "--folder", str(folder))
                print(key, f"{points[key]['seconds']:.1f} s", flush=True)
                save(points)


def beside_memory(points: dict[str, Any], folder: Path, millions: float) -> None:
    """The cluster and memory in turn, so that both see the same machine."""
    for number in range(N_ROUNDS):
        for name in ("memory", "cluster"):
            key = f"ratio {number} {name}"
            if key not in points:
                points[key] = in_process("--cell", name, "--sizes", f"{millions:g}", "--folder", str(folder))
                print(key, f"{points[key]['seconds']:.1f} s", flush=True)
                save(points)


def arrays(points: dict[str, Any], folder: Path, n_nodes: int) -> None:
    """The engines in turn on a graph in memory."""
    for number in range(N_ROUNDS):
        for name in ("memory", *ARRAYS_RATIOS):
            key = f"arrays {n_nodes} {number} {name}"
            if key not in points:
                points[key] = in_process(
                    "--cell", f"arrays-{name}", "--sizes", f"{n_nodes / 1e6:g}", "--folder", str(folder)
                )
                print(key, f"{points[key]['seconds']:.1f} s, {points[key]['processors']:.1f} of processors", flush=True)
                save(points)


def dense(points: dict[str, Any], folder: Path, sizes: list[float], limit: str) -> None:
    for millions in sizes:
        for plan in PLANS:
            key = f"dense {limit} {millions:g} {plan}"
            if key not in points:
                store_of(folder, millions, DENSE)
                size = ["--sizes", f"{millions:g}", "--limit", limit]
                points[key] = in_process("--cell", f"dense-{plan}", *size, "--folder", str(folder))
                print(key, f"{points[key]['seconds']:.1f} s", flush=True)
                save(points)


def slope(points: dict[str, Any], plan: str, what: str = "seconds") -> float | None:
    """The exponent of the growth with the number of nodes: the line through all sizes, both logarithmic."""
    cells = [point for key, point in points.items() if key.startswith("scale") and key.endswith(plan)]
    if len(cells) < 2:
        return None
    return float(np.polyfit([math.log(cell["n_nodes"]) for cell in cells], [math.log(cell[what]) for cell in cells], 1)[0])


def ratios(points: dict[str, Any]) -> list[tuple[float, float, float]]:
    """Seconds of memory, of a fit on the cluster, and of the cluster with its start, in every round."""
    found = []
    for number in range(N_ROUNDS):
        memory, cluster = (points.get(f"ratio {number} {name}") for name in ("memory", "cluster"))
        if memory and cluster:
            found.append((memory["seconds"], cluster["seconds"], cluster["seconds"] + cluster["start"]))
    return found


def tables(points: dict[str, Any]) -> list[dict[str, Any]]:
    cells = sorted(
        ((float(key.split()[1]), key.split()[2], point) for key, point in points.items() if key.startswith("scale")),
        key=lambda cell: (cell[1], cell[0]),
    )
    rows = [
        [
            *(plan, point["n_nodes"], point["n_entries"] // 2, point["seconds"], point["cpu"] + point["driver_cpu"]),
            *(point["estimated"] / 2**20, point["moved"] / 2**20, point["sent"] / 2**20),
            *(max(point["peaks"]) / 2**20, point["driver_peak"] / 2**20, point["panels"]),
        ]
        for _, plan, point in cells
    ]
    found = [
        {
            "caption": f"{N_HOPS} hops, {N_FEATURES} features, two workers of {LIMIT}, one core each. MiB between workers: "
            "by smoothing, as estimated before the pass and as counted after it, and all that was sent. Peaks are those of "
            "the larger worker and of the driver, whose process has the scheduler too. Panels of columns go one by one.",
            "columns": [
                *("plan", "nodes", "edges", "seconds", "processor seconds", "MiB estimated", "MiB moved", "MiB sent"),
                *("MiB peak, worker", "MiB peak, driver", "panels"),
            ],
            "rows": rows,
        }
    ]
    grown = [[plan, slope(points, plan), f"at most {SLOPE}", (slope(points, plan) or 0) <= SLOPE] for plan in PLANS]
    if all(row[1] is not None for row in grown):
        caption = "The exponent of the growth of the seconds with the number of nodes, over all sizes."
        found.append({"caption": caption, "columns": ["plan", "exponent", "target", "met"], "rows": grown})
    rounds = ratios(points)
    if rounds:
        memory, fit, whole = (float(np.median(column)) for column in zip(*rounds, strict=True))
        caption = (
            f"The cluster on this machine beside the memory engine, {points['ratio 0 memory']['n_nodes']:,} nodes, from the "
            f"same store to Parquet: seconds, the median of {len(rounds)} in turn. Dask() as it comes, two worker processes "
            "that share the machine's memory; the start is theirs."
        )
        columns = ["memory", "cluster, a fit", "cluster, start included", "times memory", "with start", "target", "met"]
        row = [memory, fit, whole, fit / memory, whole / memory, f"at most {RATIO}", whole / memory <= RATIO]
        found.append({"caption": caption, "columns": columns, "rows": [row]})
    return found


def arrays_table(points: dict[str, Any]) -> list[dict[str, Any]]:
    """By each clock the median of the rounds; the target is by the clock on the wall."""
    rows: list[list[Any]] = []
    for n_nodes in sorted({int(key.split()[1]) for key in points if key.startswith("arrays")}):
        for name, target in ARRAYS_RATIOS.items():
            cells = [
                [points.get(f"arrays {n_nodes} {number} {one}") for one in ("memory", name)] for number in range(N_ROUNDS)
            ]
            known = [(memory, other) for memory, other in cells if memory and other]
            if not known:
                continue
            by_clock, by_processors = (
                [float(np.median([pair[place][what] for pair in known])) for place in (0, 1)]
                for what in ("seconds", "processors")
            )
            ratio = by_clock[1] / by_clock[0]
            row = [n_nodes, known[0][0]["n_entries"] // 2, name, *by_clock, ratio, *by_processors]
            rows.append([*row, by_processors[1] / by_processors[0], f"at most {target:g}", ratio <= target])
    caption = (
        f"A graph in memory, 64 features, `SCE()`: an engine beside memory, its start included, the median of {N_ROUNDS} in "
        "turn; by the clock, and in seconds of the processors of all processes, which hold on a busy machine too."
    )
    columns = ["nodes", "edges", "engine", "memory, seconds", "engine, seconds", "times memory"]
    columns += ["memory, processors", "engine, processors", "times memory", "target", "met"]
    return [{"caption": caption, "columns": columns, "rows": rows}] if rows else []


def dense_table(points: dict[str, Any]) -> list[dict[str, Any]]:
    """Each size beside the half of it, by the same limit."""
    cells = sorted(
        ((*key.split()[1:4:2], point["n_nodes"], point) for key, point in points.items() if key.startswith("dense")),
        key=lambda cell: cell[:3],
    )
    rows, before = [], {}
    for limit, plan, n_nodes, point in cells:
        processors = point["cpu"] + point["driver_cpu"]
        half = before.get((limit, plan, n_nodes // 2))
        times = None if half is None else processors / half
        before[limit, plan, n_nodes] = processors
        spilled = sum(one.get("disk-read", 0) + one.get("disk-write", 0) for one in point["tasks"].values())
        row = [limit, plan, n_nodes, point["n_entries"] // 2, point["panels"], point["seconds"], processors, times]
        row += [max(point["peaks"]) / 2**20, point["moved"] / 2**20, spilled]
        rows.append([*row, *((None, None) if times is None else (f"at most {DOUBLING}", times <= DOUBLING))])
    caption = (
        f"{DENSE} entries at every node: what twice the graph costs, in seconds of all processors. Spilled: seconds in "
        "which Dask wrote blocks to disk and read them again, beside the files that the plan writes."
    )
    columns = [
        "limit",
        "plan",
        "nodes",
        "edges",
        "panels",
        "seconds",
        "processor seconds",
        "times the half",
        "MiB peak, worker",
    ]
    columns += ["MiB moved", "seconds spilled", "target", "met"]
    return [{"caption": caption, "columns": columns, "rows": rows}] if rows else []


def save(points: dict[str, Any]) -> None:
    write_results(
        NAME,
        title="Against size",
        about=(__doc__ or "").split("\n\n", 3)[3].strip(),
        command="python benchmarks/cluster_scale.py",
        tables=[*tables(points), *arrays_table(points), *dense_table(points)],
        notes=[
            f"{DEGREE} edges at every node are {DEGREE // 2}·n edges, each counted once, and {DEGREE}·n entries of lists.",
        ],
        points=points,
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=["make", "scale", "memory", "arrays", "dense"])
    parser.add_argument("--limit", default=LIMIT, help="Memory of a worker, for the dense graphs.")
    parser.add_argument("--degree", type=int, default=DEGREE, help=argparse.SUPPRESS)
    parser.add_argument("--arrays", type=int, default=ARRAYS, help="Nodes of the graph in memory.")
    parser.add_argument("--sizes", type=float, nargs="+", default=[1.0, 2.0, 4.0, 8.0], help="Million nodes.")
    parser.add_argument("--folder", type=Path, default=Path(tempfile.gettempdir()) / "sparsecut-cluster")
    parser.add_argument("--fresh", action="store_true", help="Forget what was measured of it before.")
    parser.add_argument("--remove", action="store_true", help="Remove the graphs in the end.")
    parser.add_argument("--make", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--cell", choices=["memory", "cluster", *DENSE_CELLS, *PLANS, *CELLS], help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.make is not None:
        n_nodes = int(asked.sizes[0] * 1_000_000)
        make_store(asked.make, n_nodes, n_nodes * asked.degree // 2, N_FEATURES)
        return
    asked.folder.mkdir(parents=True, exist_ok=True)
    if asked.cell is not None:
        store = store_of(asked.folder, asked.sizes[0], DENSE if asked.cell in DENSE_CELLS else DEGREE)
        with tempfile.TemporaryDirectory(dir=asked.folder) as folder:
            if asked.cell in CELLS:
                found = measure_arrays(store, asked.cell.partition("-")[2], Path(folder))
            elif asked.cell in DENSE_CELLS:
                found = measure_cell(store, asked.cell.partition("-")[2], Path(folder), asked.limit)
            elif asked.cell == "memory":
                found = measure_memory(store, Path(folder))
            elif asked.cell == "cluster":  # as it comes: an even share of the machine's memory for each worker
                found = measure_cell(store, "auto", Path(folder), None)
            else:
                found = measure_cell(store, asked.cell, Path(folder))
        print(json.dumps(found))
        return
    points = read_points(NAME)
    if asked.fresh:
        forgotten = tuple(KEYS.values()) if asked.only is None else (KEYS.get(asked.only, " "),)
        points = {key: point for key, point in points.items() if not key.startswith(forgotten)}
    if asked.only in (None, "make"):
        for millions in asked.sizes:
            store_of(asked.folder, millions)
            store_of(asked.folder, millions, DENSE)
    if asked.only in (None, "scale"):
        scale(points, asked.folder, asked.sizes)
    if asked.only in (None, "memory"):
        beside_memory(points, asked.folder, min(RATIO_MILLIONS, max(asked.sizes)))
    if asked.only in (None, "dense"):
        dense(points, asked.folder, asked.sizes, asked.limit)
    if asked.only in (None, "arrays"):
        arrays(points, asked.folder, asked.arrays)
    if asked.remove:
        shutil.rmtree(asked.folder)


if __name__ == "__main__":
    main()
