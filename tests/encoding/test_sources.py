"""Features before they are numbers: tables, lists of words and named arrays, taken, placed and matched."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import sparsecut as sc
from sparsecut.encoding import FeatureTable, NamedColumns, NumberScan, Vocabulary, WordLists, read_encoder
from sparsecut.encoding.sources import FeatureMatrix

TABLE = pa.table({"age": [10.0, 20.0, 30.0, 40.0], "city": ["Rome", "Oslo", "Rome", "Bonn"]})


def test_some_nodes_are_encoded_as_all_of_them_are() -> None:
    whole = FeatureTable(TABLE, "The table")
    matrix, _ = whole.matrix(whole.encoder)
    part = whole.take(np.array([3, 0]))
    assert part.encoder == whole.encoder
    assert np.array_equal(part.matrix(part.encoder)[0], matrix[[3, 0]])


def test_rows_of_no_node_do_not_count_and_nodes_without_a_row_have_zeros() -> None:
    placed = FeatureTable(TABLE, "The table").placed(np.array([2, -1, 0]))
    assert placed.encoder.names_out == ("age",)  # both are in Rome
    matrix, _ = placed.matrix(placed.encoder)
    assert matrix[:, 0].tolist() == [1, 0, -1]  # 10 and 30: mean 20, deviation 10


def test_every_encoder_comes_back_from_its_header() -> None:
    table = FeatureTable(
        pa.table(
            {
                "age": [10.0, None, 30.5, 40.0],
                "when": pa.array([1, 2, 3, 9], pa.timestamp("s")),
                "city": ["Rome", "Oslo", None, "Bonn"],
                "same": [1, 1, 1, 1],
                "vector": [[1.0, 2.0], [3.0, 4.0], [0.0, 1.0], [2.0, 2.5]],
            }
        ),
        "The table",
    )
    for encoder in (table.encoder, Vocabulary(("big", "red")), Vocabulary(7), NamedColumns(("a", "b"))):
        assert read_encoder(encoder.to_header()) == encoder
    assert read_encoder(None) is None


def test_words_that_were_not_fitted_are_left_out_and_counted() -> None:
    lists = WordLists(sp.csr_array([[1, 0, 1], [0, 1, 0]], dtype=np.float32), ("big", "new", "red"), "The file")
    matrix, notes = lists.matrix(Vocabulary(("big", "old", "red")))
    assert matrix.toarray().tolist() == [[1, 0, 1], [0, 0, 0]]
    assert notes == ("The file: 1 entries are of 1 words that were not fitted, and were left out.",)
    numbered = WordLists(sp.csr_array([[1, 0, 1], [0, 1, 0]], dtype=np.float32), 3, "The file")
    assert numbered.matrix(Vocabulary(5))[0].toarray().tolist() == [[1, 0, 1, 0, 0], [0, 1, 0, 0, 0]]
    assert numbered.matrix(Vocabulary(5))[1] == ()  # a feature that no node has here is absent, not unknown
    fewer, notes = numbered.matrix(Vocabulary(2))
    assert fewer.toarray().tolist() == [[1, 0], [0, 1]]
    assert len(notes) == 1
    with pytest.raises(sc.InputError, match="lists of feature numbers, and the model was fitted with lists of words"):
        numbered.matrix(Vocabulary(("a",)))


def test_named_arrays_are_matched_by_name() -> None:
    own = np.array([[1, 2, 3], [4, 5, 6]], dtype=np.float32)
    source = FeatureMatrix(own, NamedColumns(("a", "b", "c")))
    assert source.matrix(NamedColumns(("c", "a", "b")))[0].tolist() == [[3, 1, 2], [6, 4, 5]]
    sparse = FeatureMatrix(sp.csr_array(own), NamedColumns(("a", "b", "c")))
    assert sparse.matrix(NamedColumns(("c", "a", "b")))[0].toarray().tolist() == [[3, 1, 2], [6, 4, 5]]
    with pytest.raises(sc.InputError, match="it lacks 'd' and it has 'c', which the model does not know"):
        source.matrix(NamedColumns(("a", "b", "d")))
    encoder = FeatureTable(pa.table({"c": [1.0, 3.0], "a": [0.0, 4.0], "b": [2.0, 8.0]}), "The table").encoder
    assert source.matrix(encoder)[0].tolist() == [[1, -0.5, -1], [4, 1, 0]]
    with pytest.raises(sc.InputError, match=r"fitted on a table with the columns 'c', 'a', 'b'.* numbers already"):
        FeatureMatrix(own).matrix(encoder)


@settings(max_examples=50, deadline=None)
@given(
    values=st.lists(
        st.tuples(*[st.integers(-(10**9), 10**9).map(lambda value: value / 1000) | st.sampled_from([0.0, 1.0, 1e9])] * 3),
        min_size=1,
        max_size=30,
    ),
    n_rows=st.integers(1, 7),
    scale=st.booleans(),
)
def test_a_table_read_in_parts_is_encoded_as_the_whole(values: list[tuple[float, ...]], n_rows: int, scale: bool) -> None:
    matrix = np.array(values)
    names = ("x", "y", "z")
    whole = FeatureTable(pa.table(dict(zip(names, matrix.T, strict=True))), "The table", scale=scale).encoder
    scan = NumberScan(names)
    for start in range(0, len(matrix), n_rows):
        scan.update(matrix[start : start + n_rows])
    streamed = scan.encoder(scale=scale)
    assert streamed.names_out == whole.names_out
    if whole.names_out:
        table = {name: pa.chunked_array([column]) for name, column in zip(names, matrix.T, strict=True)}
        expected, _ = whole.encode(table, "The table")
        assert streamed.scale_numbers(matrix) == pytest.approx(expected, rel=1e-5, abs=1e-5)
