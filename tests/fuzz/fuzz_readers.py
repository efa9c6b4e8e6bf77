"""Fuzz the readers: any bytes must give a graph or an `InputError`, soon and in little memory.

    python tests/fuzz/fuzz_readers.py text --seconds 600 [--engine atheris|mutate] [--crashes FOLDER]

Groups: text, words, columnar, matrices, archives, metis, documents, attributes, planetoid, embeddings, h5ad. `words` is text
whose words a compiled loop numbers, which must come to what Arrow comes to. atheris (pip install atheris) follows the
coverage of the Python code; `mutate` needs nothing and changes bytes of valid files at random. What either finds becomes a
test in tests/io/test_fuzzed.py.
"""

from __future__ import annotations

import argparse
import gzip
import io
import json
import pickle
import random
import resource
import shutil
import sys
import tempfile
import time
import warnings
from pathlib import Path
from typing import Any
from unittest import mock

MAX_SECONDS = 20.0
MAX_GROWTH = 1500  # MiB of memory that one input may add to the process


def seeds(group: str) -> list[bytes]:
    """Valid files of each format of a group. The first byte says which suffix of the group it has."""
    import numpy as np
    import pyarrow as pa
    import pyarrow.feather
    import pyarrow.parquet
    import scipy.sparse as sp
    from scipy.io import mmwrite, savemat

    def saved(save: object) -> bytes:
        buffer = io.BytesIO()
        save(buffer)  # type: ignore[operator]
        return buffer.getvalue()

    A = sp.csr_array(np.array([[0, 1, 0], [1, 0, 2], [0, 2, 0]], dtype=np.float32))
    edges = pa.table({"source": ["a", "b", "c"], "target": ["b", "c", "a"], "weight": [1.0, 2.0, 0.5]})
    numbers = pa.table({"u": [1, 2, 3], "v": [2, 3, 1]})
    csv = b"source,target,weight\na,b,1\nb,c,2.5\n"
    nodes = b"id,age,city,label\na,1,x,p\nb,,y,q\nc,3,,p\n"
    lists = pa.table({"id": ["a", "b"], "embedding": pa.array([[1, 2], [3, 4]], pa.list_(pa.float32(), 2))})
    parts = {f"adj_{name}": getattr(A, name) for name in ("data", "indices", "indptr", "shape")}
    graphml = b"""<graphml xmlns="http://graphml.graphdrawing.org/xmlns"><key id="d0" for="edge" attr.name="weight"
    attr.type="double"/><graph edgedefault="undirected"><node id="a"/><node id="b"/><edge source="a" target="b">
    <data key="d0">2.0</data></edge></graph></graphml>"""
    gml = b'graph [ directed 1 node [ id 0 label "a" ] node [ id 1 label "b" ] edge [ source 0 target 1 weight 2 ] ]'
    link = json.dumps({"nodes": [{"id": 1}, {"id": 2}], "links": [{"source": 1, "target": 2, "weight": 3}]}).encode()
    samples = {
        "text": [csv, b"1 2\n2 3\n\n# c\n3 1\n", b"\xef\xbb\xbfa;b\r\nb;c\r\n", b"1\t2\t0.5\n2\t3\t1\n", gzip.compress(csv),
                 b"a b {'weight': 4, 'x': \"it's\"}\nb c {}\n", b'follower,followee\n"a ", b\nb ,"c""d "\n'],
        "words": [csv, b"a\tb\nb\tc\n", b'source,target\r\n"a, b",c\r\nmore than one word,\xc3\xa9\r\n', b"x;y;2\n\nz;x;1",
                   b"gene1,gene2\nTP53,MYC\nMYC,AKT1\n"],
        "metis": [b"%c\n3 2 1\n2 5\n%d\n1 5 3 7\n2 7\n", b"4 2 110 2\n1 1 1 2\n1 1 1 1 3\n1 1 1 2\n1 1 1\n",
                  b"3 1\n2\n1\n\n", gzip.compress(b"2 1\n2\n1\n")],
        "columnar": [
            saved(lambda file: pyarrow.parquet.write_table(edges, file)),
            saved(lambda file: pyarrow.feather.write_feather(edges, file)),
            saved(lambda file: pyarrow.parquet.write_table(numbers, file, compression="gzip")),
        ],
        "matrices": [
            saved(lambda file: mmwrite(file, A)),
            saved(lambda file: savemat(file, {"network": A, "group": np.arange(3), "attrb": np.eye(3)}, do_compression=1)),
            saved(lambda file: savemat(file, {"A": A.toarray()})),
        ],
        "archives": [
            saved(lambda file: sp.save_npz(file, A)),
            saved(lambda file: np.savez(file, **parts, labels=np.arange(3), attr_matrix=np.eye(3))),
        ],
        "documents": [graphml, gml, link],
        "attributes": [
            nodes,
            saved(lambda file: np.save(file, np.eye(3))),
            saved(lambda file: np.savez(file, ids=np.array(["a", "b", "c"]), features=np.eye(3))),
            b'{"a": [1, 2], "b": [0], "c": []}',
            b'{"a": 1, "b": "x", "c": null}',
            saved(lambda file: pyarrow.parquet.write_table(pa.table({"id": ["a", "b", "c"], "x": [1, None, 3]}), file)),
        ],
        "planetoid": [pickle.dumps(value, 3) for value in ({0: [1, 2], 1: [0], 2: [0]}, np.eye(3), sp.csr_matrix(A))],
        "embeddings": [
            saved(lambda file: pyarrow.parquet.write_table(lists, file)),
            saved(lambda file: np.save(file, np.eye(3, dtype=np.float32))),
            saved(lambda file: np.savez(file, ids=np.arange(3), embedding=np.eye(3))),
            b"id,z0,z1\na,1,2\nb,3,4\n",
            b"2 2\na 1 2\nb 3 4\n",
            b"1\t2\n3\t4\n",
        ],
    }  # fmt: skip
    if group == "h5ad":
        samples["h5ad"] = anndata_files(A)
    suffixes = SUFFIXES[group]
    return [bytes([number]) + sample for sample in samples[group] for number in range(len(suffixes))]


SUFFIXES = {
    "text": (".csv", ".txt", ".tsv", ".csv.gz"),
    "words": (".csv", ".txt"),
    "metis": (".graph", ".metis", ".graph.gz"),
    "columnar": (".parquet", ".feather"),
    "matrices": (".mtx", ".mat", ".mtx.gz"),
    "archives": (".npz",),
    "documents": (".graphml", ".gml", ".json"),
    "attributes": (".csv", ".npy", ".npz", ".json", ".parquet", ".tsv"),
    "planetoid": ("",),
    "embeddings": (".parquet", ".npy", ".npz", ".csv", ".w2v", ".tsv"),
    "h5ad": (".h5ad",),
}
IN_CHILDREN = {"matrices", "h5ad"}  # read by a process each: a test has the time for a few


def anndata_files(A: Any) -> list[bytes]:
    """Cells with sparse and with dense features, labels and a graph."""
    import anndata
    import numpy as np
    import pandas as pd
    import scipy.sparse as sp

    obs = pd.DataFrame({"kind": pd.Categorical(["p", "q", "p"]), "size": [1.0, 2.0, 3.0]}, index=["a", "b", "c"])
    contents = []
    with tempfile.TemporaryDirectory() as folder:
        for X in (np.eye(3, dtype=np.float32), sp.csr_matrix(np.eye(3, dtype=np.float32))):
            path = Path(folder) / "cells.h5ad"
            anndata.AnnData(X, obs=obs, obsp={"connectivities": sp.csr_matrix(A)}).write_h5ad(path)
            contents.append(path.read_bytes())
    return contents


def read_both_ways(path: Path) -> None:
    """The compiled loop, with a table that grows at once, must come to what Arrow comes to."""
    from sparsecut.base.errors import InputError
    from sparsecut.io import graphs
    from sparsecut.io.edges import numbering

    def outcome() -> str:
        try:
            graph = graphs.read_graph(path)
        except InputError as error:
            return str(error)
        A = graph.adjacency
        arrays = (graph.node_ids, A.data, A.indices, A.indptr)
        return str([graph.notes, *((array.dtype, array.tolist()) for array in arrays)])

    with mock.patch.object(numbering, "MIN_LOOP_ROWS", 1), mock.patch.object(numbering, "TABLE_ROWS", 8):
        by_loop = outcome()
    plainly = outcome()
    if by_loop != plainly:
        raise AssertionError(f"by the compiled loop {by_loop}, plainly {plainly}")


class Target:
    """Feeds bytes to the readers of a group."""

    def __init__(self, group: str, folder: Path, max_seconds: float = MAX_SECONDS) -> None:
        from sparsecut.base.errors import InputError
        from sparsecut.io import read_embedding, read_graph
        from sparsecut.io.formats.unpickling import unpickle_planetoid
        from sparsecut.io.nodes.attributes import read_labels

        self.group, self.folder, self.n_runs, self.n_read = group, folder, 0, 0
        self.InputError, self.max_seconds = InputError, max_seconds
        self.edges = folder / "fixed_edges.csv"
        self.edges.write_text("source,target\na,b\nb,c\n")
        graph_readers = [read_graph]
        self.readers = {
            "attributes": [lambda path: read_graph(self.edges, features=path, missing="zero"), read_labels],
            "words": [read_both_ways],
            "planetoid": [unpickle_planetoid],
            "embeddings": [read_embedding],
        }.get(group, graph_readers)

    def __call__(self, data: bytes) -> None:
        if not data:
            return
        suffixes = SUFFIXES[self.group]
        path = self.folder / f"input{suffixes[data[0] % len(suffixes)]}"
        path.write_bytes(data[1:])
        self.n_runs += 1
        for read in self.readers:
            started, before = time.monotonic(), _peak()
            try:
                read(path)
                self.n_read += 1
            except self.InputError:
                pass
            if time.monotonic() - started > self.max_seconds:
                raise AssertionError(f"took {time.monotonic() - started:.0f} s")
            if _peak() - before > MAX_GROWTH:
                raise AssertionError(f"took {_peak() - before:.0f} MiB")


def _peak() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def mutate(data: bytes, generator: random.Random, pool: list[bytes]) -> bytes:
    """A few random changes: flip, cut, insert, repeat, splice, or a number made large."""
    changed = bytearray(data)
    for _ in range(generator.choice((1, 1, 2, 4, 16))):
        at = generator.randrange(1, len(changed) + 1) if len(changed) > 1 else 1
        kind = generator.randrange(8)
        if kind == 0 and at < len(changed):
            changed[at] ^= 1 << generator.randrange(8)
        elif kind == 1 and at < len(changed):
            changed[at] = generator.randrange(256)
        elif kind == 2:
            del changed[at : at + generator.randrange(1, 20)]
        elif kind == 3:
            changed[at:at] = bytes(generator.randrange(256) for _ in range(generator.randrange(1, 9)))
        elif kind == 4:
            changed[at:at] = changed[at : at + generator.randrange(1, 40)] * generator.randrange(1, 4)
        elif kind == 5:
            other = generator.choice(pool)
            cut = generator.randrange(1, len(other)) if len(other) > 1 else 1
            changed[at:] = other[cut:]
        elif kind == 6:
            words = (b",", b"\n", b'"', b"\t", b"-1", b"nan", b"1e999", b"99999999999999999999", b"\0", b"#", b"\xff" * 4)
            changed[at:at] = generator.choice(words)
        elif kind == 7 and at < len(changed):
            changed[at : at + 4] = generator.choice((b"\xff\xff\xff\x7f", b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\0\0\x80"))
    return bytes(changed[:65536])


def run_mutations(target: Target, pool: list[bytes], seconds: float, seed: int, crashes: Path) -> int:
    generator = random.Random(seed)
    deadline, n_crashes = time.monotonic() + seconds, 0
    while time.monotonic() < deadline:
        data = mutate(generator.choice(pool), generator, pool)
        (crashes / f"last-{target.group}").write_bytes(data)  # a crash of the process leaves its cause behind
        try:
            target(data)
        except BaseException as error:
            n_crashes += 1
            name = crashes / f"crash-{target.group}-{type(error).__name__}-{n_crashes}"
            name.write_bytes(data)
            print(f"CRASH {name}: {error!r}", flush=True)
            if isinstance(error, KeyboardInterrupt) or n_crashes > 20:
                break
    return n_crashes


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("group", choices=SUFFIXES)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--engine", choices=("atheris", "mutate"), default="mutate")
    parser.add_argument("--max-seconds", type=float, default=MAX_SECONDS, help="for one input")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--crashes", type=Path, default=Path("fuzz-crashes"))
    options = parser.parse_args()
    options.crashes.mkdir(parents=True, exist_ok=True)
    warnings.simplefilter("ignore")
    folder = Path(tempfile.mkdtemp(prefix="sparsecut-fuzz-"))
    started = time.monotonic()
    try:
        if options.engine == "atheris":
            import atheris

            with atheris.instrument_imports(include=["sparsecut", "networkx", "json", "scipy.io"]):
                target = Target(options.group, folder, options.max_seconds)
            corpus = folder / "corpus"
            corpus.mkdir()
            for number, seed in enumerate(seeds(options.group)):
                (corpus / str(number)).write_bytes(seed)
            prefix = f"{options.crashes}/atheris-{options.group}-"
            limits = [
                f"-max_total_time={options.seconds:.0f}",
                f"-timeout={options.max_seconds:.0f}",
                "-rss_limit_mb=3000",
                "-max_len=65536",
            ]
            atheris.Setup([sys.argv[0], *limits, f"-artifact_prefix={prefix}", str(corpus)], target)
            atheris.Fuzz()
        else:
            target = Target(options.group, folder, options.max_seconds)
            n_crashes = run_mutations(target, seeds(options.group), options.seconds, options.seed, options.crashes)
            seconds = time.monotonic() - started
            print(
                f"{options.group}: {target.n_runs:,} inputs in {seconds:.0f} s, {target.n_read:,} read, "
                f"{n_crashes} crashes, peak memory {_peak():.0f} MiB",
                flush=True,
            )
    finally:
        shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main()
