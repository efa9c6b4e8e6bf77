"""The encoder of a table that is read in parts."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sparsecut.features import FeatureTable, NumberScan


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


@pytest.mark.parametrize("is_merged", [False, True])
@pytest.mark.parametrize("order", [(0, 1, 2), (2, 1, 0), (1, 0, 2)])
def test_whether_a_column_holds_marks_is_seen_in_all_parts(order: tuple[int, ...], is_merged: bool) -> None:
    """0 and 1 alone in the first part, in the last or in the middle: an amount all the same, which is standardised."""
    parts = [np.array([[0.0, 1.0], [1.0, 0.0]]), np.array([[5.0, 0.0], [7.0, 1.0]]), np.array([[1.0, 1.0], [0.0, 0.0]])]
    parts = [parts[number] for number in order]
    scan = NumberScan(("amount", "mark"))
    for part in parts:
        if is_merged:
            other = NumberScan(("amount", "mark"))
            other.update(part)
            scan.merge(other)
        else:
            scan.update(part)
    matrix = np.concatenate(parts)
    amount = (matrix[:, 0] - matrix[:, 0].mean()) / matrix[:, 0].std()
    assert scan.encoder(scale=True).scale_numbers(matrix) == pytest.approx(np.column_stack([amount, matrix[:, 1]]))
