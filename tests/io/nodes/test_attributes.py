"""Columns of tables of features, labels and ids, chosen by their names."""

import numpy as np
import pytest

import sparsecut as sc
from sparsecut.io.edges.ids import positions_of
from sparsecut.io.nodes.attributes import NodeTable


def write(path, text):
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def edges(tmp_path):
    return write(tmp_path / "edges.csv", "source,target\nann,bob\nbob,cy\n")


def test_columns_by_name(edges, tmp_path):
    table = write(tmp_path / "t.csv", "row,person,age,team,city\n7,ann,3,x,p\n8,cy,4,y,q\n9,bob,5,x,p\n")
    graph = sc.read_graph(
        edges,
        features=table,
        labels=table,
        id_column="person",
        feature_columns=["age", "row"],
        label_column="team",
        scale=False,
    )
    assert graph.node_ids.tolist() == ["ann", "cy", "bob"]
    assert graph.labels.tolist() == ["x", "y", "x"]
    assert graph.features.tolist() == [[3, 7], [4, 8], [5, 9]]
    assert sc.read_graph(edges, nodes=table, id_column="person", label_column="city").labels.tolist() == ["p", "q", "p"]
    bare = write(tmp_path / "bare.csv", "ann,3,x\nbob,4,y\ncy,5,x\n")
    assert sc.read_graph(edges, labels=bare, label_column="f2").labels.tolist() == ["x", "y", "x"]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"labels": "t.csv", "label_column": "tea"},
         "The labels file {0}/t.csv has no column 'tea'. It has: 'age', 'team'."),
        ({"labels": "t.csv", "id_column": "who"},
         "The labels file {0}/t.csv has no column 'who' of ids. It has: 'id', 'age', 'team'."),
        ({"features": "t.csv", "feature_columns": ["age", "size"]},
         "The features file {0}/t.csv has no column 'size'. It has: 'age', 'team'."),
        ({"label_column": "team"},
         "'team' is neither a file nor a column at hand: there is no node table beside {0}/edges.csv (nodes.csv or the "
         "like). Name one: nodes=... (--nodes)."),
        ({"labels": "team", "label_column": "team", "nodes": "t.csv"},
         "label_column='team' is for a file, and 'team' names columns already. Leave one out."),
    ],
)  # fmt: skip
def test_columns_that_are_not_there(edges, tmp_path, options, expected):
    write(tmp_path / "t.csv", "id,age,team\nann,3,x\nbob,4,y\ncy,5,x\n")
    options = {name: tmp_path / value if value == "t.csv" else value for name, value in options.items()}
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(edges, **options)
    assert str(caught.value) == expected.format(tmp_path)


@pytest.mark.parametrize("known", [np.array(["c", "a", "z"]), np.array(["a"]), np.array([1, 2])])
@pytest.mark.parametrize("name", ["id", "other"])
def test_places_that_were_found_are_those_that_are_looked_up(tmp_path, known, name):
    path = write(tmp_path / "t.csv", f"{name},age\na,1\nb,2\nc,3\nd,2\n")
    table = NodeTable.read(path, "features", frozenset({"id"}))
    found = table.found(known, "cover")
    places = found.places_of(known)
    assert places.tolist() == positions_of(known, found.ids).tolist()
    places[:] = -7  # the caller's own
    assert found.places_of(known).tolist() == found.places_of(known.copy()).tolist()
