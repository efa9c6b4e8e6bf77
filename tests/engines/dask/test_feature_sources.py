"""Sources cut into pieces: together they are all rows, in order, and none is all of a large one."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

import sparsecut as sc
from sparsecut.engines.dask import feature_sources as sources


def test_row_groups_are_pieces(tmp_path: Path) -> None:
    table = pa.table({"id": np.arange(95), "x": np.arange(95) / 7})
    for name, rows in (("b.parquet", slice(60, 95)), ("a.parquet", slice(0, 60))):
        part = table.slice(rows.start, rows.stop - rows.start)
        pyarrow.parquet.write_table(part, tmp_path / name, row_group_size=10)
    found = sources.open_source(tmp_path, "features", piece_bytes=25 * (8 * 2 + 16))
    assert [piece.n_rows for piece in found.pieces] == [20, 20, 20, 20, 15]
    assert found.starts == [0, 20, 40, 60, 80, 95]
    read = pa.concat_tables([piece.table(["id", "x"], "features") for piece in found.pieces])
    assert read.equals(table)
    assert found.is_integer("id")
    assert not found.is_integer("x")


def test_arrays_are_cut_by_rows(tmp_path: Path) -> None:
    X = np.random.default_rng(0).normal(size=(20, 3)).astype(np.float32)
    np.save(tmp_path / "x.npy", X)
    found = sources.open_source(tmp_path / "x.npy", "features", piece_bytes=7 * 3 * 8)
    assert [piece.n_rows for piece in found.pieces] == [7, 7, 6]
    np.testing.assert_array_equal(np.concatenate([piece.rows("features") for piece in found.pieces]), X)


def test_what_is_no_source_is_refused(tmp_path: Path) -> None:
    with pytest.raises(sc.InputError, match="does not exist"):
        sources.open_source(tmp_path / "nothing", "edge")
    with pytest.raises(sc.InputError, match=r"must be a folder of \.parquet files"):
        sources.open_source(tmp_path, "edge")
    np.save(tmp_path / "x.npy", np.zeros((4, 3)))
    with pytest.raises(sc.InputError, match="must hold two columns of integers"):
        sources.open_source(tmp_path / "x.npy", "edge")
    for name, column in (("a", "x"), ("b", "y")):
        pyarrow.parquet.write_table(pa.table({"id": [1], column: [2]}), tmp_path / f"{name}.parquet")
    with pytest.raises(sc.InputError, match="must hold files with the same columns"):
        sources.open_source(tmp_path, "features")
    np.save(tmp_path / "objects.npy", np.array([[{}, {}]]), allow_pickle=True)
    with pytest.raises(sc.InputError):
        sources.open_source(tmp_path / "objects.npy", "edge")
