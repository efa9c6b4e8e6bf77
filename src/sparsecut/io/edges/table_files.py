"""Tables from files, whatever the format: separated text, Parquet, Feather; and frames of pandas and polars."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from sparsecut.base.errors import InputError
from sparsecut.io.edges.ids import has_outer_space
from sparsecut.io.edges.text import read_layout, read_text, trim_ids
from sparsecut.io.files import check_readable
from sparsecut.io.hostile.guards import FREE_BYTES, check_expansion, reading
from sparsecut.io.opening import PACKED_SUFFIXES, refuse_packed, table_suffix, way_out

TEXT_SUFFIXES = (".csv", ".tsv", ".txt", ".edges", ".edgelist")
COLUMNAR_SUFFIXES = (".parquet", ".feather", ".arrow")
TABLE_SUFFIXES = (*TEXT_SUFFIXES, *COLUMNAR_SUFFIXES)
MAX_ROWS_PER_BYTE = 100

Choose = Callable[[Sequence[str]], dict[str, Any]]
Words = Callable[[Sequence[str]], Sequence[str]]


def describe_table(
    path: str | Path,
    kind: str,
    header_names: frozenset[str],
    choose: Choose | None = None,
    words: Words = lambda names: (),
    encoding: str | None = None,
) -> tuple[Any, str]:
    """(pyarrow table, how it was read).

    A first line that holds one of `header_names`, or words above numbers, is a header. `choose` takes the names of the
    columns and gives those to read, with their types in a text file; `words` gives those whose spelling is kept; `encoding`
    is that of a text file.
    """
    path = check_readable(path, kind)
    suffix = table_suffix(path)
    if path.stat().st_size == 0:
        raise InputError(f"The {kind} file {path} is empty.")
    if suffix in TEXT_SUFFIXES:
        layout = read_layout(path, kind, header_names, encoding=encoding)
        table = read_text(path, kind, layout, choose, words)
        return table, str(layout)
    if suffix not in COLUMNAR_SUFFIXES:
        raise InputError(
            f"The {kind} file {path} has no known suffix. Known ones: "
            f"{', '.join(TEXT_SUFFIXES)} (packed or not: {', '.join(PACKED_SUFFIXES)}), {', '.join(COLUMNAR_SUFFIXES)}."
            f"{way_out(path)}"
        )
    refuse_packed(path, kind)
    with reading(path, kind):
        table = (read_parquet if suffix == ".parquet" else _read_feather)(path, kind, choose)
    if table.num_rows == 0:
        raise InputError(f"The {kind} file {path} has no rows.")
    return table, suffix[1:].capitalize()


def trim_id_column(
    table: Any, name: str, path: Path, kind: str, header_names: frozenset[str], encoding: str | None = None
) -> Any:
    """The table of a text file without spaces around the ids of a column; an id in quotes is kept exactly."""
    if not has_outer_space(table.column(name)):
        return table
    return trim_ids(table, [name], path, kind, read_layout(path, kind, header_names, encoding=encoding))


def as_table(frame: Any, caller: str) -> Any:
    """A pyarrow table from a frame of pandas or polars, or a table itself."""
    import pyarrow as pa

    if isinstance(frame, pa.Table):
        return frame
    if hasattr(frame, "to_arrow"):  # polars
        return frame.to_arrow()
    if hasattr(frame, "iloc"):
        return pa.Table.from_pandas(frame, preserve_index=False)
    raise InputError(f"{caller} needs a pandas, polars or pyarrow table of edges. Got {type(frame).__name__}.")


def read_parquet(path: Path, kind: str, choose: Choose | None = None) -> Any:
    """A Parquet table whose sizes agree with one another and with the size of the file, so that they may be believed."""
    import pyarrow.parquet

    with reading(path, kind), pyarrow.parquet.ParquetFile(path) as file:
        check_parquet(file.metadata, path, kind)
        table = file.read(columns=list(choose(file.schema_arrow.names)) if choose else None)
        table.validate(full=True)
    return table


def read_parquet_folder(folder: Path, kind: str) -> Any:
    """The Parquet files of a folder, one after another as their names sort, as Spark, DuckDB and polars write them."""
    import pyarrow as pa

    paths = parquet_files(folder)
    if not paths:
        raise InputError(f"The {kind} folder {folder} holds no .parquet files.")
    with reading(folder, kind):
        return pa.concat_tables([read_parquet(path, kind) for path in paths], promote_options="permissive")


def parquet_files(folder: Path) -> list[Path]:
    """The Parquet files of a folder and those within it, as their names sort."""
    return sorted(path for path in folder.rglob("*.parquet") if not path.name.startswith(("_", ".")))


def check_parquet(metadata: Any, path: Path, kind: str, *, is_whole: bool = True) -> None:
    """pyarrow makes room for as many rows as a part of the file claims, before it finds that they are not there.

    Only the parts are asked: asking for a damaged column ends the process.
    """
    parts = [metadata.row_group(number) for number in range(metadata.num_row_groups)]
    size = path.stat().st_size
    n_rows = max([metadata.num_rows, *(part.num_rows for part in parts)])
    is_believable = (
        n_rows <= max(FREE_BYTES // 8, MAX_ROWS_PER_BYTE * size) and min([0, *(part.num_rows for part in parts)]) >= 0
    )
    if not is_believable or sum(part.num_rows for part in parts) != metadata.num_rows:
        raise InputError(
            f"The {kind} file {path} has {size:,} bytes and claims {n_rows:,} rows. "
            "It is damaged or not what it claims to be."
        )
    if is_whole:  # and not read in parts, each of which is used before the next
        check_expansion(sum(max(part.total_byte_size, 0) for part in parts), path, kind)


def _read_feather(path: Path, kind: str, choose: Choose | None) -> Any:
    import pyarrow.feather

    table = pyarrow.feather.read_table(path, memory_map=False)
    table.validate(full=True)
    return table.select(list(choose(table.column_names))) if choose else table
