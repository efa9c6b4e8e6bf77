"""Some columns of some nodes: encoded by the fitted encoder, over the rows that the nodes have."""

from __future__ import annotations

import datetime
import warnings
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp

from changing import distance
from conftest import random_graph
from sparsecut import SCE, Graph, InputError, Power, read_graph

N_NODES = 30


def table(seed: int = 0) -> pd.DataFrame:
    generator = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "age": generator.normal(40, 10, N_NODES),
            "city": generator.choice(["Bern", "Oslo", "Rome"], N_NODES),
            "code": generator.choice(["007", "12", "1.50"], N_NODES),
            "member": generator.random(N_NODES) < 0.5,
            "since": pd.Timestamp("2020-01-01") + pd.to_timedelta(generator.integers(0, 900, N_NODES), "D"),
            "place": [[float(x), float(x * y)] for x, y in generator.normal(size=(N_NODES, 2))],
            "tags": [[str(tag) for tag in ("big", "old", "red") if generator.random() < 0.4] for _ in range(N_NODES)],
            "country": "CH",  # one value throughout: left out
        },
        index=[f"n{place}" for place in range(N_NODES)],
    )
    frame.loc["n3", "age"] = np.nan
    frame.loc["n4", "city"] = None
    return frame


def fitted(frame: pd.DataFrame) -> SCE:
    graph = random_graph(N_NODES, 2, seed=1, density=0.1)
    named = Graph(graph.adjacency, features=frame, node_ids=list(frame.index))
    return SCE(filter=Power(order=2), weighting="none", dimension=6).fit(named)


def with_table(model: SCE, frame: pd.DataFrame) -> np.ndarray:
    """What `transform` gives of the graph with another table."""
    graph = model.graph_
    return model.transform(
        Graph(graph.adjacency, features=frame.loc[graph.node_ids.tolist()], node_ids=graph.node_ids.tolist())
    )


@pytest.mark.parametrize(
    ("column", "given", "value"),
    [
        ("age", 55.5, 55.5),
        ("age", "55.5", 55.5),
        ("age", None, None),
        ("city", "Rome", "Rome"),
        ("city", None, None),
        ("code", "007", "007"),
        ("code", "1.50", "1.50"),
        ("member", True, True),
        ("member", "false", False),
        ("since", datetime.datetime(2021, 5, 4, 3, 2, 1), pd.Timestamp("2021-05-04 03:02:01")),
        ("since", "2021-05-04", pd.Timestamp("2021-05-04")),
        ("since", "2021-05-04T03:02:01", pd.Timestamp("2021-05-04 03:02:01")),
        ("place", [0.5, -2.0], [0.5, -2.0]),
        ("place", "[0.5, -2.0]", [0.5, -2.0]),
        ("tags", ["red", "big"], ["red", "big"]),
        ("tags", '["red", "big"]', ["red", "big"]),
        ("tags", [], []),
        ("tags", None, []),
        ("country", "DE", "CH"),
    ],
)
def test_one_column_of_one_node_needs_no_other(column: str, given: Any, value: Any) -> None:
    frame = table()
    model = fitted(frame)
    model.update(features_changed={"n7": {column: given}}, tolerance=0)
    frame.at["n7", column] = value
    assert distance(model.embedding_, with_table(model, frame)) < 1e-5


def test_a_frame_of_some_columns_and_records_of_different_ones() -> None:
    frame = table()
    model = fitted(frame)
    later = pd.DataFrame({"city": ["Oslo", "Bern"], "age": [1.0, 2.0]}, index=["n9", "n2"])
    model.update(features_changed=later, tolerance=0)
    model.update(
        features_changed={"n2": {"age": 70}, "n5": {"city": "Rome", "member": False}, "n9": {"age": 3}}, tolerance=0
    )
    frame.loc[["n9", "n2"], "city"] = ["Oslo", "Bern"]
    frame.loc[["n9", "n2"], "age"] = [3.0, 70.0]
    frame.loc["n5", ["city", "member"]] = ["Rome", False]
    assert distance(model.embedding_, with_table(model, frame)) < 1e-5


def test_a_node_that_comes_with_the_batch_has_its_new_row_changed_and_not_its_old_one() -> None:
    frame = table()
    model = fitted(frame)
    row = {**frame.loc["n1"].to_dict(), "age": 20.0}
    model.update(
        nodes_removed=["n6"],
        nodes_added={"n6": row, "new": row},
        features_changed={"n6": {"city": "Oslo"}, "new": {"age": 33.0}},
        tolerance=0,
    )
    frame.loc["n6"] = pd.Series({**row, "city": "Oslo"})
    frame.loc["new"] = pd.Series({**row, "age": 33.0})
    frame["member"] = frame["member"].astype(bool)
    assert distance(model.embedding_, with_table(model, frame)) < 1e-5


@pytest.mark.parametrize("is_sparse", [False, True])
def test_named_columns_of_a_matrix(is_sparse: bool) -> None:
    graph = random_graph(N_NODES, 4, seed=1, is_sparse=is_sparse)
    named = Graph(graph.adjacency, features=graph.features, feature_names=["a", "b", "c", "d"])
    model = SCE(filter=Power(order=1), weighting="none", dimension=3).fit(named)
    model.update(features_changed={3: {"c": 5.0}, 4: {"d": "2.5", "a": 1}}, tolerance=0)
    features = graph.features.toarray() if is_sparse else np.array(graph.features)
    features[3, 2], features[4, 3], features[4, 0] = 5.0, 2.5, 1
    expected = Graph(graph.adjacency, features=features, feature_names=["a", "b", "c", "d"])
    assert distance(model.embedding_, model.transform(expected)) < 1e-5
    assert sp.issparse(model.graph_.features) == is_sparse


def test_lists_of_words(tmp_path: Any) -> None:
    (tmp_path / "edges.csv").write_text("source,target\n" + "".join(f"{i},{i + 1}\n" for i in range(8)))
    words = [["x", "y"], ["y"], ["z", "x"], ["z"], ["y", "z"], ["x"], ["x", "z"], ["y"], ["z"]]
    lists = ", ".join(f'"{node}": {found}'.replace("'", '"') for node, found in enumerate(words))
    (tmp_path / "f.json").write_text(f"{{{lists}}}")
    model = SCE(filter=Power(order=1), dimension=2).fit(read_graph(tmp_path / "edges.csv", features=tmp_path / "f.json"))
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        model.update(features_changed={3: ["x", "new"]}, nodes_added={20: ["y"]}, tolerance=0)
    assert "were not fitted" in str(told[0].message)
    np.testing.assert_array_equal(model.graph_.features[[3, 9]].toarray(), [[1, 0, 0], [0, 1, 0]])
    assert distance(model.embedding_, model.transform(model.graph_)) < 1e-5
    with pytest.raises(InputError, match="lists of words"):
        model.update(features_changed={3: ["x", 5]})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"features_changed": {"n1": {"town": "Oslo"}}}, "which the model does not know"),
        ({"features_changed": {"n1": {"age": "old"}}}, "'age', which held numbers .* Got 'old'"),
        ({"features_changed": {"n1": {"since": "soon"}}}, "which held times"),
        ({"features_changed": {"n1": {"place": [1.0]}}}, "lists of 2 numbers"),
        ({"features_changed": {"n1": {"tags": "red"}}}, "'tags', which held lists of words .* Got 'red'"),
        ({"features_changed": {"n1": {"age": 1.0}, "n2": [1.0]}}, "all be columns"),
        ({"features_changed": {"nobody": {"age": 1.0}}}, "does not have: 'nobody'"),
        ({"nodes_added": {"new": {"age": 1.0}}}, "lacks"),
        ({"nodes_added": {"new": {"age": 1.0}, "more": {"city": "Oslo"}}}, "same columns"),
        ({"features_changed": (["n1"], pd.DataFrame({"age": [1.0]}, index=["n2"]))}, "Give the frame alone"),
    ],
)
def test_what_cannot_be_changed_is_named_and_nothing_changes(arguments: dict[str, Any], message: str) -> None:
    model = fitted(table())
    before = model.embedding_
    with pytest.raises(InputError, match=message):
        model.update(**arguments)
    assert model.embedding_ is before
