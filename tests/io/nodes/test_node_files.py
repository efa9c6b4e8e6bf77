"""Features and labels beside a graph: matched by id, whatever the order and the format."""

import json

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.base.errors import ReadingWarning

IDS = ["c", "a", "b"]
X = np.array([[3, 30], [1, 10], [2, 20]], dtype=np.float32)


@pytest.fixture
def edges(tmp_path):
    path = tmp_path / "edges.csv"
    path.write_text("source,target\na,b\nb,c\n")
    return path


def write_features(form, folder):
    path = folder / f"features.{form}"
    if form == "csv":
        path.write_text("id,x,y\nc,3,30\na,1,10\nb,2,20\n")
    elif form == "tsv":
        path.write_text("x\tnode\ty\n3\tc\t30\n1\ta\t10\n2\tb\t20\n")
    elif form == "parquet":
        pyarrow.parquet.write_table(pa.table({"id": IDS, "x": X[:, 0], "y": X[:, 1]}), path)
    elif form == "npz":
        np.savez(path, ids=np.array(IDS), features=X)
    elif form == "json":
        path.write_text(json.dumps(dict(zip(IDS, X.astype(float).tolist(), strict=True))))
    return path


@pytest.mark.parametrize("form", ["csv", "tsv", "parquet", "npz", "json"])
def test_features_by_id(form, edges):
    graph = sc.read_graph(edges, features=write_features(form, edges.parent), scale=False)
    assert graph.node_ids.tolist() == IDS
    assert (graph.features == X).all()
    assert graph.adjacency.toarray().tolist() == [[0, 0, 1], [0, 0, 1], [1, 1, 0]]


@pytest.mark.parametrize("is_sparse", [False, True])
def test_features_in_the_order_of_integers(is_sparse, tmp_path):
    (tmp_path / "edges.csv").write_text("0,1\n1,3\n")
    features = np.eye(5, 3, dtype=np.float32)
    if is_sparse:
        sp.save_npz(tmp_path / "x.npz", sp.csr_array(features))
    else:
        np.save(tmp_path / "x.npy", features)
    graph = sc.read_graph(tmp_path / "edges.csv", features=tmp_path / ("x.npz" if is_sparse else "x.npy"))
    assert graph.node_ids.tolist() == [0, 1, 2, 3, 4]  # a row without edges is a node of its own
    assert (np.asarray(graph.features.toarray() if is_sparse else graph.features) == features).all()


def test_lists_of_feature_ids(tmp_path):
    (tmp_path / "edges.csv").write_text("id_1,id_2\n0,1\n1,2\n")
    (tmp_path / "x.json").write_text('{"1": [0, 4, 4], "0": [2], "2": []}')
    graph = sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "x.json")
    assert graph.node_ids.tolist() == [1, 0, 2]
    assert graph.features.toarray().tolist() == [[1, 0, 0, 0, 1], [0, 0, 1, 0, 0], [0] * 5]
    (tmp_path / "x.json").write_text('{"1": ["red", "big"], "0": ["big"], "2": []}')
    graph = sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "x.json")
    assert graph.features.toarray().tolist() == [[1, 1], [1, 0], [0, 0]]  # big, red


@pytest.mark.parametrize("is_sparse", [False, True])
def test_what_is_missing_is_zero_on_demand(is_sparse, edges):
    path = edges.parent / "x.npz"
    if is_sparse:
        (edges.parent / "x.json").write_text('{"b": [1], "z": [0]}')
        path = edges.parent / "x.json"
    else:
        np.savez(path, ids=np.array(["b", "z"]), features=np.array([[0, 1], [1, 0]]))
    labels = edges.parent / "l.csv"
    labels.write_text("id,label\nb,7\nq,8\n")
    with pytest.raises(sc.InputError, match=r"names nodes that the features file .* does not: 'a', 'c'"):
        sc.read_graph(edges, features=path)
    graph = sc.read_graph(edges, features=path, labels=labels, missing="zero")
    assert graph.node_ids.tolist() == ["b", "z", "a", "c"]
    features = graph.features.toarray() if is_sparse else graph.features
    assert features.tolist() == [[0, 1], [1, 0], [0, 0], [0, 0]]
    assert graph.labels.tolist() == [7, -1, -1, -1]
    assert graph.n_edges == 2


def test_features_onto_a_matrix(tmp_path):
    sp.save_npz(tmp_path / "g.npz", sp.csr_array(np.ones((3, 3))))
    (tmp_path / "x.csv").write_text("id,x\n2,20\n0,0\n1,10\n")
    graph = sc.read_graph(tmp_path / "g.npz", features=tmp_path / "x.csv", scale=False)
    assert graph.features.tolist() == [[0], [10], [20]]
    (tmp_path / "x.csv").write_text("id,x\n2,20\n0,0\n5,10\n")
    with pytest.raises(sc.InputError, match="names nodes that the graph does not: 5"):
        sc.read_graph(tmp_path / "g.npz", features=tmp_path / "x.csv")
    graph = sc.read_graph(tmp_path / "g.npz", features=tmp_path / "x.csv", missing="zero", scale=False)
    assert graph.features.tolist() == [[0], [0], [20]]
    scaled = sc.read_graph(tmp_path / "g.npz", features=tmp_path / "x.csv", missing="zero")
    assert scaled.features.tolist() == [[-1], [0], [1]]  # the row of 5 does not count, and node 1 has none
    assert scaled.notes[-1] == (
        f"The features file {tmp_path / 'x.csv'}: 1 nodes without a row have zeros for features; 1 rows of no node were "
        "left out."
    )


def test_columns_of_the_sibling_table(edges):
    (edges.parent / "nodes.csv").write_text("id,age,city,team\nb,2,Rome,p\na,1,Oslo,q\nc,4,Rome,p\n")
    graph = sc.read_graph(edges, features="age", labels="team", scale=False)
    assert graph.node_ids.tolist() == ["b", "a", "c"]
    assert graph.features.tolist() == [[2], [1], [4]]
    assert graph.labels.tolist() == ["p", "q", "p"]
    assert sc.read_graph(edges, features="age, city").features.shape == (3, 3)
    assert sc.read_graph(edges, features=["city"]).features.tolist() == [[0, 1], [1, 0], [0, 1]]
    everything = sc.read_graph(edges, nodes=edges.parent / "nodes.csv", labels="team")
    assert everything.features.shape == (3, 3)
    assert everything.labels.tolist() == ["p", "q", "p"]
    with pytest.raises(sc.InputError, match="has no column 'height'"):
        sc.read_graph(edges, features="height")


def test_a_table_of_nodes_given_alone_brings_its_labels(edges):
    (edges.parent / "people.csv").write_text("id,age,class\nb,2,p\na,1,q\nc,4,p\n")
    graph = sc.read_graph(edges, nodes=edges.parent / "people.csv", scale=False)
    assert graph.features.tolist() == [[2], [1], [4]]
    assert graph.labels.tolist() == ["p", "q", "p"]


def test_no_sibling_table(edges):
    with pytest.raises(sc.InputError) as caught:
        sc.read_graph(edges, features="age")
    assert str(caught.value) == (
        f"'age' is neither a file nor a column at hand: there is no node table beside {edges} (nodes.csv or the like). "
        "Name one: nodes=... (--nodes)."
    )


def test_the_column_of_labels_is_guessed_and_said(edges):
    path = edges.parent / "target.csv"
    path.write_text("id,page,kind\na,11,x\nb,12,y\nc,13,x\n")
    graph = sc.read_graph(edges, labels=path)
    assert graph.labels.tolist() == ["x", "y", "x"]
    assert graph.notes[-1] == f"Labels: {path}, column 'kind'."
    path.write_text("id,kind,label\na,x,3\nb,x,4\nc,y,3\n")
    assert sc.read_graph(edges, labels=path).labels.tolist() == [3, 4, 3]
    (edges.parent / "l.json").write_text('{"c": "x", "a": null, "b": "y"}')
    assert sc.read_graph(edges, labels=edges.parent / "l.json").labels.tolist() == ["", "y", "x"]


def test_numbers_match_the_words_that_spell_them(tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n2,x\n")
    pyarrow.parquet.write_table(pa.table({"id": ["x", "2", "1"], "f": [1.0, 2.0, 3.0]}), tmp_path / "f.parquet")
    graph = sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "f.parquet")
    assert graph.node_ids.tolist() == ["x", "2", "1"]
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n2,3\n")
    (tmp_path / "f.csv").write_text("id,f\n3,1\n2,2\n1,3\n")
    graph = sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "f.csv")
    assert graph.node_ids.tolist() == [3, 2, 1]


def test_a_column_that_turns_from_integers_to_words_after_many_rows(tmp_path):
    """pyarrow guesses types from the first megabyte."""
    n_nodes = 200_000
    rows = "".join(f"{number},{number % 7}\n" for number in range(n_nodes))
    (tmp_path / "f.csv").write_text(f"id,f\n{rows}{n_nodes},2.5\n")
    (tmp_path / "edges.csv").write_text("0,1\n1,2\n")
    graph = sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "f.csv", scale=False)
    assert graph.features[-1].tolist() == [2.5]


@pytest.mark.parametrize("holder", ["file", "frame"])
def test_a_row_of_totals_that_makes_words_of_all_ids_is_said(holder, tmp_path):
    (tmp_path / "edges.csv").write_text("source,target\n1,2\n2,3\n")
    (tmp_path / "f.csv").write_text("id,f\n1,5\n2,6\n3,7\n4,8\nTotal,26\n")
    edges, features = (tmp_path / "edges.csv", tmp_path / "f.csv")
    read = {
        "file": lambda: sc.read_graph(edges, features=features),
        "frame": lambda: sc.from_edges([(1, 2), (2, 3)], features=pd.read_csv(features)),
    }[holder]
    with pytest.warns(ReadingWarning, match=r"1 row of nodes without edges whose ids are no integers.*'Total'\. So every"):
        graph = read()
    assert graph.node_ids.tolist()[-2:] == ["4", "Total"]
    assert any("'Total'" in note for note in graph.notes)
