"""From files to a file: what `sparsecut embed` takes beside reading the same files with polars and the fit alone.

    python benchmarks/from_files.py [--edges 10000000] [--nodes 1000000] [--columns 64] [--repeats 3]

The files are a CSV of edges between words (user_123456) and a Parquet file of one row per node: its id, and columns of
float32. Nodes have communities, which 7 of 10 edges stay in. Three processes take turns:

- embed: `sparsecut embed edges.csv --features nodes.parquet -o vectors.parquet`, from the start of the interpreter to its
  end.
- polars: both files into frames, the import of polars left out.
- fit: `SCE().fit` of the graph that was read, alone.

Seconds by the clock, and of all processors together; the least of the repeats. By processor seconds the ratio holds on a
machine that is busy with other work, too.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

from results_file import write_results

FACTOR = 1.5
N_COMMUNITIES, WITHIN = 50, 0.7
READ = """
import json, sys, time
import polars as pl
began, processors = time.perf_counter(), time.process_time()
edges, nodes = pl.read_csv("edges.csv"), pl.read_parquet("nodes.parquet")
assert edges.height and nodes.height
print(json.dumps([time.perf_counter() - began, time.process_time() - processors]))
"""
FIT = """
import json, time
import sparsecut as sc
graph = sc.read_graph("edges.csv", features="nodes.parquet")
began, processors = time.perf_counter(), time.process_time()
sc.SCE().fit(graph, progress=lambda *_: None)
print(json.dumps([time.perf_counter() - began, time.process_time() - processors]))
"""


def write_files(folder: Path, n_edges: int, n_nodes: int, n_columns: int) -> None:
    generator = np.random.default_rng(0)
    communities = generator.integers(0, N_COMMUNITIES, n_nodes)
    order = np.argsort(communities, kind="stable")  # the nodes of a community stand together in it
    starts = np.searchsorted(communities[order], np.arange(N_COMMUNITIES + 1))
    first = generator.integers(0, n_nodes, n_edges)
    low, high = starts[communities[first]], starts[communities[first] + 1]
    alike = order[low + (generator.random(n_edges) * (high - low)).astype(np.int64)]
    second = np.where(generator.random(n_edges) < WITHIN, alike, generator.integers(0, n_nodes, n_edges))
    names = pl.Series("id", np.arange(n_nodes)).cast(pl.String)
    names = pl.select(pl.lit("user_") + names).to_series()
    pl.DataFrame({"source": names.gather(first), "target": names.gather(second)}).write_csv(folder / "edges.csv")
    means = generator.normal(size=(N_COMMUNITIES, n_columns)).astype(np.float32)
    features = generator.standard_normal((n_nodes, n_columns), dtype=np.float32) + means[communities]
    columns = {f"x{number}": features[:, number] for number in range(n_columns)}
    pl.DataFrame({"id": names, **columns}).write_parquet(folder / "nodes.parquet")


def embed(folder: Path) -> tuple[float, float]:
    """Seconds by the clock and of all processors, of a process from its start to its end."""
    given = ("embed", "edges.csv", "--features", "nodes.parquet", "-o", "vectors.parquet", "--force", "--quiet")
    began = time.perf_counter()
    process = subprocess.Popen([sys.executable, "-m", "sparsecut", *given], cwd=folder)
    _, status, used = os.wait4(process.pid, 0)
    if status:
        raise SystemExit("The command failed.")
    return time.perf_counter() - began, used.ru_utime + used.ru_stime


def timed(program: str, folder: Path) -> tuple[float, float]:
    done = subprocess.run([sys.executable, "-c", program], cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    seconds, processors = json.loads(done.stdout.splitlines()[-1])
    return seconds, processors


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name, number in (("edges", 10_000_000), ("nodes", 1_000_000), ("columns", 64), ("repeats", 3)):
        parser.add_argument(f"--{name}", type=int, default=number)
    arguments = parser.parse_args()
    runs: dict[str, list[tuple[float, float]]] = {"embed": [], "polars": [], "fit": []}
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        write_files(folder, arguments.edges, arguments.nodes, arguments.columns)
        for _ in range(arguments.repeats):
            runs["polars"].append(timed(READ, folder))
            runs["fit"].append(timed(FIT, folder))
            runs["embed"].append(embed(folder))
            print({name: [round(number, 2) for number in found[-1]] for name, found in runs.items()}, flush=True)
    size = f"{arguments.edges:,} edges, {arguments.nodes:,} × {arguments.columns}"
    rows: list[list[Any]] = []
    for place_of, clock in enumerate(("by the clock", "of all processors")):
        whole, read, fit = (min(run[place_of] for run in runs[name]) for name in ("embed", "polars", "fit"))
        ratio = whole / (read + fit)
        rows.append(
            [size, clock, *(round(number, 2) for number in (whole, read, fit, ratio)), f"≤ {FACTOR}", ratio <= FACTOR]
        )
        print(rows[-1], flush=True)
    write_results(
        "from_files",
        title="From files to a file",
        about=(__doc__ or "").split("\n\n", 2)[2].strip(),
        command="python benchmarks/from_files.py",
        tables=[
            {
                "caption": "Seconds of `sparsecut embed` beside reading the files with polars and the fit alone.",
                "columns": ["files", "seconds", "embed", "polars", "fit", "times polars and fit", "target", "met"],
                "rows": rows,
            }
        ],
        notes=[],
        points=runs,
    )


if __name__ == "__main__":
    main()
