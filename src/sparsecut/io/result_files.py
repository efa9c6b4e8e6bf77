"""Results on disk, written whole or not at all: columns of one length as `.parquet` or `.csv`, tensors as safetensors."""

from __future__ import annotations

import re
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


def save_tensors(path: Path, tensors: dict[str, NDArray[Any]], metadata: dict[str, str]) -> None:
    """Write a safetensors file; what the system says about the disk is an OSError, as it is of any other file."""
    from safetensors import SafetensorError
    from safetensors.numpy import save_file

    try:
        save_file({name: np.ascontiguousarray(tensor) for name, tensor in tensors.items()}, path, metadata=metadata)
    except SafetensorError as error:
        number = re.search(r"\(os error (\d+)\)", str(error))
        if number is None:
            raise
        raise OSError(int(number[1]), str(error)) from error


def _column(values: NDArray[Any]) -> Any:
    import pyarrow as pa

    mask = np.ma.getmaskarray(values) if isinstance(values, np.ma.MaskedArray) else None
    plain = np.asarray(values)
    if plain.dtype == object:
        plain = np.array([str(value) for value in plain], dtype=object)
    return pa.array(plain, mask=mask)
