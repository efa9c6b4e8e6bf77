"""Results with several columns, read back by pyarrow."""

from __future__ import annotations

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from sparsecut.base.errors import InputError
from sparsecut.io import write_columns


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
