"""`sparsecut evaluate`: which task is run on which input."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from cli_files import assert_refused
from raw_files import write_ogb, write_ogb_split, write_papers100m
from shell import sparsecut
from sparsecut import Split, datasets, read_embedding
from sparsecut.datasets import DATASETS, GraphSizes
from sparsecut.evaluation import probe


def test_embed_and_evaluate_a_dataset(tmp_path: Path) -> None:
    sparsecut("embed", "digits", "-o", "z.parquet", folder=tmp_path)
    done = sparsecut(
        "evaluate", "z.parquet", "--labels", "digits", "--per-class", 5, "--splits", 5, "--json", folder=tmp_path
    )
    scores = json.loads(done.stdout)
    assert scores["probe"] == "paper"
    assert 88 < scores["per_class"]["5"]["accuracy"] < 99


@pytest.mark.parametrize("name", ["ogbn-arxiv", "ogbn_papers100M"])
def test_ogbs_graphs_and_their_official_split(run, name, tmp_path, monkeypatch):
    """Small files of OGB's layout, embedded and scored by name; of the papers most have no label."""
    generator = np.random.default_rng(0)
    classes = np.arange(90) % 3
    features = (np.eye(3)[classes] + generator.normal(size=(90, 3)) / 3).round(3)
    edges = generator.integers(0, 90, (200, 2))
    parts = [np.arange(0, 30).tolist(), np.arange(30, 45).tolist(), np.arange(45, 60).tolist()]
    folder = name.replace("-", "_")
    if folder == "ogbn_arxiv":
        write_ogb(tmp_path, folder, edges, features, classes)
    else:
        write_papers100m(tmp_path, edges, features.astype(np.float32), np.where(np.arange(90) < 60, classes, np.nan))
    write_ogb_split(tmp_path, folder, "time", parts)
    n_edges = len({(min(i, j), max(i, j)) for i, j in edges.tolist() if i != j})
    about = DATASETS[folder]
    small = replace(about, sizes=GraphSizes(90, n_edges, 3, 3), split_sizes=((30, 15, 15),))
    monkeypatch.setitem(DATASETS, folder, small)
    monkeypatch.setenv("SPARSECUT_DATA", str(tmp_path))
    assert run("embed", name, "--method", "smoothed", "-o", tmp_path / "z.parquet", "-q")[0] == 0
    code, out, _ = run("evaluate", tmp_path / "z.parquet", "--labels", name, "--split", "official", "--json")
    assert code == 0
    Z, _ = read_embedding(tmp_path / "z.parquet")
    labels = datasets.load(name).labels
    assert np.count_nonzero(labels < 0) == (0 if folder == "ogbn_arxiv" else 30)
    expected = probe(Z, labels, [Split(*map(np.array, parts))])
    assert json.loads(out)["per_class"]["official"]["accuracies"] == expected.accuracies.tolist()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        ([], "Name its file"),
        (["missing.parquet"], "does not exist"),
        (["VECTORS"], "The task classify needs labels"),
        (["VECTORS", "-l", "digits", "--task", "x"], "--task parameter"),
        (["VECTORS", "-l", "missing.csv"], "missing.csv does not exist"),
    ],
)
def test_wrong_words_are_one_sentence(run, vectors, words, message):
    assert_refused(run("evaluate", *(vectors[0] if word == "VECTORS" else word for word in words)), message)
