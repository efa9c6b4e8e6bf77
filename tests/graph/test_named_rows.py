"""Frames and series are matched by the ids they bring, in any order and of any library; arrays are as they come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from sparsecut.base.errors import InputError
from sparsecut.graph import Graph, like_frame, place_graph, place_rows, place_values, rows_and_ids

Z = np.arange(8, dtype=np.float32).reshape(4, 2)
WORDS = np.array(["a", "b", "c", "d"])
ORDER = [2, 0, 3, 1]
FRAME = pd.DataFrame(Z, columns=["z0", "z1"], index=WORDS)


def frames(order: list[int], ids: Any = WORDS) -> dict[str, Any]:
    """The same vectors with the same ids in many forms, the rows in some order."""
    vectors, names = Z[order], np.asarray(ids)[order]
    columns = {"z0": vectors[:, 0], "z1": vectors[:, 1]}
    return {
        "pandas index": pd.DataFrame(columns, index=names),
        "pandas id": pd.DataFrame({"id": names, **columns}),
        "pandas id beside another index": pd.DataFrame({"Node_ID": names, **columns}, index=[9, 8, 7, 6]),
        "pandas, the one column that is no fraction": pd.DataFrame({**columns, "account": names}),
        "pandas lists": pd.DataFrame({"id": names, "embedding": list(vectors), "x": 0.5, "y": 0.5}),
        "polars": pl.DataFrame({"id": names, **columns}),
        "polars, lazy": pl.LazyFrame({"id": names, **columns}),
        "polars lists": pl.DataFrame({"id": names, "embedding": vectors.tolist()}),
        "arrow": pa.table({"id": names, **columns}),
    }


@pytest.mark.parametrize("form", frames(ORDER))
@pytest.mark.parametrize(
    "ids", [WORDS, np.array([10, 3, 7, 5]), np.array([3, 1, 0, 2])], ids=["words", "integers", "permuted"]
)
def test_every_frame_brings_its_ids(form: str, ids: Any) -> None:
    for order in ([0, 1, 2, 3], ORDER):
        values, found = rows_and_ids(frames(order, ids)[form])
        np.testing.assert_array_equal(values, Z[order])
        assert found is not None
        assert found.tolist() == ids[order].tolist()
        np.testing.assert_array_equal(place_rows(frames(order, ids)[form], ids), Z)


def test_arrays_bring_none_and_are_passed_on_untouched() -> None:
    for matrix in (Z, Z.tolist()):
        assert rows_and_ids(matrix)[0] is matrix
        assert rows_and_ids(matrix)[1] is None
        assert place_rows(matrix, WORDS) is matrix
    values, ids = rows_and_ids(pd.DataFrame(Z))  # a default index names nothing
    np.testing.assert_array_equal(values, Z)
    assert ids is None
    assert rows_and_ids(pd.DataFrame(Z).iloc[2:])[1].tolist() == [2, 3]
    # Whole numbers are numbers where several columns have them, or one has them twice.
    assert rows_and_ids(pd.DataFrame({"a": [1, 2], "b": [3, 4]}))[1] is None
    assert rows_and_ids(pl.DataFrame({"age": [30, 30], "income": [0.5, 1.5]}))[1] is None


def test_whole_floats_are_integers_and_other_ids_are_refused() -> None:
    assert rows_and_ids(FRAME.set_axis([1.0, 2.0, 3.0, 4.0]))[1].tolist() == [1, 2, 3, 4]
    with pytest.raises(InputError, match=r"ids of the embedding mixes words and integers as node ids: 'a' and 1"):
        rows_and_ids(FRAME.set_axis(pd.Index(["a", 1, "b", 2], dtype=object)))
    with pytest.raises(InputError, match="ids of the embedding has None as a node id, in row 2"):
        rows_and_ids(FRAME.set_axis(pd.Index(["a", None, "b", "c"], dtype=object)))


def test_ids_beside_a_frame_may_not_contradict_its_own() -> None:
    assert rows_and_ids(FRAME, ids=WORDS)[1].tolist() == WORDS.tolist()
    assert rows_and_ids(pd.DataFrame(Z), ids=WORDS)[1].tolist() == WORDS.tolist()
    for others in (WORDS[ORDER], WORDS[:2], np.arange(4)):
        with pytest.raises(InputError, match=r"ids differ from those that the embedding brings.*frame\.to_numpy\(\)"):
            rows_and_ids(FRAME, ids=others)


def test_what_is_no_number_is_named() -> None:
    with pytest.raises(InputError, match=r"must hold numbers in all columns\. These hold others: 'city', 'team'\. Ids are"):
        rows_and_ids(FRAME.assign(city="x", team="y"))
    with pytest.raises(InputError, match=r"vectors of one length\. Those in column 'v' have several"):
        rows_and_ids(pl.DataFrame({"id": ["a", "b"], "v": [[1.0], [1.0, 2.0]]}))


def test_rows_for_other_nodes_or_too_few_are_refused() -> None:
    with pytest.raises(InputError, match=r"no row for these nodes of the graph: 'd'"):
        place_rows(FRAME.iloc[:3], WORDS)
    with pytest.raises(InputError, match=r"names nodes that the graph does not have: 'e'"):
        place_rows(FRAME.rename(index={"d": "e"}), WORDS)


@pytest.mark.parametrize("kind", [int, float, str, bool, "category", object])
def test_values_are_matched_by_their_index_in_any_order(kind: Any) -> None:
    labels = pd.Series([1, 0, 1, 1], index=WORDS).astype(kind)
    expected = np.asarray(labels).tolist()
    assert place_values(labels.iloc[ORDER], WORDS, 4).tolist() == expected
    for frame in (
        pd.DataFrame({"label": labels.iloc[ORDER]}),
        pl.DataFrame({"id": WORDS[ORDER], "label": np.asarray(labels)[ORDER].tolist()}),
    ):
        assert place_values(frame, WORDS, 4).tolist() == expected


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([5, 6], [-1, 6, -1, 5]),
        ([5.5, 6.5], [np.nan, 6.5, np.nan, 5.5]),
        (["x", "y"], [None, "y", None, "x"]),
        ([True, False], [None, False, None, True]),
    ],
)
def test_rows_without_a_value_have_none(values: Any, expected: Any) -> None:
    placed = place_values(pd.Series(values, index=["d", "b"]), WORDS, 4)
    np.testing.assert_array_equal(placed, np.array(expected, dtype=placed.dtype))


def test_values_without_an_index_are_in_the_order_of_the_rows() -> None:
    for values in ([1, 2, 3, 4], np.array([1, 2, 3, 4]), pd.Series([1, 2, 3, 4]), pl.Series([1, 2, 3, 4])):
        assert place_values(values, WORDS, 4) is values
        assert place_values(values, None, 4) is values


def test_the_rows_of_an_array_are_the_nodes_from_0_on() -> None:
    labels = pd.Series(["w", "x", "y", "z"])
    assert place_values(labels.iloc[ORDER], None, 4).tolist() == ["w", "x", "y", "z"]
    assert place_values(labels.head(2), None, 4).tolist() == ["w", "x", None, None]
    with pytest.raises(InputError, match=r"does not have: 'a'.* an array, whose rows are the nodes 0 to 3\. Give its rows"):
        place_values(labels.set_axis(WORDS), None, 4)


def test_a_default_index_beside_the_same_numbers_in_another_order_is_refused() -> None:
    labels, ids = pd.Series(["w", "x", "y", "z"]), np.array([3, 1, 0, 2])
    with pytest.raises(
        InputError, match=r"could be in either\. Pass labels\.loc\[frame\.index\] .* or labels\.to_numpy\(\)"
    ):
        place_values(labels, ids, 4)
    assert place_values(labels.loc[ids], ids, 4).tolist() == ["z", "x", "w", "y"]
    assert place_values(labels, np.arange(4), 4) is labels  # the two readings agree
    assert place_values(labels, ids[:2], 2, is_for_more=True).tolist() == ["z", "x"]  # more values than rows: ids


def test_values_of_unknown_nodes_are_an_error_unless_they_may_be_for_more() -> None:
    labels = pd.Series([1, 2, 3], index=["d", "e", "a"])
    with pytest.raises(InputError, match=r"name nodes that the embedding does not have: 'e'\. Leave them out"):
        place_values(labels, WORDS, 4)
    assert place_values(labels, WORDS, 4, is_for_more=True).tolist() == [3, -1, -1, 1]
    with pytest.raises(InputError, match="does not have: 'e'"):
        place_values(labels.loc[["e"]], WORDS, 4, is_for_more=True)
    with pytest.raises(InputError, match=r"must name each node once\. These occur more than once: 'a'"):
        place_values(pd.Series([1, 2], index=["a", "a"]), WORDS, 4)
    with pytest.raises(InputError, match=r"one column beside the ids\. Got 2: 'p', 'q'"):
        place_values(pl.DataFrame({"id": WORDS, "p": WORDS, "q": WORDS}), WORDS, 4)


def test_a_graph_in_the_order_of_rows() -> None:
    graph = Graph(np.diag([1.0, 2.0, 3.0], 1) + np.diag([1.0, 2.0, 3.0], -1), node_ids=WORDS)
    assert place_graph(graph, None) is place_graph(graph, WORDS) is graph
    moved = place_graph(graph, WORDS[ORDER])
    np.testing.assert_array_equal(moved.adjacency.toarray(), graph.adjacency.toarray()[np.ix_(ORDER, ORDER)])
    with pytest.raises(InputError, match="does not have these nodes of the embedding: 'x'"):
        place_graph(graph, np.array(["a", "x"]))


@pytest.mark.parametrize("form", frames(ORDER))
def test_a_result_is_a_frame_of_the_same_library_with_the_same_ids(form: str) -> None:
    frame = frames(ORDER)[form]
    column = np.arange(4.0)
    values, ids = rows_and_ids(like_frame(frame, {"x": column, "y": -column}, rows_and_ids(frame)[1]))
    np.testing.assert_array_equal(values, np.column_stack([column, -column]))
    assert ids is not None
    assert ids.tolist() == WORDS[ORDER].tolist()
