"""Features in a dict, node id → what the node has."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

import sparsecut as sc

EDGES = [("a", "b"), ("b", "c")]


def test_rows_of_numbers_and_of_named_values_belong_to_their_nodes() -> None:
    rows = {"c": [5, 6], "a": np.array([1.5, 2.0]), "b": (3, 4)}
    assert sc.from_edges(EDGES, features=rows).features.tolist() == [[1.5, 2], [3, 4], [5, 6]]
    named = {"c": {"age": 50}, "a": {"age": 30, "city": "Rome"}, "b": {"city": "Oslo", "age": 40}}
    graph = sc.from_edges(EDGES, features=named)
    frame = pd.DataFrame({"age": [30, 40, 50], "city": ["Rome", "Oslo", None]}, index=["a", "b", "c"])
    expected = sc.from_edges(EDGES, features=frame)
    assert graph.encoder.names_out == expected.encoder.names_out
    assert graph.features == pytest.approx(expected.features)


@pytest.mark.parametrize(
    ("features", "expected"),
    [
        ({}, "The dict of features is empty."),
        ({"a": [1], "b": [2, 3], "c": [4]}, "Got rows of unequal length."),
        ({"a": 1, "b": 2, "c": 3}, "must have for each node a list of words, a row of as many numbers, or a dict"),
        ({"age": [1, 2, 3], "x": [1, 2, 3]}, "names nodes that the graph does not have: 'age', 'x'."),
        ({"a": ["x"], "b": []}, "has no row for these nodes of the graph: 'c'."),
        ({"a": ["x"], "b": [1], "c": []}, "must have for each node a list of words"),
    ],
)
def test_other_dicts_get_a_sentence(features: Any, expected: str) -> None:
    with pytest.raises(sc.InputError) as caught:
        sc.from_edges(EDGES, features=features)
    assert expected in str(caught.value)
