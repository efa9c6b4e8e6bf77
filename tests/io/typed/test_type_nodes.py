"""The nodes of one type, however they are given: the same ids, features and labels."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse as sp
import torch

from sparsecut import InputError
from sparsecut.io.typed.type_nodes import NodeOptions, read_nodes

KNOWN = pa.array([30, 10])
COLUMNS = {"no": [20, 10, 30], "age": [1.0, 2.0, 3.0], "rank": [1, 2, 3], "label": ["x", "y", "x"]}


def written(folder: Path) -> list[Any]:
    frame = pd.DataFrame(COLUMNS)
    frame.to_csv(folder / "a.csv", index=False)
    frame.to_parquet(folder / "a.parquet")
    (folder / "parts").mkdir()
    for part in range(3):
        pq.write_table(pa.table(COLUMNS).slice(part, 1), folder / f"parts/{part}.parquet")
    return [folder / "a.csv", folder / "a.parquet", folder / "parts", frame, frame.set_index("no"), pl.DataFrame(COLUMNS)]


def test_a_table_is_read_alike_from_anywhere(tmp_path: Path) -> None:
    for given in written(tmp_path):
        nodes = read_nodes("author", given, KNOWN, NodeOptions(scale=False))
        assert nodes.ids.tolist() == [20, 10, 30]  # in the order of the rows; 20 has no edges
        assert nodes.source is not None
        assert nodes.labels is not None
        assert nodes.source.matrix(nodes.source.encoder)[0].tolist() == [[1, 1], [2, 2], [3, 3]]
        assert nodes.labels.tolist() == ["x", "y", "x"]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, torch.tensor])
def test_rows_of_an_array_are_the_nodes_from_0(make: Any) -> None:
    rows = [[1.0, 2.0], [3.0, 4.0]]
    nodes = read_nodes("author", make(rows), KNOWN, NodeOptions())
    assert nodes.ids.tolist() == [0, 1]
    named = read_nodes("author", (["a", "b"], make(rows)), KNOWN, NodeOptions())
    assert named.ids.tolist() == ["a", "b"]
    assert named.source is not None
    matrix = named.source.matrix(None)[0]
    assert (matrix.toarray() if sp.issparse(matrix) else matrix).tolist() == rows


def test_nodes_without_features() -> None:
    assert read_nodes("venue", None, KNOWN, NodeOptions()).ids.tolist() == [10, 30]
    assert read_nodes("venue", None, pa.array(["b", "a"]), NodeOptions()).ids.tolist() == ["b", "a"]
    for given in (["KDD", "ICML"], np.array(["KDD", "ICML"]), pd.DataFrame({"venue": ["KDD", "ICML"]})):
        nodes = read_nodes("venue", given, pa.array(["ICML"]), NodeOptions())
        assert (nodes.ids.tolist(), nodes.source) == (["KDD", "ICML"], None)
    words = read_nodes("paper", {10: ["a"], 30: ["b", "a"]}, KNOWN, NodeOptions())
    assert (words.ids.tolist(), words.source.shape) == ([10, 30], (2, 2))  # type: ignore[union-attr]


def test_a_table_of_nodes_without_edges_is_read_by_the_names_of_its_columns() -> None:
    none = pa.array([], pa.int64())
    assert read_nodes("author", pa.table(COLUMNS), none, NodeOptions()).ids.tolist() == [20, 10, 30]
    assert read_nodes("author", pd.DataFrame(COLUMNS).set_index("no"), none, NodeOptions()).ids.tolist() == [20, 10, 30]


def test_what_is_no_table_is_refused() -> None:
    with pytest.raises(InputError, match=r"must have one row for each of its 2 ids. Got 3"):
        read_nodes("author", ([1, 2], pa.table({"age": [1, 2, 3]})), KNOWN, NodeOptions())
    with pytest.raises(InputError, match=r"'author': The features must be finite"):
        read_nodes("author", np.array([[np.nan], [1]]), KNOWN, NodeOptions())
    with pytest.raises(InputError, match=r"no edge names such a node"):
        read_nodes("author", None, pa.array([], pa.int64()), NodeOptions())
    with pytest.raises(InputError, match=r"more than one row for 10"):
        read_nodes("author", pd.DataFrame({"id": [10, 10, 30], "age": [1, 2, 3]}), KNOWN, NodeOptions())


def test_a_column_called_id_holds_the_ids_whatever_the_index_is() -> None:
    """Rows that were chosen or sorted keep the numbers of another table as their index: they are no ids."""
    edges = pa.array([30, 10])
    for index in ([3, 7, 9], [10, 30, 20], [20, 10, 30]):
        for name in ("id", "author_id"):
            frame = pd.DataFrame({name: [20, 10, 30], "age": [1.0, 2.0, 3.0]}, index=index)
            nodes = read_nodes("author", frame, edges, NodeOptions(scale=False))
            assert nodes.ids.tolist() == [20, 10, 30]
            assert any("not by its index" in note for note in nodes.notes)
            alone = read_nodes("author", frame[[name]], edges, NodeOptions())
            assert alone.ids.tolist() == [20, 10, 30]
            assert alone.source is None
            unnamed = read_nodes("author", frame, pa.array([], pa.int64()), NodeOptions())
            assert unnamed.ids.tolist() == [20, 10, 30]
    other = pd.DataFrame({"id": [5, 6, 7], "age": [1.0, 2.0, 3.0]}, index=[20, 10, 30])
    assert read_nodes("author", other, edges, NodeOptions()).ids.tolist() == [20, 10, 30]  # the index alone has the nodes
    by_index = pd.DataFrame({"age": [1.0, 2.0, 3.0]}, index=[20, 10, 30])
    assert read_nodes("author", by_index, edges, NodeOptions()).ids.tolist() == [20, 10, 30]
    asked = pd.DataFrame({"id": [20, 10, 30]}, index=[10, 30, 20])
    assert read_nodes("author", asked, edges, NodeOptions(id_column="index")).ids.tolist() == [10, 30, 20]
