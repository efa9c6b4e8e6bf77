"""What `sparsecut.estimate` says before a fit beside what the fit took: seconds, memory and scratch of each engine.

    python benchmarks/estimate.py [--engines memory disk dask] [--folder FOLDER] [--fresh]

The graphs are generated stores (`disk.make_store`): 20 edges at every node; in memory also graphs of other kinds, each of
100,000 nodes and 500,000 edges (`estimate_kinds.py`), and two levels of MoSCE. Each fit has a process of its own, which
estimates first and fits then: seconds by the clock, the cluster's start included; memory is the peak of the process, or of
the larger worker; scratch is the most that lay in its folder. Each is kept as soon as it is there.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Any

import sparsecut as sc
from disk import disk_bytes, make_store
from estimate_kinds import KINDS
from results_file import read_points, write_results

NAME = "estimate"
GRAPHS = {"20,000 × 64": (20_000, 64), "100,000 × 256": (100_000, 256), "500,000 × 64": (500_000, 64)}
DEGREE = 20
MODELS = {"default": {}, "two hops": {"filter": "power", "channels": "smoothed"}}
ENGINES = ("memory", "disk", "dask")
LEVELS = "two levels"
FACTOR = 2.0


def engine_of(name: str, folder: Path) -> Any:
    if name == "memory":
        return sc.Memory(device="cpu")
    return sc.Disk(memory_limit="2GiB", scratch=folder) if name == "disk" else sc.Dask(memory_limit="3GiB", scratch=folder)


def measure(store: Path, engine: str, model: str, folder: Path) -> dict[str, Any]:
    """Estimated and taken; the workers of a cluster say their peak before it is closed."""
    graph = KINDS[store.name]() if store.name in KINDS else sc.open_store(store)
    choice, peaks = engine_of(engine, folder), []
    asked = sc.MoSCE(levels=2, engine=choice) if model == LEVELS else sc.SCE(engine=choice, **MODELS[model])
    found = next(cost for cost in sc.estimate(graph, asked) if cost.engine == engine)
    output = {"memory": None, "disk": folder / "z.npy", "dask": folder / "vectors"}[engine]
    began = time.perf_counter()
    if engine == "dask":
        from distributed import get_client

        from sparsecut.engines.dask.running import measured

        with choice.running() as running:
            asked.set_params(engine=running).fit(graph, output=output)
            peaks = measured(get_client(), "peak")
    else:
        asked.fit(graph, output=output)
        peaks = [resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024.0]
    seconds = time.perf_counter() - began
    return {
        "estimated": {"seconds": found.seconds, "memory": found.memory, "disk": found.disk},
        "measured": {"seconds": seconds, "memory": max(peaks)},
    }


def in_process(arguments: list[str], folder: Path) -> dict[str, Any]:
    """A fit in a process of its own, and the most that it had in its folder."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(os.cpu_count() or 1)}
    command = [sys.executable, __file__, *arguments, "--folder", str(folder)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
    most, is_done = [0], threading.Event()

    def watch() -> None:
        while not is_done.wait(0.05):
            most.append(max(most.pop(), disk_bytes(folder)))

    watcher = threading.Thread(target=watch)
    watcher.start()
    told = process.communicate()[0]
    is_done.set()
    watcher.join()
    if process.returncode:
        raise SystemExit(f"The fit {' '.join(arguments)} failed.")
    cell: dict[str, Any] = json.loads(told.splitlines()[-1])
    cell["measured"]["disk"] = most[0]
    return cell


def tables(points: dict[str, Any]) -> list[dict[str, Any]]:
    rows = []
    for key, point in points.items():
        graph, model, engine = key.split(" | ")
        estimated, measured = point["estimated"], point["measured"]
        ratio = measured["seconds"] / estimated["seconds"]
        held = measured["memory"] / estimated["memory"]
        rows.append(
            [
                *(graph, model, engine, estimated["seconds"], measured["seconds"], ratio),
                *(estimated["memory"] / 2**20, measured["memory"] / 2**20, held),
                *(estimated["disk"] / 2**20, measured["disk"] / 2**20),
                *(f"within {FACTOR:g}", all(1 / FACTOR <= one <= FACTOR for one in (ratio, held))),
            ]
        )
    columns = [
        *("nodes × features, or kind", "model", "engine", "seconds, estimated", "measured", "times estimated"),
        *("MiB of memory, estimated", "measured", "times estimated", "MiB of scratch, estimated", "measured"),
        *("target", "met"),
    ]
    caption = (
        "Estimated before a fit and measured. The target is for seconds either way, and for memory either way; scratch is "
        "what lies in the folder at most, the output included."
    )
    return [{"caption": caption, "columns": columns, "rows": rows}]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--engines", nargs="+", choices=ENGINES, default=list(ENGINES))
    parser.add_argument("--folder", type=Path, help="Where graphs and scratch lie. [default: made anew and removed]")
    parser.add_argument("--fresh", action="store_true", help="Forget what was measured of these engines before.")
    parser.add_argument("--cell", nargs=3, help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.cell is not None:
        store, engine, model = asked.cell
        print(json.dumps(measure(Path(store), engine, model, asked.folder)))
        return
    points = read_points(NAME)
    if asked.fresh:
        points = {key: point for key, point in points.items() if key.split(" | ")[2] not in asked.engines}
    with tempfile.TemporaryDirectory(dir=asked.folder) as temporary:
        for name, (n_nodes, n_features) in GRAPHS.items():
            store = Path(temporary) / "store"
            for model in MODELS:
                for engine in asked.engines:
                    key = f"{name} | {model} | {engine}"
                    if key in points:
                        continue
                    if not store.exists():
                        make_store(store, n_nodes, n_nodes * DEGREE // 2, n_features)
                    with tempfile.TemporaryDirectory(dir=temporary) as folder:
                        points[key] = in_process(["--cell", str(store), engine, model], Path(folder))
                    print(key, points[key], flush=True)
                    save(points)
            shutil.rmtree(store, ignore_errors=True)
        for kind in KINDS if "memory" in asked.engines else ():
            for model in ("default", LEVELS) if kind == "weighted" else ("default",):
                key = f"{kind} | {model} | memory"
                if key not in points:
                    points[key] = in_process(["--cell", kind, "memory", model], Path(temporary))
                    print(key, points[key], flush=True)
                    save(points)
    save(points)


def save(points: dict[str, Any]) -> None:
    write_results(
        NAME,
        title="Estimated before a run, and measured",
        about=(__doc__ or "").split("\n\n", 2)[2].strip(),
        command="python benchmarks/estimate.py",
        tables=tables(points),
        notes=[],
        points=points,
    )


if __name__ == "__main__":
    main()
