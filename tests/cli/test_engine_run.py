"""`--engine disk` as a person asks for it."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import prepared
from shell import sparsecut
from sparsecut import load, read_embedding


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    generator = np.random.default_rng(0)
    names = np.array([f"page-{number}" for number in range(80)])
    i, j = generator.integers(0, 80, (2, 400))
    features = generator.normal(size=(80, 6)).astype(np.float32)
    pyarrow.parquet.write_table(pa.table({"source": i, "target": j}), tmp_path / "edges.parquet")
    pyarrow.parquet.write_table(pa.table({"source": names[i], "target": names[j]}), tmp_path / "links.parquet")
    np.save(tmp_path / "features.npy", features)
    columns = {f"f{column}": features[:, column] for column in range(6)}
    pyarrow.parquet.write_table(pa.table({"id": names, **columns}), tmp_path / "pages.parquet")
    (tmp_path / "edges.csv").write_text("".join(f"{a},{b}\n" for a, b in zip(i, j, strict=True)))
    return tmp_path


ON_DISK = ("--engine", "disk", "--memory-limit", "1GiB")


@pytest.mark.slow
@pytest.mark.parametrize("output", ["z.npy", "z.parquet"])
@pytest.mark.parametrize(
    ("edges", "features"),
    [("edges.parquet", "features.npy"), ("links.parquet", "pages.parquet"), ("edges.csv", "features.npy")],
)
def test_embed_on_disk_gives_what_memory_gives(edges: str, features: str, output: str, folder: Path) -> None:
    before = {path.name for path in folder.iterdir()}
    sparsecut("embed", edges, "--features", features, "-o", "memory.parquet", folder=folder)
    done = sparsecut("embed", edges, "--features", features, *ON_DISK, "-o", output, "--json", folder=folder)
    said = json.loads(done.stdout)
    Z, ids = read_embedding(folder / output)
    expected, expected_ids = read_embedding(folder / "memory.parquet")
    assert (said["n_nodes"], said["dimension"]) == Z.shape
    assert (ids == expected_ids).all()
    np.testing.assert_allclose(Z, expected, atol=1e-4)
    made = {"memory.parquet", output} | ({"z.ids.npy"} if output == "z.npy" else set())
    assert {path.name for path in folder.iterdir()} == before | made


def test_a_model_is_saved_and_transforms_on_disk(folder: Path) -> None:
    given = ("edges.parquet", "--features", "features.npy", *ON_DISK)
    sparsecut("embed", *given, "-o", "z.npy", "--save-model", "m.safetensors", "--explain", folder=folder)
    assert load(folder / "m.safetensors").engine.scratch is None
    sparsecut("transform", "m.safetensors", *given, "-o", "again.parquet", folder=folder)
    sparsecut("transform", "m.safetensors", *given[:3], "-o", "memory.npy", folder=folder)
    Z, _ = read_embedding(folder / "z.npy")
    for name in ("again.parquet", "memory.npy"):
        np.testing.assert_allclose(read_embedding(folder / name).vectors, Z, atol=1e-4)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (
            ("--engine", "tape"),
            "parameter of sparsecut must be one of 'auto', 'dask', 'disk', 'memory'. Got 'tape' instead.",
        ),
        (
            ("--memory-limit", "1GB"),
            "--memory-limit is for --engine auto, dask or disk. Add that, or leave --memory-limit out.",
        ),
        (("--scratch", "."), "--scratch is for --engine auto, dask or disk. Add that, or leave --scratch out."),
        ((*ON_DISK, "-o", "z.csv"), "The output z.csv must end in .npy or .parquet with --engine disk."),
        ((*ON_DISK, "--missing", "zero"), "--missing needs the graph in memory. Leave it out, or use --engine memory."),
        ((*ON_DISK, "--memory-limit", "10MB"), "The memory_limit of build_store is too small for this graph: 10 MiB. It"),
        ((*ON_DISK, "--memory-limit", "lots"), "The --memory-limit parameter of sparsecut must be a number of bytes"),
        ((*ON_DISK, "--scratch", "nowhere"), "The scratch folder nowhere does not exist. Name a folder that can be"),
        ((*ON_DISK, "--method", "raw"), "The method raw has no engine to set. Leave --engine out."),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_wrong_options_are_one_sentence_and_leave_nothing(options: tuple[str, ...], words: str, folder: Path) -> None:
    before = sorted(folder.iterdir())
    done = sparsecut(
        "embed", "edges.parquet", "--features", "features.npy", "-o", "z.npy", *options, folder=folder, expect=2
    )
    assert words in done.stderr
    assert "Traceback" not in done.stderr
    assert sorted(folder.iterdir()) == before


def test_files_that_exist_are_replaced_only_by_force(folder: Path) -> None:
    given = ("embed", "edges.parquet", "--features", "features.npy", *ON_DISK, "-o", "z.npy")
    (folder / "z.npy").write_text("mine")
    done = sparsecut(*given, folder=folder, expect=2)
    assert "The output z.npy exists. Pass overwrite=True (--force) to replace it." in done.stderr
    assert (folder / "z.npy").read_text() == "mine"
    sparsecut(*given, "--force", folder=folder)
    assert len(read_embedding(folder / "z.npy").vectors) == 80


KILLED = """
import os, signal, sys
n_left, sync = 5, os.fsync
def kill_later(handle):
    global n_left
    n_left -= 1
    if n_left == 0:
        os.kill(os.getpid(), signal.SIGKILL)
    sync(handle)
os.fsync = kill_later
from sparsecut.cli import main
main()
"""


@pytest.mark.slow
def test_a_run_that_was_killed_is_resumed_and_says_so(folder: Path) -> None:
    given = ("embed", "edges.parquet", "--features", "features.npy", *ON_DISK, "-o", "z.npy")
    killed = subprocess.run([prepared.python(), "-c", KILLED, *given], cwd=folder, capture_output=True, check=False)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    assert b"Resumed" not in killed.stderr
    (work,) = folder.glob(".sparsecut-*")
    done = sparsecut(*given, folder=folder)
    assert f"Resumed: the same command was stopped before, and what it had finished is in {work}." in done.stderr
    assert not work.exists()
    resumed, _ = read_embedding(folder / "z.npy")
    again = sparsecut(*given, "--force", "--json", folder=folder)
    assert not any("Resumed" in note for note in json.loads(again.stdout)["notes"])
    assert np.array_equal(read_embedding(folder / "z.npy").vectors, resumed)
