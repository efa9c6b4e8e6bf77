"""Graphs larger than memory: time, peak memory and bytes on disk of engine="disk", on generated stand-ins.

    python benchmarks/disk.py [--only reddit|large] [--folder FOLDER]

Stand-ins with planted communities and shuffled ids, made on disk beforehand:

    reddit   232,965 nodes, 11.6 M edges, 602 features, under 1 GiB
    large    2.3 M nodes, 120 M edges, 128 features, under 4 GiB

Each fit runs in a process of its own; its peak is what the system says of it afterwards (`wait4`), interpreter included. The
system counts what the starting process held as well, so the stand-ins are made by another process yet.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np

from results_file import read_points, write_results
from sparsecut.io import write_header
from sparsecut.kernels import parse_bytes

GRAPHS: dict[str, dict[str, Any]] = {
    "reddit": {"n_nodes": 232_965, "n_edges": 11_606_919, "n_features": 602, "limit": "1GiB", "dimension": 512},
    "large": {"n_nodes": 2_300_000, "n_edges": 120_000_000, "n_features": 128, "limit": "4GiB", "dimension": 128},
}
SETTINGS: dict[str, dict[str, Any]] = {
    "two hops": {"filter": "power", "weighting": "none"},
    "default": {},
}
COMMUNITY = 500  # nodes, about
INSIDE = 0.7  # of the edges run inside a community
OVERDRAW = 1.06  # some edges are drawn twice and count once: at least as many as wanted are left
FIT = """
import json, sys, time
import sparsecut as sc
store, output, limit, settings = *sys.argv[1:4], json.loads(sys.argv[4])
graph = sc.open_store(store)
started = time.perf_counter()
model = sc.SCE(engine=sc.Disk(memory_limit=limit), **settings).fit(graph, output=output)
print(json.dumps({"seconds": time.perf_counter() - started, "stages": model.history_.stages,
                  "shape": model.embedding_.shape, "explanation": model.explain().splitlines()}))
"""


def make_store(folder: Path, n_nodes: int, n_edges: int, n_features: int) -> None:
    """A graph with planted communities, ids shuffled, features of the community with noise; a slice of nodes at a time."""
    folder.mkdir(parents=True)
    generator = np.random.default_rng(0)
    n_communities = n_nodes // COMMUNITY
    n_edges = int(OVERDRAW * n_edges)
    names = generator.permutation(n_nodes).astype(np.int32)  # where a node stands; communities are slices before that
    keys = np.empty(2 * n_edges, dtype=np.int64)
    step = 1 << 22
    for start in range(0, n_edges, step):
        n = min(step, n_edges - start)
        i = generator.integers(0, n_nodes, n)
        near = i // COMMUNITY * COMMUNITY + generator.integers(0, COMMUNITY, n)
        j = np.where((generator.random(n) < INSIDE) & (near < n_nodes), near, generator.integers(0, n_nodes, n))
        a, b = names[i].astype(np.int64), names[j].astype(np.int64)
        keys[2 * start : 2 * start + n], keys[2 * start + n : 2 * (start + n)] = a * n_nodes + b, b * n_nodes + a
    keys.sort()
    indptr = np.zeros(n_nodes + 1, dtype=np.int64)
    n_entries, last = 0, -1
    with (folder / "indices.raw").open("wb") as file:
        for start in range(0, len(keys), step):
            part = keys[start : start + step]
            is_new = np.diff(part, prepend=last) != 0
            last = part[-1]
            rows, columns = np.divmod(part[is_new], n_nodes)
            rows, columns = rows[rows != columns], columns[rows != columns]
            indptr[1:] += np.bincount(rows, minlength=n_nodes)
            columns.astype(np.int32).tofile(file)
            n_entries += len(rows)
    del keys
    np.save(folder / "indptr.npy", np.cumsum(indptr).astype(np.int32))
    indices = np.lib.format.open_memmap(folder / "indices.npy", "w+", np.int32, (n_entries,))
    indices[:] = np.memmap(folder / "indices.raw", np.int32, "r")
    indices.flush()
    (folder / "indices.raw").unlink()
    centres = generator.normal(size=(n_communities + 1, n_features)).astype(np.float32)
    features = np.lib.format.open_memmap(folder / "features.npy", "w+", np.float32, (n_nodes, n_features))
    for start in range(0, n_nodes, 20_000):
        nodes = np.arange(start, min(start + 20_000, n_nodes))
        noise = generator.standard_normal((len(nodes), n_features), dtype=np.float32)
        features[names[nodes]] = centres[nodes // COMMUNITY] + 3 * noise
    features.flush()
    write_header(folder, n_nodes=n_nodes, n_entries=n_entries, directed="symmetrize")


def fit(store: Path, folder: Path, limit: str, settings: dict[str, Any], n_threads: int) -> dict[str, Any]:
    """One fit in a process of its own, its peak memory and the most it had on disk."""
    environment = {**os.environ, "OMP_NUM_THREADS": str(n_threads)}
    output = folder / "z.npy"
    command = [sys.executable, "-c", FIT, str(store), str(output), limit, json.dumps(settings)]
    started = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment, text=True)
    most, is_running = 0, threading.Event()

    def watch() -> None:
        nonlocal most
        while not is_running.wait(0.5):
            most = max(most, disk_bytes(folder))

    watcher = threading.Thread(target=watch)
    watcher.start()
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    is_running.set()
    watcher.join()
    if status:
        raise SystemExit(f"the fit ended with status {status}")
    result: dict[str, Any] = json.loads(said)
    left = [file.name for file in folder.iterdir() if file != output]
    assert not left, left
    return {
        **result,
        "stages": {name: round(seconds, 2) for name, seconds in result["stages"].items()},
        "seconds": round(result["seconds"], 1),
        "process_seconds": round(time.perf_counter() - started, 1),
        "peak_bytes": usage.ru_maxrss * 1024,
        "scratch_bytes": most,
        "output_bytes": output.stat().st_size,
    }


def disk_bytes(folder: Path) -> int:
    total = 0
    for parent, _, names in os.walk(folder):  # which passes over folders that were just removed
        for name in names:
            with suppress(FileNotFoundError):
                total += (Path(parent) / name).stat().st_size
    return total


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=tuple(GRAPHS))
    parser.add_argument("--settings", choices=tuple(SETTINGS))
    parser.add_argument("--folder", type=Path, help="Where the stand-ins are kept. [default: made anew and removed]")
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--make", type=Path, help="Only make the stand-in of --only, in this folder.")
    arguments = parser.parse_args()
    if arguments.make is not None:
        make_store(arguments.make, *(GRAPHS[arguments.only][size] for size in ("n_nodes", "n_edges", "n_features")))
        return
    points = read_points("disk")
    with tempfile.TemporaryDirectory() as temporary:
        base = arguments.folder or Path(temporary)
        for name, graph in GRAPHS.items():
            if arguments.only not in (None, name):
                continue
            store = base / name
            if not (store / "graph.json").exists():
                shutil.rmtree(store, ignore_errors=True)
                subprocess.run([sys.executable, __file__, "--only", name, "--make", str(store)], check=True)
            for label, settings in SETTINGS.items():
                if arguments.settings not in (None, label):
                    continue
                wide = {"dimension": graph["dimension"]} if settings else {}
                with tempfile.TemporaryDirectory(dir=base) as folder:
                    asked = {**settings, **wide}
                    measured = fit(store, Path(folder), graph["limit"], asked, arguments.threads)
                n_edges = json.loads((store / "graph.json").read_text())["n_entries"] // 2
                sizes = {"n_nodes": graph["n_nodes"], "n_edges": n_edges, "n_features": graph["n_features"]}
                limits = {"limit": graph["limit"], "threads": arguments.threads}
                row = {"graph": name, "settings": label, **asked, **sizes, **limits, **measured}
                print(f"| {name} | {label} | {row['limit']} | {row['peak_bytes'] / 2**20:,.0f} MiB | {row['seconds']} s |")
                print("\n".join(measured["explanation"]), measured["stages"], flush=True)
                points[f"{name}, {label}"] = row
                save(points, arguments.threads)


def save(points: dict[str, Any], n_threads: int) -> None:
    columns = [
        "graph",
        "edges",
        "settings",
        "limit",
        "peak MiB",
        "target",
        "met",
        "seconds",
        "scratch MB",
        "stages, seconds",
    ]
    rows = [
        [
            point["graph"],
            point["n_edges"],
            point["settings"],
            point["limit"],
            point["peak_bytes"] / 2**20,
            f"< {point['limit']}",
            point["peak_bytes"] < parse_bytes("disk.py", "limit", point["limit"]),
            point["seconds"],
            point["scratch_bytes"] / 1e6,
            ", ".join(f"{stage} {seconds}" for stage, seconds in point["stages"].items()),
        ]
        for point in points.values()
    ]
    caption = "Peak resident memory of the process, seen from outside, interpreter included; the embedding goes to a file."
    write_results(
        "disk",
        title="Larger than memory",
        about=(__doc__ or "").split("\n\n", 2)[2].strip(),
        command="python benchmarks/disk.py",
        tables=[{"caption": caption, "columns": columns, "rows": rows}],
        notes=[],
        points=points,
        environment={"threads": n_threads},
    )


if __name__ == "__main__":
    main()
