"""Graphs with types from files, through every command that takes them, against the calls of Python."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from cli_files import assert_refused
from report_blocks import meta_of
from sparsecut.evaluation.splits import SmallClassWarning
from sparsecut.io.embeddings import read_types
from tables_by_type import WRITES, files_by_type, tables

ASKED = ("--nodes", "author=author.csv", "--nodes", "paper=paper.parquet", "--nodes", "venue")
EDGES = ("--edges", "author:writes:paper=writes.csv", "--edges", "paper:in:venue=in.parquet")


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of tables by type, and labels of authors by their own ids."""
    nodes, edges = tables(60)
    nodes["author"].to_csv(tmp_path / "author.csv", index=False)
    nodes["paper"].to_parquet(tmp_path / "paper.parquet")
    edges["author", "writes", "paper"].to_csv(tmp_path / "writes.csv", index=False)
    edges["paper", "in", "venue"].to_parquet(tmp_path / "in.parquet")
    pd.DataFrame({"id": np.arange(30), "label": np.arange(30) % 2}).to_csv(tmp_path / "sides.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_types_from_the_tables_to_the_report(here: Path, run: Any) -> None:
    graph = sc.from_tables(*tables(60))
    Z = sc.SCE(features="given").fit_transform(graph)
    asked = (*ASKED, *EDGES)
    code, _, error = run("embed", *asked, "--use", "given", "--save-model", "m.safetensors", "-o", "v.parquet", "-q")
    assert (code, error) == (0, "")
    found, ids = sc.read_embedding("v.parquet")
    assert ids.tolist() == graph.node_ids.tolist()
    np.testing.assert_allclose(found, Z, atol=1e-4 * np.abs(Z).max())
    types = read_types("v.parquet")
    assert types is not None
    assert types.tolist() == graph.types.tolist()
    assert run("transform", "m.safetensors", *asked, "-o", "again.csv", "-q")[0] == 0
    np.testing.assert_allclose(sc.read_embedding("again.csv").vectors, Z, atol=1e-4 * np.abs(Z).max())

    near = json.loads(run("neighbors", "v.parquet", "paper:3", "author:1", "-k", 4, "--type", "author", "--json")[1])
    is_author = graph.types == "author"
    searched = sc.Neighbors(found[is_author], ids[is_author])
    assert near["neighbors"][0]["ids"] == searched.query_vectors(found[ids == "paper:3"], 4).ids[0].tolist()
    assert near["neighbors"][1]["ids"] == searched.query("author:1", 4).ids[0].tolist()  # not itself

    asked = ("--type", "author", "--labels", "sides.csv", "--per-class", 5, "--splits", 3)
    scores = json.loads(run("evaluate", "v.parquet", *asked, "--json")[1])["per_class"]["5"]
    with pytest.warns(SmallClassWarning):  # fifteen nodes of each class
        wanted = sc.evaluate(found[is_author], np.arange(30) % 2, per_class=5, n_splits=3)
    assert scores == wanted.to_dict()

    best = json.loads(run("recommend", "v.parquet", "author:1", *EDGES, "-k", 3, "--type", "paper", "--json")[1])
    chosen = best["recommended"][0]["ids"]
    assert chosen == sc.Links(found, graph).recommend("author:1", 3, of_type="paper").ids.tolist()
    assert all(one.startswith("paper:") for one in chosen)

    assert run("report", "v.parquet", "--layout", "pca", "-q")[0] == 0
    assert meta_of(here / "report.html")["columns"][-1]["name"] == "type"
    told = json.loads(run("report", "v.parquet", "--type", "venue", "--layout", "pca", "-o", "venues.html", "--json")[1])
    assert told["n_nodes"] == len(graph.nodes("venue"))


def test_changes_name_types_and_their_vectors_have_them(here: Path, run: Any) -> None:
    asked = (*ASKED, *EDGES, "--use", "given", "--save-model", "m.safetensors", "--with-state", "-o", "v.parquet", "-q")
    assert run("embed", *asked)[0] == 0
    names = ["op", "source", "target", "relation", "node", "age", "h", "country", "p", "q", "r"]
    rows = [["add", *[None] * 3, "author:90", 1.5, 0.5, "1", *[None] * 3], ["add", *[None] * 3, "venue:9", *[None] * 6]]
    rows += [["add", *[None] * 3, "paper:90", *[None] * 3, 1, 2, 3]]
    rows += [["add", "author:90", "paper:90", "writes", *[None] * 7], ["add", "paper:90", "venue:9", *[None] * 8]]
    pd.DataFrame(rows, columns=names).to_csv("changes.csv", index=False)
    code, _, error = run("update", "m.safetensors", "changes.csv", "--tolerance", 0, "-o", "changed.parquet", "-q")
    assert code == 0, error
    nodes, edges = tables(60)
    nodes["author"].loc[90] = [90, 1.5, 0.5, "1"]
    nodes["paper"].loc[90] = [90, 1, 2, 3]
    edges[WRITES].loc[9999] = [90, 90]
    edges["paper", "in", "venue"].loc[9999] = [90, 9]
    whole = sc.from_tables(nodes, edges)
    Z, place = sc.load("m.safetensors").transform(whole), whole.node_ids.tolist().index
    found, ids = sc.read_embedding("changed.parquet")
    assert {"author:90", "paper:90", "venue:9"} <= set(ids.tolist())
    np.testing.assert_allclose(found, Z[[place(node) for node in ids.tolist()]], atol=1e-5 * np.abs(Z).max())
    types = read_types("changed.parquet")
    assert types is not None
    assert types.tolist() == [node.partition(":")[0] for node in ids.tolist()]


def test_times_and_signs_of_types(here: Path, run: Any) -> None:
    nodes, edges = tables(60)
    n_edges = len(edges[WRITES])
    days = pd.Timestamp("2026-01-01") + pd.to_timedelta(np.arange(n_edges) % 90, unit="D")
    edges[WRITES] = edges[WRITES].assign(at=days, tone=np.where(np.arange(n_edges) % 7, 1.0, -2.0))
    edges[WRITES].to_csv("writes.csv", index=False)
    options: dict[str, Any] = {"weight": {"writes": "tone"}, "time": "at", "now": "2026-05-01", "signed": True}
    asked = ("--weight", "writes=tone", "--time", "at", "--now", "2026-05-01", "--signed")
    for given, own in ((("--half-life", "30d"), {"half_life": "30d"}), (("--decay", 1e-7), {"decay": 1e-7})):
        graph = sc.from_tables(nodes, edges, **options, **own)
        Z = sc.SCE(features="given").fit_transform(graph)
        code, _, error = run("embed", *ASKED, *EDGES, *asked, *given, "--use", "given", "-o", "v.parquet", "--force", "-q")
        assert code == 0, error
        found, ids = sc.read_embedding("v.parquet")
        assert ids.tolist() == graph.node_ids.tolist()
        np.testing.assert_allclose(found, Z, atol=1e-4 * np.abs(Z).max())
    assert_refused(run("embed", *ASKED, *EDGES, *asked[:-1], "-o", "w.parquet"), "signed=True (--signed)")
    assert_refused(
        run("embed", *ASKED, *EDGES, "--time", "when", "-o", "w.parquet"), "No table of edges has a column 'when'"
    )
    assert_refused(run("embed", *ASKED, *EDGES, "--time", "in=at", "-o", "w.parquet"), "has no column 'at' for the time")


def test_engines_that_keep_files_take_types(here: Path, run: Any) -> None:
    asked = (*ASKED, *EDGES, "--use", "given", "-q")
    assert run("embed", *asked, "-o", "memory.parquet")[0] == 0
    wanted = sc.read_embedding("memory.parquet")
    for limit in ("600MB", "1GiB"):
        out = ("--engine", "disk", "--memory-limit", limit, "-o", f"{limit}.parquet")
        assert run("embed", *asked, *out)[0] == 0
        found = sc.read_embedding(f"{limit}.parquet")
        assert found.ids.tolist() == wanted.ids.tolist()
        np.testing.assert_allclose(found.vectors, wanted.vectors, atol=1e-4 * np.abs(wanted.vectors).max())


def test_folders_by_type_are_read_in_parts(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    files_by_type(tmp_path, 60)
    asked = ("--nodes", "author=author.parquet", "--nodes", "paper=paper", "--nodes", "venue")
    asked += ("--edges", "author:writes:paper=writes", "--edges", "paper:in:venue=in", "--use", "given")
    asked += ("--weight", "writes=score", "--signed", "--time", "day", "--half-life", "30d")
    assert run("embed", *asked, "--save-model", "m.safetensors", "-o", "memory.parquet", "-q")[0] == 0
    wanted = sc.read_embedding("memory.parquet")
    disk = ("--engine", "disk", "--memory-limit", "600MiB")
    code, _, said = run("embed", *asked, *disk, "-o", "disk.parquet")
    assert code == 0
    assert "labels in column 'label' were left out" in said  # as a store has none
    assert (
        run(
            "transform",
            "m.safetensors",
            *(one for one in asked if one not in ("--use", "given")),
            *disk,
            "-o",
            "again.npy",
            "-q",
        )[0]
        == 0
    )
    for name in ("disk.parquet", "again.npy"):
        found = sc.read_embedding(name)
        assert found.ids.tolist() == wanted.ids.tolist()
        np.testing.assert_allclose(found.vectors, wanted.vectors, atol=1e-4 * np.abs(wanted.vectors).max())
    types = read_types("disk.parquet")
    assert types is not None
    assert types.tolist() == [one.partition(":")[0] for one in wanted.ids.tolist()]
    assert_refused(
        run("embed", *asked, *disk, "--missing", "zero", "-o", "x.parquet"), "--missing needs the graph in memory"
    )
    tables(60)[0]["author"].to_parquet("words.parquet", index=False)
    words = ("--nodes", "author=words.parquet", *asked[2:])
    code, _, said = run("embed", *words, *disk, "-o", "words-vectors.parquet")
    assert code == 0
    assert "'country' that is more than a number: the graph is read into memory" in " ".join(said.split())
    assert not list(tmp_path.glob(".sparsecut-*"))


def test_parts_have_the_type_of_every_node(tmp_path: Path, run: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "g").mkdir()
    tables(60)[1][WRITES].to_csv("g/author__writes__paper.csv", index=False)
    code, _, error = run("partition", "g", "--parts", 2, "-o", "parts.csv", "-q")
    assert code == 0, error
    parts = pd.read_csv("parts.csv")
    assert parts["type"].tolist() == [one.partition(":")[0] for one in parts["id"]]
    code, _, error = run("partition", "g", "--tree", "-o", "tree.csv", "-q")
    assert code == 0, error
    tree = pd.read_csv("tree.csv")
    leaves = tree["left"].isna()
    assert tree["type"][leaves].tolist() == [one.partition(":")[0] for one in tree["id"][leaves]]
    assert tree["type"][~leaves].isna().all()


def test_mistakes_at_the_shell(here: Path, run: Any) -> None:
    out = ("-o", "v.parquet")
    assert_refused(run("embed", *out), "needs a graph", "--edges TYPE:RELATION:TYPE=FILE")
    assert_refused(run("embed", "writes.csv", *EDGES, *out), "Leave the graph writes.csv out")
    assert_refused(run("embed", "writes.csv", *ASKED, *out), "whose edges are --edges")
    assert_refused(run("embed", *EDGES, "--labels", "sides.csv", *out), "Leave --labels out")
    assert_refused(run("embed", "--edges", "author:writes:paper", *out), "needs a file")
    assert_refused(run("embed", *ASKED[:2], *EDGES, *out), "name the type 'paper'")
    assert not (here / "v.parquet").exists()
    sc.write_embedding("plain.parquet", np.eye(3), ["a", "b", "c"])
    assert_refused(run("neighbors", "plain.parquet", "a", "--type", "author"), "no nodes of type 'author'")


def test_types_beside_vectors_are_read_back(tmp_path: Path) -> None:
    Z, ids, types = np.eye(3, dtype=np.float32), ["a:1", "a:2", "b:1"], ["a", "a", "b"]
    for suffix in (".parquet", ".csv", ".npz"):
        path = tmp_path / f"v{suffix}"
        sc.write_embedding(path, Z, ids, types=types)
        found = sc.read_embedding(path)
        assert (found.vectors.tolist(), found.ids.tolist()) == (Z.tolist(), ids)
        told = read_types(path)
        assert told is not None
        assert told.tolist() == types
        sc.write_embedding(path, Z, ids, overwrite=True)
        assert read_types(path) is None
    with pytest.raises(sc.InputError, match="types must be one for each of the 3 rows"):
        sc.write_embedding(tmp_path / "w.csv", Z, ids, types=["a"])
