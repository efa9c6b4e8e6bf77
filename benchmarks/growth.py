"""How time and peak memory grow with the nodes, the edges, the features and the dimension, over three decades each.

    python benchmarks/growth.py [--device cpu|cuda] [--axes nodes,edges,features,dimension] [--force]

Stand-ins with planted classes (`sparsecut.paper.standins`); on each axis one size grows and the others stay. The estimator
is the default, all pairs as negatives, with the dimension given: weighing, the choice of the restart by held-out edges,
smoothing, the spectrum and the projection are all timed, the making of the graph is not. The best of up to three counts.

On the CPU every point has a process of its own. Its memory is the peak of resident pages during the fit, less what the
process had after the imports and a first tiny fit: the graph and its features are in it. On CUDA all points share a process,
after a first fit; the memory is the peak that torch allocated on the device, the graph included.

Slopes are fitted to the logarithms: over all points, and over the last decade, where what does not grow no longer counts.
Every point is saved when it is there, and not measured again without --force.
"""

from __future__ import annotations

import argparse
import gc
import json
import subprocess
import sys
import time
from typing import Any

import numpy as np
import torch

from peak import PEAK, RESIDENT, mebibytes, reset_peak
from results_file import read_points, write_results
from sparsecut import SCE
from sparsecut.paper.standins import stand_in

HALF_DECADES = tuple(10 ** (exponent / 2) for exponent in range(7))  # 1 … 1,000
# From the smallest to a thousand times as much; 1,000 nodes hold no more than 124,875 edges of a stand-in.
AXES: dict[str, dict[str, int]] = {
    "nodes": {"nodes": 1_000, "edges": 100_000, "features": 32, "dimension": 16},
    "edges": {"nodes": 20_000, "edges": 20_000, "features": 32, "dimension": 16},
    "features": {"nodes": 5_000, "edges": 50_000, "features": 8, "dimension": 8},
    "dimension": {"nodes": 20_000, "edges": 200_000, "features": 1_000, "dimension": 1},
}
TARGET_AXIS, TARGET = "edges", 1.1
N_CLASSES = 8
ENOUGH_SECONDS = 5.0  # of fits at a point; one is enough when it takes as long
MAX_FITS = 3
LEAST_MEBIBYTES = 1.0  # less is not told from the allocator's own

Point = dict[str, Any]


def sizes_of(axis: str) -> list[dict[str, int]]:
    base = AXES[axis]
    return [{**base, axis: round(base[axis] * factor)} for factor in HALF_DECADES]


def measure(sizes: dict[str, int], device: str) -> Point:
    """Seconds and peak memory of the fit of a stand-in, in this process."""
    fit_tiny(device)
    before = mebibytes(RESIDENT)
    graph = stand_in(
        n_nodes=sizes["nodes"], n_edges=sizes["edges"], n_features=sizes["features"], n_classes=N_CLASSES, random_state=0
    )
    gc.collect()
    if device == "cuda":
        torch.cuda.reset_peak_memory_stats()
    else:
        reset_peak()
    seconds: list[float] = []
    while len(seconds) < MAX_FITS and sum(seconds) < ENOUGH_SECONDS:
        started = time.perf_counter()
        model = SCE(dimension=sizes["dimension"], device=device).fit(graph)  # ends with the embedding on the CPU
        seconds.append(time.perf_counter() - started)
    peak = torch.cuda.max_memory_allocated() / 2**20 if device == "cuda" else mebibytes(PEAK) - before
    return {**sizes, "seconds": seconds, "peak_mebibytes": peak, "stages": model.history_.stages}


def fit_tiny(device: str) -> None:
    """Brings in what is imported, started or compiled on first use."""
    SCE(dimension=2, device=device).fit(stand_in(n_nodes=200, n_edges=2_000, n_features=8, n_classes=2))


def measure_alone(sizes: dict[str, int], device: str) -> Point:
    """The same in a process of its own."""
    command = [sys.executable, __file__, "--point", json.dumps(sizes), "--device", device]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"{sizes} ended with {done.returncode}:\n{done.stderr}")
    return dict(json.loads(done.stdout.splitlines()[-1]))


def slope(sizes: list[float], values: list[float]) -> float:
    """The least-squares slope of log(values) over log(sizes)."""
    x, y = np.log(sizes), np.log(values)
    return float(np.polyfit(x, y, 1)[0])


def tables_of(points: dict[str, Point]) -> list[dict[str, Any]]:
    slopes, rows = [], []
    for axis in AXES:
        measured = [points[key] for key in (f"{axis} {sizes[axis]}" for sizes in sizes_of(axis)) if key in points]
        for point in measured:
            seconds, peak = min(point["seconds"]), point["peak_mebibytes"]
            rows.append([axis, *(point[name] for name in AXES), round(seconds, 5), round(peak, 2)])
        if len(measured) < 3:
            continue
        sizes = [float(point[axis]) for point in measured]
        growth = []
        for values in (
            [min(point["seconds"]) for point in measured],
            [max(point["peak_mebibytes"], LEAST_MEBIBYTES) for point in measured],
        ):
            growth += [round(slope(sizes, values), 3), round(slope(sizes[-3:], values[-3:]), 3)]
        judged = [f"≤ {TARGET}", max(growth) <= TARGET] if axis == TARGET_AXIS else [None, None]
        slopes.append([axis, int(sizes[0]), int(sizes[-1]), *growth, *judged])
    columns = ["time", "time, last decade", "memory", "memory, last decade"]
    return [
        {
            "caption": "Slopes of time and peak memory in a log-log plot: 1 is linear. The target is for all four.",
            "columns": ["what grows", "from", "to", *columns, "target", "met"],
            "rows": slopes,
        },
        {
            "caption": "The points.",
            "columns": ["what grows", *AXES, "seconds", "peak MiB"],
            "rows": rows,
        },
    ]


def save(points: dict[str, Point], device: str) -> None:
    on = "the CPU" if device == "cpu" else "a GPU"
    memory = (
        "the peak of resident pages during the fit beyond the imports, the graph and its features included"
        if device == "cpu"
        else "the peak that torch allocated on the device, the graph and its features included; what the host prepares "
        "before that is in the time, not in the memory"
    )
    gpu = {"gpu": torch.cuda.get_device_name()} if device == "cuda" else {"threads": torch.get_num_threads()}
    write_results(
        name_of(device),
        title=f"Growth on {on}",
        about="The default estimator with a given dimension, rows in memory, on generated stand-ins; one size grows a "
        "thousandfold while the others stay. Time is the whole fit, the choice of the restart included, the best of up to "
        f"{MAX_FITS}; memory is {memory}, and counts as {LEAST_MEBIBYTES:g} MiB where it is less.",
        command=f"python benchmarks/growth.py --device {device}",
        tables=tables_of(points),
        notes=[
            "In the features, M costs n·f² and its eigenvectors f³, up to 1,024 columns; beyond, iteration on the smoothed "
            "rows costs n·f a step.",
        ],
        points=points,
        environment=gpu,
    )


def name_of(device: str) -> str:
    return "growth" if device == "cpu" else "growth_cuda"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--device", default="cpu", choices=("cpu", "cuda"))
    parser.add_argument("--axes", default=",".join(AXES))
    parser.add_argument("--force", action="store_true")
    parser.add_argument("--point", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    device = arguments.device
    if arguments.point:
        print(json.dumps(measure(json.loads(arguments.point), device)))
        return
    points = read_points(name_of(device))
    for axis in arguments.axes.split(","):
        for sizes in sizes_of(axis):
            key = f"{axis} {sizes[axis]}"
            if key in points and not arguments.force:
                continue
            points[key] = measure_alone(sizes, device) if device == "cpu" else measure(sizes, device)
            seconds, peak = min(points[key]["seconds"]), points[key]["peak_mebibytes"]
            print(f"{key}: {seconds:.3f} s, {peak:,.1f} MiB", flush=True)
            save(points, device)


if __name__ == "__main__":
    main()
