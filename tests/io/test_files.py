"""A URL is not a path, and everything that takes a path says so."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.io.files import refuse_url
from sparsecut.updates.change_files import read_changes

URL = "https://example.org/data/edges.csv"

READERS: dict[str, Callable[[Any, Path], Any]] = {
    "read_graph": lambda url, edges: sc.read_graph(url),
    "features": lambda url, edges: sc.read_graph(edges, features=url),
    "labels": lambda url, edges: sc.read_graph(edges, labels=url),
    "nodes": lambda url, edges: sc.read_graph(edges, nodes=url),
    "read_embedding": lambda url, edges: sc.read_embedding(url),
    "load": lambda url, edges: sc.load(url),
    "build_store, edges": lambda url, edges: sc.build_store("store", url, features="x.npy"),
    "open_store": lambda url, edges: sc.open_store(url),
    "read_changes": lambda url, edges: list(read_changes(url)),
    "Neighbors.load": lambda url, edges: sc.Neighbors.load(url, np.eye(3)),
    "report, nodes": lambda url, edges: sc.report(np.eye(3), edges.parent / "report.html", nodes=url, xy=np.eye(3)[:, :2]),
    "estimate": lambda url, edges: sc.estimate(url),
}
WRITERS: dict[str, Callable[[Any], Any]] = {
    "write_embedding": lambda url: sc.write_embedding(str(url).replace(".csv", ".parquet"), np.eye(2)),
    "save": lambda url: sc.SCE(dimension=2).fit(sc.datasets.load("digits")).save(url),
    "build_store": lambda url: sc.build_store(url, "edges.npy", features="features.npy"),
    "report": lambda url: sc.report(np.random.default_rng(0).normal(size=(5, 3)), str(url).replace(".csv", ".html")),
}


@pytest.fixture
def edges(tmp_path: Path) -> Path:
    (tmp_path / "edges.csv").write_text("source,target\n0,1\n1,2\n")
    return tmp_path / "edges.csv"


@pytest.mark.parametrize("url", [URL, Path(URL), "s3://bucket/edges.csv", "hdfs://host:8020/x/edges.csv"], ids=repr)
@pytest.mark.parametrize("name", READERS)
def test_readers_say_that_urls_are_not_read(name: str, url: Any, edges: Path) -> None:
    whole = URL if isinstance(url, Path) else url
    with pytest.raises(
        sc.InputError, match=rf"{re.escape(whole)} is a URL, and URLs are not read\. Download it first, and name the file\."
    ):
        READERS[name](url, edges)


@pytest.mark.parametrize("name", WRITERS)
def test_writers_say_that_urls_are_not_written_to(name: str) -> None:
    with pytest.raises(sc.InputError, match=r"://.* is a URL, and URLs are not written to\. Write a file and upload it\."):
        WRITERS[name](URL)


def test_the_url_of_a_file_and_names_that_only_look_like_one(edges: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(sc.InputError, match=re.escape(f"Name its path: {edges}.")):
        sc.read_graph(f"file://{edges}")
    monkeypatch.chdir(edges.parent)
    (edges.parent / "a:").mkdir()
    (edges.parent / "ab:").mkdir()
    (edges.parent / "ab:" / "edges.csv").write_text(edges.read_text())
    assert sc.read_graph("ab:/edges.csv").n_nodes == 3  # a folder may have any name
    refuse_url("C:/data/edges.csv", "The file")
    refuse_url("edges:v2.csv", "The file")
