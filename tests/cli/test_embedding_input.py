"""EMBEDDING and the labels of its nodes: matched by id, in any order, for all nodes or some."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cli_files import N_NODES, assert_refused, write_labels
from report_blocks import meta_of
from shell import sparsecut
from sparsecut import evaluate, write_embedding


def test_labels_missing_for_some_nodes(run, vectors, tmp_path):
    path, Z, ids, labels = vectors
    some = labels.copy()
    some[:60] = ""
    by_absence = write_labels(tmp_path / "some.csv", ids[60:], labels[60:])
    by_blank = write_labels(tmp_path / "blank.csv", ids, some)
    expected = evaluate(Z, some, per_class=5, n_splits=3)
    for file in (by_absence, by_blank):
        code, out, _ = run("evaluate", path, "-l", file, "--splits", 3, "--per-class", 5, "--json")
        assert code == 0
        assert json.loads(out)["per_class"]["5"]["accuracies"] == expected.accuracies.tolist()


def test_ids_that_do_not_match(run, vectors, tmp_path):
    path, _, ids, labels = vectors
    strangers = np.where(np.arange(N_NODES) < 2, np.char.add("x", ids), ids)
    result = run("evaluate", path, "-l", write_labels(tmp_path / "l.csv", strangers, labels), "-q")
    assert_refused(result, "names nodes that", "'xn0', 'xn1'")
    np.save(tmp_path / "short.npy", np.arange(10))
    assert_refused(run("evaluate", path, "-l", tmp_path / "short.npy"), "one label for each of the 240 nodes")


@pytest.mark.parametrize("kind", [np.uint8, bool, np.float64])
def test_labels_without_ids_in_any_type(run, vectors, tmp_path, kind):
    path, Z, _, labels = vectors
    codes = (labels == "red").astype(kind)
    np.save(tmp_path / "labels.npy", codes)
    code, out, _ = run("evaluate", path, "-l", tmp_path / "labels.npy", "--per-class", 5, "--splits", 2, "--json")
    assert code == 0
    expected = evaluate(Z, codes.astype(int), per_class=5, n_splits=2)
    assert json.loads(out)["per_class"]["5"]["accuracy"] == expected.mean


def test_a_graph_of_other_nodes_is_refused(run, vectors, tmp_path):
    path = vectors[0]
    (tmp_path / "other.csv").write_text("source,target\nn1,zz\n")
    assert_refused(run("evaluate", path, "--task", "health", "--graph", tmp_path / "other.csv", "-q"), "zz")
    (tmp_path / "part.csv").write_text("source,target\nn1,n2\n")
    result = run("evaluate", path, "--task", "health", "--graph", tmp_path / "part.csv", "-q")
    assert_refused(result, "names nodes that the graph does not")


def test_the_report_takes_labels_for_some_nodes_and_for_others(vectors: Any) -> None:
    folder = vectors[0].parent
    (folder / "labels.csv").write_text("id,label\nn1,x\nn2,y\nn3,x\nstranger,y\n")
    command = ("report", vectors[0], "--layout", "pca", "--labels")
    sparsecut(*command, "labels.csv", folder=folder)
    label = meta_of(folder / "report.html")["columns"][0]
    assert (label["name"], label["names"]) == ("label", ["x", "y"])
    (folder / "others.csv").write_text("id,label\nstranger,y\n")
    refused = sparsecut(*command, "others.csv", "-o", "no.html", folder=folder, expect=2)
    assert f"The labels others.csv name no node of {vectors[0]}" in refused.stderr
    refused = sparsecut(*command, "team", "-o", "no.html", folder=folder, expect=2)
    assert "'team' is neither a file nor a dataset. For an attribute in a graph's file, add --graph FILE." in refused.stderr


def test_the_report_takes_labels_from_the_graphs_file(tmp_path: Path) -> None:
    nodes = [{"id": f"n{i}", "team": "pq"[i % 2]} for i in range(12)]
    links = [{"source": f"n{i}", "target": f"n{(i + 2) % 12}"} for i in range(12)]
    (tmp_path / "x.json").write_text(json.dumps({"nodes": nodes, "links": links}))
    write_embedding(tmp_path / "z.npz", np.random.default_rng(0).normal(size=(12, 3)), [f"n{i}" for i in range(12)])
    sparsecut("report", "z.npz", "--graph", "x.json", "-l", "team", "--layout", "pca", folder=tmp_path)
    label = meta_of(tmp_path / "report.html")["columns"][0]
    assert (label["name"], label["names"]) == ("label", ["p", "q"])
