"""`-` for standard input and output, in real pipes."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

import numpy as np
import pyarrow.csv
import pytest

import prepared
from packing import pack
from shell import sparsecut
from sparsecut import read_embedding, read_graph, write_embedding
from sparsecut.io.opening import PACKED_SUFFIXES

pytestmark = pytest.mark.slow


def pipe(line: str, folder: Path, given: bytes = b"", executable: str | None = None) -> subprocess.CompletedProcess[bytes]:
    command = line.replace("sparsecut", f"{executable or prepared.python()} -m sparsecut")
    return subprocess.run(
        ["bash", "-o", "pipefail", "-c", command], input=given, capture_output=True, cwd=folder, timeout=300, check=False
    )


def test_edges_come_in_and_nothing_but_vectors_goes_out(folder: Path) -> None:
    done = pipe("cat edges.csv | sparsecut embed - --features features.csv --dimension 2 -o -", folder)
    assert done.returncode == 0, done.stderr
    table = pyarrow.csv.read_csv(io.BytesIO(done.stdout))  # fails on a word among the rows
    assert table.column_names == ["id", "z0", "z1"]
    sparsecut("embed", "edges.csv", "--features", "features.csv", "--dimension", 2, "-o", "z.parquet", folder=folder)
    Z, ids = read_embedding(folder / "z.parquet")
    assert table["id"].to_pylist() == ids.tolist()
    assert np.array_equal(np.column_stack([table["z0"], table["z1"]]).astype(np.float32), Z)
    assert "6 nodes × 2 dimensions" in done.stderr.decode()
    assert "Edges: standard input, separated by commas" in done.stderr.decode()


def test_commands_stand_one_after_another(folder: Path) -> None:
    done = pipe(
        "sparsecut embed edges.csv --features features.csv --dimension 2 -q -o - | sparsecut evaluate - --task cluster "
        "--clusters 2 -q -o - | sort | tail -n 2",
        folder,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == b""
    assert [line.split(b",")[0] for line in done.stdout.splitlines()] == [b'"fay"', b'"id"']
    near = pipe("sparsecut neighbors - p3 -k 2 --json", folder, vectors_of("npy", folder))
    assert [len(found["ids"]) for found in json.loads(near.stdout)["neighbors"]] == [2] if near.returncode == 0 else near


def vectors_of(suffix: str, folder: Path) -> bytes:
    ids = [f"p{number}" for number in range(9)]
    path = folder / f"given.{suffix}"
    write_embedding(path, np.random.default_rng(0).normal(size=(9, 3)), ids, overwrite=True)
    return path.read_bytes()


@pytest.fixture
def given(monkeypatch):
    """Set what standard input holds, in this process."""

    def give(data: bytes) -> None:
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


@pytest.mark.parametrize("suffix", ["parquet", "npz", "csv", "w2v"])
def test_an_embedding_is_told_by_its_first_bytes(run, given, suffix: str, tmp_path: Path) -> None:
    given(vectors_of(suffix, tmp_path))
    code, out, error = run("neighbors", "-", "p3", "-k", 2, "--json")
    assert code == 0, error
    expected = json.loads(run("neighbors", tmp_path / f"given.{suffix}", "p3", "-k", 2, "--json")[1])
    assert json.loads(out)["neighbors"] == expected["neighbors"]


@pytest.mark.parametrize(
    "edges",
    [
        b"a,b\nb,c\nc,d\nd,a\na,c\n",
        b"a\tb\nb\tc\nc\td\nd\ta\na\tc\n",
        b'{"nodes": [{"id": "a"}, {"id": "b"}, {"id": "c"}, {"id": "d"}], "links": [{"source": "a", "target": "b"}, '
        b'{"source": "b", "target": "c"}, {"source": "c", "target": "d"}, {"source": "d", "target": "a"}, '
        b'{"source": "a", "target": "c"}]}',
    ],
    ids=["commas", "tabs", "json"],
)
def test_edges_are_told_by_their_first_bytes(run, given, edges: bytes, tmp_path: Path) -> None:
    given(edges)
    code, _, error = run("partition", "-", "--cut", "-o", tmp_path / "cut.csv")
    assert code == 0, error
    assert "Graph(4 nodes, 5 edges)" in error
    assert read_graph_ids(tmp_path / "cut.csv") == ["a", "b", "c", "d"]


def read_graph_ids(path: Path) -> list[str]:
    return sorted(pyarrow.csv.read_csv(path)["id"].to_pylist())


def test_a_compressed_edge_list_is_read(run, given, folder: Path) -> None:
    import gzip

    given(gzip.compress((folder / "edges.csv").read_bytes()))
    code, _, error = run("partition", "-", "--parts", 2, "-o", folder / "parts.csv")
    assert code == 0, error
    assert f"Graph({read_graph(folder / 'edges.csv').n_nodes} nodes, 6 edges)" in error


@pytest.mark.parametrize(
    ("words", "data", "message"),
    [
        (("embed", "-", "-o", "z.npy"), b"", "Standard input has no data for the edges."),
        (("embed", "-", "-o", "z.npy"), b"a,b\nb\n", "standard input"),
        (("embed", "-", "--engine", "disk", "-o", "z.npy"), b"a,b\n", "Name a file in place of -."),
        (("embed", "digits", "--json", "-o", "-"), b"", "--json and -o - would both write to standard output."),
        (("evaluate", "-", "--task", "health"), b"a,b\n", "standard input"),
        (("evaluate", "z.csv", "--task", "health", "-o", "x.csv"), b"", "The task health has no output but its figures."),
    ],
)
def test_what_cannot_be_is_one_sentence(
    run, given, words: tuple[str, ...], data: bytes, message: str, tmp_path, monkeypatch
) -> None:
    monkeypatch.chdir(tmp_path)
    given(data)
    code, out, error = run(*words)
    assert (code, out) == (2, "")
    assert message in error
    assert "/tmp" not in error
    assert not [*tmp_path.iterdir()]


def test_a_reader_that_goes_away_ends_the_command_without_a_word(folder: Path) -> None:
    done = pipe("sparsecut embed digits -q -o - | head -n 1", folder, executable=sys.executable)
    assert done.stdout.startswith(b'"id","z0"')
    assert b"Traceback" not in done.stderr
    assert b"Error" not in done.stderr


@pytest.fixture
def full() -> Iterator[TextIO]:
    """Standard output on a full disk."""
    if not Path("/dev/full").exists():
        pytest.skip("this system has no /dev/full")
    with Path("/dev/full").open("w") as file:
        yield file


NOT_WRITTEN = "Error: Standard output could not be written: No space left on device."


@pytest.mark.parametrize(
    "words",
    [
        ["--help"],
        ["datasets"],
        ["embed", "edges.csv", "--use", "structure", "--dimension", "2", "-o", "-"],
        ["embed", "edges.csv", "--use", "structure", "--dimension", "2", "--json", "-o", "vectors.csv"],
    ],
    ids=" ".join,
)
def test_standard_output_on_a_full_disk(run, words: list[str], full: TextIO, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdout", full)
    Path("edges.csv").write_text(EDGES)
    code, _, error = run(*words)
    assert error.strip().splitlines()[-1] == NOT_WRITTEN
    assert code == 74
    assert "defect" not in error


def test_standard_output_of_a_process_on_a_full_disk(full: TextIO) -> None:
    """What Python still has to write when it ends is no second error."""
    command, environment = [sys.executable, "-m", "sparsecut", "info"], {**os.environ, "NO_COLOR": "1"}
    done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False, env=environment)
    *_, last = done.stderr.strip().splitlines()
    assert (done.returncode, last) == (74, NOT_WRITTEN)
    assert "Traceback" not in done.stderr
    assert "defect" not in done.stderr


EDGES = "source,target\n" + "".join(f"n{n},n{(n + 1) % 40}\n" for n in range(40))
STRUCTURE = ("embed", "-", "--use", "structure", "--dimension", "2", "-o")


@pytest.fixture(scope="module")
def not_packed(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """What is written of the edges in a file that is not packed."""
    path = tmp_path_factory.mktemp("plain") / "edges.csv"
    path.write_text(EDGES)
    sparsecut("embed", path, *STRUCTURE[2:], "z.csv", folder=path.parent)
    return (path.parent / "z.csv").read_bytes()


@pytest.mark.parametrize("suffix", PACKED_SUFFIXES)
def test_packed_text_on_standard_input(run, given, suffix: str, not_packed: bytes, tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(EDGES)
    given(pack(path, suffix).read_bytes())
    code, _, error = run(*STRUCTURE, tmp_path / "z.csv")
    assert code == 0, error
    assert (tmp_path / "z.csv").read_bytes() == not_packed


def test_packed_text_through_the_standard_input_of_a_process(not_packed: bytes, tmp_path: Path) -> None:
    path = tmp_path / "edges.csv"
    path.write_text(EDGES)
    with pack(path, ".gz").open("rb") as edges:
        command = [prepared.python(), "-m", "sparsecut", *STRUCTURE, "-"]
        assert subprocess.run(command, stdin=edges, capture_output=True, check=True).stdout == not_packed
    assert not_packed.startswith(b'"id","z0","z1"\n"n0",')
