"""How long it takes to read a CSV of edges with string ids, against parsing it alone and against networkx.

    python benchmarks/read_edges.py [--edges 10000000] [--nodes 1000000] [--repeats 5] [--output FILE]

Two files: ids like user_123456, and ids without a number in them (twelve letters). Each reader runs in a process of its own,
a few times, in turn; the fastest run counts, and on a busy machine the medians tell more. A tiny file is read first, so that
no import is timed. Peak memory is that of the whole process, libraries and all. networkx reads a tenth of the edges, since
it needs about 1 KB of memory an edge; its time is given for that tenth, and ours beside it for the same file.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from sparsecut.environment import environment_stamp

READERS = {
    "pyarrow": "from pyarrow import csv\nread = csv.read_csv",
    "sparsecut": "from sparsecut import read_graph as read",
    "networkx": "import networkx\nread = lambda path: networkx.read_edgelist(path, delimiter=',')",
}
PROGRAM = """
import json, resource, sys, time
{setup}
read(sys.argv[2])
started, cpu = time.perf_counter(), time.process_time()
result = read(sys.argv[1])
seconds, cpu_seconds = time.perf_counter() - started, time.process_time() - cpu
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
A = getattr(result, "adjacency", None)
csr = 0 if A is None or callable(A) else A.data.nbytes + A.indices.nbytes + A.indptr.nbytes
print(json.dumps({{"seconds": seconds, "cpu_seconds": cpu_seconds, "peak_bytes": peak, "csr_bytes": csr}}))
"""


def write_edges(path: Path, kind: str, n_edges: int, n_nodes: int) -> None:
    """Random edges between nodes whose numbers are in no order."""
    generator = np.random.default_rng(0)
    if kind == "serial":
        words = [f"user_{number}" for number in generator.permutation(np.arange(100_000, 100_000 + n_nodes))]
    else:
        letters = generator.integers(ord("a"), ord("z") + 1, (n_nodes, 12)).astype(np.uint8)
        words = letters.view("S12").ravel().astype(str).tolist()
    names = pa.array(words)
    ends = {end: names.take(pa.array(generator.integers(0, n_nodes, n_edges))) for end in ("source", "target")}
    csv.write_csv(pa.table(ends), path, csv.WriteOptions(quoting_style="none"))


def measure(reader: str, path: Path, tiny: Path) -> dict[str, float]:
    program = PROGRAM.format(setup=READERS[reader])
    done = subprocess.run([sys.executable, "-c", program, path, tiny], capture_output=True, text=True, check=True)
    return dict(json.loads(done.stdout))


def fastest(runs: list[dict[str, float]]) -> dict[str, float]:
    return min(runs, key=lambda run: run["seconds"])


def median(runs: list[dict[str, float]]) -> float:
    return statistics.median(run["seconds"] for run in runs)


def compare(folder: Path, kind: str, options: argparse.Namespace) -> dict[str, Any]:
    """Read one file with each reader, in turn, so that a busy moment of the machine does not strike one of them alone."""
    path, part, tiny = (folder / f"{kind}-{name}.csv" for name in ("whole", "tenth", "tiny"))
    write_edges(path, kind, options.edges, options.nodes)
    write_edges(tiny, kind, 10, 5)
    write_edges(part, kind, options.edges // 10, options.nodes // 10)
    runs: dict[str, list[dict[str, float]]] = {"pyarrow": [], "sparsecut": [], "part": []}
    for _ in range(options.repeats):
        runs["pyarrow"].append(measure("pyarrow", path, tiny))
        runs["sparsecut"].append(measure("sparsecut", path, tiny))
        runs["part"].append(measure("sparsecut", part, tiny))
    best = {name: fastest(measured) for name, measured in runs.items()}
    networkx = measure("networkx", part, tiny)
    result = {
        "ids": kind,
        "n_edges": options.edges,
        "n_nodes": options.nodes,
        "file_bytes": path.stat().st_size,
        "repeats": options.repeats,
        "pyarrow_seconds": round(best["pyarrow"]["seconds"], 3),
        "sparsecut_seconds": round(best["sparsecut"]["seconds"], 3),
        "ratio_to_pyarrow": round(best["sparsecut"]["seconds"] / best["pyarrow"]["seconds"], 2),
        "cpu_ratio_to_pyarrow": round(
            min(run["cpu_seconds"] for run in runs["sparsecut"]) / min(run["cpu_seconds"] for run in runs["pyarrow"]), 2
        ),
        "median_ratio_to_pyarrow": round(median(runs["sparsecut"]) / median(runs["pyarrow"]), 2),
        "peak_bytes": int(best["sparsecut"]["peak_bytes"]),
        "csr_bytes": int(best["sparsecut"]["csr_bytes"]),
        "peak_to_csr": round(best["sparsecut"]["peak_bytes"] / best["sparsecut"]["csr_bytes"], 2),
        "networkx_n_edges": options.edges // 10,
        "networkx_seconds": round(networkx["seconds"], 2),
        "networkx_peak_bytes": int(networkx["peak_bytes"]),
        "sparsecut_seconds_same_file": round(best["part"]["seconds"], 3),
        "times_faster_than_networkx": round(networkx["seconds"] / best["part"]["seconds"], 1),
        "all_seconds": {name: [round(run["seconds"], 3) for run in measured] for name, measured in runs.items()},
    }
    path.unlink()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "read_edges.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = [compare(Path(folder), kind, options) for kind in ("serial", "letters")]
    for result in results:
        print(
            f"{result['ids']}: pyarrow {result['pyarrow_seconds']} s, sparsecut {result['sparsecut_seconds']} s "
            f"({result['ratio_to_pyarrow']}×), peak {result['peak_to_csr']}× the CSR, networkx on a tenth "
            f"{result['networkx_seconds']} s ({result['times_faster_than_networkx']}× ours)"
        )
    options.output.parent.mkdir(parents=True, exist_ok=True)
    options.output.write_text(json.dumps({"environment": environment_stamp(), "results": results}, indent=1) + "\n")


if __name__ == "__main__":
    main()
