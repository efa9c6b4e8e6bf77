"""Tables larger than memory, some rows at a time: Parquet, Feather and Arrow files, folders of Parquet files, .npy."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.io.edges.table_files import check_parquet, parquet_files
from sparsecut.io.files import check_readable, refuse_url
from sparsecut.io.hostile.guards import reading

BATCH_ROWS = 1 << 20
STREAMED_SUFFIXES = (".parquet", ".feather", ".arrow", ".npy")


def is_streamed(path: str | Path) -> bool:
    """Whether a path is a file that can be read in parts, or a folder of Parquet files."""
    path = Path(path)
    return bool(parquet_files(path)) if path.is_dir() else path.is_file() and path.suffix.lower() in STREAMED_SUFFIXES


def files_of(path: Path) -> list[Path]:
    """The files that a path stands for."""
    return parquet_files(path) if path.is_dir() else [path]


def check_streamed(path: str | Path, kind: str) -> Path:
    """The path of a file, or of a folder of Parquet files, that can be read in batches."""
    refuse_url(path, f"The {kind} file")
    if Path(path).is_dir():
        if not parquet_files(Path(path)):
            raise InputError(f"The {kind} folder {path} holds no .parquet files.")
        return Path(path)
    path = check_readable(path, kind)
    if path.suffix.lower() not in STREAMED_SUFFIXES:
        raise InputError(
            f"The {kind} file {path} cannot be read in parts. For graphs larger than memory it must end in "
            f"{', '.join(STREAMED_SUFFIXES)}, or be a folder of Parquet files."
        )
    return path


def names_and_rows(path: Path, kind: str) -> tuple[list[str], int]:
    """The names of the columns, and how many rows there are."""
    import pyarrow.parquet

    if path.is_dir():
        found = [names_and_rows(file, kind) for file in parquet_files(path)]
        for (names, _), file in zip(found, parquet_files(path), strict=True):
            absent = [name for name in found[0][0] if name not in names]
            if absent:
                raise InputError(f"The {kind} file {file} has no column {absent[0]!r}, and others of its folder have.")
        return found[0][0], sum(n_rows for _, n_rows in found)
    with reading(path, kind):
        if path.suffix.lower() == ".parquet":
            with pyarrow.parquet.ParquetFile(path) as file:
                check_parquet(file.metadata, path, kind, is_whole=False)
                return list(file.schema_arrow.names), int(file.metadata.num_rows)
        with _open_arrow(path) as file:
            return list(file.schema.names), sum(file.get_batch(number).num_rows for number in range(file.num_record_batches))


def schema_of(path: Path, kind: str) -> Any:
    """The names and Arrow types of the columns."""
    import pyarrow.parquet

    file = files_of(path)[0]
    with reading(file, kind):
        if file.suffix.lower() == ".parquet":
            with pyarrow.parquet.ParquetFile(file) as opened:
                return opened.schema_arrow
        with _open_arrow(file) as opened:
            return opened.schema


def tables_in_parts(path: Path, kind: str, names: Sequence[str], n_rows: int) -> Iterator[Any]:
    """Tables of some columns, at most so many rows each."""
    import pyarrow as pa
    import pyarrow.parquet

    if path.is_dir():
        for file in parquet_files(path):
            yield from tables_in_parts(file, kind, names, n_rows)
        return
    if path.suffix.lower() == ".parquet":
        with pyarrow.parquet.ParquetFile(path, pre_buffer=False, buffer_size=1 << 20) as file:
            for batch in file.iter_batches(n_rows, columns=list(names), use_threads=False):
                yield pa.Table.from_batches([batch]).select(list(names))
        return
    with _open_arrow(path) as file:
        for number in range(file.num_record_batches):
            batch = file.get_batch(number).select(list(names))
            for start in range(0, batch.num_rows, n_rows):
                yield pa.Table.from_batches([batch.slice(start, n_rows)])


def _open_arrow(path: Path) -> Any:
    import pyarrow as pa

    return pa.ipc.open_file(pa.OSFile(str(path)))


def map_array(path: Path, kind: str) -> NDArray[Any]:
    with reading(path, kind):
        matrix: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return matrix
