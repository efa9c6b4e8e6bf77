"""What a user of a GPU measures: `Graph(...)`, `fit` and `transform`, from arrays of the host and from device tensors.

    python benchmarks/gpu_front_door.py [--size reddit] [--size products] [--size papers100M] [--output FILE]

The graphs are those of `gpu.py`: stand-ins of the real sizes, drawn on the device. From the host a call starts with scipy's
matrix and numpy's features in ordinary memory and ends with a numpy array there. On the device it starts with the offsets
and columns of a CSR matrix and features as tensors on the GPU, and ends with `output="torch"`. Wall time to the end of all
work of the GPU, two warm-ups, the best of several; nothing is kept between two calls but what the library itself keeps.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

import numpy as np
import scipy.sparse as sp
import torch

import sparsecut as sc
from gpu import SIZES, draw_features, draw_graph
from results_file import write_results
from sparsecut.kernels.transfer import as_array

RESULTS = Path(__file__).parent / "results" / "gpu_front_door.json"
N_WARM_UPS = 2
# The most milliseconds that the project has set itself, by size, where the data is, and the call.
TARGETS = {
    ("reddit", "host"): {"SCE()": 150, "four epochs of Adam": 120, "transform": 80},
    ("reddit", "device"): {"SCE()": 40, "SCE(), half": 28},
    ("products", "host"): {"Graph(...)": 150, "SCE()": 500},
    ("products", "device"): {"SCE()": 130, "SCE(), half": 85},
    ("papers100M", "device"): {"Graph(...)": 1000, "SCE(dimension=128), half": 3000, "four epochs of Adam, half": 1200},
}
NOTES = [
    "At the size of papers100M the features come in float16, and the dimension is given: what SCE() would choose for the "
    "noise of this stand-in, two channels of 176 columns, takes 78 GB by itself: beside the graph more than the card has.",
]
Point = dict[str, Any]


def silent(*_: object) -> None: ...


def model(kind: str) -> sc.SCE:
    engine = sc.Memory(device="cuda", precision="half" if "half" in kind else "single")
    if "dimension" in kind:
        return sc.SCE(dimension=128, engine=engine)
    if "Adam" in kind:
        return sc.SCE(
            filter=sc.Power(order=2), solver=sc.Adam(epochs=4, learning_rate=0.01), weighting="none", engine=engine
        )
    return sc.SCE(engine=engine)


def time_of(work: Callable[[], Any], n_repeats: int) -> tuple[float, Any]:
    """(milliseconds, best of several; what the last call returned)."""
    best, result = float("inf"), None
    for number in range(N_WARM_UPS + n_repeats):
        result = None
        torch.cuda.synchronize()
        started = time.perf_counter()
        result = work()
        torch.cuda.synchronize()
        if number >= N_WARM_UPS:
            best = min(best, time.perf_counter() - started)
    return 1000 * best, result


def measure(size: str, place: str, adjacency: Any, features: Any, kinds: list[str]) -> list[Point]:
    output = None if place == "host" else "torch"
    n_repeats = 3 if size == "papers100M" else 7
    points = []

    def add(call: str, milliseconds: float, **more: Any) -> None:
        point = {"size": size, "from": place, "call": call, "ms": round(milliseconds, 1), **more}
        points.append(point)
        print(json.dumps(point), flush=True)

    milliseconds, graph = time_of(lambda: sc.Graph(adjacency, features=features), n_repeats)
    add("Graph(...)", milliseconds)
    for kind in kinds:
        torch.cuda.reset_peak_memory_stats()
        milliseconds, fitted = time_of(lambda kind=kind: model(kind).fit(graph, output=output, progress=silent), n_repeats)
        stages = {name: round(1000 * seconds, 1) for name, seconds in fitted.history_.stages.items()}
        shape = list(fitted.embedding_.shape)
        add(kind, milliseconds, stages=stages, shape=shape, peak_gb=round(torch.cuda.max_memory_allocated() / 1e9, 2))
        if kind == "SCE()":
            milliseconds, _ = time_of(
                lambda fitted=fitted: fitted.transform(graph, output=output, progress=silent), n_repeats
            )
            add("transform", milliseconds)
        del fitted
    return points


def measure_size(size: str) -> list[Point]:
    n_nodes, n_edges, n_features, _, _, extra = SIZES[size]
    entries, communities = draw_graph(n_nodes, n_edges, extra)
    is_large = size == "papers100M"
    features = draw_features(communities, n_features, torch.float16 if is_large else torch.float32)
    del communities
    torch.cuda.empty_cache()
    kinds = ["SCE()", "SCE(), half", "four epochs of Adam", "four epochs of Adam, half"]
    points = []
    if not is_large:
        indptr, indices = as_array(entries.offsets).astype(np.int32), as_array(entries.indices)
        matrix = sp.csr_array((np.ones(len(indices), dtype=np.float32), indices, indptr), shape=(n_nodes, n_nodes))
        points += measure(size, "host", matrix, as_array(features), kinds)
    parts = (entries.offsets, entries.indices)
    del entries
    if is_large:
        kinds = ["SCE(dimension=128), half", "four epochs of Adam, half"]
    return points + measure(size, "device", parts, features, kinds)


def tables(points: list[Point]) -> list[dict[str, Any]]:
    rows = []
    for point in points:
        target = TARGETS.get((point["size"], point["from"]), {}).get(point["call"])
        stages = ", ".join(f"{name} {ms:g}" for name, ms in point.get("stages", {}).items())
        met = None if target is None else point["ms"] <= target
        limit = None if target is None else f"≤ {target:,}"
        rows.append([point["size"], point["from"], point["call"], point["ms"], limit, met, point.get("peak_gb"), stages])
    columns = ["size", "data on", "call", "ms", "target", "met", "peak GB", "stages, ms"]
    return [{"caption": "Wall time of the public calls.", "columns": columns, "rows": rows}]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", action="append", choices=SIZES)
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    points: list[Point] = []
    for size in arguments.size or SIZES:
        points += measure_size(size)
        torch.cuda.empty_cache()
        write_results(
            arguments.output.stem,
            folder=arguments.output.parent,
            title="One GPU, through the public calls",
            about=(__doc__ or "").split("\n\n", 2)[2].strip(),
            command="python benchmarks/gpu_front_door.py",
            tables=tables(points),
            notes=NOTES,
            points=points,
            environment={"gpu": torch.cuda.get_device_name(), "cores": os.cpu_count()},
        )


if __name__ == "__main__":
    main()
