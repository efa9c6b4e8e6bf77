"""How long it takes to read a CSV of edges with string ids, against parsing it alone and against networkx.

    python benchmarks/read_edges.py [--edges 10000000] [--nodes 1000000] [--repeats 7] [--output FILE]

Two files: ids like user_123456, and ids without a number in them (twelve letters).

- In one process, warm: pyarrow and sparsecut read the file in turn, a few times, and the fastest time of each counts. This
  is the ratio that is reported. CPU seconds stand beside it, since on a busy machine they are disturbed less.
- In one process, in a row: first all runs of pyarrow, which then writes into the memory it has just given back, then all of
  ours. This flatters pyarrow, since nobody reads one file seven times, and is the strictest comparison there is.
- In processes of their own: the same, once a process, after a tiny file has been read so that no import of pyarrow or
  sparsecut is timed; numba, where it is installed, is imported in the time that is measured, and gets ready in it: 0.4 s
  where we took it apart. Memory is fresh, and how fast the machine hands it out matters as much as the readers do. Peak
  memory is that of the whole process, with libraries.
- Once with an empty cache of numba, so that its compiling is in the time, and once without numba.

networkx reads a tenth of the edges, since it needs about 1 KB of memory an edge; its time is given for that tenth, and ours
beside it for the same file.
"""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
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

# On a busy machine two threads may find one core: every reader has as many as there are cores.
THREADS = {"OMP_NUM_THREADS": str(os.cpu_count())}
READERS = {
    "pyarrow": "from pyarrow import csv\nread = csv.read_csv",
    "sparsecut": "from sparsecut import read_graph as read",
    "plain": "import sys\nsys.modules['numba'] = None\nfrom sparsecut import read_graph as read",
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

WARM = """
import json, sys, time
from pyarrow import csv
from sparsecut import read_graph
runs = {"pyarrow": [], "sparsecut": []}
read_graph(sys.argv[1])
names = list(runs) * int(sys.argv[2])
for name in names if sys.argv[3] == "in turn" else sorted(names):
    started, cpu = time.perf_counter(), time.process_time()
    result = (csv.read_csv if name == "pyarrow" else read_graph)(sys.argv[1])
    runs[name].append({"seconds": time.perf_counter() - started, "cpu_seconds": time.process_time() - cpu})
    del result
print(json.dumps(runs))
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


def measure(reader: str, path: Path, tiny: Path, **environment: str) -> dict[str, float]:
    """One reader in a process of its own."""
    return dict(run_program(PROGRAM.format(setup=READERS[reader]), str(path), str(tiny), **environment))


def run_program(program: str, *arguments: str, **environment: str) -> Any:
    environment = {**os.environ, **THREADS, **environment}
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, check=True, env=environment
    )
    return json.loads(done.stdout)


def fastest(runs: list[dict[str, float]]) -> dict[str, float]:
    return min(runs, key=lambda run: run["seconds"])


def median(runs: list[dict[str, float]]) -> float:
    return statistics.median(run["seconds"] for run in runs)


def against_pyarrow(runs: dict[str, list[dict[str, float]]]) -> dict[str, Any]:
    """The fastest run of each, their ratio, and all of them."""
    seconds, cpu_seconds = (
        {name: min(run[clock] for run in runs[name]) for name in ("pyarrow", "sparsecut")}
        for clock in ("seconds", "cpu_seconds")
    )
    return {
        "repeats": len(runs["sparsecut"]),
        "pyarrow_seconds": round(seconds["pyarrow"], 3),
        "sparsecut_seconds": round(seconds["sparsecut"], 3),
        "ratio": round(seconds["sparsecut"] / seconds["pyarrow"], 2),
        "median_ratio": round(median(runs["sparsecut"]) / median(runs["pyarrow"]), 2),
        "cpu_ratio": round(cpu_seconds["sparsecut"] / cpu_seconds["pyarrow"], 2),
        "all_seconds": {name: [round(run["seconds"], 3) for run in measured] for name, measured in runs.items()},
    }


def compare(folder: Path, kind: str, options: argparse.Namespace) -> dict[str, Any]:
    """Read one file with each reader, in turn, so that a busy moment of the machine does not strike one of them alone."""
    path, part, tiny = (folder / f"{kind}-{name}.csv" for name in ("whole", "tenth", "tiny"))
    write_edges(path, kind, options.edges, options.nodes)
    write_edges(tiny, kind, 10, 5)
    write_edges(part, kind, options.edges // 10, options.nodes // 10)
    in_turn, in_a_row = (run_program(WARM, str(path), str(options.repeats), order) for order in ("in turn", "in a row"))
    runs: dict[str, list[dict[str, float]]] = {"pyarrow": [], "sparsecut": [], "part": []}
    first = measure("sparsecut", path, tiny, NUMBA_CACHE_DIR=str(folder / f"{kind}-cache"))
    plain = measure("plain", path, tiny)
    for _ in range(options.fresh_repeats):
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
        "in_turn": against_pyarrow(in_turn),
        "in_a_row": against_pyarrow(in_a_row),
        "fresh_processes": against_pyarrow(runs),
        "seconds_with_compiling": round(first["seconds"], 3),
        "seconds_without_numba": round(plain["seconds"], 3),
        "peak_bytes": int(best["sparsecut"]["peak_bytes"]),
        "csr_bytes": int(best["sparsecut"]["csr_bytes"]),
        "peak_to_csr": round(best["sparsecut"]["peak_bytes"] / best["sparsecut"]["csr_bytes"], 2),
        "networkx_n_edges": options.edges // 10,
        "networkx_seconds": round(networkx["seconds"], 2),
        "networkx_peak_bytes": int(networkx["peak_bytes"]),
        "sparsecut_seconds_same_file": round(best["part"]["seconds"], 3),
        "times_faster_than_networkx": round(networkx["seconds"] / best["part"]["seconds"], 1),
    }
    path.unlink()
    return result


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--edges", type=int, default=10_000_000)
    parser.add_argument("--nodes", type=int, default=1_000_000)
    parser.add_argument("--repeats", type=int, default=7, help="in one process")
    parser.add_argument("--fresh-repeats", type=int, default=5, help="in processes of their own")
    parser.add_argument("--output", type=Path, default=Path(__file__).parent / "results" / "read_edges.json")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        results = [compare(Path(folder), kind, options) for kind in ("serial", "letters")]
    for result in results:
        print(
            f"{result['ids']}: in turn {told(result['in_turn'])}; in a row {told(result['in_a_row'])}; "
            f"in fresh processes {told(result['fresh_processes'])}; "
            f"{result['seconds_with_compiling']} s with compiling, {result['seconds_without_numba']} s without numba; "
            f"peak {result['peak_to_csr']}× the CSR, networkx on a tenth "
            f"{result['networkx_seconds']} s ({result['times_faster_than_networkx']}× ours)"
        )
    options.output.parent.mkdir(parents=True, exist_ok=True)
    is_installed = importlib.util.find_spec("numba") is not None
    stamp = {**environment_stamp(), "pyarrow": pa.__version__, "numba": None}
    if is_installed:
        stamp["numba"] = importlib.metadata.version("numba")
    options.output.write_text(json.dumps({"environment": stamp, "results": results}, indent=1) + "\n")


def told(result: dict[str, Any]) -> str:
    return f"pyarrow {result['pyarrow_seconds']} s, sparsecut {result['sparsecut_seconds']} s ({result['ratio']}×)"


if __name__ == "__main__":
    main()
