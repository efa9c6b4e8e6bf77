"""Edges and features in many files, cut into pieces that one task reads: no process reads all of them.

A source is a folder of Parquet files as Spark, DuckDB and polars write them, a Parquet file, an .npy file, or a Zarr array.
Here only their schemas and sizes are read; a piece is some row groups of a file, or some rows of an array.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError, import_extra
from sparsecut.graph.id_columns import likely_name
from sparsecut.io.edges.edge_columns import ColumnPlan, plan_columns
from sparsecut.io.edges.sides import check_side_ids
from sparsecut.io.edges.table_files import check_parquet
from sparsecut.io.files import refuse_url
from sparsecut.io.hostile.guards import reading
from sparsecut.io.stores.edge_batches import refuse_for_array
from sparsecut.io.stores.record_batches import numbers_of

PIECE_BYTES = 64 << 20  # of a piece in memory, about
LEFT_OUT = ("_", ".")  # how the names of files begin that are not data: _SUCCESS, _metadata


@dataclass(frozen=True)
class Piece:
    """Some rows of a source: row groups `first` to `last` of a Parquet file, or rows of an array."""

    path: str
    kind: str  # "parquet", "npy" or "zarr"
    first: int
    last: int
    n_rows: int

    def table(self, names: Sequence[str], what: str) -> Any:
        """Some columns of a piece of a Parquet file."""
        import pyarrow.parquet

        with reading(Path(self.path), what), pyarrow.parquet.ParquetFile(self.path, pre_buffer=False) as file:
            check_parquet(file.metadata, Path(self.path), what, is_whole=False)
            return file.read_row_groups(list(range(self.first, self.last)), columns=list(names)).select(list(names))

    def first_row(self, names: Sequence[str], what: str) -> Any:
        """Some columns of the first row of a piece."""
        import pyarrow as pa
        import pyarrow.parquet

        with reading(Path(self.path), what), pyarrow.parquet.ParquetFile(self.path, pre_buffer=False) as file:
            return pa.Table.from_batches([next(file.iter_batches(1, [self.first], list(names)))]).select(list(names))

    def rows(self, what: str) -> NDArray[Any]:
        """The rows of a piece of an array."""
        with reading(Path(self.path), what):
            return np.array(open_array(Path(self.path), self.kind)[self.first : self.last])


@dataclass(frozen=True)
class PartitionedTable:
    """A source: its pieces in order, the names of its columns, and how many rows it has."""

    what: str
    pieces: tuple[Piece, ...]
    names: tuple[str, ...] | None  # None for an array
    n_columns: int
    dtype: str | None = None  # of an array
    id_types: tuple[tuple[str, str], ...] = ()  # the Arrow type of every column

    @property
    def n_rows(self) -> int:
        return sum(piece.n_rows for piece in self.pieces)

    @property
    def starts(self) -> list[int]:
        """The first row of every piece."""
        return [0, *np.cumsum([piece.n_rows for piece in self.pieces]).tolist()]

    def is_integer(self, name: str) -> bool:
        return dict(self.id_types)[name].startswith(("int", "uint"))


def is_partitioned(path: str | Path) -> bool:
    """Whether a path is a folder of Parquet files or a Zarr array: what no other engine reads."""
    path = Path(path)
    return is_zarr(path) or (path.is_dir() and any(file.suffix == ".parquet" for file in path.rglob("*.parquet")))


def is_zarr(path: Path) -> bool:
    return path.is_dir() and any((path / name).exists() for name in ("zarr.json", ".zarray"))


def open_source(
    path: str | Path, kind: str, row_bytes: int | None = None, *, piece_bytes: int = PIECE_BYTES
) -> PartitionedTable:
    """The pieces of a source. `kind` is "edge" or "features"; a row takes `row_bytes` in memory, about."""
    refuse_url(path, f"The {kind} file")
    path = Path(path)
    what = f"The {kind} {'folder' if path.is_dir() else 'file'} {path}"
    if not path.exists():
        raise InputError(f"{what} does not exist. Its folder is {path.absolute().parent}.")
    if is_zarr(path) or path.suffix == ".npy":
        return _array_pieces(path, what, kind, piece_bytes)
    files = [path] if path.is_file() else sorted(path.rglob("*.parquet"))
    files = [file for file in files if not file.name.startswith(LEFT_OUT)]
    if not files or files[0].suffix != ".parquet":
        raise InputError(f"{what} must be a folder of .parquet files, a .parquet file, an .npy file or a Zarr array.")
    return _parquet_pieces(files, what, kind, row_bytes, piece_bytes)


def open_sources(
    edges: str | Path, features: str | Path, columns: Mapping[str, str | None], bipartite: bool | None = None
) -> tuple[PartitionedTable, PartitionedTable, ColumnPlan | None]:
    """The pieces of edges and features, and what the names of the edges' columns say.

    Errors that can be found before a worker starts are raised here.
    """
    tables = open_source(edges, "edge"), open_source(features, "features")
    what, names = tables[0].what, tables[0].names
    if names is None:
        refuse_for_array({**columns, "bipartite": bipartite}, what)
        return *tables, None
    plan = plan_columns(names, columns, what, bipartite)
    if bipartite and not plan.unclear:
        check_side_ids(plan.decide(), tables[1].names is not None, tables[1].what)
    return *tables, plan


def sizes_of(edges: str | Path, features: str | Path) -> dict[str, int]:
    """The numbers of nodes, edges and feature columns of a graph in files, of which one row of features alone is read."""
    edge_table, table, _ = open_sources(edges, features, {"source": None, "target": None, "weight": None})
    n_columns = table.n_columns
    if table.names is not None:
        names = [name for name in table.names if name != likely_name(table.names)]
        if not names:
            raise InputError(f"{table.what} has no column beside the ids.")
        n_columns = int(numbers_of(table.pieces[0].first_row(names, table.what), names, table.what).shape[1])
    return {"n_nodes": table.n_rows, "n_edges": edge_table.n_rows, "n_features": n_columns}


def open_array(path: Path, kind: str) -> Any:
    if kind == "zarr":
        return import_extra("zarr", caller="A Zarr array", extra="cluster").open_array(str(path), mode="r")
    return np.load(path, mmap_mode="r", allow_pickle=False)


def _array_pieces(path: Path, what: str, kind: str, piece_bytes: int) -> PartitionedTable:
    form = "zarr" if path.is_dir() else "npy"
    with reading(path, kind):
        array = open_array(path, form)
    kinds, columns = ("iu", "two columns of integers") if kind == "edge" else ("biuf", "numbers, one row per node")
    if array.ndim != 2 or array.dtype.kind not in kinds or not all(array.shape) or (kind == "edge" and array.shape[1] != 2):
        raise InputError(f"{what} must hold {columns}. Got {array.dtype} of shape {array.shape}.")
    n_rows, n_columns = (int(length) for length in array.shape)
    step = max(1, piece_bytes // (n_columns * 8))
    if form == "zarr":  # whole chunks
        chunk = int(array.chunks[0])
        step = max(1, step // chunk) * chunk
    pieces = [
        Piece(str(path.absolute()), form, start, min(start + step, n_rows), min(start + step, n_rows) - start)
        for start in range(0, n_rows, step)
    ]
    return PartitionedTable(what, tuple(pieces), None, n_columns, str(array.dtype))


def _parquet_pieces(
    files: Sequence[Path], what: str, kind: str, row_bytes: int | None, piece_bytes: int
) -> PartitionedTable:
    import pyarrow.parquet

    pieces: list[Piece] = []
    schema = None
    for path in files:
        with reading(path, kind), pyarrow.parquet.ParquetFile(path) as file:
            check_parquet(file.metadata, path, kind, is_whole=False)
            schema = file.schema_arrow if schema is None else schema
            if list(file.schema_arrow.names) != list(schema.names):
                raise InputError(
                    f"{what} must hold files with the same columns. {path.name} has others than {files[0].name}."
                )
            sizes = [file.metadata.row_group(group).num_rows for group in range(file.metadata.num_row_groups)]
        width = row_bytes or 8 * len(schema.names) + 16
        first, n_rows = 0, 0
        for group, size in enumerate(sizes):
            if n_rows and (n_rows + size) * width > piece_bytes:
                pieces.append(Piece(str(path.absolute()), "parquet", first, group, n_rows))
                first, n_rows = group, 0
            n_rows += size
        if n_rows:
            pieces.append(Piece(str(path.absolute()), "parquet", first, len(sizes), n_rows))
    assert schema is not None
    if not pieces:
        raise InputError(f"{what} has no rows.")
    types = tuple((name, str(schema.field(name).type)) for name in schema.names)
    return PartitionedTable(what, tuple(pieces), tuple(schema.names), len(schema.names), None, types)
