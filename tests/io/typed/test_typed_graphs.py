"""Graphs from a table for each type: ids of their own, edges by their types, and the same graph however it is given."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc
from sparsecut import InputError

AUTHORS = pd.DataFrame({"id": [7, 8, 9], "age": [30.0, 50.0, 70.0]})
PAPERS = pd.DataFrame({"paper": [7, 8], "cites": [1.0, 3.0], "area": ["x", "y"]})
WRITES = pd.DataFrame({"paper": [7, 8, 8], "author": [7, 7, 9], "weight": [1.0, 2.0, 1.0]})
IN = pd.DataFrame({"paper": [7, 8], "venue": ["KDD", "KDD"]})
NODES: dict[str, Any] = {"author": AUTHORS, "paper": PAPERS, "venue": None}
EDGES: dict[Any, Any] = {("author", "writes", "paper"): WRITES, ("paper", "in", "venue"): IN}


def test_ids_belong_to_their_type() -> None:
    graph = sc.from_tables(NODES, EDGES, labels={"paper": "area"}, scale=False)
    assert graph.node_ids.tolist() == ["author:7", "author:8", "author:9", "paper:7", "paper:8", "venue:KDD"]
    assert (graph.node_types, graph.edge_types) == (("author", "paper", "venue"), tuple(EDGES))
    assert graph.nodes("paper").tolist() == [7, 8]
    assert graph.labels is not None
    assert graph.labels.tolist() == ["", "", "", "x", "y", ""]
    assert graph.features is not None
    assert np.asarray(graph.features).tolist() == [[30, 0], [50, 0], [70, 0], [0, 1], [0, 3], [0, 0]]
    assert graph.feature_names == ("author:age", "paper:cites")
    expected = np.zeros((6, 6))
    for i, j, weight in ((0, 3, 1), (0, 4, 2), (2, 4, 1), (3, 5, 1), (4, 5, 1)):
        expected[i, j] = expected[j, i] = weight
    np.testing.assert_array_equal(graph.adjacency.toarray(), expected)
    assert graph.relations is not None
    np.testing.assert_array_equal(sum(matrix.toarray() for matrix in graph.relations.matrices), expected)


def test_files_and_frames_give_one_graph(tmp_path: Path) -> None:
    for name, frame in (("authors", AUTHORS), ("papers", PAPERS), ("writes", WRITES), ("in", IN)):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        frame.to_parquet(tmp_path / f"{name}.parquet")
    frames = sc.from_tables(NODES, EDGES)
    for suffix in ("csv", "parquet"):
        nodes = {"author": tmp_path / f"authors.{suffix}", "paper": tmp_path / f"papers.{suffix}", "venue": None}
        edges = {"author:writes:paper": tmp_path / f"writes.{suffix}", "paper:in:venue": str(tmp_path / f"in.{suffix}")}
        files = sc.from_tables(nodes, edges)
        assert files.node_ids.tolist() == frames.node_ids.tolist()
        np.testing.assert_array_equal(files.adjacency.toarray(), frames.adjacency.toarray())
        np.testing.assert_array_equal(files.features, frames.features)


def test_edges_to_nodes_without_a_row() -> None:
    more = pd.concat([WRITES, pd.DataFrame({"paper": [7], "author": [99], "weight": [1.0]})])
    edges = {**EDGES, ("author", "writes", "paper"): more}
    with pytest.raises(InputError, match=r"nodes of type 'author' that have no row: 99.*missing='zero'"):
        sc.from_tables(NODES, edges)
    graph = sc.from_tables(NODES, edges, missing="zero", scale=False)
    assert graph.nodes("author").tolist() == [7, 8, 9, 99]
    assert graph.features is not None
    assert not np.asarray(graph.features)[3].any()


def test_labels_come_from_anywhere() -> None:
    series = pd.Series(["a", "b"], index=[9, 7])
    for labels in ({"author": series}, {"author": {7: "b", 9: "a"}}, {"author": ["b", "", "a"]}):
        found = sc.from_tables(NODES, EDGES, labels=labels).labels
        assert found is not None
        assert found.tolist() == ["b", "", "a", "", "", ""]
    numbers = sc.from_tables(NODES, EDGES, labels={"author": pd.Series([4], index=[8])}).labels
    assert numbers is not None
    assert numbers.tolist() == [-1, 4, -1, -1, -1, -1]


def test_ids_that_say_their_type_already_stay() -> None:
    graph = sc.from_tables(edges={("a", "to", "b"): [("a:1", "x"), ("a:2", "y")]})
    assert graph.node_ids.tolist() == ["a:1", "a:2", "b:x", "b:y"]


def test_mistakes_are_named() -> None:
    with pytest.raises(InputError, match=r"name the type 'autor', and nodes has.*Did you mean 'author'"):
        sc.from_tables(NODES, {("autor", "writes", "paper"): WRITES})
    with pytest.raises(InputError, match=r"must be \(type of the source, relation.*Got \('author', 'paper'\)"):
        sc.from_tables(NODES, {("author", "paper"): WRITES})
    with pytest.raises(InputError, match=r"needs edges="):
        sc.from_tables(NODES)
    with pytest.raises(InputError, match=r"a word without ':'"):
        sc.from_tables({"a:b": None}, {("a:b", "to", "a:b"): [(1, 2)]})
    with pytest.raises(InputError, match=r"labels names the type 'venues'"):
        sc.from_tables(NODES, EDGES, labels={"venues": "x"})


def test_a_model_is_saved_and_meets_next_months_tables(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    n = 60

    def month(n_papers: int, seed: int) -> sc.Graph:
        generator = np.random.default_rng(seed)
        side = np.arange(n) % 2
        papers = np.arange(n_papers)
        authors = pd.DataFrame({"id": np.arange(n), "age": side + generator.normal(size=n), "h": generator.normal(size=n)})
        told = pd.DataFrame(
            {"id": papers, "p": papers % 2 + generator.normal(size=n_papers), "q": generator.normal(size=n_papers)}
        )
        ends = [(a, p) for p in papers for a in generator.choice(np.flatnonzero(side == p % 2), 3, replace=False)]
        where = [(p, p % 2) for p in papers]
        edges = {("author", "writes", "paper"): ends, ("paper", "in", "venue"): where}
        return sc.from_tables({"author": authors, "paper": told, "venue": None}, edges)

    del generator
    first, later = month(100, 0), month(120, 1)
    model = sc.SCE(features="given")
    Z = model.fit_transform(first)
    model.save(tmp_path / "model.safetensors")
    again = sc.load(tmp_path / "model.safetensors")
    assert np.abs(again.transform(first) - Z).max() < 1e-4 * np.abs(Z).max()
    assert np.abs(again.transform(later) - model.transform(later)).max() == 0
    assert list(again.feature_names_in_) == ["author:age", "author:h", "paper:p", "paper:q"]


def test_a_negative_end_is_no_row_and_labels_stay_with_their_rows() -> None:
    authors = pd.DataFrame({"id": [0, 1, 2], "age": [30.0, 40.0, 50.0], "field": ["a", "b", "a"]})
    with pytest.raises(InputError, match="have no row: -1"):
        sc.from_tables({"author": authors}, {("author", "knows", "author"): [(0, 1), (2, -1)]})
    edges = {("author", "knows", "author"): [(0, 1), (2, 9)]}
    graph = sc.from_tables({"author": authors}, edges, labels={"author": "field"}, missing="zero")
    assert graph.node_ids.tolist() == ["author:0", "author:1", "author:2", "author:9"]
    assert graph.labels is not None
    assert graph.labels.tolist() == ["a", "b", "a", ""]
