"""One table of all nodes with a column that names their type."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc

NODES = pd.DataFrame(
    {"id": ["x", "p", "q", "y", "K"], "kind": ["author", "paper", "paper", "author", "venue"],
     "age": [20.0, None, None, 40.0, None], "cites": [None, 1.0, 2.0, None, None]}
)  # fmt: skip
EDGES = pd.DataFrame({"source": ["x", "p", "y", "p"], "target": ["p", "y", "q", "K"], "rel": ["w", "w", "w", "in"]})


@pytest.mark.parametrize("is_file", [False, True])
def test_types_of_ends_are_types_of_edges(is_file: bool, tmp_path: Path) -> None:
    nodes, edges = NODES, EDGES
    if is_file:
        nodes.to_csv(tmp_path / "n.csv", index=False)
        edges.to_csv(tmp_path / "e.csv", index=False)
        nodes, edges = tmp_path / "n.csv", tmp_path / "e.csv"  # type: ignore[assignment]
    graph = sc.from_tables(nodes, edges, type_column="kind", relation_column="rel", scale=False)
    assert graph.node_ids.tolist() == ["author:x", "author:y", "paper:p", "paper:q", "venue:K"]
    assert graph.edge_types == (("author", "w", "paper"), ("paper", "in", "venue"))  # p–y is y–p
    assert graph.feature_names == ("author:age", "paper:cites")  # a column that is empty for a type is none of its
    assert np.asarray(graph.features).tolist() == [[20, 0], [40, 0], [0, 1], [0, 2], [0, 0]]
    assert graph.adjacency.toarray()[2].tolist() == [1, 1, 0, 0, 1]


def test_mistakes_are_named() -> None:
    with pytest.raises(sc.InputError, match="has no column 'sort'"):
        sc.from_tables(NODES, EDGES, type_column="sort")
    with pytest.raises(sc.InputError, match="no column 'relation'"):
        sc.from_tables(NODES, EDGES, type_column="kind", relation_column="relation")
    with pytest.raises(sc.InputError, match="empty cell"):
        sc.from_tables(NODES.assign(kind=["a", None, "b", "a", "c"]), EDGES, type_column="kind")
    with pytest.raises(sc.InputError, match="The table of nodes"):
        sc.from_tables(pd.concat([NODES, NODES[:1].assign(kind="venue")]), EDGES, type_column="kind")  # x of two types


SPLIT = {name: NODES.loc[NODES["kind"] == name, "id"].tolist() for name in ("author", "paper", "venue")}
DATES = pd.to_datetime(["1952-01-09", "1952-01-03", "1952-01-05", "1952-01-01", "1952-01-07"])


@pytest.mark.parametrize("at", [DATES, np.array([9.0, 3.0, 5.0, 1.0, 7.0])], ids=["dates", "numbers"])
def test_weights_and_times_stay_with_their_edges(at: object) -> None:
    """As tables by type have them, taken apart by hand; edges of one kind lie apart, one of them the other way round."""
    edges = pd.DataFrame(
        {"source": ["p", "x", "p", "y", "x"], "target": ["K", "p", "y", "q", "q"], "rel": ["in", "w", "w", "w", "r"],
         "weight": [9.0, 2.0, 3.0, 5.0, 7.0], "at": at}
    )  # fmt: skip
    whole = sc.from_tables(
        NODES[["id", "kind"]],
        edges,
        type_column="kind",
        relation_column="rel",
        time="at",
        half_life="2d" if at is DATES else 2,
    )
    turned = edges.copy()
    turned.loc[2, ["source", "target"]] = ["y", "p"]
    by_type = {
        ("paper", "in", "venue"): turned[:1],
        ("author", "w", "paper"): turned[1:4],
        ("author", "r", "paper"): turned[4:],
    }
    tables = {key: table.drop(columns="rel") for key, table in by_type.items()}
    apart = sc.from_tables(
        {name: pd.DataFrame({"id": ids}) for name, ids in SPLIT.items()},
        tables,
        time="at",
        half_life="2d" if at is DATES else 2,
    )
    assert whole.edge_types == apart.edge_types
    assert whole.clock == apart.clock
    assert whole.relations is not None
    assert apart.relations is not None
    for one, other in zip(whole.relations.matrices, apart.relations.matrices, strict=True):
        np.testing.assert_allclose(one.toarray(), other.toarray(), rtol=1e-6)
    assert [matrix.nnz for matrix in whole.relations.matrices] == [2, 6, 2]


def test_edges_with_a_direction_are_not_turned_round() -> None:
    graph = sc.from_tables(NODES[["id", "kind"]], EDGES, type_column="kind", relation_column="rel", directed="out")
    assert graph.edge_types == (("author", "w", "paper"), ("paper", "w", "author"), ("paper", "in", "venue"))
    assert graph.adjacency.toarray()[2].tolist() == [0, 1, 0, 0, 1]  # p → y and p → K


def test_a_column_of_labels_is_no_feature_of_its_type() -> None:
    nodes = pd.DataFrame({"id": ["a", "b", "m", "n"], "kind": ["user", "user", "film", "film"], "age": [20, 30, None, None]})
    edges = pd.DataFrame({"source": ["a", "b"], "target": ["m", "n"], "rel": ["likes", "hates"]})
    options = {"type_column": "kind", "relation_column": "rel"}
    graph = sc.from_tables(nodes.assign(label=["x", "y", None, None]), edges, **options)
    named = sc.from_tables(nodes.assign(area=["x", "y", None, None]), edges, labels={"user": "area"}, **options)
    tables = {"user": pd.DataFrame({"id": ["a", "b"], "age": [20, 30], "label": ["x", "y"]}), "film": ["m", "n"]}
    apart = sc.from_tables(
        tables, {("user", rel, "film"): edges[edges["rel"] == rel][["source", "target"]] for rel in edges["rel"]}
    )
    for one in (graph, named, apart):
        assert one.labels is not None
        assert one.labels.tolist() == ["x", "y", "", ""]
        assert one.n_features == 1
    with pytest.raises(sc.InputError, match="type_column=, too"):
        sc.from_tables(tables, {("user", "likes", "film"): edges}, relation_column="rel")
