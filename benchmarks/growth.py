"""How time and peak memory grow with nodes, edges, features, dimension and hops, over three decades each.

    python benchmarks/growth.py [--on cpu|cuda|disk|structure] [--axes nodes,edges,features,dimension,hops] [--force]

Stand-ins with planted classes (`standins.py`); on each axis one size grows and the others stay. The estimator
is the default, all pairs as negatives, with the dimension given: weighing, the choice of the restart by held-out edges,
smoothing, the spectrum and the projection are all timed, the making of the graph is not. The best of up to seven counts.
Where hops grow, the filter is their power of P, and nothing is chosen; after many all rows are alike, which only warns.

On the CPU every point has a process of its own. Its memory is the peak of resident pages during the fit, less what the
process had after the imports and a first tiny fit: the graph and its features are in it. On CUDA all points share a process,
after a first fit; the memory is the peak that torch allocated on the device, the graph included. On disk (engine="disk",
under a limit) the graph is a store that another process made, and the embedding goes to a file.

On structure (also on the CPU) the graphs bring no features: meshes, graphs with types, and those with the widest rows there
are (`families.py`, one class an axis). Their edges grow, and the memory is held against the bound that
`sparsecut.features.proximity` states. With one thread (OMP_NUM_THREADS=1) seconds are those of the processor where these are
fewer: other work on the machine holds them up less.

Slopes are fitted to the logarithms: over all points, with the half width of their 95 % interval, and over the last decade,
where what does not grow no longer counts. Its time has the interval of bootstrap resamples of each point's fits.
Every point is saved when it is there, and not measured again without --force.
"""

from __future__ import annotations

import argparse
import gc
import json
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch
from scipy.stats import linregress, t

from families import FAMILIES
from peak import PEAK, RESIDENT, mebibytes, reset_peak
from results_file import read_points, write_results
from sparsecut import SCE, Disk, Graph, Memory, Power
from sparsecut.engines import EngineChoice
from sparsecut.features.proximity import MAX_PRODUCTS, MIN_SHARE
from standins import stand_in

HALF_DECADES = tuple(10 ** (exponent / 2) for exponent in range(7))  # 1 … 1,000
# From the smallest to a thousand times as much; 1,000 nodes hold no more than 124,875 edges of a stand-in.
AXES: dict[str, dict[str, int]] = {
    "nodes": {"nodes": 1_000, "edges": 100_000, "features": 32, "dimension": 16},
    "edges": {"nodes": 200_000, "edges": 20_000, "features": 64, "dimension": 16},
    "features": {"nodes": 5_000, "edges": 50_000, "features": 8, "dimension": 8},
    "dimension": {"nodes": 20_000, "edges": 200_000, "features": 1_000, "dimension": 1},
    "hops": {"nodes": 20_000, "edges": 200_000, "features": 32, "dimension": 16, "hops": 1},
}
TARGET_AXIS, TARGET = "edges", 1.1
FAMILY_EDGES, FAMILY_DIMENSION = 3_000, 16  # from so many edges to a thousand times as many
N_CLASSES = 8
ENOUGH_SECONDS = 6.0  # of fits at a point; one is enough when it takes as long
ENOUGH_ON_STRUCTURE = 3.0
MAX_FITS = 7
N_RESAMPLES = 1_000
MEMORY_LIMIT = "1GiB"  # of the engine on disk, interpreter included
LEAST_MEBIBYTES = 1.0  # less is not told from the allocator's own

NOTES = [
    "In the features, M costs n·f² and its eigenvectors f³, up to 1,024 columns; beyond, iteration on the smoothed rows "
    "costs n·f a step.",
]
NOTES_ON_DISK = [
    "Where M does not fit into the limit (40·f² bytes, 2.4 GiB for 8,000 features), it is not built: the leading directions "
    "are found by products with the rows on disk.",
]

NOTES_ON_STRUCTURE = [
    "Before rare steps were limited, 20,000 nodes with a hub took 113 s and 3.8 GB, and 100,000 nodes 18 GB without an end.",
    "One thread, and the seconds of the processor where they are fewer than those of the clock.",
    "The nodes grow with the edges.",
    "In the last four families a hub is joined to all other nodes by half of the edges; the others are random.",
]
BLOCK_MEBIBYTES = 512  # of the rows that log-proximity multiplies at a time
ROW_BYTES = 8_000  # of a node's columns: 136 in float32, for the basis, its image, the features and what is smoothed of them

Point = dict[str, Any]


def axes_of(on: str) -> list[str]:
    return list(FAMILIES if on == "structure" else AXES)


def sizes_of(axis: str) -> list[dict[str, Any]]:
    if axis in FAMILIES:
        return [{"family": axis, "edges": round(FAMILY_EDGES * factor)} for factor in HALF_DECADES]
    base = AXES[axis]
    return [{**base, axis: round(base[axis] * factor)} for factor in HALF_DECADES]


def measure(sizes: dict[str, Any], on: str, store: Path | None = None) -> Point:
    """Seconds and peak memory of the fit of a stand-in, or of the one in a store, in this process."""
    device = "cuda" if on == "cuda" else "cpu"
    fit_tiny(device)
    before = mebibytes(RESIDENT)
    engine: EngineChoice = Memory(device=device)
    if on == "structure":
        graph, files = FAMILIES[sizes["family"]](sizes["edges"]), {}
        sizes = {**sizes, "nodes": graph.n_nodes, "edges": graph.n_edges, "entries": graph.adjacency.nnz}
    elif store is None:
        graph, files = make_graph(sizes), {}
    else:
        from sparsecut.io import open_store

        graph, files = open_store(store), {"output": store / "embedding.npy"}
        engine = Disk(memory_limit=MEMORY_LIMIT)
    gc.collect()
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    else:
        reset_peak()
    dimension = sizes.get("dimension", FAMILY_DIMENSION)
    hops = {"filter": Power(order=sizes["hops"]), "channels": "smoothed"} if "hops" in sizes else {}
    seconds: list[float] = []
    enough = ENOUGH_ON_STRUCTURE if on == "structure" else ENOUGH_SECONDS
    while len(seconds) < MAX_FITS and sum(seconds) < enough:
        started, cpu = time.perf_counter(), time.process_time()
        # It ends with the embedding on the CPU, or in its file.
        model = SCE(dimension=dimension, engine=engine, **hops).fit(graph, **files)
        seconds.append(time.perf_counter() - started)
        if on == "structure" and torch.get_num_threads() == 1:
            seconds[-1] = min(seconds[-1], time.process_time() - cpu)
    peak = torch.cuda.max_memory_allocated() / 2**20 if device == "cuda" else mebibytes(PEAK) - before
    return {**sizes, "seconds": seconds, "peak_mebibytes": peak, "stages": model.history_.stages}


def make_graph(sizes: dict[str, int]) -> Graph:
    return stand_in(
        n_nodes=sizes["nodes"], n_edges=sizes["edges"], n_features=sizes["features"], n_classes=N_CLASSES, random_state=0
    )


def make_store(sizes: dict[str, int], folder: Path) -> None:
    """The stand-in as a folder of arrays."""
    from sparsecut.io import write_header

    graph = make_graph(sizes)
    np.save(folder / "indptr.npy", graph.adjacency.indptr)
    np.save(folder / "indices.npy", graph.adjacency.indices)
    np.save(folder / "features.npy", graph.features)
    write_header(folder, n_nodes=graph.n_nodes, n_entries=graph.adjacency.nnz, directed="symmetrize")


def fit_tiny(device: str) -> None:
    """Brings in what is imported, started or compiled on first use."""
    SCE(dimension=2, engine=Memory(device=device)).fit(stand_in(n_nodes=200, n_edges=2_000, n_features=8, n_classes=2))


def measure_alone(sizes: dict[str, Any], on: str) -> Point:
    """The same in a process of its own, and where it reads a store, in another one than makes it."""
    with tempfile.TemporaryDirectory() as folder:
        stored = ["--store", folder] if on == "disk" else []
        if stored:
            call("--make", json.dumps(sizes), *stored)
        return dict(json.loads(call("--point", json.dumps(sizes), "--on", on, *stored).splitlines()[-1]))


def call(*arguments: str) -> str:
    """What this script prints when run with other arguments."""
    done = subprocess.run([sys.executable, __file__, *arguments], capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {done.returncode}:\n{done.stderr}")
    return done.stdout


def slope(sizes: list[float], values: list[float]) -> tuple[float, float]:
    """The least-squares slope of log(values) over log(sizes), and the half width of its 95 % interval."""
    line = linregress(np.log(sizes), np.log(values))
    return float(line.slope), float(line.stderr * t.ppf(0.975, len(sizes) - 2))


def spread(measured: list[Point], axis: str) -> tuple[float, float]:
    """The 95 % interval of the last decade's slope of time: the fits of each point drawn again, of which the best counts."""
    last, generator = measured[-3:], np.random.default_rng(0)
    drawn = [generator.choice(point["seconds"], (N_RESAMPLES, len(point["seconds"]))).min(axis=1) for point in last]
    x = np.log([float(point[axis]) for point in last])
    x -= x.mean()
    slopes = x @ np.log(drawn) / (x @ x)
    return round(float(np.quantile(slopes, 0.025)), 3), round(float(np.quantile(slopes, 0.975)), 3)


def tables_of(points: dict[str, Point]) -> list[dict[str, Any]]:
    slopes, rows = [], []
    for axis in AXES:
        measured = [points[key] for key in (f"{axis} {sizes[axis]}" for sizes in sizes_of(axis)) if key in points]
        for point in measured:
            seconds, peak = min(point["seconds"]), point["peak_mebibytes"]
            rows.append([axis, *(point.get(name) for name in AXES), round(seconds, 5), round(peak, 2)])
        if len(measured) < 3:
            continue
        growth = growth_of(measured, axis)
        judged = [f"≤ {TARGET}", _steepest(growth) <= TARGET] if axis == TARGET_AXIS else [None, None]
        slopes.append([axis, measured[0][axis], measured[-1][axis], *growth, *judged])
    return [
        table_of_slopes("what grows", "all four slopes", slopes),
        {
            "caption": "The points.",
            "columns": ["what grows", *AXES, "seconds", "peak MiB"],
            "rows": rows,
        },
    ]


def table_of_slopes(first: str, judged: str, rows: list[list[Any]]) -> dict[str, Any]:
    columns = ["time", "time, ±", "time, last decade", "at least", "at most", "memory", "memory, ±", "memory, last decade"]
    return {
        "caption": f"Slopes of time and peak memory in a log-log plot: 1 is linear; ± is half of the 95 % interval, at "
        f"least and at most that of the last decade's time. The target is for {judged}.",
        "columns": [first, "from", "to", *columns, "target", "met"],
        "rows": rows,
    }


def family_tables_of(points: dict[str, Point]) -> list[dict[str, Any]]:
    slopes, rows = [], []
    for family in FAMILIES:
        measured = [points[key] for key in map(key_of, sizes_of(family)) if key in points]
        for point in measured:
            seconds, peak, bound = min(point["seconds"]), point["peak_mebibytes"], bound_of(point)
            rows.append(
                [family, point["nodes"], point["edges"], round(seconds, 5), round(peak, 2), round(bound), peak <= bound]
            )
        if len(measured) >= 3:
            slopes.append([family, measured[0]["edges"], measured[-1]["edges"], *growth_of(measured, "edges")])
            slopes[-1] += [f"≤ {TARGET}", _steepest(slopes[-1][3:]) <= TARGET]
    return [
        table_of_slopes("family", "all four slopes", slopes),
        {
            "caption": "The points. The bound is the stated one: 32 bytes for every entry of A and 500 for every node in "
            f"log-proximity, {BLOCK_MEBIBYTES} MiB for the block at hand, and {ROW_BYTES:,} bytes a node for the columns.",
            "columns": ["family", "nodes", "edges", "seconds", "peak MiB", "bound MiB", "met"],
            "rows": rows,
        },
    ]


def bound_of(point: Point) -> float:
    """Mebibytes."""
    per_node = min(1 / MIN_SHARE, MAX_PRODUCTS / max(point["entries"], 1))
    size = 32 * (point["entries"] + per_node * point["nodes"]) + ROW_BYTES * point["nodes"]
    return size / 2**20 + BLOCK_MEBIBYTES


def growth_of(measured: list[Point], axis: str) -> list[float]:
    """The slopes of time and of memory, each over all points, with its interval, and over the last decade."""
    sizes = [float(point[axis]) for point in measured]
    growth = []
    for values in (
        [min(point["seconds"]) for point in measured],
        [max(point["peak_mebibytes"], LEAST_MEBIBYTES) for point in measured],
    ):
        found = *slope(sizes, values), slope(sizes[-3:], values[-3:])[0]
        growth += [round(number, 3) for number in found]
    return [*growth[:3], *spread(measured, axis), *growth[3:]]


def _steepest(growth: list[float]) -> float:
    """Of time and memory, over all points and over the last decade."""
    return max(growth[place] for place in (0, 2, 5, 7))


def key_of(sizes: dict[str, Any]) -> str:
    """The name of a family's point among the measured ones."""
    return f"{sizes['family']} {sizes['edges']}"


ON = {
    "cpu": (
        "growth",
        "Growth on the CPU",
        "the peak of resident pages during the fit beyond the imports, the graph and its features included",
    ),
    "cuda": (
        "growth_cuda",
        "Growth on a GPU",
        "the peak that torch allocated on the device, the graph and its features included; what the host prepares before "
        "that is in the time, not in the memory",
    ),
    "structure": (
        "growth_structure",
        "Growth without features, whatever the degrees",
        "the peak of resident pages during the fit beyond the imports, the graph included",
    ),
    "disk": (
        "growth_disk",
        f'Growth with engine="disk", limit {MEMORY_LIMIT}',
        "the peak of resident pages during the fit beyond the imports, pages of mapped files included; it grows up to the "
        "limit and no further",
    ),
}


def save(points: dict[str, Point], on: str) -> None:
    name, title, memory = ON[on]
    graphs = (
        "graphs without features: meshes, graphs with types, and those with the widest rows there are; their edges grow a "
        "thousandfold"
        if on == "structure"
        else "generated stand-ins; one size grows a thousandfold while the others stay"
    )
    write_results(
        name,
        title=title,
        about=f"The default estimator with a given dimension on {graphs}. "
        "Time is the whole fit, the choice of the restart included, the best of up to "
        f"{MAX_FITS}; memory is {memory}, and counts as {LEAST_MEBIBYTES:g} MiB where it is less.",
        command=f"{'OMP_NUM_THREADS=1 ' if on == 'structure' else ''}python benchmarks/growth.py --on {on}",
        tables=family_tables_of(points) if on == "structure" else tables_of(points),
        notes=NOTES_ON_STRUCTURE if on == "structure" else NOTES + (NOTES_ON_DISK if on == "disk" else []),
        points=points,
        environment={"gpu": torch.cuda.get_device_name()} if on == "cuda" else {"threads": torch.get_num_threads()},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--on", default="cpu", choices=tuple(ON))
    parser.add_argument("--axes", help="comma-separated; all unless given")
    parser.add_argument("--force", action="store_true")
    for hidden in ("--point", "--make", "--store"):
        parser.add_argument(hidden, help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # a run that is stopped stops the process it waits for
    on = arguments.on
    store = Path(arguments.store) if arguments.store else None
    if arguments.make:
        make_store(json.loads(arguments.make), Path(arguments.store))
    elif arguments.point:
        print(json.dumps(measure(json.loads(arguments.point), on, store)))
    else:
        axes = arguments.axes.split(",") if arguments.axes else axes_of(on)
        measure_all(on, axes, with_old=not arguments.force)


def measure_all(on: str, axes: list[str], *, with_old: bool) -> None:
    points = read_points(ON[on][0])
    for axis in axes:
        for sizes in sizes_of(axis):
            key = key_of(sizes) if on == "structure" else f"{axis} {sizes[axis]}"
            if key in points and with_old:
                continue
            points[key] = measure(sizes, on) if on == "cuda" else measure_alone(sizes, on)
            print(f"{key}: {min(points[key]['seconds']):.3f} s, {points[key]['peak_mebibytes']:,.1f} MiB", flush=True)
            save(points, on)


if __name__ == "__main__":
    main()
