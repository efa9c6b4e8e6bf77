"""Results with several columns per row, as a table: `.parquet` or `.csv`, written whole or not at all."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.io.files import write_whole

COLUMN_SUFFIXES = (".parquet", ".csv")


def write_columns(path: str | Path, columns: Mapping[str, NDArray[Any]], overwrite: bool = False) -> None:
    """Write columns of one length. Masked entries of masked arrays are written as missing."""
    import pyarrow as pa

    table = pa.table({name: _column(values) for name, values in columns.items()})
    with write_whole(path, overwrite, COLUMN_SUFFIXES) as temporary:
        if temporary.suffix == ".parquet":
            import pyarrow.parquet

            pyarrow.parquet.write_table(table, temporary)
        else:
            import pyarrow.csv

            pyarrow.csv.write_csv(table, temporary)


def _column(values: NDArray[Any]) -> Any:
    import pyarrow as pa

    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    plain = np.asarray(values)
    if plain.dtype == object:
        plain = np.array([str(value) for value in plain], dtype=object)
    return pa.array(plain, mask=mask)
