"""Lists of words give one matrix, whatever holds them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import networkx
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.features import FeatureTable, Vocabulary, read_encoder
from sparsecut.features.word_lists import separator_of

IDS = ["a", "b", "c", "d"]
WORDS = [["red", "big"], [], ["red", "red", "old"], ["été"]]
EDGES = [("a", "b"), ("b", "c"), ("c", "d")]
VOCABULARY = ("big", "old", "red", "été")
MATRIX = [[1, 0, 1, 0], [0, 0, 0, 0], [0, 1, 1, 0], [0, 0, 0, 1]]


def graph_of(holder: str, folder: Path) -> sc.Graph:
    if holder in ("parquet", "json"):
        (folder / "edges.csv").write_text("source,target\na,b\nb,c\nc,d\n")
        path = folder / f"x.{holder}"
        if holder == "parquet":
            pyarrow.parquet.write_table(pa.table({"id": IDS, "tags": WORDS}), path)
        else:
            path.write_text(json.dumps(dict(zip(IDS, WORDS, strict=True))))
        return sc.read_graph(folder / "edges.csv", features=path)
    if holder == "networkx":
        G = networkx.Graph(EDGES)
        networkx.set_node_attributes(G, dict(zip(IDS, WORDS, strict=True)), "tags")
        return sc.from_networkx(G, features="tags")
    features: Any = {
        "dict": dict(zip(IDS[::-1], WORDS[::-1], strict=True)),
        "dict of sets": {node: set(words) for node, words in zip(IDS, WORDS, strict=True)},
        "pandas": pd.DataFrame({"tags": WORDS}, index=IDS).iloc[::-1],
        "polars": pl.DataFrame({"id": IDS, "tags": WORDS}),
        "pyarrow": pa.table({"tags": WORDS}),
        "list": WORDS,
    }[holder]
    return sc.from_edges(EDGES, node_ids=IDS, features=features)


HOLDERS = ["json", "parquet", "networkx", "dict", "dict of sets", "pandas", "polars", "pyarrow", "list"]


@pytest.mark.parametrize("holder", HOLDERS)
def test_lists_of_words_from_anywhere(holder: str, tmp_path: Path) -> None:
    graph = graph_of(holder, tmp_path)
    assert graph.node_ids.tolist() == IDS
    assert graph.encoder == Vocabulary(VOCABULARY)
    assert sp.issparse(graph.features)
    assert graph.features.toarray().tolist() == MATRIX


def test_words_beside_other_columns_are_columns_too() -> None:
    table = pa.table({"age": [1.0, 2.0, 3.0, 6.0], "tags": WORDS, "kind": ["p", "q", "p", None]})
    encoder = FeatureTable(table, "The table").encoder
    assert encoder.names_out == (
        "age", "tags has big", "tags has old", "tags has red", "tags has été", "kind = p", "kind = q", "kind is missing",
    )  # fmt: skip
    matrix, _ = FeatureTable(table, "The table").matrix(encoder)
    ages = (np.array([1, 2, 3, 6]) - 3) / np.sqrt(3.5)
    kinds = [[1, 0, 0], [0, 1, 0], [1, 0, 0], [0, 0, 1]]
    assert matrix.toarray() == pytest.approx(np.column_stack([ages, MATRIX, kinds]))
    assert read_encoder(encoder.to_header()) == encoder
    later = pa.table({"kind": ["q"], "tags": pa.array([["new", "red", "red"]]), "age": [3.0]})
    matrix, notes = FeatureTable(later, "The table").matrix(encoder)
    assert matrix.toarray().tolist() == [[0, 0, 0, 1, 0, 0, 1, 0]]
    assert notes == ("The table: 1 entries of 'tags' are of 1 words that were not fitted, and were left out.",)
    nothing = pa.table({"kind": ["q"], "tags": pa.nulls(1), "age": [3.0]})
    assert FeatureTable(nothing, "The table").matrix(encoder)[0].toarray().tolist() == [[0, 0, 0, 0, 0, 0, 1, 0]]
    with pytest.raises(sc.InputError, match=r"in column 'tags', which held lists of words when the model was fitted"):
        FeatureTable(pa.table({"kind": ["q"], "tags": ["red"], "age": [3.0]}), "The table").matrix(encoder)


def test_a_fitted_model_takes_words_from_another_holder_and_in_an_update(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    ids = [f"n{k}" for k in range(60)]
    words = [[f"w{k % 3}", f"v{generator.integers(9)}"] for k in range(60)]
    edges = [(ids[k], ids[(k + 3) % 60]) for k in range(60)]
    graph = sc.from_edges(edges, node_ids=ids, features=dict(zip(ids, words, strict=True)))
    model = sc.SCE(dimension=4, features="given").fit(graph)
    frame = pd.DataFrame({"tags": words}, index=ids)
    again = model.transform(sc.from_edges(edges, node_ids=ids, features=frame))
    assert again == pytest.approx(model.transform(graph), abs=1e-6)
    model.update(nodes_added={"new": ["w1", "v3"]}, edges_added=[("new", "n1")], tolerance=0)
    words_of_all = dict(zip(ids, words, strict=True)) | {"new": ["w1", "v3"]}
    whole = sc.from_edges([*edges, ("new", "n1")], node_ids=[*ids, "new"], features=words_of_all)
    assert model.embedding_ == pytest.approx(model.transform(whole), abs=1e-4)


def lists_of(separator: str, n: int = 400) -> tuple[list[str], list[set[str]]]:
    """Lists of one to four of ten genres, as text and as sets."""
    random = np.random.default_rng(0)
    names = np.array(["Action", "Children's", "Comedy", "Crime", "Drama", "Film-Noir", "Horror", "Musical", "Sci-Fi", "War"])
    lists = [list(random.choice(names, random.integers(1, 5), replace=False)) for _ in range(n)]
    return [separator.join(one) for one in lists], [set(one) for one in lists]


@pytest.mark.parametrize("separator", ["|", " | ", ";", "; ", ",", ", ", " "])
def test_lists_spelt_as_text_are_lists(separator: str, tmp_path: Path) -> None:
    """As the same lists given as such, also in a later table, in another process's model, and in an update."""
    text, sets = lists_of(separator)
    if separator == " ":  # words are items where values recur
        text, sets = text * 3, sets * 3
    n = len(text)
    A = sp.diags_array([1.0, 1.0], offsets=[1, -1], shape=(n, n))
    spelt = sc.Graph(A, features=pd.DataFrame({"genres": text, "size": np.arange(n) % 7}))
    given = sc.Graph(A, features=pd.DataFrame({"genres": [sorted(one) for one in sets], "size": np.arange(n) % 7}))
    assert sp.issparse(spelt.features)
    np.testing.assert_array_equal(spelt.features.toarray(), given.features.toarray())
    assert spelt.feature_names == given.feature_names
    model = sc.SCE(dimension=4).fit(spelt)
    model.save(tmp_path / "m.safetensors", with_state=True)
    again = sc.load(tmp_path / "m.safetensors")
    later = {"genres": [text[3], "", "Comedy", "Western"], "size": [1, 2, 3, 4]}
    table = {name: pa.chunked_array([pa.array(values)]) for name, values in later.items()}
    encoded, notes = again.encoder_.encode(table, "The table")
    marks = encoded.toarray()[:, [name.startswith("genres has ") for name in again.encoder_.names_out]]
    words = np.array([name.split(" has ")[1] for name in again.encoder_.names_out if " has " in name])
    assert [set(words[row == 1].tolist()) for row in marks] == [sets[3], set(), {"Comedy"}, set()]
    assert "1 entries of 'genres' are of 1 words that were not fitted" in notes[0]
    for values in (text[3], sorted(sets[3])):  # a new node, as text and as a list
        new = n if values == text[3] else n + 1
        again.update(nodes_added={new: {"genres": values, "size": 1}}, edges_added=[(new, 0)])
        row = again.graph_.features[[new]].toarray()[0]
        assert set(words[row[: len(words)] == 1].tolist()) == sets[3]


def test_what_only_looks_like_lists_is_not_split() -> None:
    """Names, cities with their countries, few categories of several words, and free text stay what they are."""
    random = np.random.default_rng(0)
    first, last = [f"F{number}" for number in range(20)], [f"L{number}" for number in range(20)]
    people = [f"{a}, {b}" for a in last for b in first]
    full = [f"{a} {b}" for a in first for b in last]
    cities = [f"City {number}, {country}" for number in range(150) for country in ("France", "Italy")]
    few = ["very good", "good", "very bad", "bad", "not good", "not bad", "not very good", "not very bad"] * 50
    text = [" ".join(random.choice([f"w{number}" for number in range(30)], 8)) for _ in range(300)]
    for values in (people, full, cities, few, text, ["a|b", "b|a"] * 20):
        n_present = len(values)
        assert separator_of(sorted(set(values)), n_present, max_categories=100) == ""
