"""The commands as a person runs them: real processes, real files, wrong input."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from conftest import random_graph
from shell import sparsecut
from sparsecut import SCE, load, read_embedding
from sparsecut.version import __version__

WORDS = ["ada", "bob", "cyd", "dan", "eve", "fay"]


def test_a_real_process_ends_with_a_sentence_and_no_traceback(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "sparsecut", "embed", "nothing.csv", "-o", "z.npy"]
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, timeout=300, check=False)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("Error: The edge file nothing.csv does not exist.")
    assert len(done.stderr.splitlines()) == 1


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


def test_version_and_help(tmp_path: Path) -> None:
    assert sparsecut("--version", folder=tmp_path).stdout.strip() == f"sparsecut {__version__}"
    assert "embed" in sparsecut("--help", folder=tmp_path).stdout
    assert "--save-model" in sparsecut("embed", "--help", folder=tmp_path).stdout


def test_completion_is_offered(tmp_path: Path) -> None:
    assert "--install-completion" in sparsecut("--help", folder=tmp_path).stdout


@pytest.mark.parametrize("suffix", ["parquet", "npy", "npz", "csv"])
def test_embed_writes_what_python_computes_with_the_ids(folder: Path, suffix: str) -> None:
    sparsecut("embed", "edges.csv", "-f", "features.csv", "--no-scale", "-o", f"z.{suffix}", "--seed", "3", folder=folder)
    Z, ids = read_embedding(folder / f"z.{suffix}")
    assert list(ids) == WORDS
    rows = [line.split(",") for line in (folder / "features.csv").read_text().splitlines()[1:]]
    features = np.array([row[1:] for row in rows], dtype=np.float32)
    adjacency = np.roll(np.eye(6), 1, axis=1) + np.roll(np.eye(6), -1, axis=1)
    assert np.allclose(Z, SCE(random_state=3).fit(adjacency, features=features).embedding_, atol=1e-5)


def test_embed_save_and_transform_nodes_that_came_later(folder: Path) -> None:
    command = ("embed", "edges.csv", "-f", "features.csv", "-o", "z.npy", "--save-model", "m.safetensors")
    sparsecut(*command, "--epochs", 2, "--no-scale", folder=folder)
    (folder / "new_edges.csv").write_text("source,target\nada,zoe\n")
    (folder / "new_features.csv").write_text("id,a,b,c,d\nzoe,1,0,0,0\nada,0,1,0,0\n")
    sparsecut("transform", "m.safetensors", "new_edges.csv", "-f", "new_features.csv", "-o", "new.parquet", folder=folder)
    Z, ids = read_embedding(folder / "new.parquet")
    assert list(ids) == ["zoe", "ada"]
    mean = (load(folder / "m.safetensors").weights_[0][:2]).mean(axis=0)  # both nodes average over both
    assert np.allclose(Z, [mean, mean], atol=1e-5)


def test_json_is_one_object_and_quiet_is_quiet(folder: Path) -> None:
    arguments = ("embed", "edges.csv", "-f", "features.csv", "-o")
    done = sparsecut(*arguments, "z.npz", "--json", "--method", "mosce", "--epochs", 3, folder=folder)
    result = json.loads(done.stdout)
    assert (result["n_nodes"], result["dimension"], len(result["history"]["loss"])) == (6, 4, 3)
    assert done.stderr == ""
    done = sparsecut(*arguments, "y.npz", "--quiet", folder=folder)
    assert (done.stdout, done.stderr) == ("", "")


def test_embed_says_how_it_read_the_edges(folder: Path) -> None:
    done = sparsecut("embed", "edges.csv", "-f", "features.csv", "-o", "z.npy", folder=folder)
    assert "source in column 'source', target in column 'target'" in done.stderr
    assert "6 nodes × 4 dimensions" in done.stdout


def test_embed_and_evaluate_a_dataset(tmp_path: Path) -> None:
    sparsecut("embed", "digits", "-o", "z.parquet", folder=tmp_path)
    done = sparsecut(
        "evaluate", "z.parquet", "--labels", "digits", "--per-class", 5, "--splits", 5, "--json", folder=tmp_path
    )
    scores = json.loads(done.stdout)
    assert scores["probe"] == "paper"
    assert 88 < scores["per_class"]["5"]["accuracy"] < 99


def test_paper_settings_from_the_command_line(folder: Path) -> None:
    arguments = ("embed", "edges.csv", "-f", "features.csv", "-o", "z.npz", "--force", "--json", "--dimension", 3, "--paper")
    assert len(json.loads(sparsecut(*arguments, "cora", folder=folder).stdout)["history"]["loss"]) == 20
    done = sparsecut(*arguments, "imdb", folder=folder, expect=2)
    assert "The paper has no settings for 'imdb'" in done.stderr


def test_demo(tmp_path: Path) -> None:
    result = json.loads(sparsecut("demo", "--json", folder=tmp_path).stdout)
    raw, embedded = result["scores"]["raw features"], result["scores"]["SCE"]
    for n_labels in ("5", "20"):
        assert embedded[n_labels]["accuracy"] > raw[n_labels]["accuracy"]
    assert result["peak_memory_bytes"] > 0
    Z, ids = read_embedding(tmp_path / "sparsecut-demo" / "embedding.parquet")
    assert len(ids) == len(Z) == 1797
    assert (tmp_path / "sparsecut-demo" / "report.html").read_bytes().startswith(b"<!doctype html>")


def test_datasets_lists_and_describes(tmp_path: Path) -> None:
    assert "cora" in sparsecut("datasets", folder=tmp_path).stdout
    assert "1,797 nodes, 12,339 edges, 64 features, 10 classes" in sparsecut("datasets", "digits", folder=tmp_path).stdout
    assert "There is no dataset 'imdb'" in sparsecut("datasets", "imdb", folder=tmp_path, expect=2).stderr


WRONG = {
    "a missing file": (["embed", "nothing.csv", "-o", "z.npy"], "The edge file nothing.csv does not exist"),
    "neither file nor dataset": (["embed", "nothing", "-o", "z.npy"], "nothing is neither a file nor a dataset"),
    "a directory": (["embed", "folder.csv", "-o", "z.npy"], "The edge file folder.csv is a directory"),
    "missing features": (["embed", "edges.csv", "-f", "no.csv", "-o", "z.npy"], "The features file no.csv does not exist"),
    "an unknown suffix": (["embed", "edges.csv", "-f", "features.csv", "-o", "z.xls"], "must end in .parquet"),
    "an absent folder": (["embed", "edges.csv", "-f", "features.csv", "-o", "no/z.npy"], "no does not exist. Make it first"),
    "a folder as output": (["embed", "edges.csv", "-f", "features.csv", "-o", "folder.csv"], "folder.csv is a directory"),
    "dimension 0": (
        ["embed", "edges.csv", "-f", "features.csv", "-o", "z.npy", "--dimension", "0"],
        "The dimension parameter of SCE must be an integer of at least 1. Got 0 instead.",
    ),
    "an unknown method": (
        ["embed", "edges.csv", "-f", "features.csv", "-o", "z.npy", "--method", "svd"],
        "There is no method 'svd'. There are: sce, mosce",
    ),
    "a method that predicts": (
        ["embed", "digits", "-o", "z.npy", "--method", "gcn"],
        "The method gcn predicts labels from labels and does not embed: see its accuracy with sparsecut compare",
    ),
    "an unknown device": (["embed", "digits", "-o", "z.npy", "--device", "tpu"], "The device parameter of SCE must be"),
    "features of a dataset": (["embed", "digits", "-f", "features.csv", "-o", "z.npy"], "has its own features"),
    "no model": (["transform", "no.safetensors", "digits", "-o", "z.npy"], "The model file no.safetensors does not exist"),
    "not a model": (["transform", "edges.csv", "digits", "-o", "z.npy"], "no model could be read from it"),
    "no embedding": (["evaluate", "no.parquet", "--labels", "labels.csv"], "The embedding file no.parquet does not exist"),
    "an unknown experiment": (["reproduce", "table9"], "must be one of 'table1'"),
    "no such option": (["embed", "edges.csv", "--speed", "9"], "No such option"),
}


@pytest.mark.parametrize("case", WRONG)
def test_wrong_input_is_one_sentence_and_exit_code_2(folder: Path, case: str) -> None:
    (folder / "folder.csv").mkdir()
    arguments, message = WRONG[case]
    before = sorted(folder.iterdir())
    done = sparsecut(*arguments, folder=folder, expect=2)
    assert message in done.stderr
    assert done.stdout == ""
    assert sorted(folder.iterdir()) == before  # nothing half-written


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_an_unwritable_output(folder: Path) -> None:
    (folder / "closed").mkdir(mode=0o555)
    done = sparsecut("embed", "edges.csv", "-f", "features.csv", "-o", "closed/z.npy", folder=folder, expect=2)
    assert "cannot be written: Permission denied" in done.stderr


def test_an_output_the_system_refuses(folder: Path) -> None:
    done = sparsecut("embed", "edges.csv", "-f", "features.csv", "-o", "/proc/z.npy", folder=folder, expect=2)
    assert "The output /proc/z.npy" in done.stderr


def test_transform_with_other_features(folder: Path) -> None:
    SCE(solver=sparsecut.Adam(epochs=1)).fit(random_graph()).save(folder / "m.safetensors")
    done = sparsecut("transform", "m.safetensors", "edges.csv", "-f", "features.csv", "-o", "z.npy", folder=folder, expect=2)
    assert "was fitted with 12 features. Got a graph with 4" in done.stderr
