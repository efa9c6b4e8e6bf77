"""Changes in every form that users hold them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp

from sparsecut.base.errors import InputError
from sparsecut.updates.changes import Changes, check_edges, check_nodes, check_rows

EDGES = [(1, 2, 0.5), (3, 4, 2.0)]


@pytest.mark.parametrize(
    "edges",
    [
        EDGES,
        np.array(EDGES),
        pd.DataFrame(EDGES, columns=["source", "target", "weight"]),
        pd.DataFrame({"weight": [0.5, 2.0], "source": [1, 3], "target": [2, 4]}),
        pl.DataFrame(EDGES, schema=["a", "b", "c"], orient="row"),
        pd.DataFrame({"payee": [2, 4], "payer": [1, 3], "w": [0.5, 2.0]}),
        pd.DataFrame({"weight": [0.5, 2.0], "user_id": [1, 3], "film_id": [2, 4]}),
    ],
    ids=["list", "array", "frame", "frame by name", "polars by order", "ends by their names", "weights first"],
)
def test_edges_in_any_form(edges: Any) -> None:
    found = check_edges(edges, "SCE", "edges_added")
    assert (list(found.sources), list(found.targets)) == ([1, 3], [2, 4])
    np.testing.assert_array_equal(found.weights, np.array([0.5, 2], dtype=np.float32))
    assert found.named(1) == "3, 4"


def test_edges_without_weights_weigh_one_and_words_stay_words() -> None:
    found = check_edges([("a", "b")], "SCE", "edges_added")
    assert (found.sources, found.weights.tolist(), found.named(0)) == (["a"], [1.0], "'a', 'b'")
    assert len(check_edges(None, "SCE", "edges_added")) == len(check_edges([], "SCE", "edges_added")) == 0


@pytest.mark.parametrize(
    ("edges", "message"),
    [
        ([(1, 2, 3, 4)], "4 columns"),
        ([(1, 2), (1, 2, 3)], "different lengths"),
        ("ab", "pairs of node ids"),
        ([(1.5, 2)], "an integer or a word"),
        ([(1, 2, "x")], "must be numbers"),
        ([(1, 2, 0.0)], "above zero"),
        ([(1, 2, np.inf)], "above zero"),
        ([(1, 2, 1e300)], "above zero"),
        (pd.DataFrame({"source": [1], "target": [2], "amount": [50.0]}), "neither an end nor 'weight': 'amount'"),
        (pd.DataFrame({"from": [1], "to": [2], "date": pd.to_datetime(["2024-01-01"])}), "neither .* 'date'"),
        (pd.DataFrame({"from": [1], "to": [2], "edge_id": [9]}), "neither .* 'edge_id'"),
    ],
)
def test_what_no_edges_are(edges: Any, message: str) -> None:
    with pytest.raises(InputError, match=message):
        check_edges(edges, "SCE", "edges_added")


@pytest.mark.parametrize(
    "rows",
    [
        {7: [1.0, 2.0], 9: [3.0, 4.0]},
        ([7, 9], [[1.0, 2.0], [3.0, 4.0]]),
        (np.array([7, 9]), sp.csr_array(np.array([[1.0, 2], [3, 4]]))),
        {7: sp.csr_array(np.array([[1.0, 2.0]])), 9: sp.csr_array(np.array([[3.0, 4.0]]))},
        pd.DataFrame([[1.0, 2], [3, 4]], index=[7, 9]),
        pl.DataFrame({"id": [7, 9], "a": [1.0, 3.0], "b": [2.0, 4.0]}),
    ],
    ids=["mapping", "pair", "sparse", "sparse rows", "index", "column"],
)
def test_rows_in_any_form(rows: Any) -> None:
    found = check_rows(rows, "SCE", "nodes_added", None, 2)
    assert found.ids == [7, 9]
    matrix = found.matrix.toarray() if sp.issparse(found.matrix) else found.matrix
    np.testing.assert_array_equal(matrix, [[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({7: [1.0]}, "2 features"),
        (([7, 8], [[1.0, 2.0]]), "2 ids and 1 rows"),
        (([7, 7], [[1.0, 2.0], [3.0, 4.0]]), "twice"),
        (5, "a mapping"),
        ({7: ["x", "y"]}, "numbers"),
        (pl.DataFrame({"a": [1.0], "b": [2.0]}), "column 'id'"),
    ],
)
def test_what_no_rows_are(rows: Any, message: str) -> None:
    with pytest.raises((InputError, TypeError), match=message):
        check_rows(rows, "SCE", "nodes_added", None, 2)


def test_nodes_are_named_once_and_counted() -> None:
    assert check_nodes(np.array([3, 3, 1]), "SCE", "nodes_removed") == [3, 1]
    assert check_nodes(None, "SCE", "nodes_removed") == []
    with pytest.raises(InputError, match=r"pass \['a'\]"):
        check_nodes("a", "SCE", "nodes_removed")
    assert len(Changes(edges_added=check_edges(EDGES, "SCE", "edges_added"), nodes_removed=[5])) == 3
