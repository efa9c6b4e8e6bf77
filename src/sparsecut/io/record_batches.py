"""Tables and matrices larger than memory, a batch of rows at a time: Parquet, Feather and Arrow files, .npy.

What a batch becomes is what the readers for memory make of the whole file.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparsecut.base.errors import InputError
from sparsecut.features import (
    Encoder,
    LeftOut,
    NumberColumn,
    NumberScan,
    Scale,
    TableEncoder,
    VectorColumn,
    check_names,
    check_scale,
)
from sparsecut.graph import as_id_array
from sparsecut.graph.id_columns import N_FIRST, IdEvidence, KnownIds, choose_of_parts, gather, likely_name
from sparsecut.io.column_evidence import evidence_of
from sparsecut.io.edge_columns import EdgeColumns, plan_columns
from sparsecut.io.edge_weights import check_not_negative, edge_weights
from sparsecut.io.files import check_readable
from sparsecut.io.guards import reading
from sparsecut.io.ids import as_ids, check_present, check_unique, plain_ids
from sparsecut.io.sides import with_side
from sparsecut.io.table_files import check_parquet
from sparsecut.kernels import are_finite, feature_error, release, row_blocks

BATCH_ROWS = 1 << 20
BATCH_BYTES = 16 << 20
N_SAMPLED = 10_000  # edges whose ids the id column of the features must have
STREAMED_SUFFIXES = (".parquet", ".feather", ".arrow", ".npy")


def check_streamed(path: str | Path, kind: str) -> Path:
    """The path of a file that can be read in batches."""
    path = check_readable(path, kind)
    if path.suffix.lower() not in STREAMED_SUFFIXES:
        raise InputError(
            f"The {kind} file {path} cannot be read in parts. For graphs larger than memory it must end in "
            f"{', '.join(STREAMED_SUFFIXES)}."
        )
    return path


class EdgeFile:
    """The edges of a file, read in batches; each call reads the file again."""

    def __init__(self, path: str | Path, asked: dict[str, str | None], bipartite: bool | None = None) -> None:
        self.path = check_streamed(path, "edge")
        self.what = f"The edge file {self.path}"
        self.columns: EdgeColumns | None = None
        if self.path.suffix == ".npy":
            refuse_for_array({**asked, "bipartite": bipartite}, self.what)
            pairs = _map(self.path, "edge")
            if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype.kind not in "iu":
                raise InputError(
                    f"{self.what} must hold integers in two columns, (m, 2). Got {pairs.dtype} of shape {pairs.shape}."
                )
            self.n_edges = len(pairs)
        else:
            names, self.n_edges = _names_and_rows(self.path, "edge")
            plan = plan_columns(names, asked, self.what, bipartite)
            evidence = None
            if plan.unclear:
                with reading(self.path, "edge"):
                    evidence = evidence_of(_tables(self.path, "edge", plan.unclear, BATCH_ROWS), self.n_edges)
            self.columns = plan.decide(evidence)
        if self.n_edges == 0:
            raise InputError(f"{self.what} has no rows.")

    def some_ids(self) -> Any:
        """Ids that the first edges name, by which the id column of a table of nodes is found."""
        sources, targets, _ = next(self.batches())
        return some_of(sources, targets)

    @property
    def has_weights(self) -> bool:
        return self.columns is not None and self.columns.weight is not None

    @property
    def is_integer(self) -> bool:
        """Whether the ids of both ends are integers."""
        if self.columns is None:
            return True
        ends = [self.columns.source, self.columns.target]
        with reading(self.path, "edge"):
            first_row = next(_tables(self.path, "edge", ends, 1))
        return all(str(kind).startswith(("int", "uint")) for kind in first_row.schema.types)

    @property
    def notes(self) -> tuple[str, ...]:
        form = self.path.suffix[1:].capitalize()
        said = f"Edges: {self.path}, {form}; {self.columns or 'source and target in two columns, no weights'}."
        return (said,) if self.columns is None else (said, *self.columns.notes, *self.columns.doubts)

    def batches(self) -> Iterator[tuple[Any, Any, NDArray[np.float32] | None]]:
        """(sources, targets, weights): ids as 64-bit integers (numpy) or as words (Arrow)."""
        if self.columns is None:
            pairs = _map(self.path, "edge")
            for rows in row_blocks(len(pairs), 1, BATCH_ROWS):
                checked = as_id_array(np.asarray(pairs[rows]), self.what)
                yield checked[:, 0].astype(np.int64), checked[:, 1].astype(np.int64), None
                release(pairs, rows)
            return
        columns = self.columns
        names = [columns.source, columns.target, *([columns.weight] if columns.weight is not None else [])]
        with reading(self.path, "edge"):
            for table in _tables(self.path, "edge", names, BATCH_ROWS):
                yield edges_of(table, columns, self.what)


def refuse_for_array(options: Mapping[str, Any], what: str) -> None:
    """An array of edges has two columns without names, and no use for options about columns."""
    named = next((name for name, value in options.items() if value is not None), None)
    if named is not None:
        raise InputError(f"{what} has no use for {named}={options[named]!r}: it has two columns without names.")


def edges_of(table: Any, columns: EdgeColumns, what: str) -> tuple[Any, Any, NDArray[np.float32] | None]:
    """(sources, targets, weights) of a table: ids as 64-bit integers (numpy) or as words (Arrow)."""
    ends = []
    for number, name in enumerate((columns.source, columns.target)):
        column = plain_ids(table.column(name), f"{what}, in column {name!r},")
        check_present(column, what, f" of column {name!r}")
        if columns.sides is not None:
            column = with_side(column, columns.sides[number])
        ends.append(column.to_numpy() if str(column.type) == "int64" else column)
    weights = None
    if columns.weight is not None:
        weights = edge_weights(table.column(columns.weight), columns.weight, what)
        check_not_negative(weights, columns.weight, what)
    return ends[0], ends[1], weights


def some_of(sources: Any, targets: Any) -> NDArray[Any]:
    """Some of the ids at the ends of edges, each once."""
    ends = [np.asarray(end[:N_SAMPLED]) for end in (sources, targets)]
    return np.unique(np.concatenate(ends).astype(np.str_ if any(end.dtype == object for end in ends) else ends[0].dtype))


class FeatureFile:
    """The features of a file, one row per node, and their ids where it has them.

    A table of named columns is encoded as the whole table would be in memory, or by the encoder of a fitted model. Its id
    column is `id_column`, or the one that has `edge_ids`, a sample of the nodes that edges name.
    """

    def __init__(
        self,
        path: str | Path,
        *,
        scale: Scale = "auto",
        encoder: Encoder | None = None,
        id_column: str | None = None,
        edge_ids: Any = None,
    ) -> None:
        self.encoder: TableEncoder | None = None
        self.path = check_streamed(path, "features")
        self.what = f"The features file {self.path}"
        self.ids: NDArray[Any] | None = None
        self.id_name: str | None = None
        if self.path.suffix == ".npy":
            matrix = _map(self.path, "features")
            if matrix.ndim != 2 or matrix.dtype.kind not in "biuf" or not matrix.shape[1]:
                raise InputError(
                    f"{self.what} must hold numbers, one row per node. Got {matrix.dtype} of shape {matrix.shape}."
                )
            if isinstance(encoder, TableEncoder):
                raise InputError(f"{self.what} is an array, and the model was fitted on a table with named columns.")
            self.shape: tuple[int, int] = matrix.shape
            self.is_as_stored = matrix.dtype == np.float32 and matrix.flags.c_contiguous
            return
        self.is_as_stored = False
        names, n_rows = _names_and_rows(self.path, "features")
        self.id_name = self._find_ids(names, encoder, id_column, edge_ids)
        self._names = [name for name in names if name != self.id_name]
        if not self._names:
            raise InputError(f"{self.what} has no column beside the ids.")
        if n_rows == 0:
            raise InputError(f"{self.what} has no rows.")
        with reading(self.path, "features"):
            parts = [as_ids(table.column(self.id_name), self.what) for table in self._tables([self.id_name], BATCH_ROWS)]
            self.ids = np.concatenate(parts)
            check_unique(self.ids, self.what)
            self.encoder = self._accept(encoder) if encoder is not None else self._fit_encoder(scale)
        if not self.encoder.names_out:
            raise InputError(f"{self.what} has no column that could be a feature: each holds one value throughout.")
        self.shape = n_rows, len(self.encoder.names_out)

    def _find_ids(self, names: list[str], encoder: Encoder | None, asked: str | None, edge_ids: Any) -> str:
        likely = likely_name(names, asked, self.what)
        if asked is not None or edge_ids is None or len(names) == 1:
            return likely
        fitted = () if encoder is None else encoder.names_in or ()
        looked_at = [name for name in names if name == likely or name not in fitted]
        known = KnownIds(edge_ids)
        with reading(self.path, "features"):
            first = next(self._tables(looked_at, N_FIRST))
            looked_at = [one.option for one in ids_in(first, looked_at, known) if one.is_unique]
            parts = [ids_in(table, looked_at, known) for table in self._tables(looked_at, BATCH_ROWS)] if looked_at else []
        return choose_of_parts(parts, self.what, likely) if parts else likely

    def _accept(self, encoder: Encoder) -> TableEncoder:
        accepted = accept_encoder(encoder, self._names, self.what)
        self._names = list(encoder.names_in or ())  # in the fitted order
        return accepted

    def _fit_encoder(self, scale: Scale) -> TableEncoder:
        first = self._matrix(next(self._tables(self._names, 1)))
        if first.shape[1] != len(self._names):
            return TableEncoder((VectorColumn(self._names[0], first.shape[1]),))
        check_scale(scale, tuple(self._names), self.what)
        scan = self._scanned(NumberScan(tuple(self._names)))
        logs = scan.of_logs(scale)
        return scan.encoder(scale=scale, logs=None if logs is None else self._scanned(logs))

    def _scanned(self, scan: NumberScan) -> NumberScan:
        """A scan of all blocks of the table."""
        for table in self._tables(self._names, max(1, BATCH_BYTES // (8 * len(self._names)))):
            block = self._matrix(table)
            if not are_finite(block):
                raise feature_error(block, block, scan.n_rows, self._names)
            scan.update(block)
        return scan

    def blocks(self) -> Iterator[NDArray[np.float32]]:
        """Blocks of rows in float32; a number that is not finite is refused."""
        n_rows, width = 0, self.shape[1]
        for given in self._blocks():
            with np.errstate(over="ignore"):  # a number beyond float32 becomes infinite and is refused below
                block = np.ascontiguousarray(given, dtype=np.float32)
            if block.shape[1] != width:
                raise InputError(f"{self.what} must hold rows of one length. Got {block.shape[1]} after {width}.")
            if not are_finite(block):
                raise feature_error(given, block, n_rows)
            n_rows += len(block)
            yield block

    def _blocks(self) -> Iterator[NDArray[Any]]:
        if self.path.suffix == ".npy":
            matrix = _map(self.path, "features")
            for rows in row_blocks(len(matrix), matrix.dtype.itemsize * matrix.shape[1], BATCH_BYTES):
                yield matrix[rows]
                release(matrix, rows)
            return
        assert self.encoder is not None
        with reading(self.path, "features"):
            for table in self._tables(self._names, max(1, BATCH_BYTES // (8 * self.shape[1]))):
                block = self._matrix(table)
                is_vector = isinstance(self.encoder.columns[0], VectorColumn)
                yield block if is_vector else self.encoder.scale_numbers(block)

    def _tables(self, names: Sequence[str], n_rows: int) -> Iterator[Any]:
        return _tables(self.path, "features", names, n_rows)

    def _matrix(self, table: Any) -> NDArray[Any]:
        return numbers_of(table, self._names, self.what)


def ids_in(table: Any, names: Sequence[str], known: KnownIds) -> list[IdEvidence]:
    """What a part of a table says for each of some columns to hold the ids."""
    return [gather(name, table.column(name), known) for name in names]


def accept_encoder(encoder: Encoder, names: Sequence[str], what: str) -> TableEncoder:
    """The encoder of a fitted model, where it can be applied to a part of a table with these columns."""
    check_names(encoder.names_in or (), tuple(names), what)
    if not isinstance(encoder, TableEncoder):
        return TableEncoder(tuple(NumberColumn(name) for name in encoder.names_in or ()))
    for column in encoder.columns:
        is_plain = isinstance(column, NumberColumn) and column.is_one_number
        is_vector = isinstance(column, VectorColumn) and len(encoder.names_in or ()) == 1
        if not (is_plain or isinstance(column, LeftOut) or is_vector):
            raise InputError(
                f"{what} cannot be read in parts: the model was fitted on a table whose column {column.name!r} is "
                "more than a number. Use engine='memory'."
            )
    return encoder


def numbers_of(table: Any, names: Sequence[str], what: str) -> NDArray[Any]:
    """Numbers column by column, or one column of lists."""
    import pyarrow as pa

    columns = [table.column(name) for name in names]
    kind = columns[0].type
    if len(columns) == 1 and (pa.types.is_fixed_size_list(kind) or pa.types.is_list(kind) or pa.types.is_large_list(kind)):
        lists = columns[0].combine_chunks()
        lists = lists.chunk(0) if isinstance(lists, pa.ChunkedArray) else lists
        if lists.null_count == 0 and len(lists) and len(lists.flatten()) % len(lists) == 0:
            return np.asarray(lists.flatten().to_numpy(zero_copy_only=False)).reshape(len(lists), -1)
    for name, column in zip(names, columns, strict=True):
        is_number = pa.types.is_integer(column.type) or pa.types.is_floating(column.type)
        if not is_number or column.null_count:
            raise InputError(
                f"{what} must hold numbers without gaps, or one column of lists, to be read in parts. "
                f"Column {name!r} holds others."
            )
    return np.column_stack([column.to_numpy() for column in columns])


def _names_and_rows(path: Path, kind: str) -> tuple[list[str], int]:
    import pyarrow.parquet

    with reading(path, kind):
        if path.suffix.lower() == ".parquet":
            with pyarrow.parquet.ParquetFile(path) as file:
                check_parquet(file.metadata, path, kind, is_whole=False)
                return list(file.schema_arrow.names), int(file.metadata.num_rows)
        with _open_arrow(path) as file:
            return list(file.schema.names), sum(file.get_batch(number).num_rows for number in range(file.num_record_batches))


def _tables(path: Path, kind: str, names: Sequence[str], n_rows: int) -> Iterator[Any]:
    """Tables of some columns, at most so many rows each."""
    import pyarrow as pa
    import pyarrow.parquet

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


def _map(path: Path, kind: str) -> NDArray[Any]:
    with reading(path, kind):
        matrix: NDArray[Any] = np.load(path, mmap_mode="r", allow_pickle=False)
    return matrix
