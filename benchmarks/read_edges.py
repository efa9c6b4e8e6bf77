"""Reading a CSV of edges into a graph: our readers, pyarrow's parser alone, polars, DuckDB and networkx.

    python benchmarks/read_edges.py [--repeats 3]

Three files, each with 1 and with 8 million edges between a tenth and an eighth as many nodes: integers (ints), words (words,
ids like user_123456) and words with a weight (weights). Every reader returns the same graph, CSR and node ids, which a
checksum of both confirms; `parser alone` and networkx return what they return.

- parser alone: pyarrow's CSV reader, no graph. The least that any of the others that use it can take.
- Arrow: sparsecut without numba. pyarrow parses, Arrow's dictionary encoding numbers the ids.
- compiled: sparsecut with numba (extra `fast`), which parses words and numbers them in one pass, and sorts the entries. By
  default only files of 128 MiB or more go that way.
- polars, DuckDB: their CSV reader in place of pyarrow's, ids numbered by Arrow.
- own tables: hash tables in numpy that numbered words before Arrow did. The code is gone; its measurements are kept.

Each measurement is a process of its own that has read a file of ten lines first. It then reads the file twice: the first
time includes importing numba, polars or DuckDB, the second does not. Readers take turns, and the least of a few runs counts.
Times are processor seconds on one thread; other programs on the machine still disturb them. How much is to be seen where
Arrow and own tables read integers, by the same code. Peak memory is that of the process.

What was decided by it:

- The compiled loops stay. Eight million edges between words take them a quarter to a third of the time that any reader in
  use takes, and less memory. With weights the gain is smaller, and integers gain nothing. They stay an extra, since a
  million edges are read before numba is imported.
- polars and DuckDB are not taken up: both are within the noise of pyarrow's parser, faster on some files, slower on others.
- The tables in numpy went, for one idea less. They were as fast as Arrow at a million edges. At eight million Arrow takes
  1.2 to 1.5 times as long; that is the price where numba is not installed: files of that size are what the loops are for.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from pyarrow import csv

from results_file import read_points, write_results

SIZES = {"1M": (1_000_000, 100_000), "8M": (8_000_000, 1_000_000)}
KINDS = ("ints", "words", "weights")
PLAIN = "import sys\nsys.modules['numba'] = None\nfrom sparsecut import read_graph as read\n"
OTHER_PARSER = (
    PLAIN + "from sparsecut.io import graphs\ngraphs.read_text = lambda path, kind, layout, *_: parse(path, layout)\n"
)
READERS = {
    "parser alone": "from pyarrow import csv\nread = csv.read_csv",
    "Arrow": PLAIN,
    "compiled": """
from sparsecut import read_graph as read
from sparsecut.io import adjacency, graphs
adjacency.MIN_EDGES = graphs.MIN_BYTES = 1 << 14
""",
    "polars": OTHER_PARSER
    + """
def parse(path, layout):
    import polars
    frame = polars.read_csv(path, has_header=layout.has_header, separator=layout.separator, infer_schema=False)
    return frame.to_arrow(compat_level=polars.CompatLevel.oldest()).rename_columns(list(layout.names))
""",
    "DuckDB": OTHER_PARSER
    + """
def parse(path, layout):
    import duckdb
    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET enable_progress_bar = false")
    query = f"SELECT * FROM read_csv('{path}', header={layout.has_header}, delim='{layout.separator}', all_varchar=true)"
    return connection.sql(query).to_arrow_table().rename_columns(list(layout.names))
""",
    "networkx": """
import csv
def read(path):
    import networkx
    with open(path) as file:
        return networkx.Graph((row[0], row[1]) for row in csv.reader(file))
""",
}
PROGRAM = """
import hashlib, json, resource, sys, time
{setup}
read(sys.argv[2])
seconds = []
for _ in range(2):
    started = time.process_time()
    graph = read(sys.argv[1])
    seconds.append(time.process_time() - started)
A, digest = getattr(graph, "adjacency", None), ""
if hasattr(A, "indices"):
    ids = "\\n".join(map(str, graph.node_ids.tolist())).encode()
    parts = (A.indptr.tobytes(), A.indices.tobytes(), A.data.tobytes(), ids)
    digest = hashlib.sha256(b"".join(parts)).hexdigest()[:16]
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
print(json.dumps({{"first": seconds[0], "again": seconds[1], "peak_mib": peak, "graph": digest}}))
"""
NOTES = [
    "`own tables` numbered words by hash tables in numpy until Arrow's dictionary encoding took their place. They cannot be "
    "measured again. They read integers by the same code as `Arrow`: the difference there is noise.",
    "The files of 1M edges were read by 2 processes per reader, those of 8M edges by 3; other programs ran beside them.",
]
ONE_THREAD = {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1"}


def write_edges(path: Path, kind: str, n_edges: int, n_nodes: int) -> None:
    """Random edges between nodes whose numbers are in no order."""
    generator = np.random.default_rng(0)
    numbers = generator.permutation(np.arange(100_000, 100_000 + n_nodes))
    names = pa.array(numbers) if kind == "ints" else pa.array([f"user_{number}" for number in numbers])
    columns = {end: names.take(pa.array(generator.integers(0, n_nodes, n_edges))) for end in ("source", "target")}
    if kind == "weights":
        columns["weight"] = pa.array(generator.random(n_edges).round(4))
    csv.write_csv(pa.table(columns), path, csv.WriteOptions(quoting_style="none"))


def measure(reader: str, path: Path, tiny: Path) -> dict[str, Any]:
    """One reader in a process of its own."""
    program = PROGRAM.format(setup=READERS[reader])
    environment = {**os.environ, **ONE_THREAD}
    arguments = [sys.executable, "-c", program, str(path), str(tiny)]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def measure_file(folder: Path, kind: str, size: str, repeats: int) -> dict[str, dict[str, Any]]:
    """The least of each reader's runs, which take turns."""
    path, tiny = folder / f"{kind}-{size}.csv", folder / f"{kind}-tiny.csv"
    write_edges(path, kind, *SIZES[size])
    write_edges(tiny, kind, 10, 5)
    readers = [name for name in READERS if name != "networkx" or size == "1M"]  # it takes 1 KB per edge
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in readers}
    for _ in range(repeats):
        for name in readers:
            runs[name].append(measure(name, path, tiny))
            print(kind, size, name, runs[name][-1], flush=True)
    path.unlink()
    best = {name: {key: min(run[key] for run in runs[name]) for key in runs[name][0]} for name in readers}
    graphs = {point["graph"] for point in best.values()} - {""}
    if len(graphs) != 1:
        raise SystemExit(f"{kind}, {size}: the readers disagree about the graph.")
    return best


def write(points: dict[str, Any]) -> None:
    rows = []
    for name, measured in points.items():
        floor = measured["parser alone"]["again"]
        rows += [
            [name, reader, point["first"], point["again"], point["again"] / floor, round(point["peak_mib"])]
            for reader, point in measured.items()
        ]
    columns = ["file", "reader", "CPU s, first", "CPU s, again", "times the parser alone", "peak MiB"]
    write_results(
        "read_edges",
        title="Reading edge lists",
        about="A CSV of edges becomes a graph: CSR and node ids, the same to the bit whichever reader. Processor seconds on "
        "one thread; the first read includes importing numba, polars or DuckDB.",
        command="python benchmarks/read_edges.py",
        tables=[{"caption": "Words are ids like user_123456.", "columns": columns, "rows": rows}],
        notes=NOTES,
        points=points,
        environment={name: version(name) for name in ("pyarrow", "polars", "duckdb", "numba", "networkx")},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--sizes", nargs="+", choices=list(SIZES), default=list(SIZES))
    options = parser.parse_args()
    points = read_points("read_edges")
    with tempfile.TemporaryDirectory() as folder:
        for size in options.sizes:
            for kind in KINDS:
                name = f"{kind}, {size} edges"
                points[name] = {**points.get(name, {}), **measure_file(Path(folder), kind, size, options.repeats)}
                write(points)


if __name__ == "__main__":
    main()
