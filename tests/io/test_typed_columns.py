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
