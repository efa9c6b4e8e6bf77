"""Ids are all integers or all words: mixed ones and gaps are refused with a sentence, wherever they come in."""

import json

import igraph
import networkx
import numpy as np
import pandas
import polars
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc

PAIR = np.array([[0, 1], [1, 0]])
RULE = "The node ids must be all integers or all words, none of them missing."
MIXED = f"{RULE} Got 'a' and 0. Give all of them one type: [str(id) for id in ids], for example."


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["a", 0], MIXED),
        (("a", 0), MIXED),
        (np.array(["a", 0], dtype=object), MIXED),
        (pandas.Series(["a", 0]), MIXED),
        ([True, 2], f"{RULE} Got True and 2. Give all of them one type: [str(id) for id in ids], for example."),
        (["a", None], f"{RULE} Got None at position 1."),
        ([None, 1], f"{RULE} Got None at position 0."),
        ([1, float("nan")], f"{RULE} Got nan at position 1."),
        (np.array([np.nan, 2.0]), f"{RULE} Got nan at position 0."),
        (pandas.Series(["a", None]), f"{RULE} Got None at position 1."),
        (pandas.Series([1, pandas.NA], dtype="Int64"), f"{RULE} Got <NA> at position 1."),
        (polars.Series(["a", None]), f"{RULE} Got None at position 1."),
        ([[1], [1, 2]], f"{RULE} Got lists."),
    ],
    ids=lambda value: "" if isinstance(value, str) else repr(value)[:30],
)
def test_mixed_and_missing_ids_of_a_graph(ids, expected):
    with pytest.raises(sc.InputError) as caught:
        sc.Graph(PAIR, node_ids=ids)
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    "ids",
    [["a", "b"], [3, np.int64(4)], np.array(["a ", "a"]), pandas.Series(["x", "y"], dtype="string"), range(2), [0.5, 1]],
    ids=str,
)
def test_ids_of_one_type_stay_as_they_are(ids):
    assert sc.Graph(PAIR, node_ids=ids).node_ids.tolist() == list(ids)


def test_objects_of_other_libraries(tmp_path):
    (tmp_path / "x.json").write_text(
        json.dumps({"nodes": [{"id": "a"}, {"id": 0}], "links": [{"source": "a", "target": 0}]})
    )
    calls = [
        lambda: sc.from_networkx(networkx.Graph([("a", 0)])),
        lambda: sc.from_igraph(igraph.Graph(edges=[(0, 1)], vertex_attrs={"name": ["a", 0]})),
        lambda: sc.from_edges(pandas.DataFrame({"u": ["a"], "v": ["b"]}), node_ids=["a", "b", 0]),
        lambda: sc.read_graph(tmp_path / "x.json"),
    ]
    for call in calls:
        with pytest.raises(sc.InputError) as caught:
            call()
        assert str(caught.value) == MIXED
    with pytest.raises(sc.InputError, match="Got None at position 1"):
        sc.from_igraph(igraph.Graph(edges=[(0, 1)], vertex_attrs={"name": ["a", None]}))


def test_columns_of_two_types_are_not_made_words(tmp_path):
    frame = pandas.DataFrame({"source": [1, 2], "target": ["a", "b"]})
    expected = (
        "must hold node ids that are all integers or all words. Got 1 in column 'source' and 'a' in column 'target'. "
        "Give both columns one type."
    )
    with pytest.raises(sc.InputError) as caught:
        sc.from_edges(frame)
    assert str(caught.value) == f"The table of edges {expected}"
    pyarrow.parquet.write_table(pa.table(frame), tmp_path / "x.parquet")
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(tmp_path / "x.parquet")
    assert str(caught.value) == f"The edge file {tmp_path}/x.parquet {expected}"
    with pytest.raises(sc.InputError, match="needs columns of one type each, node ids all integers or all words"):
        sc.from_edges(pandas.DataFrame({"source": [1, "x"], "target": ["a", "b"]}))
