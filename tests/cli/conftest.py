"""Files that tests of several commands read."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

from cli_files import N_NODES, WORDS
from sparsecut import write_embedding
from sparsecut.cli import main


@pytest.fixture
def run(monkeypatch, capsys):
    """Run a command line; (exit code, standard output, standard error)."""

    def call(*words: object) -> tuple[int, str, str]:
        monkeypatch.setattr(sys, "argv", ["sparsecut", *map(str, words)])
        with pytest.raises(SystemExit) as ended:
            main()
        captured = capsys.readouterr()
        return int(ended.value.code or 0), captured.out, captured.err

    return call


@pytest.fixture
def vectors(tmp_path):
    """An embedding of nodes n0 … n239 in four classes, its path and its labels."""
    generator = np.random.default_rng(0)
    classes = generator.permutation(np.arange(N_NODES) % 4)
    Z = (generator.normal(size=(4, 12))[classes] + generator.normal(size=(N_NODES, 12))).astype(np.float32)
    ids = np.array([f"n{number}" for number in range(N_NODES)])
    path = tmp_path / "vectors.parquet"
    write_embedding(path, Z, ids)
    return path, Z, ids, np.array(["red", "green", "blue", "grey"])[classes]


@pytest.fixture
def edges(tmp_path, vectors):
    """A ring through the nodes of each class."""
    _, _, ids, labels = vectors
    lines = ["source,target"]
    for name in np.unique(labels):
        members = ids[labels == name]
        lines += [f"{a},{b}" for a, b in zip(members, np.roll(members, 1), strict=True)]
    path = tmp_path / "edges.csv"
    path.write_text("\n".join(lines) + "\n")
    return path


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A ring of six people with features and labels in CSV files."""
    ring = [f"{name},{WORDS[(position + 1) % 6]}" for position, name in enumerate(WORDS)]
    (tmp_path / "edges.csv").write_text("source,target\n" + "\n".join(ring) + "\n")
    features = np.random.default_rng(0).normal(size=(6, 4)).round(3)
    rows = [",".join([name, *map(str, row)]) for name, row in zip(WORDS, features, strict=True)]
    (tmp_path / "features.csv").write_text("id,a,b,c,d\n" + "\n".join(rows) + "\n")
    (tmp_path / "labels.csv").write_text(
        "id,label\n" + "\n".join(f"{n},{'x' if i < 3 else 'y'}" for i, n in enumerate(WORDS))
    )
    return tmp_path


@pytest.fixture
def thirty(tmp_path: Path) -> tuple[Path, np.ndarray, list[str]]:
    """An embedding of thirty nodes, p0 … p29, in z.parquet: its folder, vectors and ids."""
    Z = np.random.default_rng(0).normal(size=(30, 4)).astype(np.float32)
    ids = [f"p{number}" for number in range(30)]
    write_embedding(tmp_path / "z.parquet", Z, ids)
    return tmp_path, Z, ids
