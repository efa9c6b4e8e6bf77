"""Results with several columns, read back by pyarrow; tensors, read back by safetensors."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest
from safetensors.numpy import load_file

from full_disk import full_disk
from sparsecut.base.errors import InputError
from sparsecut.io import write_columns
from sparsecut.io.result_files import save_tensors


@pytest.mark.parametrize("name", ["x.parquet", "x.csv"])
def test_columns_come_back_with_gaps_where_they_are_masked(name, tmp_path) -> None:
    columns = {"id": np.array(["a", "b"], dtype=object), "part": np.ma.array([3, 4], mask=[False, True])}
    write_columns(tmp_path / name, columns)
    read = pyarrow.parquet.read_table if name.endswith("parquet") else pyarrow.csv.read_csv
    assert read(tmp_path / name).to_pydict() == {"id": ["a", "b"], "part": [3, None]}


def test_other_suffixes_and_existing_files_are_refused(tmp_path) -> None:
    with pytest.raises(InputError, match=r"must end in \.parquet or \.csv"):
        write_columns(tmp_path / "x.txt", {"a": np.arange(2)})
    write_columns(tmp_path / "x.csv", {"a": np.arange(2)})
    with pytest.raises(InputError, match="exists"):
        write_columns(tmp_path / "x.csv", {"a": np.arange(3)})
    write_columns(tmp_path / "x.csv", {"a": np.arange(3)}, overwrite=True)
    assert pyarrow.csv.read_csv(tmp_path / "x.csv").num_rows == 3


def test_tensors_are_written_or_an_oserror_says_why(tmp_path: Path) -> None:
    """What safetensors says about a disk is an error of the system, as it is of any other file."""
    turned = np.arange(6.0).reshape(2, 3).T
    save_tensors(tmp_path / "small", {"x": turned}, {"format": "test"})
    assert np.array_equal(load_file(tmp_path / "small")["x"], turned)
    with full_disk(tmp_path / "full", "limited") as folder, pytest.raises(OSError, match="File too large") as caught:
        save_tensors(folder / "large", {"x": np.zeros(100_000)}, {})
    assert caught.value.errno == 27
