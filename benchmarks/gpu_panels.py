"""Several GPUs, as far as one GPU shows: the panels of columns that two and four devices would have.

    python benchmarks/gpu_panels.py [--size reddit] [--size products] [--size papers100M] [--output FILE]

The graphs are those of `gpu.py`. Timed are the hops of a default fit, of all their columns and of the panel that each of
two and four devices has, with the GPU's memory for the panel, its result and what hops need beside them; and whole fits
from features of the host, on one device and with one GPU in place of several, its panels one after another. On several GPUs
they run at the same time, so the last column is a model: the fit that was measured, less the hops of the other panels. What
moves between GPUs is not in it. Two warm-ups, the best of several.
"""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path
from typing import Any

os.environ.setdefault("PYTORCH_CUDA_ALLOC_CONF", "expandable_segments:True")

import torch
from torch import Tensor

import sparsecut as sc
from gpu import SIZES, draw_features, draw_graph
from gpu_front_door import silent, time_of
from results_file import write_results
from sparsecut.engines import MemoryEngine, memory_choice
from sparsecut.engines.split_rows import split_columns
from sparsecut.kernels.polynomials import Polynomial
from sparsecut.kernels.transfer import as_array
from sparsecut.operators.propagation import Propagation

RESULTS = Path(__file__).parent / "results" / "gpu_panels.json"
CUDA = torch.device("cuda:0")
N_DEVICES = (1, 2, 4)
N_REPEATS = 5
# Of the largest size no fit is run: its features and its embedding would take most of the host's memory.
PAPERS = "papers100M", sc.PageRank(restart=0.1).coefficients()
Point = dict[str, Any]


class Widest:
    """The hops of a fit that gather most: their columns and polynomial."""

    def __init__(self) -> None:
        self.n_columns, self.polynomial = 0, (1.0,)
        self._smooth = MemoryEngine.smooth

    def __enter__(self) -> Widest:
        def smooth(engine: Any, rows: Any, polynomial: Polynomial, *, lazily: bool = False) -> Any:
            n_columns = rows.shape[1]
            if not lazily and n_columns * len(polynomial) > self.n_columns * len(self.polynomial):
                self.n_columns, self.polynomial = n_columns, polynomial
            return self._smooth(engine, rows, polynomial, lazily=lazily)

        MemoryEngine.smooth = smooth  # type: ignore[method-assign, assignment]
        return self

    def __exit__(self, *_: object) -> None:
        MemoryEngine.smooth = self._smooth  # type: ignore[method-assign]


def hops_of(
    P: Propagation, features: Tensor, n_columns: int, polynomial: Polynomial, n_devices: int, precision: str
) -> tuple[int, float, float]:
    """(columns of a panel, milliseconds of its hops, gigabytes of the GPU for them)."""
    width = split_columns(n_columns, n_devices)[0].stop
    engine = MemoryEngine(CUDA, precision)
    torch.cuda.empty_cache()
    before = torch.cuda.memory_allocated()
    rows = engine.hold(features[:, :width].clone(), P)
    torch.cuda.reset_peak_memory_stats()
    milliseconds, _ = time_of(lambda: engine.smooth(rows, polynomial), N_REPEATS)
    return width, milliseconds, (torch.cuda.max_memory_allocated() - before) / 1e9


def fit_on(graph: sc.Graph, n_devices: int) -> float:
    engine = sc.Memory(devices=["cuda:0"] * n_devices) if n_devices > 1 else sc.Memory(device="cuda")
    return time_of(lambda: sc.SCE(engine=engine).fit(graph, progress=silent), N_REPEATS)[0]


def measure_size(size: str) -> list[Point]:
    n_nodes, n_edges, n_features, _, _, extra = SIZES[size]
    entries, communities = draw_graph(n_nodes, n_edges, extra)
    is_large = size == PAPERS[0]
    features = draw_features(communities, n_features, torch.float16 if is_large else torch.float32)
    del communities
    torch.cuda.empty_cache()
    n_columns, polynomial, fits = n_features, PAPERS[1], {}
    if not is_large:
        graph = sc.Graph((entries.offsets, entries.indices), features=features)
        with Widest() as widest:
            sc.SCE(engine=sc.Memory(device="cuda")).fit(graph, progress=silent)
        n_columns, polynomial = widest.n_columns, widest.polynomial
        graph = sc.Graph(graph.adjacency, features=as_array(features))
        fits = {n_devices: fit_on(graph, n_devices) for n_devices in N_DEVICES}
        del graph
    P = Propagation.of(entries, sc.PageRank(), CUDA)
    points: list[Point] = []
    for n_devices in N_DEVICES:
        precision = "half" if is_large else "single"
        width, milliseconds, gigabytes = hops_of(P, features, n_columns, polynomial, n_devices, precision)
        point = {"size": size, "devices": n_devices, "columns": width, "hops": len(polynomial) - 1}
        point |= {"hops_ms": round(milliseconds, 2), "gb": round(gigabytes, 2)}
        if n_devices in fits:
            point |= {
                "fit_ms": round(fits[n_devices], 1),
                "modelled_ms": round(fits[n_devices] - (n_devices - 1) * milliseconds, 1),
            }
        points.append(point)
        print(json.dumps(point), flush=True)
    return points


def tables(points: list[Point]) -> list[dict[str, Any]]:
    names = ("size", "devices", "columns", "hops", "hops_ms", "gb", "fit_ms", "modelled_ms")
    shown = ["size", "devices", "columns of each", "hops", "ms of hops", "GB of a panel", "ms of a fit, one GPU", "modelled"]
    rows = [[point.get(name) for name in names] for point in points]
    return [{"caption": "One panel of several.", "columns": shown, "rows": rows}]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--size", action="append", choices=SIZES)
    parser.add_argument("--output", type=Path, default=RESULTS)
    arguments = parser.parse_args()
    memory_choice.resolve_devices = lambda names, _: [torch.device(name) for name in names]  # one GPU for several
    points: list[Point] = []
    for size in arguments.size or SIZES:
        points += measure_size(size)
        torch.cuda.empty_cache()
        write_results(
            arguments.output.stem,
            folder=arguments.output.parent,
            title="Several GPUs, as far as one shows",
            about=(__doc__ or "").split("\n\n", 2)[2].strip(),
            command="python benchmarks/gpu_panels.py",
            tables=tables(points),
            notes=["At the size of papers100M panels are in half precision, and only hops were run."],
            points=points,
            environment={"gpu": torch.cuda.get_device_name(), "cores": os.cpu_count()},
        )


if __name__ == "__main__":
    main()
