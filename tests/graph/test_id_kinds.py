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
MIXED = "mixes words and integers as node ids: 'a' and 0. Make them one kind first."
GAP = "The list of node_ids has {} as a node id, in row {}. An id is an integer or a word."


@pytest.mark.parametrize(
    ("ids", "expected"),
    [
        (["a", 0], f"The list of node_ids {MIXED}"),
        (("a", 0), f"The list of node_ids {MIXED}"),
        (np.array(["a", 0], dtype=object), f"The list of node_ids {MIXED}"),
        (pandas.Series(["a", 0]), f"The list of node_ids {MIXED}"),
        (["a", None], GAP.format(None, 2)),
        ([None, 1], GAP.format(None, 1)),
        ([1, float("nan")], GAP.format("nan", 2)),
        (np.array([np.nan, 2.0]), GAP.format("nan", 1)),
        (pandas.Series(["a", None]), GAP.format(None, 2)),
        (polars.Series(["a", None]), GAP.format(None, 2)),
        ([[1], [1, 2]], "The list of node_ids must hold one id per node. Got lists."),
    ],
    ids=lambda value: "" if isinstance(value, str) else repr(value)[:30],
)
def test_mixed_and_missing_ids_of_a_graph(ids, expected):
    with pytest.raises(sc.InputError) as caught:
        sc.Graph(PAIR, node_ids=ids)
    assert str(caught.value) == expected


@pytest.mark.parametrize(
    "ids",
    [["a", "b"], [3, np.int64(4)], np.array(["a ", "a"]), pandas.Series(["x", "y"], dtype="string"), range(2)],
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
        with pytest.raises(sc.InputError, match=MIXED):
            call()
    with pytest.raises(sc.InputError, match="has None as a node id, in row 2"):
        sc.from_igraph(igraph.Graph(edges=[(0, 1)], vertex_attrs={"name": ["a", None]}))


def test_columns_of_two_types_are_not_made_words(tmp_path):
    frame = pandas.DataFrame({"source": [1, 2], "target": ["a", "b"]})
    expected = "mixes integers in column 'source' and words in column 'target' as node ids. Make them one kind first."
    with pytest.raises(sc.InputError) as caught:
        sc.from_edges(frame)
    assert str(caught.value) == f"The table of edges {expected}"
    pyarrow.parquet.write_table(pa.table(frame), tmp_path / "x.parquet")
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(tmp_path / "x.parquet")
    assert str(caught.value) == f"The edge file {tmp_path}/x.parquet {expected}"
