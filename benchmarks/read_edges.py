"""Reading a CSV of edges into a graph: our reader, pyarrow's parser alone, polars and DuckDB.

    python benchmarks/read_edges.py [--repeats 5]

Three files of 4 million edges between half a million nodes: integers (ints), words (words, ids like user_123456) and words
with a weight (weights). Every reader returns the same graph, CSR and node ids, which a checksum of both confirms.

- parser alone: pyarrow's CSV reader, no graph. The least that any reader built on it can take.
- Arrow: sparsecut without numba. pyarrow parses, Arrow's dictionary encoding numbers the ids.
- Arrow and one loop: sparsecut with numba (extra `fast`): pyarrow parses, one compiled loop numbers the words.
- numpy: as Arrow, but `np.unique` numbers the words.
- polars, DuckDB: their CSV reader in place of pyarrow's, ids numbered by Arrow.
- compiled parser: loops compiled by numba that parsed the text and numbered its words in one pass on several threads, and
  sorted the entries of the adjacency: 1,010 lines. The code is gone; its measurements, of the run below, are kept.

All readers take turns in one process, so that other programs on the machine disturb all of them alike. Figures are processor
seconds on one thread, the least of a few turns; each reader has read a small file first, so numba is imported and compiled.

What was decided by it:

- One loop behind pyarrow's parser stays, where numba is installed: words are read in a half to three quarters of Arrow's
  time. Integers need no loop.
- The compiled parser went. It took 0.4 of the time of the one loop on words alone, 0.6 with weights, and gained nothing on
  integers: half a second of four million edges, whose embedding takes many. It was a second reader, to be kept equal to the
  first in all that a file can hold.
- polars and DuckDB are not taken up: what they save in parsing is less than what numbering costs. `np.unique` sorts, which
  is slower than hashing.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.metadata import version
from pathlib import Path
from typing import Any
from unittest import mock

os.environ |= {"OMP_NUM_THREADS": "1", "POLARS_MAX_THREADS": "1", "NUMBA_NUM_THREADS": "1"}

import numpy as np
import pyarrow as pa
from pyarrow import csv

import sparsecut as sc
from results_file import read_points, write_results
from sparsecut.io import graphs
from sparsecut.io.edges import edges, numbering

N_EDGES, N_NODES = 4_000_000, 500_000
KINDS = ("ints", "words", "weights")
NEVER, ALWAYS = 2**62, 0
NOTES = [
    "`compiled parser` was 1,010 lines of loops compiled by numba, which parsed the text themselves. They were deleted "
    "after this measurement and cannot be measured again.",
]


def with_polars(path: Path, kind: str, layout: Any, *_: Any) -> Any:
    import polars

    frame = polars.read_csv(path, has_header=layout.has_header, separator=layout.separator, infer_schema=False)
    return frame.to_arrow(compat_level=polars.CompatLevel.oldest()).rename_columns(list(layout.names))


def with_duckdb(path: Path, kind: str, layout: Any, *_: Any) -> Any:
    import duckdb

    connection = duckdb.connect(config={"threads": 1})
    connection.execute("SET enable_progress_bar = false")
    query = f"SELECT * FROM read_csv('{path}', header={layout.has_header}, delim='{layout.separator}', all_varchar=true)"
    return connection.sql(query).to_arrow_table().rename_columns(list(layout.names))


def by_unique(columns: Any) -> Any:
    """`number_words` by sorting: the order of first appearance is that of the first rows."""
    words = pa.chunked_array([chunk for column in columns for chunk in column.chunks]).combine_chunks()
    found, firsts, positions = np.unique(words.to_numpy(zero_copy_only=False), return_index=True, return_inverse=True)
    order = np.argsort(firsts)
    rank = np.empty(len(order), dtype=np.int32)
    rank[order] = np.arange(len(order))
    ends = np.cumsum([len(column) for column in columns])[:-1]
    return np.split(rank[positions], ends), pa.array(found[order], pa.large_string())


@contextmanager
def replaced(*changes: tuple[Any, str, Any], rows: int = NEVER) -> Iterator[None]:
    """Parts of the reader exchanged; `rows` from which on the loop numbers words."""
    with mock.patch.object(numbering, "MIN_LOOP_ROWS", rows):
        patches = [mock.patch.object(*change) for change in changes]
        for patch in patches:
            patch.start()
        try:
            yield
        finally:
            for patch in patches:
                patch.stop()


def read(path: Path, *changes: tuple[Any, str, Any], rows: int = NEVER) -> Any:
    with replaced(*changes, rows=rows):
        return sc.read_graph(path)


READERS: dict[str, Callable[[Path], Any]] = {
    "parser alone": csv.read_csv,
    "Arrow": read,
    "Arrow and one loop": lambda path: read(path, rows=ALWAYS),
    "numpy": lambda path: read(path, (edges, "number_words", by_unique)),
    "polars": lambda path: read(path, (graphs, "read_text", with_polars)),
    "DuckDB": lambda path: read(path, (graphs, "read_text", with_duckdb)),
}


def write_edges(path: Path, kind: str, n_edges: int, n_nodes: int) -> None:
    """Random edges between nodes whose numbers are in no order."""
    generator = np.random.default_rng(0)
    numbers = generator.permutation(np.arange(100_000, 100_000 + n_nodes))
    names = pa.array(numbers) if kind == "ints" else pa.array([f"user_{number}" for number in numbers])
    columns = {end: names.take(pa.array(generator.integers(0, n_nodes, n_edges))) for end in ("source", "target")}
    if kind == "weights":
        columns["weight"] = pa.array(generator.random(n_edges).round(4))
    csv.write_csv(pa.table(columns), path, csv.WriteOptions(quoting_style="none"))


def digest(graph: Any) -> str:
    """A checksum of a graph's arrays and ids; "" of anything else."""
    A = getattr(graph, "adjacency", None)
    if A is None:
        return ""
    ids = "\n".join(map(str, graph.node_ids.tolist())).encode()
    return hashlib.sha256(A.indptr.tobytes() + A.indices.tobytes() + A.data.tobytes() + ids).hexdigest()[:16]


def measure_file(folder: Path, kind: str, repeats: int) -> dict[str, Any]:
    """The least processor seconds of each reader; they take turns."""
    path, tiny = folder / f"{kind}.csv", folder / f"{kind}-tiny.csv"
    write_edges(path, kind, N_EDGES, N_NODES)
    write_edges(tiny, kind, 10_000, 5_000)
    seconds: dict[str, list[float]] = {name: [] for name in READERS}
    found = set()
    for turn in range(repeats + 1):  # the first one on a small file
        for name, reader in READERS.items():
            if name == "numpy" and (kind != "words" or turn > 1):  # once is enough to see that it is the slowest
                continue
            started = time.process_time()
            graph = reader(path if turn else tiny)
            taken = time.process_time() - started
            if turn:
                seconds[name].append(taken)
                print(f"{kind}  {name}  {taken:.2f}", flush=True)
            if turn == 1:
                found.add(digest(graph))
            del graph
    path.unlink()
    if len(found - {""}) != 1:
        raise SystemExit(f"{kind}: the readers disagree about the graph.")
    return {name: min(turns) for name, turns in seconds.items() if turns}


def write(points: dict[str, Any]) -> None:
    rows = [
        [kind, reader, taken, taken / measured["parser alone"], taken / measured["Arrow"]]
        for kind, measured in points.items()
        for reader, taken in measured.items()
    ]
    write_results(
        "read_edges",
        title="Reading edge lists",
        about="A CSV of 4 million edges becomes a graph: CSR and node ids, the same to the bit whichever reader. Processor "
        "seconds on one thread, all readers in turn in one process.",
        command="python benchmarks/read_edges.py",
        tables=[
            {
                "caption": "Words are ids like user_123456.",
                "columns": ["ids", "reader", "CPU s", "times the parser alone", "times Arrow"],
                "rows": rows,
            }
        ],
        notes=NOTES,
        points=points,
        environment={name: version(name) for name in ("pyarrow", "polars", "duckdb", "numba")},
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    options = parser.parse_args()
    points = read_points("read_edges")
    with tempfile.TemporaryDirectory() as folder:
        for kind in options.kinds:
            points[kind] = {**points.get(kind, {}), **measure_file(Path(folder), kind, options.repeats)}
            write(points)


if __name__ == "__main__":
    main()
