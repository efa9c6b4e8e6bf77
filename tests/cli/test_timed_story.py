"""From a file of edges with dates and signs to vectors, a saved model, another process and next month's file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

import sparsecut as sc
from cli_files import assert_refused
from shell import sparsecut
from sparsecut.evaluation import evaluate_links
from timed_graphs import timed_edges

MODEL = ("--save-model", "model.safetensors", "--with-state", "--force")


def write(path: Path, edges: pd.DataFrame) -> None:
    edges.assign(at=edges["at"].dt.strftime("%Y-%m-%d %H:%M:%S")).to_csv(path, index=False)


def test_a_graph_with_times_and_signs_from_files_to_an_updated_model(tmp_path: Path) -> None:
    edges = pd.DataFrame(timed_edges())
    edges["rating"] = np.where(np.random.default_rng(0).random(len(edges)) < 0.15, -2.0, 3.0)
    edges["at"] = (pd.Timestamp("2026-01-01") + pd.to_timedelta(edges["at"], unit="D")).dt.floor("s")
    first, later = edges[:300], edges[300:]
    write(tmp_path / "first.csv", first)
    write(tmp_path / "all.csv", edges)
    read = ("--weight", "rating", "--signed", "--directed", "out")
    time = ("--time", "at", "--half-life", "30d")

    done = sparsecut("embed", "first.csv", *read, "-o", "z.npy", folder=tmp_path)  # times are left out, and said to be
    assert "'at' (a time)" in done.stderr
    done = sparsecut("embed", "first.csv", *read[:2], *time, "-o", "y.npy", folder=tmp_path, expect=2)
    assert "signed=True (--signed)" in done.stderr
    done = sparsecut("embed", "first.csv", *read, *time, *MODEL, "-o", "z.npy", "--force", folder=tmp_path)
    assert "weigh half as much after 30 days" in done.stderr
    options = {"weight": "rating", "signed": True, "directed": "out", "time": "at", "half_life": "30d"}
    known = np.unique(first[["source", "target"]])
    Z = np.load(tmp_path / "z.npy")
    np.testing.assert_allclose(Z, sc.SCE().fit_transform(sc.from_edges(first, **options)), atol=1e-4 * np.abs(Z).max())

    model = sc.load(tmp_path / "model.safetensors", in_place=True)
    np.testing.assert_allclose(model.embedding_, Z, atol=1e-6 * np.abs(Z).max())
    came = later[later["rating"] > 0]
    came = came[came["source"].isin(known) & came["target"].isin(known) & (came["source"] != came["target"])]
    model.update(
        edges_added=came[["source", "target", "rating"]].to_numpy(), times=came["at"], now="2026-05-01", tolerance=0
    )
    again = sc.load(tmp_path / "model.safetensors")
    whole = sc.from_edges(pd.concat([first, came]), **options, now="2026-05-01", node_ids=model.graph_.node_ids)
    assert (abs(again.graph_.adjacency - whole.adjacency) > 1e-5).nnz == 0
    np.testing.assert_array_equal(again.embedding_, model.embedding_)
    np.testing.assert_allclose(again.embedding_, again.transform(whole), atol=1e-5 * np.abs(Z).max())

    now = ("--now", "2026-05-01", "-o", "later.npy")
    sparsecut("transform", "model.safetensors", "all.csv", *read, *time, *now, folder=tmp_path)
    expected = again.transform(sc.read_graph(tmp_path / "all.csv", **options, now="2026-05-01"))
    np.testing.assert_allclose(np.load(tmp_path / "later.npy"), expected, atol=1e-5 * np.abs(Z).max())


def test_later_edges_are_predicted_from_earlier_ones(tmp_path: Path, monkeypatch: Any, run: Any) -> None:
    monkeypatch.chdir(tmp_path)
    edges = pd.DataFrame(timed_edges(n_edges=800))
    edges["at"] = (pd.Timestamp("2026-01-01") + pd.to_timedelta(edges["at"], unit="D")).dt.floor("s")
    write(tmp_path / "edges.csv", edges)
    asked = ("--task", "links", "--graph", "edges.csv", "--by", "time", "--metrics", "roc_auc", "--runs", 2, "--json")
    aged = ("--time", "at", "--half-life", "30d")
    code, out, error = run("evaluate", *asked, *aged)
    assert code == 0, error
    graph = sc.read_graph("edges.csv", time="at", half_life="30d")
    wanted = evaluate_links(graph, sc.SCE(random_state=0), n_runs=2, metrics=["roc_auc"], by="time").to_dict()
    found = json.loads(out)
    assert found["by"] == "time"
    assert found["n_held_out"] == wanted["n_held_out"]
    assert found["metrics"]["roc_auc"]["cosine"] == wanted["metrics"]["roc_auc"]["cosine"]
    assert_refused(run("evaluate", *asked), "Read it from its edges with time=… (--time COLUMN)")
    assert_refused(run("evaluate", *asked, *aged, "--by", "date"), "--by")
