"""Rows belong to nodes: a frame or a series is matched by its index or its column of ids, and others are refused."""

from __future__ import annotations

from pathlib import Path

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse as sp
import torch

import sparsecut as sc

EDGES = pd.DataFrame({"source": ["a", "b", "c"], "target": ["b", "c", "d"]})
AGES = {"a": 1.0, "b": 2.0, "c": 3.0, "d": 6.0}
PATH = sp.csr_array(np.eye(4, k=1) + np.eye(4, k=-1))


def frame(order: str) -> pd.DataFrame:
    return pd.DataFrame({"age": [AGES[name] for name in order], "city": list(order.upper())}, index=list(order))


def test_a_frame_is_matched_by_its_index() -> None:
    graph = sc.from_edges(EDGES, features=frame("dcba")[["age"]], labels=pd.Series([4, 3, 2, 1], index=list("dcba")))
    assert graph.node_ids.tolist() == list("abcd")
    assert graph.features.ravel() == pytest.approx((np.array([1, 2, 3, 6]) - 3) / np.sqrt(14 / 4))
    assert graph.labels.tolist() == [1, 2, 3, 4]
    again = sc.Graph(PATH, features=frame("dcba"), node_ids=list("abcd"))
    assert np.array_equal(again.features, sc.Graph(PATH, features=frame("abcd"), node_ids=list("abcd")).features)


def test_a_default_index_names_nothing_and_others_name_nodes() -> None:
    ages = pd.DataFrame({"age": [1.0, 2.0, 3.0, 6.0]})
    in_order = sc.from_edges(EDGES, features=ages, labels=pd.Series([1, 2, 3, 4]), node_ids=list("abcd"))
    assert np.array_equal(in_order.features, sc.from_edges(EDGES, features=frame("abcd")[["age"]]).features)
    assert in_order.labels.tolist() == [1, 2, 3, 4]
    for unnamed in ({"features": ages}, {"labels": pd.Series([1, 2, 3, 4])}):  # the order of the edges is nobody's order
        with pytest.raises(sc.InputError, match="node_ids= too"):
            sc.from_edges(EDGES, **unnamed)
    shuffled = ages.iloc[[2, 0, 3, 1]]  # its index now is 2, 0, 3, 1
    assert sc.Graph(PATH, features=shuffled).features == pytest.approx(sc.Graph(PATH, features=ages).features, abs=1e-6)


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        (
            frame("dcba").rename(index={"d": "e"}),
            "matched by its index, has no row for these nodes of the graph: 'd'. If another column holds the ids, name",
        ),
        (frame("cba"), "has no row for these nodes of the graph: 'd'."),
        (pd.concat([frame("dcba"), frame("a")]), "matched by its index, has more than one row for 'a'."),
        (pd.DataFrame({"age": [1.0, 2, 3, 4]}, index=[5, 6, 7, 8]), "by its index, has no row for these nodes of the graph"),
        (
            pd.DataFrame({"id": list("abcx"), "age": [1.0, 2, 3, 4]}),
            "matched by its column 'id', has no row for these nodes of the graph: 'd'.",
        ),
        (pd.DataFrame([[1, 2], [3, 4], [5, 6], [7, 8]], columns=["x", "x"]), "has two columns named 'x'. Rename one."),
        (pd.DataFrame({"x": [1, "a", None, [2]]}), "must hold values of one type in each column. Column 'x' does not"),
    ],
)
def test_frames_of_other_nodes_are_refused(features: pd.DataFrame, expected: str) -> None:
    with pytest.raises(sc.InputError) as caught:
        sc.from_edges(EDGES, features=features)
    assert expected in str(caught.value)
    assert "reset_index" not in str(caught.value)
    assert "missing=" not in str(caught.value)


def test_a_row_of_no_node_of_a_given_graph_is_refused() -> None:
    with pytest.raises(sc.InputError, match=r"its index, names nodes that the graph does not have: 'e'\. .*node_ids="):
        sc.Graph(PATH, features=frame("dcba").rename(index={"d": "e"}), node_ids=list("abcd"))


def test_labels_of_other_nodes_are_refused() -> None:
    with pytest.raises(sc.InputError, match="The labels names nodes that the graph does not have: 'x'"):
        sc.from_edges(EDGES, labels=pd.Series([1, 2, 3, 4], index=list("abcx")))


@pytest.mark.parametrize("kind", ["pandas", "indexed", "polars", "lazy", "arrow", "duckdb"])
def test_a_frame_is_encoded_as_its_csv_is(kind: str, tmp_path: Path) -> None:
    mixed = pd.DataFrame(
        {
            "id": list("dbca"),
            "age": [6.0, 2.0, None, 1.0],
            "city": ["Rome", "Oslo", "Rome", None],
            "member": [True, False, True, True],
        }
    )
    mixed.to_csv(tmp_path / "features.csv", index=False)
    EDGES.to_csv(tmp_path / "edges.csv", index=False)
    expected = sc.read_graph(tmp_path / "edges.csv", features=tmp_path / "features.csv")
    frames = {
        "pandas": mixed,
        "indexed": mixed.set_index("id"),
        "polars": pl.from_pandas(mixed),
        "lazy": pl.from_pandas(mixed).lazy(),
        "duckdb": duckdb.sql("select * from mixed"),
        "arrow": pa.Table.from_pandas(mixed, preserve_index=False),
    }
    graph = sc.from_edges(EDGES, features=frames[kind])
    assert graph.feature_names == expected.feature_names == ("age", "city", "member")
    assert graph.encoder == expected.encoder
    place = [expected.node_ids.tolist().index(name) for name in graph.node_ids]
    assert np.array_equal(graph.features, expected.features[place])


def test_a_column_of_names_is_ids_only_where_it_names_the_nodes() -> None:
    by_name = pd.DataFrame({"name": list("dcba"), "age": [6.0, 3.0, 2.0, 1.0]})
    assert sc.from_edges(EDGES, features=by_name).feature_names == ("age",)
    others = pd.DataFrame({"name": ["Ann", "Ann", "Bob", "Bob"], "age": [1.0, 2.0, 3.0, 6.0]})
    assert sc.from_edges(EDGES, features=others, node_ids=list("abcd")).feature_names == ("name", "age")


def test_tensors_are_arrays() -> None:
    X = np.arange(8, dtype=np.float32).reshape(4, 2)
    for tensor in (torch.from_numpy(X), torch.from_numpy(X).requires_grad_(), torch.from_numpy(X).to_sparse()):
        features = sc.Graph(PATH, features=tensor).features
        assert (features.toarray() if sp.issparse(features) else features).tolist() == X.tolist()


def test_names_of_an_array() -> None:
    graph = sc.Graph(PATH, features=np.eye(4, 2), feature_names=["x", "y"])
    assert graph.feature_names == ("x", "y")
    assert sc.Graph(PATH, features=np.eye(4, 2)).feature_names is None
    for names in (["x"], ["x", "x"]):
        with pytest.raises(sc.InputError, match="one name for each of the 2 columns, all different"):
            sc.Graph(PATH, features=np.eye(4, 2), feature_names=names)
    with pytest.raises(sc.InputError, match="A frame has its own"):
        sc.Graph(PATH, features=frame("abcd"), feature_names=["x", "y"])
