"""Features before they are numbers: tables, lists of words and named arrays, taken, placed and matched."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest
import scipy.sparse as sp

import sparsecut as sc
from sparsecut.features import FeatureTable, NamedColumns
from sparsecut.features.feature_tables import FeatureMatrix

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
